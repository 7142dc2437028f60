"""Quadrature rules for one variable of a tensor product, with the errors that they make.

An `AxisRule` is a finite list of nodes with weights (the Gaussian density included) in groups, one group
for each stretch between kinks, on which the integrand is one analytic piece. Its `errors` bound
|rule - integral| of g(z_i) = f(.., z_i, ..) for fixed real values of the other variables: an envelope of f on
a strip together with a measure of this variable, which leaves an envelope in the others.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from flint import acb, arb
from sympy import Expr, Symbol

from hermite_analytics.gaussian.enclosure.cells import cells, interval, kink_differences, resolved
from hermite_analytics.gaussian.enclosure.effort import check
from hermite_analytics.gaussian.enclosure.envelope import Envelope
from hermite_analytics.gaussian.enclosure.moments import (
    Measure,
    at_most,
    functional,
    moment,
    norm_1,
    tail_term,
)
from hermite_analytics.gaussian.enclosure.panels import gauss_legendre
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, dyadic, log2_ceiling, working_precision
from hermite_analytics.gaussian.enclosure.strip import NoStripBound, strip_bounds
from hermite_analytics.gaussian.enclosure.trapezoid import best_width, dyadic_below

__all__ = ["AxisError", "AxisRule", "Group", "panel_axis", "tail_measures", "trapezoid_axis"]

_LARGEST_CUT = 1024
_ELLIPSE = 4  # q of the ellipses on which panels are bounded
_LONGEST_RULE = 256
_MOST_NODES = 20_000


@dataclass(frozen=True, slots=True)
class AxisError:
    """|rule - integral| for fixed other variables: the envelope with `measure` applied to this variable."""

    envelope: Envelope
    measure: Measure


@dataclass(frozen=True, slots=True)
class Group:
    """The integrand between two kinks of this variable, and the nodes (x, weight) there."""

    piece: Expr
    nodes: tuple[tuple[arb, arb], ...]


@dataclass(frozen=True, slots=True)
class AxisRule:
    groups: tuple[Group, ...]
    errors: tuple[AxisError, ...]

    def count(self) -> int:
        return sum(len(g.nodes) for g in self.groups)

    def discrete(self, n: int, linear: arb, square: arb) -> arb:
        """The rule applied to t^n exp(l t + s t^2): what it makes of an envelope."""
        total = arb(0)
        for group in self.groups:
            for x, weight in group.nodes:
                t = abs(x)
                total = total + weight * t**n * (linear * t + square * t * t).exp()
        return total


def _cut(envelope: Envelope, index: int, tolerance: arb) -> arb:
    """L such that the part of E env with t_index > L is below the tolerance."""
    end = arb(1)
    while not functional(envelope, tail_measures(envelope, index, end)) <= tolerance:
        check()
        end = end + (arb(1) / 2 if end < 64 else end / 8).floor().max(arb(1) / 2)
        if end > _LARGEST_CUT:
            raise NoStripBound("the integrand is not shown to decay against the Gaussian")
    return end


def tail_measures(envelope: Envelope, index: int, end: arb) -> list[Measure]:
    """The tail of one variable, the moments of the others."""
    count = len(envelope.pieces[0].linear)
    measures: list[Measure] = [moment] * count
    measures[index] = lambda n, linear, square: tail_term(end, n, linear, square)
    return measures


def _widths(count: int, index: int, width: arb) -> list[arb]:
    return [width if i == index else arb(0) for i in range(count)]


def trapezoid_axis(
    expr: Expr, variables: tuple[Symbol, ...], index: int, tolerance: arb, bits: int
) -> AxisRule:
    """The trapezoidal rule in one variable, analytic in a strip for all real values of the others.

    Error by Trefethen and Weideman 2014, Theorem 5.1, as in `trapezoid`, plus the tail.

    Raises
    ------
    NoStripBound
        Without a strip or without an envelope.
    """
    with working_precision(BOUND_BITS):
        count = len(variables)
        real = strip_bounds(expr, variables, _widths(count, index, arb(0))).size
        end = _cut(real, index, tolerance / 2)

        def inverse_step(width: arb) -> arb | None:
            try:
                mass = norm_1(strip_bounds(expr, variables, _widths(count, index, width)).size)
            except NoStripBound:
                return None
            if not mass.is_finite():
                return None
            mass = mass * (width * width / 2).exp()
            inverse = (1 + 4 * mass / tolerance).log() / (2 * arb.pi() * width)
            return inverse if inverse.is_finite() else None  # a wide ball may say nothing

        found = best_width(inverse_step)
        if found is None:
            raise NoStripBound(
                f"{expr} is not shown to be analytic around the real axis of {variables[index]}"
            )
        width, inverse = found
        mantissa, exponent = dyadic_below(1 / inverse)
        h = dyadic(mantissa, exponent)
        last = int((end / h).ceil().upper().ceil().unique_fmpz())
        if last > _MOST_NODES:
            raise NoStripBound(f"{expr} is not bounded well enough around the axis of {variables[index]}")
        envelope = strip_bounds(expr, variables, _widths(count, index, width)).size
        factor = 2 * (width * width / 2).exp() / ((2 * arb.pi() * width / h).exp() - 1)
        edge = h * last
    with working_precision(bits):
        scale = h / (2 * arb.pi()).sqrt()
        positions = [dyadic(j * mantissa, exponent) for j in range(-last, last + 1)]
        nodes = tuple((x, scale * (-x * x / 2).exp()) for x in positions)
    return AxisRule(
        (Group(expr, nodes),),
        (
            AxisError(envelope, lambda n, linear, square: factor * moment(n, linear, square)),
            AxisError(real, lambda n, linear, square: tail_term(edge, n, linear, square)),
        ),
    )


def panel_axis(expr: Expr, variables: tuple[Symbol, ...], index: int, tolerance: arb, bits: int) -> AxisRule:
    """Gauss-Legendre panels between the kinks of one variable; the kinks contain no other variable.

    On each cell the resolved integrand is bounded on a strip of half-width a; panels of half-width r with
    r (q - 1/q)/2 <= a keep their ellipses inside it, and the error is that of `panels`.
    """
    z = variables[index]
    exponent = -bits - 8
    with working_precision(BOUND_BITS):
        real = strip_bounds(expr, variables, _widths(len(variables), index, arb(0))).size
        end = int(_cut(real, index, tolerance / 4).ceil().unique_fmpz())
    arguments = kink_differences(expr, (z,))
    with working_precision(bits + 16):  # its ends are multiples of 2^exponent
        found = cells(arguments, z, (-end << -exponent, end << -exponent), exponent, bits + 16)
    groups: list[Group] = []
    errors = [AxisError(real, lambda n, linear, square: tail_term(arb(end), n, linear, square))]
    for cell in found:
        check()
        if cell.signs is None:
            errors.append(
                _undecided(
                    real, interval(cell.low, cell.high, exponent), dyadic(cell.high - cell.low, exponent)
                )
            )
            continue
        piece = resolved(expr, (z,), dict(zip(arguments, cell.signs, strict=True)))
        if piece != 0:
            group, more = _panels(piece, variables, index, (cell.low, cell.high, exponent), tolerance, bits)
            groups.append(group)
            errors += more
    return AxisRule(tuple(groups), tuple(errors))


def _density(x: arb) -> arb:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _undecided(real: Envelope, x: arb, width: arb) -> AxisError:
    """A piece without known branches: at most width * env * phi there."""
    bound, reach = (width * _density(x)).abs_upper(), abs(x).upper()
    return AxisError(real, at_most(bound, reach))


def _panels(
    piece: Expr,
    variables: tuple[Symbol, ...],
    index: int,
    cell: tuple[int, int, int],
    tolerance: arb,
    bits: int,
) -> tuple[Group, list[AxisError]]:
    low, high, exponent = cell
    q, z = arb(_ELLIPSE), variables[index]
    with working_precision(BOUND_BITS):
        width, envelope = _strip(piece, variables, index, tolerance)
        largest = width * 2 / (q - 1 / q)
        length = int((2 * largest / dyadic(1, exponent)).floor().lower().floor().unique_fmpz())
        count = max(-((low - high) // length), 1)
        mass = norm_1(envelope) / tolerance * count * len(variables)
        size = max(2, (log2_ceiling(mass) + 8) // 4 + 1)  # q^(-2n) = 2^(-4n)
        size += size % 2
    if size > _LONGEST_RULE or size * count > _MOST_NODES:
        raise NoStripBound(f"{piece} is not bounded well enough around the axis of {z}")
    nodes: list[tuple[arb, arb]] = []
    errors = []
    edges = [low + (high - low) * j // count for j in range(count + 1)]
    for left, right in itertools.pairwise(edges):
        check()
        centre, half = dyadic(left + right, exponent - 1), dyadic(right - left, exponent - 1)
        with working_precision(BOUND_BITS):
            wide, tall = half * (q + 1 / q) / 2, half * (q - 1 / q) / 2
            box = acb(centre + arb(0, wide.upper()), arb(0, tall.upper()))
            density = ((-box * box / 2).exp() / (2 * arb.pi()).sqrt()).abs_upper()
            error = half * density * 64 / 15 / (1 - q**-2) * q ** (-2 * size)
            errors.append(AxisError(envelope, at_most(error, (abs(centre) + wide).upper())))
        with working_precision(bits):
            for node, weight in gauss_legendre(size, bits):
                for x in (centre - half * node, centre + half * node):
                    nodes.append((x, half * weight * _density(x)))
    return Group(piece, tuple(nodes)), errors


def _strip(piece: Expr, variables: tuple[Symbol, ...], index: int, tolerance: arb) -> tuple[arb, Envelope]:
    """The widest strip of half-width at most 2 on which the envelope's mass leaves the rules short."""
    width, largest = arb(2), tolerance * arb(2) ** (2 * _LONGEST_RULE)
    while width > arb(1) / 1024:
        try:
            envelope = strip_bounds(piece, variables, _widths(len(variables), index, width)).size
            if norm_1(envelope) <= largest:
                return width, envelope
        except NoStripBound:
            pass
        width = width * 3 / 4
        width = dyadic(*dyadic_below(width))
    raise NoStripBound(f"{piece} is not shown to be analytic around the axis of {variables[index]}")
