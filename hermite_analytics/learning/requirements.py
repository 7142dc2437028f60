"""How many samples each class of algorithms needs to learn a target: the exponents put to use."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import overload

from hermite_analytics.argument.sentences import Math
from hermite_analytics.foundation.json import Document
from hermite_analytics.learning.answers import Answers, TimedAnswers
from hermite_analytics.learning.rates import LINEAR, NOT_LEARNED, Rate, giant, low_degree, one_pass, repeated
from hermite_analytics.learning.requirement import NO_DEPENDENCE, Complexity, first_order, proportional
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.rendering.text import cut
from hermite_analytics.target import Target

__all__ = ["Complexities", "complexities"]

DEFAULT_SECONDS = 60.0
_MU = Math("mu_l(activation) != 0", r"\mu_{\ell}(\sigma) \neq 0")
_MEANS = Math("E[He_k(z)|y]", r"\mathbb{E}[\mathrm{He}_k(z) \mid y]")
_FIRST_MEAN = Math("E[z|y] != 0", r"\mathbb{E}[z \mid y] \neq 0")
_OPEN_FROM_THREE = "; open for several directions from order 3 on"
_ANY_NUMBER = "for any number of directions: the intrinsic dimension does not matter"


class Complexities(Result, Sequence[Complexity]):
    """A table of `Complexity`, each row computed when it is looked at.

    Parameters
    ----------
    target : Target
    seconds : float > 0
        Time allowed for all analyses together.
    answers : Answers, optional
        Where the exponents come from, such as an `Analysis` of the same target; by default they are computed.

    Examples
    --------
    >>> print(Complexities(Target("He3(z1)"))[0].samples)
    d^2
    """

    def __init__(
        self, target: Target, *, seconds: float = DEFAULT_SECONDS, answers: Answers | None = None
    ) -> None:
        self.target = target
        self._answers: Answers = TimedAnswers(target, seconds) if answers is None else answers
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
        return cut("\n".join([*lines, "", *remarks]))

    def __eq__(self, other: object) -> bool:
        return self.document() == other.document() if isinstance(other, Complexities) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.target.text)

    def frame(self) -> Frame:
        """One row a class of algorithms."""
        rows = [row.row() for row in self.rows]
        text = str(self.document()["target"])
        sources = "; ".join(dict.fromkeys(row.source for row in self.rows))
        return Frame(title="sample complexities", rows=tuple(rows), fixed={"target": text}, sources=sources)

    def document(self) -> Document:
        """{"target", "complexities": a list of rows}, JSON-ready."""
        text = self.target.text if self.target.directions is None else str(self.target.expression)
        return {"target": text, "complexities": [row.document() for row in self.rows]}

    @property
    def _single(self) -> bool:
        """Whether f is known to depend on one direction."""
        return self._answers.intrinsic_dimension.value == 1

    def _directions(self, count: int | None) -> str:
        """ "2 of 3 directions"."""
        known_count = "an undecided number" if count is None else str(count)
        whole = self._answers.intrinsic_dimension.value
        if whole == 1:
            return f"{known_count} of 1 direction"
        return f"{known_count} of {whole} directions" if whole else f"{known_count} directions"

    def _one_pass(self) -> Complexity:
        order = self._answers.first_subspace.order
        return Complexity(
            algorithm="one-pass SGD, first directions",
            rate=one_pass(order),
            exponent=order,
            status="theorem" if self._single or order.value == "inf" else "conjecture",
            source="Ben Arous, Gheissari and Jagannath (one direction)",
            note=(f"leap index: {self._first_directions()}",),
        )

    def _one_pass_all(self) -> Complexity:
        return Complexity(
            algorithm="one-pass SGD, all directions",
            rate=repeated(self._answers.isotropic_leap),
            exponent=self._answers.isotropic_leap,
            status="conjecture",
            source="Abbe, Boix-Adsera and Misiakiewicz, arXiv:2302.11055",
            note=("isotropic leap; up to logarithms",),
        )

    def _correlational_bound(self) -> Complexity:
        order = self._answers.first_subspace.order
        return Complexity(
            algorithm="correlational queries",
            rate=low_degree(order),
            exponent=order,
            status="lower bound",
            source="correlational statistical queries; reached by SGD on a smoothed loss",
            note=("leap index; up to logarithms",),
        )

    def _giant_step(self) -> Complexity:
        order = self._answers.first_subspace.order
        return Complexity(
            algorithm="one giant step",
            rate=giant(order),
            exponent=order,
            status="theorem",
            source="Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270",
            note=(f"leap index: {self._first_directions()}; needs ", _MU, ", see `learns`"),
        )

    def _giant_steps(self) -> Complexity:
        leap = self._answers.isotropic_leap
        learned = self._directions(self._answers.staircase.limit_dimension)
        all_learned = leap.value == 1
        return Complexity(
            algorithm="several giant steps, n = O(d)",
            rate=_linear_if(all_learned, is_open=leap.value is None and leap.at_least == 1),
            exponent=leap,
            status="conjecture",
            source="Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270, Conjecture 1",
            note=(f"all directions if and only if the isotropic leap is 1; learned: {learned}",),
        )

    def _reuse_two_steps(self) -> Complexity:
        grand = self._answers.grand_staircase
        first = first_order(grand)
        dimension = None if first.value is None else grand.dimensions[1] if first.value == 1 else 0
        verb = "has" if dimension == self._answers.intrinsic_dimension.value == 1 else "have"
        steps = Math("O(log d)", r"O(\log d)")
        later = ("; order 2 is conjectured to take ", steps, " steps") if first.value == 2 else ()
        return Complexity(
            algorithm="two steps on one batch",
            rate=_linear_if(first.value == 1, is_open=first.at_least == 1),
            exponent=first,
            status="theorem",
            source="arXiv:2402.03220",
            note=("first order of ", _MEANS, f": {self._directions(dimension)} {verb} ", _FIRST_MEAN, *later),
        )

    def _reuse(self) -> Complexity:
        k = self._answers.generative_exponent
        settled = self._single or k.value in (1, 2, "inf")
        return Complexity(
            algorithm="SGD with reuse",
            rate=one_pass(k),
            exponent=k,
            status="theorem" if self._single or k.value == "inf" else "conjecture",
            source="arXiv:2405.15459; polynomials of one index arXiv:2406.01581",
            note=("generative exponent" + ("" if settled else _OPEN_FROM_THREE),),
        )

    def _message_passing(self) -> Complexity:
        rate, note = proportional(self._answers.generative_exponent, self._answers.weak_recovery)
        return Complexity(
            algorithm="Bayes-AMP",
            rate=rate,
            exponent=self._answers.generative_exponent,
            status="theorem",
            source="arXiv:2405.15480",
            note=note,
        )

    def _low_degree(self) -> Complexity:
        return Complexity(
            algorithm="statistical queries, low-degree polynomials",
            rate=low_degree(self._answers.generative_exponent),
            exponent=self._answers.generative_exponent,
            status="lower bound",
            source="arXiv:2403.05529, arXiv:2506.05500",
            note=("generative exponent; matched by spectral methods",),
        )

    def _information(self) -> Complexity:
        nothing = self._answers.generative_exponent.value == "inf"
        return Complexity(
            algorithm="any, without limits on time",
            rate=NOT_LEARNED if nothing else LINEAR,
            exponent=self._answers.intrinsic_dimension,
            status="theorem",
            source="information-theoretic",
            note=NO_DEPENDENCE if nothing else (_ANY_NUMBER,),
        )

    def _first_directions(self) -> str:
        basis = self._answers.first_subspace.basis
        return self._directions(None if basis is None else len(basis))


def _linear_if(learned: bool, *, is_open: bool) -> Rate:
    """d samples, at least d, or never."""
    return LINEAR if learned else (dataclasses.replace(LINEAR, is_bound=True) if is_open else NOT_LEARNED)


def complexities(target: Target | str, *, seconds: float = DEFAULT_SECONDS) -> Complexities:
    """Samples that each class of algorithms needs, each with the exponent that it follows from.

    Sources: as the rows say.

    Parameters
    ----------
    target : Target or str
    seconds : float > 0
        Time allowed for all analyses together.

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
    f = Target.of(target)
    return Complexities(f, seconds=seconds)
