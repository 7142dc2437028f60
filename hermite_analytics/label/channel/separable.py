"""E[y | z] as a sum of products of functions of one coordinate each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.line.functions import along, kinks_of
from hermite_analytics.label_noise import averaged
from hermite_analytics.language.kinks import JUMPS

__all__ = ["Factor", "Term", "separated"]

_BEYOND = 12.01  # standard deviations: no edge is looked for farther out
_Parts: TypeAlias = tuple[Expr, Mapping[int, Expr]]  # the number in front, and factors by coordinate


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A function of one coordinate, smooth off its edges.

    Attributes
    ----------
    value : function of points
    edges : ndarray, increasing
    steps : ndarray or None
        Its values below, between and above the edges, where it is constant there.
    """

    value: Callable[[Array], Array]
    edges: Array
    steps: Array | None = None

    @property
    def mirrored(self) -> Factor:
        """The same of -w."""
        steps = None if self.steps is None else self.steps[::-1]
        return Factor(value=lambda w: self.value(-w), edges=-self.edges[::-1], steps=steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """coefficient * product of factors; the key is the index of the coordinate."""

    coefficient: float
    factors: Mapping[int, Factor]


def separated(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[Term, ...] | None:
    """The terms of E[y | z]; None if a function stands that does not split, or that xi is not averaged of.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> [(t.coefficient, sorted(t.factors)) for t in separated(w1**2 + 2 * sign(w1) * sign(w2), (w1, w2))]
    [(1.0, [0]), (2.0, [0, 1])]
    >>> len(separated(sympy.log(abs(w1) * abs(w2)), (w1, w2)))
    2
    """
    regression, rest = averaged(signal)
    if rest != 0:
        return None
    plain = expanded(
        regression.replace(_is_log_of_product, lambda e: sympy.Add(*map(sympy.log, e.args[0].args)))
    )
    found = []
    for term in sympy.Add.make_args(plain):
        parts = _by_coordinate(term, coordinates)
        if parts is None:
            return None
        found.append(parts)
    for k in range(len(coordinates)):
        found = _joined(found, k)
    known: dict[tuple[int, Expr], Factor] = {}
    for k, part in ((k, p) for _, parts in found for k, p in parts.items()):
        if (k, part) not in known:
            known[k, part] = _factor(part, coordinates[k])
    terms = [Term(coefficient=float(c), factors={k: known[k, p] for k, p in ps.items()}) for c, ps in found]
    return tuple(sorted(terms, key=lambda t: len(t.factors)))


def _by_coordinate(term: Expr, coordinates: Sequence[Symbol]) -> _Parts | None:
    """The number in front of a product, and its factor of each coordinate; None where one has several."""
    coefficient: Expr = sympy.S.One
    factors: dict[int, Expr] = {}
    for part in sympy.Mul.make_args(term):
        used = part.free_symbols
        if not used:
            coefficient *= part
        elif len(used) == 1 and used <= set(coordinates):
            k = coordinates.index(*used)
            factors[k] = factors.get(k, sympy.S.One) * part
        else:
            return None
    return coefficient, factors


def _joined(terms: Sequence[_Parts], k: int) -> list[_Parts]:
    """Those that differ in their factor of coordinate k alone as one: the many steps of a floor."""
    groups: dict[tuple[tuple[int, Expr], ...], list[_Parts]] = {}
    found = []
    for coefficient, factors in terms:
        if k in factors:
            others = tuple(sorted(((j, p) for j, p in factors.items() if j != k), key=str))
            groups.setdefault(others, []).append((coefficient, factors))
        else:
            found.append((coefficient, factors))
    for others, group in groups.items():
        if len(group) > 1:
            total = sympy.Add(*(c * factors[k] for c, factors in group))
            group = [(sympy.S.One, {**dict(others), k: total})]
        found += group
    return found


def _is_log_of_product(e: Expr) -> bool:
    return bool(
        isinstance(e, sympy.log) and e.args[0].is_Mul and all(a.is_nonnegative for a in e.args[0].args)
    )


def _factor(part: Expr, w: Symbol) -> Factor:
    function = along(part, w)
    edges, steps = kinks_of(function.kinks), None
    if not part.replace(lambda e: isinstance(e, JUMPS), lambda e: sympy.Dummy()).has(w):
        ends = np.concatenate([[-_BEYOND], edges, [_BEYOND]])
        steps = function.value(0.5 * (ends[1:] + ends[:-1]))
    return Factor(value=function.value, edges=edges, steps=steps)
