"""Letters: the finitely many values that the first readout, and the biases, take on the neurons.

A neuron with readout omega gets the spike r omega v and a bulk row of squared norm
c = 1 + (step omega)^2 E y^2 Var sigma' / alpha0 (arXiv 2402.04980, App. D, eqs 32, 133-164).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import panel_rule

__all__ = ["MOST_LETTERS", "Letters", "ReadoutLaw", "letters_of"]

MOST_LETTERS = 64
_SUM_ERROR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """Values of the readout with their fractions of the neurons.

    Parameters
    ----------
    values : sequence of float, or of sequences of float
        omega_j; for spikes of rank R a row (u_1j, ..., u_Rj): the spike of letter j is
        sum_a r_a u_aj v_a with orthonormal v_a.
    fractions : sequence of float
        Positive, of sum 1.
    biases : sequence of float, optional
        A fixed bias a letter, added to that of the model.

    Raises
    ------
    InputError
        If the lengths differ, a fraction is not positive or the fractions do not add up to 1.

    Examples
    --------
    >>> Letters(values=(1, -1), fractions=(0.5, 0.5)).count
    2
    """

    values: Any
    fractions: Sequence[float]
    biases: Sequence[float] | None = None

    def __post_init__(self) -> None:
        rows = tuple(_row(value) for value in self.values)
        fractions = tuple(_number("a fraction", x) for x in self.fractions)
        biases = (
            (0.0,) * len(rows) if self.biases is None else tuple(_number("a bias", b) for b in self.biases)
        )
        if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
            raise InputError("letters need at least one value, all of the same rank")
        if not len(rows) == len(fractions) == len(biases):
            raise InputError(
                f"{len(rows)} letters with {len(fractions)} fractions and {len(biases)} biases; "
                "give one of each a letter"
            )
        if len(rows) > MOST_LETTERS:
            raise InputError(f"{len(rows)} letters; at most {MOST_LETTERS} are accepted")
        if min(fractions) <= 0.0 or abs(math.fsum(fractions) - 1.0) > _SUM_ERROR:
            raise InputError(
                f"the fractions of the letters are {', '.join(f'{x:g}' for x in fractions)}; "
                "positive numbers of sum 1 are accepted"
            )
        total = math.fsum(fractions)
        object.__setattr__(self, "values", rows)
        object.__setattr__(self, "fractions", tuple(x / total for x in fractions))
        object.__setattr__(self, "biases", biases)

    @property
    def count(self) -> int:
        """J, the number of letters."""
        return len(self.fractions)

    @property
    def rank(self) -> int:
        """R, the number of spikes."""
        return len(self.values[0])

    @property
    def is_uniform(self) -> bool:
        """Whether all neurons are alike: one letter, of value 1."""
        return self.values == ((1.0,),) and self.biases == (0.0,)

    def text(self) -> str:
        """omega:fraction,..., as the command line takes it."""
        names = (":".join(f"{x:g}" for x in row) for row in self.values)
        return ",".join(f"{name}:{x:g}" for name, x in zip(names, self.fractions, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadoutLaw:
    """A continuous law of the readout, by quadrature: its nodes are the letters.

    Parameters
    ----------
    rule : callable
        n -> (values, weights), n nodes each.
    nodes : int
        The solver also takes 1.5 times as many: the change is part of `numerical_error`.

    Examples
    --------
    >>> ReadoutLaw.normal(nodes=5).letters(5).count
    5
    """

    rule: Callable[[int], tuple[Array, Array]]
    nodes: int = 12
    name: str = "law"

    def letters(self, nodes: int) -> Letters:
        """The law as letters."""
        values, weights = self.rule(nodes)
        return Letters(values=tuple(values), fractions=tuple(weights / np.sum(weights)))

    @classmethod
    def normal(cls, *, mean: float = 0.0, deviation: float = 1.0, nodes: int = 12) -> ReadoutLaw:
        """omega ~ N(mean, deviation^2), by Gauss-Hermite."""

        def rule(count: int) -> tuple[Array, Array]:
            x, w = np.polynomial.hermite_e.hermegauss(count)
            return mean + deviation * x, w

        return cls(rule=rule, nodes=nodes, name=f"normal({mean:g}, {deviation:g})")

    @classmethod
    def uniform(cls, low: float, high: float, *, nodes: int = 12) -> ReadoutLaw:
        """omega uniform on [low, high], by Gauss-Legendre."""
        return cls.from_density(np.ones_like, low, high, nodes=nodes, name=f"uniform({low:g}, {high:g})")

    @classmethod
    def from_density(
        cls,
        density: Callable[[Array], Array],
        low: float,
        high: float,
        *,
        nodes: int = 12,
        name: str = "density",
    ) -> ReadoutLaw:
        """A density on [low, high] up to a factor, by Gauss-Legendre."""
        if not low < high or not (math.isfinite(low) and math.isfinite(high)):
            raise InputError(f"the readout law on [{low:g}, {high:g}]; accepted: finite low < high")

        def rule(count: int) -> tuple[Array, Array]:
            x, w = panel_rule([low, high], count)
            return x, w * density(x)

        return cls(rule=rule, nodes=nodes, name=name)


LettersLike: TypeAlias = (
    Letters | ReadoutLaw | Mapping[float, float] | Mapping[tuple[float, float], float] | None
)
"""What `letters_of` accepts."""


def letters_of(given: LettersLike) -> Letters | ReadoutLaw:
    """Letters from None, a mapping {omega: fraction} or {(omega, bias): fraction}, or letters.

    Raises
    ------
    InputError
        For anything else.

    Examples
    --------
    >>> letters_of({1.0: 0.5, -1.0: 0.5}).values
    ((1.0,), (-1.0,))
    >>> letters_of({(1.0, 0.3): 0.25, (1.0, -0.3): 0.75}).biases
    (0.3, -0.3)
    """
    if given is None:
        return Letters(values=(1.0,), fractions=(1.0,))
    if isinstance(given, Letters | ReadoutLaw):
        return given
    if not isinstance(given, Mapping) or not given:
        raise InputError(
            f"letters is {given!r:.60}; accepted: a mapping of values to fractions, Letters, ReadoutLaw"
        )
    keys = [key if isinstance(key, tuple) else (key, 0.0) for key in given]
    if any(len(key) != 2 for key in keys):
        raise InputError(
            "a letter of a mapping is a number or a pair (readout, bias); use Letters for others"
        )
    return Letters(
        values=tuple(key[0] for key in keys),
        fractions=tuple(given.values()),
        biases=tuple(key[1] for key in keys),
    )


def _row(value: ArrayLike) -> tuple[float, ...]:
    try:
        return tuple(_number("a letter", x) for x in np.ravel(value).tolist())
    except ValueError as error:
        raise InputError(str(error)) from None


def _number(name: str, value: SupportsFloat) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r:.40}; a number is accepted") from None
    if not math.isfinite(number):
        raise InputError(f"{name} is {number:g}; a finite number is accepted")
    return number
