"""Exponents of learning a tree of three layers: `ThreeLayer`.

Target y = g(h), h = d_eff^(-1/2) sum_i a_i p(<w_i, x>), x ~ N(0, I_d), with d_eff = d^epsilon orthonormal
directions w_i, signs a_i and p a combination of Hermite polynomials of given degrees; n = d^kappa samples.

Source: arXiv 2502.13961; docs/flows.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, SupportsFloat

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.frozen import ReadOnly
from hermite_analytics.numeric.solution import Solution

__all__ = ["SCENARIOS", "ThreeLayer", "ThreeLayerSolution"]

SCENARIOS = (
    "no feature learning: the readout of fixed features of x",
    "the first layer, then the readout of features of its directions",
    "the first layer, the second, then the readout",
)
_MOST_DEGREE = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ThreeLayerSolution(Solution):
    """Exponents kappa of n = d^kappa samples; more samples than this order are needed.

    Attributes
    ----------
    directions : Fraction
        The first layer finds the span of the w_i: 1 + epsilon, from the quadratic part.
    representation : Fraction
        The second layer then finds h: k epsilon, k the largest degree of p.
    parts : mapping of degree to Fractions
        For each scenario, when the part of h of this degree is fitted.
    scenarios : tuple of three Fraction
        For each scenario, when all of h is fitted: the largest of `parts`.
    composition : tuple of three mappings of order to Fraction
        For each scenario, when the term He_j(h) of g is fitted too, j = 1, 2, ...
    gain : Fraction
        Exponent by which scenario III needs fewer samples than scenario I for h.
    """

    degrees: tuple[int, ...]
    epsilon: Fraction
    directions: Fraction
    representation: Fraction
    parts: tuple[Mapping[int, Fraction], ...]
    scenarios: tuple[Fraction, ...]
    composition: tuple[Mapping[int, Fraction], ...]
    gain: Fraction
    parameters: Mapping[str, Any] = field(default_factory=lambda: ReadOnly({}))
    model: str = "three-layer"

    shaped: ClassVar[str] = "gain"
    columns: ClassVar[tuple[str, ...]] = ()

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a scenario."""
        return [
            {
                "degrees": list(self.degrees),
                "epsilon": float(self.epsilon),
                "scenario": j + 1,
                "trained": SCENARIOS[j],
                "directions": None if j == 0 else float(self.directions),
                "representation": float(self.representation) if j == 2 else None,
                "parts": {f"degree_{k}": float(x) for k, x in self.parts[j].items()},
                "exponent": float(self.scenarios[j]),
                "composition": {f"order_{k}": float(x) for k, x in self.composition[j].items()},
                "status": str(self.status),
                "residual": 0.0,
                "iterations": 0,
            }
            for j in range(3)
        ]


@dataclass(frozen=True, slots=True)
class ThreeLayer:
    """A target y = g(h) whose h is a polynomial in d^epsilon directions, and the exponents of learning it.

    Parameters
    ----------
    degrees : sequence of int
        Hermite degrees of p, the quadratic one among them: the first layer finds the directions from it.
    epsilon : number in (0, 1)
        Exponent of the number of directions; a decimal is read exactly.

    Raises
    ------
    InputError
        Degrees without 2 or below it, an epsilon outside (0, 1).

    Notes
    -----
    *First layer.* The quadratic part of y is a matrix of d_eff eigenvalues of order d_eff^(-1/2); that
    of (1/n) sum y (x x^T - I) stands out of its noise, of order (d/n)^(1/2), once n >> d d_eff.

    *Fits.* A polynomial of degree k in D dimensions takes D^k samples: d^k from x (scenario I), d^(k epsilon)
    from the directions (scenario II). By the central limit theorem h is Gaussian, and the term He_j(h) of g
    has degree j k in the directions. Only scenario III, where the second layer finds h, fits all of g
    at once.

    Examples
    --------
    >>> found = ThreeLayer((2, 3), 0.5).solve()
    >>> [str(x) for x in found.scenarios], str(found.gain)
    (['3', '3/2', '3/2'], '3/2')
    """

    degrees: Any
    epsilon: Any
    _exact: Fraction = field(init=False, repr=False)

    def __post_init__(self) -> None:
        degrees = _degrees(self.degrees)
        object.__setattr__(self, "degrees", degrees)
        object.__setattr__(self, "_exact", _epsilon(self.epsilon))

    def solve(self, *, orders: int = 3) -> ThreeLayerSolution:
        """The exponents of the three scenarios.

        Parameters
        ----------
        orders : int >= 1
            Terms He_1(h), ..., He_orders(h) of g in `composition`.
        """
        if not isinstance(orders, int) or not 1 <= orders <= _MOST_DEGREE:
            raise InputError(f"orders is {orders!r}; accepted: an integer from 1 to {_MOST_DEGREE}")
        directions = 1 + self._exact
        largest = max(self.degrees)
        terms = range(1, orders + 1)
        reduced: dict[int, Fraction] = {k: max(directions, k * self._exact) for k in self.degrees}
        parts: tuple[dict[int, Fraction], ...] = (
            {k: Fraction(k) for k in self.degrees},
            reduced,
            reduced,
        )
        composition: tuple[dict[int, Fraction], ...] = (
            {j: Fraction(j * largest) for j in terms},
            {j: max(directions, j * largest * self._exact) for j in terms},
            dict.fromkeys(terms, reduced[largest]),
        )
        scenarios = tuple(max(part.values()) for part in parts)
        return ThreeLayerSolution(
            degrees=self.degrees,
            epsilon=self._exact,
            directions=directions,
            representation=largest * self._exact,
            parts=tuple(ReadOnly(part) for part in parts),
            scenarios=scenarios,
            composition=tuple(ReadOnly(terms) for terms in composition),
            gain=scenarios[0] - scenarios[2],
        )

    def spectral_overlap_is_learned(self, kappa: SupportsFloat) -> bool | None:
        """Whether the top d_eff eigenvectors of (1/n) sum y (x x^T - I) span the directions at n = d^kappa.

        True above 1 + epsilon, False below, None at the threshold itself, where the overlap is of order 1 and
        neither 0 nor 1.
        """
        exact, threshold = _number("kappa", kappa), 1 + self._exact
        return None if exact == threshold else exact > threshold

    def spectral_chance(self, d: int) -> float:
        """d_eff/d, d_eff = floor(d^epsilon): the mean overlap |P V|^2/d_eff of a random subspace V."""
        if not isinstance(d, int) or d < 2:
            raise InputError(f"d is {d!r}; an integer >= 2 is accepted")
        return int(d ** float(self._exact) + 1e-9) / d


def _degrees(given: int | Iterable[float]) -> tuple[int, ...]:
    try:
        numbers = [given] if isinstance(given, int) else list(given)
        degrees = tuple(sorted({int(k) for k in numbers}))
        whole = all(int(k) == k for k in numbers)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"degrees is {given!r}; integers >= 2 are accepted, such as (2, 3)") from None
    if not whole or not degrees or degrees[0] < 2 or degrees[-1] > _MOST_DEGREE:
        raise InputError(
            f"degrees is {given!r}; integers from 2 to {_MOST_DEGREE} are accepted, such as (2, 3)"
        )
    if degrees[0] != 2:
        raise InputError(
            f"degrees is {given!r}; degree 2 must be among them: the first layer finds the directions from it"
        )
    return degrees


def _epsilon(given: SupportsFloat) -> Fraction:
    number = _number("epsilon", given)
    if not 0 < number < 1:
        raise InputError(f"epsilon is {given}; accepted: 0 < epsilon < 1")
    return number


def _number(name: str, given: SupportsFloat) -> Fraction:
    """The fraction that the shortest decimal of a number is."""
    try:
        return given if isinstance(given, Fraction) else Fraction(repr(float(given)))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is {given!r}; a finite number is accepted") from None
