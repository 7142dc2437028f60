"""Exponents of random-feature and kernel ridge regression under source and capacity conditions, exactly.

With eigenvalues k^-alpha, coefficients beta_k = k^(-alpha r - 1/2), p = n^q features and ridge n^(1-l), the
effective ridge is nu2 ~ n^(-alpha g), g = min(l/alpha, q, 1), and with r1 = min(r, 1), r2 = min(r, 1/2)

    bias ~ n^-B,      B = min(2 alpha r1 g, (2 alpha r2 - 1) g + q),
    variance ~ n^-V,  V = 1 - g                                     (fixed label noise),
    test error ~ n^-min(B, V).

Source: arXiv 2405.15699, its scaling laws; kernels (q infinite): arXiv 2105.15004. Derived from the equations
in docs/deterministic_equivalents.md, with the interpolation peak p = n.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.numeric.checks import on_one_grid
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models.deterministic_equivalent.phase_diagram import (
    PhaseDiagram,
    phase_diagram,
)
from hermite_analytics.numeric.models.deterministic_equivalent.scaling_exponents import (
    OptimalExponents,
    ScalingExponents,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ScalingLaw"]

Exact = Fraction | float  # a float only where it is infinite
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class ScalingLaw:
    """Power-law spectrum and target: eigenvalues k^-capacity, coefficients k^(-capacity source - 1/2).

    Parameters
    ----------
    capacity : number > 1
        alpha: how fast the eigenvalues fall. Numbers are read exactly: 0.8 is 4/5.
    source : number > 0
        r: how fast the target falls against them; beta_k^2 = k^(-2 alpha r - 1).

    Raises
    ------
    InputError
        If a number is outside its range.

    Examples
    --------
    >>> law = ScalingLaw(2, 0.8)
    >>> law.optimal().exact["exponent"]
    Fraction(16, 21)
    >>> found = law.solve(ridge_exponent=0.5, features_exponent=[0.3, 1.2])
    >>> found.bias_exponent.tolist(), found.region.tolist()
    ([0.55, 0.8], ['ridge-limited', 'ridge-limited'])
    """

    capacity: Exact
    source: Exact
    _alpha: Fraction = field(init=False, repr=False, compare=False)
    _r: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        alpha, r = _exact("capacity", self.capacity), _exact("source", self.source)
        if not (isinstance(alpha, Fraction) and alpha > 1):
            raise InputError(f"capacity is {self.capacity}; accepted: finite capacity > 1")
        if not (isinstance(r, Fraction) and r > 0):
            raise InputError(f"source is {self.source}; accepted: finite source > 0")
        object.__setattr__(self, "_alpha", alpha)
        object.__setattr__(self, "_r", r)

    @property
    def eigenvalue_power(self) -> float:
        """a of the eigenvalues k^-a, as `DeterministicEquivalent.power_law` takes it."""
        return float(self._alpha)

    @property
    def coefficient_power(self) -> float:
        """b of the squared coefficients k^-b."""
        return float(2 * self._alpha * self._r + 1)

    def solve(self, *, ridge_exponent: ArrayLike, features_exponent: ArrayLike) -> ScalingExponents:
        """Exponents of bias, variance and test error.

        Parameters
        ----------
        ridge_exponent : array_like >= 0
            l: the ridge of the sum over samples is n^(1-l), of their mean n^-l. Infinite: no ridge.
        features_exponent : array_like > 0
            q: p = n^q. Infinite: kernel ridge regression.

        Returns
        -------
        ScalingExponents

        Raises
        ------
        InputError
            If an exponent is outside its range.
        """
        ridges = _exact_array("ridge_exponent", ridge_exponent, lambda x: x >= 0, ">= 0, inf included")
        features = _exact_array("features_exponent", features_exponent, lambda x: x > 0, "> 0, inf included")
        ridges, features = on_one_grid(ridge_exponent=ridges, features_exponent=features).values()
        points = [self._at(ridge, q) for ridge, q in zip(ridges.flat, features.flat, strict=True)]
        columns = [np.array(c).reshape(ridges.shape) for c in zip(*points, strict=True)]
        values = [frozen(c.astype(float)) for c in columns[:3]]
        texts = [frozen(c) for c in columns[3:]]
        return ScalingExponents(
            bias_exponent=values[0],
            variance_exponent=values[1],
            exponent=values[2],
            region=texts[0],
            dominant=texts[1],
            bias_from=texts[2],
            logarithm=texts[3],
            parameters=ReadOnly(
                {
                    "capacity": float(self._alpha),
                    "source": float(self._r),
                    "ridge_exponent": frozen(ridges.astype(float)),
                    "features_exponent": frozen(features.astype(float)),
                }
            ),
        )

    def optimal(self) -> OptimalExponents:
        """The best exponent of the test error with label noise, and the ridge and features that reach it.

        The best exponent is that of the kernel, 2 alpha r1/(2 alpha r1 + 1); the features exponent is the
        smallest that keeps it.

        Examples
        --------
        >>> dict(ScalingLaw(2, 0.4).optimal().exact)["features_exponent"]
        Fraction(5, 13)
        """
        alpha, r1 = self._alpha, min(self._r, Fraction(1))
        whole = 2 * alpha * r1 + 1
        ridge = alpha / whole
        exact = {
            "ridge_exponent": ridge,
            "features_exponent": 1 / whole if r1 <= _HALF else 1 - ridge,
            "exponent": 2 * alpha * r1 / whole,
        }
        return OptimalExponents(
            ridge_exponent=float(exact["ridge_exponent"]),
            features_exponent=float(exact["features_exponent"]),
            exponent=float(exact["exponent"]),
            exact=ReadOnly(exact),
            parameters=ReadOnly({"capacity": float(alpha), "source": float(self._r)}),
        )

    def noise_crossover(
        self, noise: float, *, ridge_exponent: ArrayLike, features_exponent: ArrayLike
    ) -> Numbers:
        """The order of n beyond which label noise decides the test error; infinite where it never does.

        n^-B = noise n^-V at n = noise^(-1/(B - V)); where B <= V the bias stays above a noise below 1.

        Parameters
        ----------
        noise : float in (0, 1)
            Variance of the label noise, in units of the target's.
        ridge_exponent, features_exponent : array_like
            As in `solve`.
        """
        if not 0.0 < noise < 1.0:
            raise InputError(f"noise is {noise}; accepted: 0 < noise < 1")
        found = self.solve(ridge_exponent=ridge_exponent, features_exponent=features_exponent)
        gap = np.asarray(found.bias_exponent) - np.asarray(found.variance_exponent)
        positive = gap > 0
        with np.errstate(over="ignore"):
            crossing = np.float64(noise) ** (-1.0 / np.where(positive, gap, 1.0))
        noises: Numbers = frozen(np.where(positive, crossing, np.inf))
        return noises

    def phase_diagram(self) -> PhaseDiagram:
        """The lines in the plane of (ridge exponent, features exponent) where the behaviour changes."""
        return phase_diagram(self._alpha, self._r)

    def plot(
        self,
        axes: Axes | None = None,
        *,
        ridge_limit: float | None = None,
        features_limit: float | None = None,
    ) -> Axes:
        """Draw the phase diagram over the exponent of the test error; returns the matplotlib axes.

        Parameters
        ----------
        axes : matplotlib axes, optional
        ridge_limit, features_limit : float, optional
            Upper ends of the two axes.
        """
        from hermite_analytics.numeric.models.deterministic_equivalent.phase_diagram import draw

        return draw(self, axes, ridge_limit, features_limit)

    def _at(self, ridge: Exact, q: Exact) -> tuple[Exact, Exact, Exact, str, str, str, bool]:
        """Bias, variance and total exponent, region, dominant part, origin of the bias, logarithm."""
        alpha, r1, r2 = self._alpha, min(self._r, Fraction(1)), min(self._r, _HALF)
        scaled = ridge / alpha
        g = min(scaled, q, Fraction(1))
        kernel, features = 2 * alpha * r1 * g, (2 * alpha * r2 - 1) * g + q
        bias: Exact = min(kernel, features)
        variance: Exact = 1 - g
        region = "ridge-limited" if g == scaled else "features-limited" if g == q else "interpolating"
        if q == 1 and scaled > 1:  # p = n: the share 1 - Upsilon falls like n^(-(l - alpha)/2)
            region = "interpolation-peak"
            bias, variance = features - (ridge - alpha) / 2, -(ridge - alpha) / 2
        dominant = "both" if bias == variance else "bias" if bias < variance else "variance"
        first = kernel <= features
        logarithm = (self._r == 1 and first) or (self._r == _HALF and features <= kernel)
        return (
            bias,
            variance,
            min(bias, variance),
            region,
            dominant,
            "kernel" if first else "features",
            logarithm,
        )


def _exact(name: str, value: SupportsFloat) -> Exact:
    """A number as the fraction that its shortest decimal is; an infinite one as a float."""
    if isinstance(value, Fraction):
        return value
    try:
        number = float(value)
        if math.isnan(number):
            raise ValueError
        return number if math.isinf(number) else Fraction(repr(number))
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}; a number or an array of numbers is accepted") from None


def _exact_array(name: str, value: ArrayLike, accepted: Callable[[Exact], bool], text: str) -> Any:
    """An array of exact numbers, all accepted."""
    raw = np.asarray(value, dtype=object)
    exact = np.empty(raw.shape, dtype=object)
    for index in np.ndindex(raw.shape):
        number = _exact(name, raw[index])
        exact[index] = number
        if not accepted(number):
            raise InputError(f"{name} is {raw[index]}; accepted: {name} {text}")
    return exact
