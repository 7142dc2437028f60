"""A small grammar of targets: sums of products of functions of one coordinate, by size."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["ABS", "SIGN", "Candidate", "Factor", "Term", "enumerated", "he", "of_terms"]

MOST_SIZE = 10
_MOST_TERMS = 3
_COEFFICIENTS = (-1, 2)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Factor:
    """A function of one coordinate.

    Attributes
    ----------
    rank : int
        Its place in the enumeration.
    pattern : str
        Its text, {} for the coordinate.
    size : int
        Degree of a polynomial, else the number of symbols, by which targets are ordered.
    parity : int
        1 even, -1 odd, 0 neither.
    degree : int or None
        k of He_k; None where it is not a Hermite polynomial.
    is_finite : bool
        Whether it takes finitely many values.
    """

    rank: int
    pattern: str
    size: int
    parity: int
    degree: int | None = None
    is_finite: bool = False

    def text(self, coordinate: int) -> str:
        """The factor of z1, z2, ..."""
        return self.pattern.replace("{}", f"z{coordinate}")


def he(k: int) -> Factor:
    """He_k."""
    pattern = "{}" if k == 1 else f"He{k}({{}})"
    return Factor(rank=k, pattern=pattern, size=k, parity=(-1) ** k, degree=k)


ABS = Factor(rank=101, pattern="abs({})", size=2, parity=1)
SIGN = Factor(rank=102, pattern="sign({})", size=2, parity=-1, is_finite=True)
_FACTORS = (
    *(he(k) for k in range(1, MOST_SIZE + 1)),
    ABS,
    SIGN,
    Factor(rank=103, pattern="relu({})", size=2, parity=0),
    Factor(rank=104, pattern="step({})", size=2, parity=0, is_finite=True),
    Factor(rank=105, pattern="sin({})", size=3, parity=-1),
    Factor(rank=106, pattern="cos({})", size=3, parity=1),
    Factor(rank=107, pattern="exp({})", size=3, parity=0),
    Factor(rank=108, pattern="tanh({})", size=3, parity=-1),
    Factor(rank=109, pattern="step(abs({})-1)", size=5, parity=1, is_finite=True),
)


@dataclass(frozen=True, slots=True, order=True)
class Term:
    """A coefficient times a product of factors of different coordinates, in the order of these."""

    factors: tuple[tuple[int, Factor], ...]
    coefficient: int = 1

    @property
    def size(self) -> int:
        """The sizes of the factors; m signs count m + 1, as in sign(z1*z2)."""
        signs = sum(1 for _, factor in self.factors if factor == SIGN)
        joined = sum(factor.size for _, factor in self.factors) - max(signs - 1, 0)
        return joined + (self.coefficient != 1)

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Those that it uses."""
        return tuple(i for i, _ in self.factors)

    def text(self) -> str:
        """In the language of targets."""
        signs = [f"z{i}" for i, factor in self.factors if factor == SIGN]
        parts = [factor.text(i) for i, factor in self.factors if factor != SIGN]
        if signs:
            parts.append(f"sign({'*'.join(signs)})")
        number = {1: "", -1: "-"}.get(self.coefficient, f"{self.coefficient}*")
        return number + "*".join(parts)

    def renamed(self, names: tuple[int, ...]) -> Term:
        """With coordinate i named names[i - 1]."""
        return Term(tuple(sorted((names[i - 1], factor) for i, factor in self.factors)), self.coefficient)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A target to be examined.

    Attributes
    ----------
    text : str
    size : int
    width : int
        The number of coordinates that it uses.
    terms : tuple of Term or None
        None for a construction outside the grammar.
    """

    text: str
    size: int
    width: int
    terms: tuple[Term, ...] | None = None


def of_terms(*terms: Term) -> Candidate:
    """The sum of terms."""
    text = " + ".join(term.text() for term in terms).replace("+ -", "- ")
    used = {i for term in terms for i in term.coordinates}
    size = sum(term.size for term in terms) + len(terms) - 1
    return Candidate(text=text, size=size, width=len(used), terms=terms)


def enumerated(size: int, width: int) -> Iterator[Candidate]:
    """All sums of this size over at most `width` coordinates, up to renaming of these; deterministic.

    Examples
    --------
    >>> [c.text for c in enumerated(2, 2)]
    ['z1*z2', 'He2(z1)', 'abs(z1)', 'sign(z1)', 'relu(z1)', 'step(z1)']
    """
    terms = [list(_terms(n, width)) for n in range(size + 1)]
    for count in range(1, _MOST_TERMS + 1):
        for sizes in _partitions(size - count + 1, count):
            for chosen in _choices(sizes, terms):
                if _is_reduced(chosen):
                    yield of_terms(*chosen)


def _partitions(total: int, count: int, least: int = 1) -> Iterator[tuple[int, ...]]:
    """Non-decreasing positive sizes that add up."""
    if count == 1:
        if total >= least:
            yield (total,)
        return
    for first in range(least, total // count + 1):
        for rest in _partitions(total - first, count - 1, first):
            yield (first, *rest)


def _choices(sizes: tuple[int, ...], terms: list[list[Term]]) -> Iterator[tuple[Term, ...]]:
    """Different terms of these sizes, in increasing order among those of one size."""
    groups = [itertools.combinations(terms[n], len(list(same))) for n, same in itertools.groupby(sizes)]
    for parts in itertools.product(*map(list, groups)):
        yield tuple(itertools.chain(*parts))


def _terms(size: int, width: int) -> Iterator[Term]:
    """All terms of a size; a sign only where all factors are even, so that no reflection takes it off."""
    for coefficient in (1, *_COEFFICIENTS):
        for factors in _products(size - (coefficient != 1), 1, width, signs=0):
            term = Term(factors, coefficient)
            if factors and (coefficient != -1 or all(factor.parity == 1 for _, factor in factors)):
                yield term


def _products(size: int, first: int, width: int, *, signs: int) -> Iterator[tuple[tuple[int, Factor], ...]]:
    if size == 0:
        yield ()
    if size <= 0:
        return
    for i in range(first, width + 1):
        for factor in _FACTORS:
            cost = 1 if factor == SIGN and signs else factor.size
            if cost <= size:
                for rest in _products(size - cost, i + 1, width, signs=signs + (factor == SIGN)):
                    yield ((i, factor), *rest)


def _is_reduced(terms: tuple[Term, ...]) -> bool:
    """Coordinates 1, 2, ... in the first of all namings, one term with coefficient 1, no repetition."""
    used = sorted({i for term in terms for i in term.coordinates})
    if used != list(range(1, len(used) + 1)) or all(term.coefficient != 1 for term in terms):
        return False
    if len({term.factors for term in terms}) < len(terms):
        return False
    own = _key(terms)
    names = itertools.permutations(used)
    return all(own <= _key(tuple(term.renamed(n) for term in terms)) for n in names)


def _key(terms: tuple[Term, ...]) -> tuple[tuple[int, tuple[tuple[int, int], ...], int], ...]:
    return tuple(
        sorted(
            (term.size, tuple((i, factor.rank) for i, factor in term.factors), term.coefficient)
            for term in terms
        )
    )
