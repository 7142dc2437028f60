"""What random features see of an activation and a target: norms by Hermite degree, with exact zeros."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

from hermite_analytics.activation import Activation, shortened
from hermite_analytics.conditional import conditional_coefficients
from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.evidence import Quantity
from hermite_analytics.expansion import hermite
from hermite_analytics.numeric.models.random_features.two_directions import label_moments
from hermite_analytics.symbols import c, kappa, r, variable
from hermite_analytics.target import Target

__all__ = ["FeatureConstants", "TargetConstants", "feature_constants", "target_constants"]

_NEARLY_AFFINE = 1e-3  # of the square of the other coefficients: below it digits cancel, 30 are asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureConstants:
    """An activation seen at Hermite degree k: the features at that degree, and the isotropic rest.

    Attributes
    ----------
    mean : float
        E sigma.
    slope : float
        E[He_k sigma]/sqrt(k!); mu_1 at degree 1.
    residual : float
        sum over j > k of E[He_j sigma]^2/j!; mu_2^2, a squared norm, at degree 1.
    present : tuple of bool
        Whether E[He_j sigma] is not 0, for j < k.
    """

    mean: float
    slope: float
    residual: float
    present: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetConstants:
    """A target seen at Hermite degree k.

    Attributes
    ----------
    mean : float
        E f.
    below : tuple of float
        |P_j f|^2 for j < k; the first is (E f)^2.
    level : float
        |P_k f|^2.
    above : float
        |P_{>k} f|^2.
    noise : float
        Variance of the additive label noise.
    from_flips : float
        Variance of y given x where labels 1 and -1 are flipped; the norms are then those of E[y|x].
    """

    mean: float
    below: tuple[float, ...]
    level: float
    above: float
    noise: float
    from_flips: float = 0.0

    @property
    def second_moment(self) -> float:
        """E f^2, noise excluded."""
        return sum(self.below) + self.level + self.above

    def flipped(self, flips: float) -> TargetConstants:
        """The same where a share of the labels has the other sign."""
        kept = 1.0 - 2.0 * flips
        return replace(
            self,
            mean=kept * self.mean,
            below=tuple(kept**2 * norm for norm in self.below),
            level=kept**2 * self.level,
            above=kept**2 * self.above,
            from_flips=(1.0 - kept**2) * self.second_moment,
        )

    def unlearned(self, features: FeatureConstants) -> float:
        """Sum of |P_j f|^2 over the degrees j < k that the activation does not have."""
        return sum(n for n, there in zip(self.below, features.present, strict=True) if not there)


@functools.lru_cache(maxsize=128)
def feature_constants(activation: Activation, degree: int) -> FeatureConstants:
    """Norms of an activation at a degree.

    Raises
    ------
    UndefinedQuantity
        If E sigma^2 is infinite.
    InputError
        If the activation has nothing of degree 1 or more.
    UnsupportedExpression
        If it is not decided whether a lower coefficient vanishes.
    """
    activation.require_second_moment()
    text = shortened(activation.text)
    expansion = hermite(Target(activation.expression.subs(activation.variable, variable(1))), degree)
    present = []
    for j in range(degree):
        zero = expansion[j].zero
        if zero is None:
            raise UnsupportedExpression(
                f"whether the Hermite coefficient {j} of {text} vanishes is not decided, and the limit "
                "depends on it"
            )
        present.append(not zero)
    size = float(expansion.norm_squared(degree).value)
    slope = size**0.5 if expansion[degree].value >= 0 else -(size**0.5)
    residual = _residual(activation) if degree == 1 else _positive(expansion.tail)
    if slope == 0.0 and residual == 0.0:
        what = "constant" if degree == 1 else f"a polynomial of a degree below {degree}"
        raise InputError(f"the activation {text} is {what}: its features carry nothing of degree {degree}")
    return FeatureConstants(
        mean=float(expansion[0].value) if present[0] else 0.0,
        slope=slope,
        residual=residual,
        present=tuple(present),
    )


def _residual(activation: Activation) -> float:
    """E sigma^2 - mu0^2 - mu1^2 with its relative digits, also for a nearly affine activation."""
    from hermite_analytics.codegen import compile

    form = conditional_coefficients(activation)
    quick = compile(form, (kappa, c, r), backend="array", accuracy=1e-15)(0.0, 1.0, 0.0)
    if quick.mu2_squared > _NEARLY_AFFINE * (quick.mu0**2 + quick.mu1**2):
        return float(quick.mu2_squared)
    return max(float(compile(form, (kappa, c, r), backend="python")(0.0, 1.0, 0.0).mu2_squared), 0.0)


@functools.lru_cache(maxsize=128)
def target_constants(target: Target, degree: int) -> TargetConstants:
    """Norms of a target at a degree, of any number of directions.

    Raises
    ------
    UndefinedQuantity
        If E f^2 is infinite.
    UnsupportedExpression
        If label noise enters in any other way than a*xi, or a coefficient is not known.
    """
    noise = float(target.noise_variance)
    expansion = hermite(target, degree)
    if expansion.conditional_second_moment.value == float("inf"):
        raise UndefinedQuantity(
            f"the target {shortened(target.text)} has no second moment: E f^2 is infinite against a Gaussian"
        )
    by_lines = None if degree > 1 else label_moments(target)
    if by_lines is not None and by_lines.by_lines:
        mean, level = by_lines.mean, float(by_lines.pull @ by_lines.pull)
        return TargetConstants(
            mean=mean, below=(mean**2,), level=level, above=max(1.0 - mean**2 - level, 0.0), noise=noise
        )
    known = [*expansion.coefficients.values(), expansion.tail]
    unknown = next((q for q in known if math.isnan(q.value)), None)
    if unknown is not None:
        raise UnsupportedExpression(
            f"the Hermite coefficients of {shortened(target.text)} up to degree {degree} are not known: "
            f"{unknown.reason}"
        )
    norms = [_positive(expansion.norm_squared(j)) for j in range(degree + 1)]
    return TargetConstants(
        mean=float(expansion.mean.value),
        below=tuple(norms[:-1]),
        level=norms[-1],
        above=_positive(expansion.tail),
        noise=noise,
    )


def _positive(quantity: Quantity) -> float:
    return 0.0 if quantity.zero else max(float(quantity.value), 0.0)
