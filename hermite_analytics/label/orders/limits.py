"""Which directions a step can learn at most: certificates that zeta_{k,U} has no other slots.

zeta_{k,U}(y, x) = E[He_k(w) | Y = y, z_U = x], w the coordinates orthogonal to U, is a symmetric tensor on
the complement of U. It satisfies, for all y and x,

    zeta[R., .., R.] = zeta           if f(Rz) = f(z) and R fixes U;
    zeta[v, .., v, u, ..] = 0         with v in j slots, u orthogonal to v, if f depends on v.z through one
                                      function h(v.z) only, E[He_j(t) | h(t)] = 0, and v is orthogonal to U;
    tr_W^m zeta[u, ..] = 0            with u orthogonal to W, m >= 1, if f depends on the coordinates in W
                                      through w/|w| only, and W is orthogonal to U;

and at U = {0} it lies in the span of the tensors E[He_k 1{Y=y}] if Y has finitely many values. The slots of
all tensors that satisfy these equations are the most that a step of order k can learn.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Matrix, Symbol

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.moments import ValueTensors
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.argument.symmetries import OnlyThroughDirection, Symmetry, UnseenOrder, symmetry_of
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.contraction import Tensor, vectors_of
from hermite_analytics.exponents.coordinate_bounds import of_label
from hermite_analytics.exponents.dependence import directions, slopes
from hermite_analytics.exponents.invariants import (
    defects,
    fixes,
    outside,
    satisfying,
    tensors_on,
)
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, complement, extended, whole
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.zero import symmetries
from hermite_analytics.gaussian.zero.certificate import exact_matrix
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.gaussian.zero.monomials import OutOfReach
from hermite_analytics.label.exact.reflections import is_invariant
from hermite_analytics.label.orders.axis import AxisLaw
from hermite_analytics.label.orders.blocks import inner_functions, orthogonal_blocks, radial_blocks
from hermite_analytics.label.orders.conditions import filled, flips_and_exchanges, orthogonal, traces
from hermite_analytics.label.orders.transformations import TransformedLabel
from hermite_analytics.symbols import variable

__all__ = ["Limit", "Limits"]

_Z1 = variable(1)
_MOST_LISTED = 8  # coordinates whose flips, exchanges and rotations are tried one by one
_NO_OTHER = remark(Math("f", "f"), " depends on no other directions")
Condition = tuple[list[list[Expr]], Fact]  # its values on some tensors, and what it says


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A subspace that holds U and all that a step learns, and why."""

    span: Span
    facts: Facts
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    """A direction that f sees through one function only."""

    row: Row
    law: AxisLaw


class Limits:
    """Upper bounds of the steps of one label.

    Parameters
    ----------
    signal : sympy expression
        f, with label noise where that is not additive.
    variables, noise : tuple of symbols
    numbers : Numbers
    finite : list of TransformedLabel or None
        The indicators of all values of a label with finitely many.

    Examples
    --------
    >>> z = sympy.symbols("z1:4", real=True)
    >>> f = z[0] ** 2 + sympy.sign(z[0] * z[1] * z[2])
    >>> limits = Limits(f, z, (), Numbers(), None)
    >>> [limits.at(Span(width=3), k).span.text() for k in (1, 2)]
    [[], [['1', '0', '0']]]
    """

    def __init__(
        self,
        signal: Expr,
        variables: tuple[Symbol, ...],
        noise: tuple[Symbol, ...],
        numbers: Numbers,
        finite: Sequence[TransformedLabel] | None,
    ) -> None:
        self._signal, self._variables, self._noise = signal, variables, noise
        self._numbers, self._finite = numbers, finite
        self.reachable = directions(signal, variables, numbers)
        self._judged: dict[sympy.ImmutableMatrix, bool] = {}

    def at(self, learned: Span, order: int, seen: Span | None = None, least: int = 0) -> Limit | None:
        """The bound of a step of this order; None if the equations are too many.

        Parameters
        ----------
        seen : Span, optional
            A part of what is known to be learned: the reflection that fixes it is tried first.
        least : int
            A dimension that is known to be reached: no smaller bound is looked for.
        """
        exact = self._from_finite_list(learned, order)
        if exact is not None:
            return exact
        quick = self.by_coordinates(learned, order)
        seen = learned if seen is None else seen
        if quick.span.dimension <= max(least, seen.dimension):
            return quick
        mirrored = self._by_reflection(learned) if order % 2 else None
        if mirrored is not None:
            return mirrored
        own = outside(self._numbers, learned, min(quick.span, self.reachable, key=lambda s: s.dimension))
        tensors = tensors_on(own, len(self._variables), order)
        if tensors is None:
            return quick
        used: list[Fact] = list(quick.facts) if quick.span.dimension < self.reachable.dimension else []
        span = self._spanned(learned, tensors)
        kinds = (self._radial, functools.partial(self._reflected, seen), self._symmetric, self._seen_through)
        for kind in kinds:
            for condition, fact in kind(learned, tensors):
                if span.dimension <= max(least, seen.dimension):
                    break
                check_time()
                fewer = satisfying(self._numbers, tensors, condition)
                if len(fewer) < len(tensors):
                    tensors[:] = fewer  # the generators go on with what is left
                    span = self._spanned(learned, tensors)
                    used.append(fact)
        evidence = Evidence.PROVED if used else Evidence.EXACT
        return Limit(span=span, facts=tuple(dict.fromkeys(used)) or _NO_OTHER, evidence=evidence)

    def _by_reflection(self, learned: Span) -> Limit | None:
        """Nothing of odd order is new where the reflection that fixes what is learned leaves the label."""
        if not self.is_mirrored(learned):
            return None
        symmetry = symmetry_of(self._reflection(learned), 1, self._variables)
        return Limit(span=learned, facts=(symmetry,), evidence=Evidence.PROVED)

    def is_mirrored(self, span: Span) -> bool:
        """Whether the reflection that fixes a subspace is verified to leave the label."""
        return span.is_closed and span.is_short and self._is_invariant(self._reflection(span))

    def by_coordinates(self, learned: Span, order: int) -> Limit:
        """What flips and exchanges of coordinates leave, of any number of them."""
        signal, variables = self._signal, self._variables
        own = [i for i, v in enumerate(variables) if signal.has(v)]
        allowed = of_label(coordinate_symmetries(signal, variables), variables, own, learned, order)
        span, decided = extended(self._numbers, learned, allowed.rows)
        evidence = Evidence.PROVED if allowed.facts else Evidence.EXACT
        facts = allowed.facts or _NO_OTHER
        return Limit(span=span if decided else whole(learned.width), facts=facts, evidence=evidence)

    def _spanned(self, learned: Span, tensors: Sequence[Tensor]) -> Span:
        width = len(self._variables)
        vectors = [row for tensor in tensors for row in vectors_of(tensor, width)]
        for some in (vectors, self.reachable.rows):
            span, decided = extended(self._numbers, learned, some)
            if decided:
                return span
        return whole(width)

    def _from_finite_list(self, learned: Span, order: int) -> Limit | None:
        """At U = {0}: what the indicators of finitely many values span, where that is decided exactly."""
        if self._finite is None or learned.dimension:
            return None
        tensors = [one.closed(order) for one in self._finite]
        if None in tensors:
            return None
        vectors = [row for tensor in tensors for row in vectors_of(tensor or {}, learned.width)]
        span, decided = extended(self._numbers, learned, vectors)
        if not (decided and span.is_exact):
            return None
        fact = ValueTensors(order=order, values=len(self._finite) + 1, zero=span.dimension == 0)
        return Limit(span=span, facts=(fact,), evidence=Evidence.EXACT)

    def _reflection(self, learned: Span) -> Matrix:
        """Fixes U and what f does not depend on, and changes the sign of the rest."""
        width = learned.width
        fixed, _ = extended(self._numbers, learned, complement(self.reachable).rows)
        if not fixed.rows:
            return -sympy.eye(width)
        basis = Matrix(fixed.rows)
        return 2 * basis.T * (basis * basis.T).inv() * basis - sympy.eye(width)

    def _radial(self, learned: Span, tensors: list[Tensor]) -> Iterator[Condition]:
        order = _degree_of(tensors)
        for block in self._radial_blocks:
            if not orthogonal(block, learned.rows):
                continue
            fact = OnlyThroughDirection(forms=tuple(self._form(row) for row in block))
            for pairs in range(1, order // 2 + 1):
                rest = self._rest(learned, block)
                yield [traces(t, block, pairs, rest, order) for t in tensors], fact

    def _seen_through(self, learned: Span, tensors: list[Tensor]) -> Iterator[Condition]:
        order = _degree_of(tensors)
        for axis in self._axes:
            if not orthogonal([axis.row], learned.rows):
                continue
            rest = self._rest(learned, [axis.row])
            for j in range(1, order + 1):
                why = axis.law.vanishes(j)
                if why is not None:
                    form = None if len(self._variables) == 1 else self._form(axis.row)
                    fact = UnseenOrder(order=j, form=form, why=why)
                    yield [filled(t, [axis.row] * j, rest, order - j) for t in tensors], fact

    def _reflected(self, seen: Span, learned: Span, tensors: list[Tensor]) -> Iterator[Condition]:
        """By the reflection that fixes what is known to be learned."""
        if learned.dimension < seen.dimension and self.is_mirrored(seen):
            matrix = self._reflection(seen)
            symmetry = symmetry_of(matrix, 1, self._variables)
            yield defects(tensors, matrix, 1, _degree_of(tensors)), symmetry

    def _symmetric(self, learned: Span, tensors: list[Tensor]) -> Iterator[Condition]:
        if not learned.is_closed:
            return
        order = _degree_of(tensors)
        for matrix, symmetry in self._invariances():
            if all(fixes(matrix, row) for row in learned.rows):
                yield defects(tensors, matrix, 1, order), symmetry

    def _rest(self, learned: Span, rows: Sequence[Row]) -> tuple[Row, ...]:
        """A basis of the directions orthogonal to U and to some rows."""
        return complement(extended(self._numbers, learned, rows)[0]).rows

    def _form(self, row: Row) -> Expr:
        return sympy.Add(*(a * v for a, v in zip(row, self._variables, strict=True)))

    @functools.cached_property
    def _radial_blocks(self) -> list[tuple[Row, ...]]:
        blocks = orthogonal_blocks(self._signal, self._variables)
        return [block.rows for block in radial_blocks(self._signal, self._variables, blocks)]

    @functools.cached_property
    def _axes(self) -> list[_Axis]:
        found = []
        for block in orthogonal_blocks(self._signal, self._variables):
            if len(block.rows) == 1:
                t = sympy.Dummy("t", real=True)
                functions = inner_functions(self._signal, self._variables, block.rows[0], t)
                if len(functions) == 1:
                    law = AxisLaw(functions.pop().xreplace({t: _Z1}))
                    found.append(_Axis(row=block.rows[0], law=law))
        return found

    def _invariances(self) -> Iterator[tuple[Matrix, Symmetry]]:
        """The isometries R of z with f(Rz, +-xi) = f(z, xi) that are found, the obvious ones first."""
        for matrix in self._plain:
            yield matrix, symmetry_of(matrix, 1, self._variables)
        yield from self._searched

    @functools.cached_property
    def _plain(self) -> list[Matrix]:
        """Flips and exchanges after which sympy writes the label as before."""
        few = len(self._variables) <= _MOST_LISTED
        return [m for m in flips_and_exchanges(len(self._variables)) if self._is_plain(m)] if few else []

    @functools.cached_property
    def _searched(self) -> list[tuple[Matrix, Symmetry]]:
        """What the search for symmetries verifies besides: of z, or of z and the symmetric noise together."""
        found: list[tuple[Matrix, Symmetry]] = []
        n = len(self._variables)
        if n > _MOST_LISTED:
            return found
        everything = (*self._variables, *self._noise)
        written = dict.fromkeys(slopes(self._signal, everything))
        for isometry, character in symmetries(self._signal, everything, written):
            if character != 1:
                continue
            try:
                matrix = Matrix(exact_matrix(isometry))
            except OutOfReach:
                continue
            own = matrix[:n, :n]
            if matrix[:n, n:].is_zero_matrix and own not in self._plain:
                fixed = matrix[n:, n:].is_Identity
                symmetry = (
                    symmetry_of(own, 1, self._variables) if fixed else symmetry_of(matrix, 1, everything)
                )
                found.append((own, symmetry))
        return found

    def _is_invariant(self, matrix: Matrix) -> bool:
        key = sympy.ImmutableMatrix(matrix)
        if key not in self._judged:
            self._judged[key] = is_invariant(self._signal, self._variables, matrix)
        return self._judged[key]

    def _is_plain(self, matrix: Matrix) -> bool:
        """Whether sympy writes f(Rz) and f(z) the same."""
        check_time()
        moved = matrix * Matrix(list(self._variables))
        return bool(self._signal.xreplace(dict(zip(self._variables, moved, strict=True))) == self._signal)


def _degree_of(tensors: Sequence[Tensor]) -> int:
    return sum(next(iter(tensors[0]))) if tensors else 0
