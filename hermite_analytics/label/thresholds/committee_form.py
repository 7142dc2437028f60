"""Labels of r equal parts whose sum of coordinates is learned: their form, read off the target.

Sums g(z_1) + ... + g(z_r), the largest or smallest of the z_i, and functions of finitely many values that
stay the same when the z_i are permuted; signs of coordinates are those of the learned direction.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, extended
from hermite_analytics.gaussian.cells import own_parts
from hermite_analytics.label.cases.committee.parts import equal_part
from hermite_analytics.label.cases.values.latent import LatentCell, latent_coordinates
from hermite_analytics.label.reduction.equivalent import reduced
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.functions import record_of, relu
from hermite_analytics.symbols import variable, xi

__all__ = ["CountForm", "LargestForm", "SumForm", "committee_form"]

_LEAST = 3
_MOST_COUNTS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SumForm:
    """y = g(z_1) + ... + g(z_r) + noise * xi.

    Attributes
    ----------
    part, argument : expression and symbol
        g and its variable.
    count : int
        r.
    noise : float
    informative : expression
        See `Problem`.
    """

    part: Expr
    argument: Symbol
    count: int
    noise: float
    informative: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestForm:
    """y = max z_i + noise * xi, or max(z_1, ..., floor)."""

    count: int
    noise: float
    informative: Expr
    floor: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountForm:
    """y depends on how many coordinates lie in each cell.

    Attributes
    ----------
    cells : tuple of LatentCell
    labels : dict
        The label for each vector of counts.
    """

    cells: tuple[LatentCell, ...]
    labels: dict[tuple[int, ...], float]
    noise: float
    informative: Expr


def committee_form(
    expression: Expr, dimension: int, learned: Sequence[Row]
) -> SumForm | LargestForm | CountForm | None:
    """The form of a label of which the sum of the coordinates of equal parts is known; None for others.

    Parameters
    ----------
    expression : sympy expression in z1, ..., and xi
    dimension : int
    learned : rows of exact numbers

    Examples
    --------
    >>> from hermite_analytics.target import Target
    >>> one = sympy.Integer(1)
    >>> f = Target("erf(z1) + erf(z2) - erf(z3) + xi/2").expression
    >>> found = committee_form(f, 3, [(one, one, -one)])
    >>> found.part, found.count, found.noise
    (erf(_t), 3, 0.5)
    """
    group = _group(dimension, learned)
    if group is None:
        return None
    known, signs = group
    variables = tuple(signs)
    if not expression.free_symbols <= {*known, *variables, xi}:
        return None  # what else the label depends on is not known
    flipped = {z: -z for z, s in signs.items() if s < 0}
    signed = expression.xreplace(flipped) if flipped else expression
    largest = _largest(signed, variables)
    if largest is not None:
        return largest
    problem = Problem(signal=signed, unknown=variables, known=known).with_signal(signed)
    problem = reduced(problem)
    if problem.unknown != variables or problem.known or problem.noise is None:
        return None
    signal, noise = sympy.expand(problem.signal.subs(xi, 0)), abs(float(problem.noise))
    if signal.is_Add:
        signal = signal.as_independent(*variables, as_Add=True)[1]
    counts = _by_counts(signal, variables)
    if counts is not None:
        return CountForm(cells=counts[0], labels=counts[1], noise=noise, informative=problem.informative)
    t = Dummy("t", real=True)
    found = equal_part(signal, variables, t)
    if found is None or min(found[1]) < 0:
        return None
    return SumForm(
        part=found[0], argument=t, count=len(variables), noise=noise, informative=problem.informative
    )


def _group(dimension: int, learned: Sequence[Row]) -> tuple[tuple[Symbol, ...], dict[Symbol, int]] | None:
    """(coordinates that are known, {coordinate of the group: its sign in the direction that is known})."""
    single, rank = _known_alone(dimension, learned)
    if rank != len(single) + 1:
        return None
    rows = [tuple(S.Zero if j in single else x for j, x in enumerate(row)) for row in learned]
    row = next((r for r in rows if any(x != 0 for x in r)), None)
    if row is None:
        return None
    size = next(x for x in row if x != 0)
    signs = {variable(j + 1): sympy.expand(x / size) for j, x in enumerate(row) if x != 0}
    if len(signs) < _LEAST or any(s not in (1, -1) for s in signs.values()):
        return None
    return tuple(variable(j + 1) for j in single), {z: int(s) for z, s in signs.items()}


def _known_alone(dimension: int, learned: Sequence[Row]) -> tuple[list[int], int]:
    """The places of the axes in the span of the rows, and its dimension."""
    numbers = Numbers()
    span, _ = extended(numbers, Span(width=dimension), learned)
    met = [j for j in range(dimension) if any(row[j] != 0 for row in learned)]
    axes = {j: [tuple(S(int(i == j)) for i in range(dimension))] for j in met}
    alone = [j for j in met if extended(numbers, span, axes[j])[0].dimension == span.dimension]
    return alone, span.dimension


def _by_counts(
    signal: Expr, variables: tuple[Symbol, ...]
) -> tuple[tuple[LatentCell, ...], dict[tuple[int, ...], float]] | None:
    """Cells, and the label for each vector of counts, of a symmetric label of finitely many values."""
    first = variables[0]
    cells = latent_coordinates(signal, [first]).get(first)
    if cells is None or math.comb(len(variables) + len(cells) - 1, len(cells) - 1) > _MOST_COUNTS:
        return None
    if not _is_symmetric(signal, variables):
        return None
    parts = {z: own_parts(signal, z) or [] for z in variables}
    labels = {}
    for chosen in itertools.combinations_with_replacement(range(len(cells)), len(variables)):
        values = {
            part: part.subs(z, cells[c].point)
            for z, c in zip(variables, chosen, strict=True)
            for part in parts[z]
        }
        value = signal.xreplace(values)
        if not value.is_number:
            return None
        labels[tuple(chosen.count(c) for c in range(len(cells)))] = round(float(value), 12)
    return cells, labels


def _is_symmetric(signal: Expr, variables: tuple[Symbol, ...]) -> bool:
    """Whether an exchange and a cyclic permutation, which generate all, leave the form as it is."""
    first, second, *_ = variables
    exchange = {first: second, second: first}
    cycle = dict(zip(variables, (*variables[1:], first), strict=True))
    return bool(signal.xreplace(exchange) == signal and signal.xreplace(cycle) == signal)


def _largest(label: Expr, variables: tuple[Symbol, ...]) -> LargestForm | None:
    """A multiple of the largest or smallest of all coordinates, or of a number too, with noise added.

    Of increasing functions h of them, equal ones: h of the largest. Looked for in the form as it stands: to
    build a largest value of many anew takes sympy long.
    """
    terms = sympy.Add.make_args(label)
    extremes = [a for a in terms if a.has(*variables)]
    if len(extremes) != 1:
        return None
    scale, rest = extremes[0].as_independent(*variables, as_Add=False)
    noise = linear_part(sympy.Add(*(a for a in terms if a is not extremes[0])), xi)
    if noise is None or not isinstance(rest, sympy.Max | sympy.Min):
        return None
    found = _coordinates_and_floor(rest)
    if found is None or not (scale.is_number and noise[1].is_number):
        return None
    coordinates, floor = found
    if coordinates not in ({*variables}, {-z for z in variables}):
        return None
    size = abs(float(noise[1])) / abs(float(scale))
    if floor is not None and size:
        return None
    if floor is not None and isinstance(rest, sympy.Min):  # min(z, c) = -max(-z, -c)
        floor = -floor
    return LargestForm(count=len(variables), noise=size, informative=S.One, floor=floor)


def _coordinates_and_floor(extreme: Expr) -> tuple[set[Expr], float | None] | None:
    """Of max(h(z_1), ..., c) the z_i, and the largest number that the label takes for smaller ones."""
    numbers = [float(a) for a in extreme.args if a.is_number]
    random = [a for a in extreme.args if not a.is_number]
    kinds = {type(a) for a in random}
    if len(kinds) == 1 and len(numbers) == 0:
        [kind] = kinds
        if kind is relu and isinstance(extreme, sympy.Max):
            return {a.args[0] for a in random}, 0.0
        if record_of(random[0]).is_strictly_increasing and len(random[0].args) == 1:
            return {a.args[0] for a in random}, None
    return set(random), numbers[0] if numbers else None
