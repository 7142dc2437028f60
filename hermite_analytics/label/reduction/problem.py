"""The label at one stage: in orthonormal coordinates, some of them known and some not."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.exponents.dependence import depends_only_on
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, extended
from hermite_analytics.gaussian.enclosure.forms import affine_slopes, with_plain_forms
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.kinks import JUMPS, STAIRS
from hermite_analytics.symbols import variable, xi

__all__ = ["ANYWHERE", "Problem", "orthonormal_problem"]

ANYWHERE = sympy.Rational(1234577, 1000003)  # of coordinates on which the label does not depend


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """y = signal(w, x), with x known and w not; all coordinates are independent N(0, 1).

    Attributes
    ----------
    signal : sympy expression
        With the label noise xi in it.
    unknown, known : tuple of symbols
        w and x, those that the signal does not depend on left out.
    informative : sympy expression
        P(the label says something of w), where for other x it does not depend on w.
    reasons : tuple of str
        What was used to bring the label to this form, one line each.
    """

    signal: Expr
    unknown: tuple[Symbol, ...]
    known: tuple[Symbol, ...]
    informative: Expr = S.One
    reasons: tuple[str, ...] = ()

    def with_signal(self, signal: Expr, reason: str = "") -> Problem:
        """The same with an equivalent label."""
        used = signal.free_symbols
        return dataclasses.replace(
            self,
            signal=signal,
            unknown=tuple(w for w in self.unknown if w in used),
            known=tuple(x for x in self.known if x in used),
            reasons=(*self.reasons, reason) if reason else self.reasons,
        )

    @property
    def noise(self) -> Expr | None:
        """a of an additive noise a*xi, 0 without noise, None where xi enters otherwise."""
        additive = linear_part(self.signal, xi)
        return None if additive is None else additive[1]


def orthonormal_problem(
    expression: Expr, dimension: int, learned: Sequence[Row], relevant: Sequence[Row] = ()
) -> Problem:
    """The label in coordinates of the learned subspace and of what is left of its relevant subspace.

    Parameters
    ----------
    expression : sympy expression in z1, ..., and xi
    dimension : int
    learned : rows of exact numbers
        A basis of the subspace that is known.
    relevant : rows of exact numbers
        A basis of a subspace on which the target depends only; the whole space if it is left out, or if that
        is not verified.

    Examples
    --------
    >>> from hermite_analytics.target import Target
    >>> one, zero = sympy.Integer(1), sympy.Integer(0)
    >>> found = orthonormal_problem(Target("z1*z2 + z1").expression, 2, [(one, zero)])
    >>> found.signal, found.unknown, found.known
    (w1*x1 + x1, (w1,), (x1,))
    """
    variables = tuple(variable(j + 1) for j in range(dimension))
    numbers = Numbers()
    kept, _ = extended(numbers, Span(width=dimension), relevant)
    if not kept.dimension or not depends_only_on(expression, variables, kept):
        kept, _ = extended(numbers, kept, _units(dimension))
    basis = _orthonormal(numbers, learned, kept, affine_slopes(expression, variables))
    names = [Symbol(f"x{i + 1}", real=True) for i in range(len(learned))]
    names += [Symbol(f"w{i + 1}", real=True) for i in range(len(basis) - len(learned))]
    forms = {
        z: sympy.Add(*(b[j] * name for b, name in zip(basis, names, strict=True)))
        for j, z in enumerate(variables)
    }
    if expression.has(*JUMPS, *STAIRS):  # f(Pz) = f(z) almost everywhere: a sign may be 0 on the subspace
        away = _extended(basis, _units(dimension), numbers)[len(basis) :]
        forms = {
            z: form + sympy.Add(*(row[j] * ANYWHERE for row in away))
            for j, (z, form) in enumerate(forms.items())
        }
    signal = with_plain_forms(expression.xreplace(forms), tuple(names))
    n = len(learned)
    return Problem(signal=signal, unknown=tuple(names[n:]), known=tuple(names[:n])).with_signal(signal)


def _units(dimension: int) -> list[Row]:
    return [tuple(sympy.Integer(int(i == j)) for j in range(dimension)) for i in range(dimension)]


def _orthonormal(numbers: Numbers, learned: Sequence[Row], kept: Span, slopes: Sequence[Row]) -> list[Row]:
    """The learned rows, then the target's forms where they are orthogonal, else a basis of what is kept."""
    known = _extended([], learned, numbers)
    rests = [_residual(row, known) for row in slopes]
    axes = _extended([], rests, numbers) if _are_orthogonal(rests, numbers) else []
    projected = _extended(known, axes, numbers)
    inside = [row for row in projected[len(known) :] if _is_inside(row, kept, numbers)]
    return _extended([*known, *inside], kept.rows, numbers)


def _extended(basis: list[Row], rows: Sequence[Row], numbers: Numbers) -> list[Row]:
    """The method of Gram and Schmidt; rows that are not proved to be new are left out."""
    found = list(basis)
    for row in rows:
        rest = _residual(row, found)
        norm = sympy.expand(sum(x**2 for x in rest))
        if numbers.is_zero(norm) is False:
            found.append(tuple(sympy.radsimp(x / sympy.sqrt(norm)) for x in rest))
    return found


def _are_orthogonal(rows: Sequence[Row], numbers: Numbers) -> bool:
    """Whether any two of the rows are proved to be parallel or orthogonal."""
    axes: list[Row] = []
    for row in rows:
        if any(numbers.is_zero(x) is not True for x in _residual(row, axes)):
            if any(numbers.is_zero(sympy.expand(_product(row, e))) is not True for e in axes):
                return False
            axes = _extended(axes, [row], numbers)
    return True


def _product(a: Row, b: Row) -> Expr:
    return sympy.Add(*(x * y for x, y in zip(a, b, strict=True)))


def _residual(row: Row, basis: Sequence[Row]) -> Row:
    rest = row
    for e in basis:
        along = _product(row, e)
        rest = tuple(sympy.expand(x - along * y) for x, y in zip(rest, e, strict=True))
    return rest


def _is_inside(row: Row, kept: Span, numbers: Numbers) -> bool:
    return extended(numbers, kept, [row])[0].dimension == kept.dimension
