"""The spectrum of an activation and the coefficients of a target, degree by degree.

On Gaussian data the degrees of Hermite polynomials are the eigenspaces to leading order in d: degree k has
the eigenvalue mu_k^2/(k! B_k) with mu_k = E He_k sigma and B_k the number of harmonics of degree k. On the
sphere the spherical harmonics are the eigenspaces at any d.

Source: docs/deterministic_equivalents.md; for n, p ~ d^k compare arXiv 2101.10588.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import feature_points
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Quantity
from hermite_analytics.expansion import HermiteExpansion, hermite
from hermite_analytics.numeric.models.deterministic_equivalent.sphere import zonal_coefficients
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["INPUTS", "activation_spectrum", "harmonics"]

INPUTS = ("gaussian", "sphere")
_VANISHING = 1e-28  # share of E sigma^2 that rounding leaves of the square of a coefficient that is 0


@dataclass(frozen=True, slots=True)
class _Degrees:
    """Squared norms of the parts of degree 0, 1, ... and of the rest."""

    parts: tuple[float, ...]
    tail: float


def harmonics(dimension: int, degree: int) -> int:
    """Number of spherical harmonics of a degree in R^d.

    Examples
    --------
    >>> [harmonics(36, k) for k in range(3)]
    [1, 36, 665]
    """
    whole = math.comb(dimension + degree - 1, degree)
    return whole - (math.comb(dimension + degree - 3, degree - 2) if degree >= 2 else 0)


def activation_spectrum(
    activation: Activation | str, target: Target | str, dimension: int, degree: int, inputs: str
) -> dict[str, Any]:
    """The arguments of `DeterministicEquivalent` for sigma(<w, x>) with |w| = 1 and |x| ~ sqrt(d).

    A degree that the activation does not hold cannot be learned: the target's part in it joins the tail.
    """
    _check(dimension, degree, inputs)
    sigma = Activation.of(activation)
    sigma.require_second_moment()
    f = Target.of(target)
    if f.dimension > dimension:
        raise InputError(
            f"dimension is {dimension} and the target uses z{f.dimension}; accepted: at least that"
        )
    noise = float(f.noise_variance)  # refuses other noise than a*xi
    as_target = Target(sigma.expression.subs(sigma.variable, variable(1)))
    expansion = hermite(as_target, degree)
    if inputs == "gaussian":
        features, wanted = _on_gaussian(expansion), _on_gaussian(hermite(f, degree))
    else:
        points = feature_points(sigma, f)  # refuses a target of several directions
        features = _on_sphere(sigma.function("auto"), points[0], dimension, expansion)
        wanted = _on_sphere(f.function("auto"), points[1], dimension, hermite(f, degree))
    counts = [float(harmonics(dimension, k)) for k in range(degree + 1)]
    held = [k for k in range(degree + 1) if features.parts[k] > 0.0]
    if not held:
        raise InputError(
            f"the activation {sigma} has no part of degree at most {degree}; give a larger degree"
        )
    return {
        "eigenvalues": [features.parts[k] / counts[k] for k in held],
        "coefficients": [wanted.parts[k] for k in held],
        "multiplicities": [counts[k] for k in held],
        "tail_trace": features.tail,
        "tail_coefficient": wanted.tail + sum(wanted.parts[k] for k in range(degree + 1) if k not in held),
        "label_noise": noise,
    }


def _check(dimension: int, degree: int, inputs: str) -> None:
    for name, value, low in (("dimension", dimension, 3), ("degree", degree, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise InputError(f"{name} is {value!r}; accepted: an integer >= {low}")
    if inputs not in INPUTS:
        raise InputError(f"inputs is {inputs!r}; accepted: {', '.join(INPUTS)}")


def _on_gaussian(expansion: HermiteExpansion) -> _Degrees:
    parts = tuple(_number(expansion.norm_squared(k)) for k in range(expansion.degree + 1))
    return _Degrees(parts, _number(expansion.tail))


def _on_sphere(
    function: Any, points: tuple[float, ...], dimension: int, expansion: HermiteExpansion
) -> _Degrees:
    """A part counts as 0 where its Hermite part is shown to vanish (parity) and rounding alone is left."""
    zonal, norm = zonal_coefficients(function, points, dimension, expansion.degree)
    parts = []
    for k, coefficient in enumerate(zonal.tolist()):
        absent = expansion.norm_squared(k).zero and coefficient**2 <= _VANISHING * norm
        parts.append(0.0 if absent else harmonics(dimension, k) * coefficient**2)
    # a polynomial has no degrees beyond its own, here as there
    return _Degrees(tuple(parts), 0.0 if expansion.tail.zero else max(norm - math.fsum(parts), 0.0))


def _number(quantity: Quantity) -> float:
    """The value, 0 where it is shown to vanish."""
    if quantity.zero:
        return 0.0
    if not math.isfinite(quantity.value):
        raise InputError("the second moment of the activation or the target is infinite or unknown")
    return max(float(quantity.value), 0.0)
