"""How many samples each class of algorithms needs to learn a target: the exponents put to use."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, overload

from hermite_analytics.errors import InputError
from hermite_analytics.exponents.leaps import first_subspace, intrinsic_dimension, isotropic_leap
from hermite_analytics.exponents.results import Exponent, FirstSubspace, Staircase
from hermite_analytics.exponents.staircases import staircase
from hermite_analytics.learning.rates import NOT_LEARNED, giant, low_degree, one_pass, repeated
from hermite_analytics.learning.requirement import Complexity, first_order, proportional
from hermite_analytics.target import Target

__all__ = ["Complexities", "complexities"]

DEFAULT_SECONDS = 60.0
_SHARE = 1 / 6  # of the time, for each of the analyses


class Complexities(Sequence[Complexity]):
    """A table of `Complexity`, each row computed when it is looked at.

    Parameters
    ----------
    target : Target
    seconds : float > 0
        Budget of all analyses together.
    """

    def __init__(self, target: Target, *, seconds: float = DEFAULT_SECONDS) -> None:
        if not seconds > 0:
            raise InputError(f"seconds is {seconds}; a positive number is accepted")
        self.target = target
        self._seconds = _SHARE * seconds
        self._found: dict[int, Complexity] = {}
        self._makers: tuple[Callable[[], Complexity], ...] = (
            self._one_pass,
            self._one_pass_all,
            self._correlational_bound,
            self._giant_step,
            self._giant_steps,
            self._reuse_two_steps,
            self._reuse,
            self._message_passing,
            self._low_degree,
            self._information,
        )

    @property
    def rows(self) -> tuple[Complexity, ...]:
        """All rows, those that look at E[y phi(z)] before those that may transform the label."""
        return tuple(self)

    @overload
    def __getitem__(self, index: int) -> Complexity: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Complexity, ...]: ...
    def __getitem__(self, index: int | slice) -> Complexity | tuple[Complexity, ...]:
        if isinstance(index, slice):
            return tuple(self._row(i) for i in range(*index.indices(len(self))))
        position = operator.index(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"row {position} of {len(self)}")
        return self._row(position % len(self))

    def __len__(self) -> int:
        return len(self._makers)

    def _row(self, position: int) -> Complexity:
        if position not in self._found:
            self._found[position] = self._makers[position]()
        return self._found[position]

    def __repr__(self) -> str:
        return f"Complexities({self.target.text!r})"

    def __str__(self) -> str:
        cells = [("algorithm", "samples", "exponent", "status")]
        cells += [(row.algorithm, row.samples, str(row.exponent), row.status) for row in self.rows]
        widths = [max(len(cell[i]) for cell in cells) for i in range(4)]
        lines = ["  ".join(x.ljust(w) for x, w in zip(c, widths, strict=True)).rstrip() for c in cells]
        remarks = [f"{row.algorithm}: {row.remark} ({row.source})" for row in self.rows]
        return "\n".join([*lines, "", *remarks])

    def to_dict(self) -> dict[str, Any]:
        """{"target", "complexities": a list of rows}, JSON-ready."""
        text = self.target.text if self.target.directions is None else str(self.target.expression)
        return {"target": text, "complexities": [row.to_dict() for row in self.rows]}

    @functools.cached_property
    def _first(self) -> FirstSubspace:
        return first_subspace(self.target, seconds=self._seconds)

    @functools.cached_property
    def _isotropic(self) -> Exponent:
        return isotropic_leap(self.target, seconds=self._seconds)

    @functools.cached_property
    def _dimension(self) -> Exponent:
        return intrinsic_dimension(self.target, seconds=self._seconds)

    @functools.cached_property
    def _generative(self) -> Exponent:
        from hermite_analytics.law.generative import generative_exponent

        return generative_exponent(self.target, seconds=self._seconds)

    @functools.cached_property
    def _grand(self) -> Staircase:
        from hermite_analytics.law.grand_staircases import grand_staircase

        return grand_staircase(self.target, seconds=self._seconds)

    @property
    def _single(self) -> bool:
        """Whether f is known to depend on one direction."""
        return self._dimension.value == 1

    def _directions(self, count: int | None) -> str:
        """ "2 of 3 directions"."""
        known_count = "an undecided number" if count is None else str(count)
        return f"{known_count} of {self._dimension} directions"

    def _one_pass(self) -> Complexity:
        order = self._first.order
        return Complexity(
            algorithm="one-pass SGD, first directions",
            samples=one_pass(order),
            exponent=order,
            status="theorem" if self._single or order.value == "inf" else "conjecture",
            source="Ben Arous, Gheissari and Jagannath (one direction)",
            remark=f"leap index: {self._first_directions()}",
        )

    def _one_pass_all(self) -> Complexity:
        return Complexity(
            algorithm="one-pass SGD, all directions",
            samples=repeated(self._isotropic),
            exponent=self._isotropic,
            status="conjecture",
            source="Abbe, Boix-Adsera and Misiakiewicz, arXiv:2302.11055",
            remark="isotropic leap; up to logarithms",
        )

    def _correlational_bound(self) -> Complexity:
        order = self._first.order
        return Complexity(
            algorithm="correlational queries",
            samples=low_degree(order),
            exponent=order,
            status="lower bound",
            source="correlational statistical queries; reached by SGD on a smoothed loss",
            remark="leap index; up to logarithms",
        )

    def _giant_step(self) -> Complexity:
        order = self._first.order
        return Complexity(
            algorithm="one giant step",
            samples=giant(order),
            exponent=order,
            status="theorem",
            source="Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270",
            remark=f"leap index: {self._first_directions()}; needs mu_l(activation) != 0, see `learns`",
        )

    def _giant_steps(self) -> Complexity:
        leap = self._isotropic
        learned = self._directions(staircase(self.target, seconds=self._seconds).limit_dimension)
        all_learned = leap.value == 1
        open_ = leap.value is None and leap.at_least == 1
        return Complexity(
            algorithm="several giant steps, n = O(d)",
            samples="d" if all_learned else ("at least d" if open_ else NOT_LEARNED),
            exponent=leap,
            status="conjecture",
            source="Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270, Conjecture 1",
            remark=f"all directions if and only if the isotropic leap is 1; learned: {learned}",
        )

    def _reuse_two_steps(self) -> Complexity:
        grand = self._grand
        first = first_order(grand)
        dimension = grand.dimensions[1] if first.value == 1 else 0
        later = "; order 2 is conjectured to take O(log d) steps" if first.value == 2 else ""
        return Complexity(
            algorithm="two steps on one batch",
            samples="d" if first.value == 1 else ("at least d" if first.at_least == 1 else NOT_LEARNED),
            exponent=first,
            status="theorem",
            source="arXiv:2402.03220",
            remark=f"first order of E[He_k(z)|y]: {self._directions(dimension)} have E[z|y] != 0{later}",
        )

    def _reuse(self) -> Complexity:
        k = self._generative
        settled = self._single or k.value in (1, 2, "inf")
        return Complexity(
            algorithm="SGD with reuse",
            samples=one_pass(k),
            exponent=k,
            status="theorem" if self._single or k.value == "inf" else "conjecture",
            source="arXiv:2405.15459; polynomials of one index arXiv:2406.01581",
            remark="generative exponent"
            + ("" if settled else "; open for several directions from order 3 on"),
        )

    def _message_passing(self) -> Complexity:
        from hermite_analytics.thresholds import weak_recovery

        found = weak_recovery(self.target, seconds=self._seconds)
        samples, remark = proportional(self._generative, found)
        return Complexity(
            algorithm="Bayes-AMP",
            samples=samples,
            exponent=self._generative,
            status="theorem",
            source="arXiv:2405.15480",
            remark=remark,
        )

    def _low_degree(self) -> Complexity:
        return Complexity(
            algorithm="statistical queries, low-degree polynomials",
            samples=low_degree(self._generative),
            exponent=self._generative,
            status="lower bound",
            source="arXiv:2403.05529, arXiv:2506.05500",
            remark="generative exponent; matched by spectral methods",
        )

    def _information(self) -> Complexity:
        nothing = self._generative.value == "inf"
        return Complexity(
            algorithm="any, without limits on time",
            samples=NOT_LEARNED if nothing else "d",
            exponent=self._dimension,
            status="theorem",
            source="information-theoretic",
            remark=f"intrinsic dimension {self._dimension}: the number of directions does not matter",
        )

    def _first_directions(self) -> str:
        basis = self._first.basis
        return self._directions(None if basis is None else len(basis))


def complexities(target: Target | str, *, seconds: float = DEFAULT_SECONDS) -> Complexities:
    """Samples that each class of algorithms needs, each with the exponent that it follows from.

    Sources: as the rows say.

    Parameters
    ----------
    target : Target or str
    seconds : float > 0
        Budget of all analyses together.

    Returns
    -------
    Complexities
        A sequence of `Complexity`, each computed when it is looked at.

    Raises
    ------
    ParseError, UndefinedQuantity
        For what is not a target.

    Examples
    --------
    >>> table = complexities("He3(z1)")
    >>> [(row.algorithm, row.samples) for row in (table[3], table[6])]
    [('one giant step', 'd^3'), ('SGD with reuse', 'd')]
    """
    f = Target(target) if isinstance(target, str) else target
    return Complexities(f, seconds=seconds)
