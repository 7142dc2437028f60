"""Whether E|f|^order is finite for independent standard normal variables: a decision with its reason.

Either f has an envelope below every Gaussian, or f is cut into cells without kinks, read as a sum of
exponentials of polynomials times factors of known size, and each term is judged on its cell. Terms with
different exponents never cancel on an open set; oscillation and parity do not help E|f|.

Source: docs/theory.md, "Integrability".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.errors import InputError
from hermite_analytics.gaussian.integrability.cells import split
from hermite_analytics.gaussian.integrability.envelopes import envelope
from hermite_analytics.gaussian.integrability.geometry import Polyhedron, Undecided
from hermite_analytics.gaussian.integrability.powers import is_positive
from hermite_analytics.gaussian.integrability.reader import Reader
from hermite_analytics.gaussian.integrability.steps import MAX_STEPS, TooManySteps, counted
from hermite_analytics.gaussian.integrability.sums import CellVerdict, judge_cell
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import bounds

__all__ = ["Integrability", "integrability", "moment_is_finite", "verdict"]

MAX_OPERATIONS = 2000
_BELOW = "every exponent stays below that of the Gaussian"
_NOT_REAL = (S.ImaginaryUnit, S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity)


@dataclass(frozen=True, slots=True)
class Integrability:
    """Whether a moment is finite.

    Attributes
    ----------
    finite : bool or None
        True and False are proofs; None is "not decided".
    reason : str
        One line.
    """

    finite: bool | None
    reason: str


def integrability(expr: Expr, variables: Sequence[Symbol], order: int | Expr = 1) -> Integrability:
    """Whether E|expr|^order is finite for independent N(0, 1) variables.

    Parameters
    ----------
    expr : sympy expression
        Symbols that are not variables are real parameters; the answer holds for all their values (within
        their assumptions).
    variables : sequence of Symbol
    order : int or Rational > 0

    Returns
    -------
    Integrability
        `finite` is None where no rule decides, or where the answer depends on a parameter.

    Raises
    ------
    InputError
        If the order is not a positive rational number.

    Examples
    --------
    >>> z1, z2, c = sympy.symbols("z1 z2 c", real=True)
    >>> integrability(sympy.exp(z1 * z2 / 2), [z1, z2])
    Integrability(finite=True, reason='every exponent stays below that of the Gaussian')
    >>> integrability(sympy.exp(z1 * z2 / 2), [z1, z2], order=2)
    Integrability(finite=False, reason='E|f|^2 is infinite: exp(z1*z2) against a Gaussian')
    >>> integrability(sympy.exp(c * z1**2), [z1])
    Integrability(finite=None, reason='not decided: the sign of 1 - 2*c is not known')
    """
    power = sympy.sympify(order, strict=True)
    if not (power.is_Rational and power > 0):
        raise InputError(f"the order of a moment is a positive rational number, not {order}")
    used = [v for v in variables if expr.has(v)]
    if expr.has(*_NOT_REAL):
        return Integrability(None, "not decided: the expression is not a finite real number everywhere")
    if not used:
        return Integrability(True, "f is a constant")
    reals = [Symbol(v.name, real=True) for v in used]
    renamed = {v: x for v, x in zip(used, reals, strict=True) if v != x}
    real = expr.xreplace(renamed) if renamed else expr
    return _decide(real, reals, power, f"E|f|{'' if power == 1 else f'^{power}'}")


def moment_is_finite(expr: Expr, z: Symbol, order: int) -> bool | None:
    """Whether E|expr|^order is finite for one N(0, 1) variable; None if it is not decided."""
    return integrability(expr, (z,), order).finite


def verdict(finite: bool | None) -> str:
    """How an error says that a moment does not exist."""
    return "is infinite" if finite is False else "cannot be shown to be finite"


def _decide(expr: Expr, variables: Sequence[Symbol], order: Expr, name: str) -> Integrability:
    if not _is_real(expr, variables):
        return Integrability(None, "not decided: a root or a logarithm of what may be negative")
    constant, core, order = _core(expr, variables, order)
    found = envelope(core, variables)
    if found is not None and found.power < 2:
        how = "a polynomial" if found.power == 0 else "exp(C|z|^p) with p < 2"
        return Integrability(True, f"|f| grows at most like {how}")
    apart = _apart(core, variables)
    if len(apart) > 1:
        return _of_sum([_decide(f, v, order, name) for f, v in apart], constant)
    try:
        with counted():
            answer = _by_cells(core, variables, order, name)
    except Undecided as open_:
        return Integrability(None, f"not decided: {open_}")
    except TooManySteps:
        return Integrability(None, f"not decided: more than {MAX_STEPS} steps")
    return _with_factor(answer, constant)


def _with_factor(answer: Integrability, constant: Expr) -> Integrability:
    if answer.finite is False and constant.is_zero is not False:
        return Integrability(None, f"not decided: {constant} may be 0; otherwise {answer.reason}")
    return answer


def _apart(expr: Expr, variables: Sequence[Symbol]) -> list[tuple[Expr, list[Symbol]]]:
    """The terms of a sum by the variables that they have in common, and these; constants are left out."""
    groups: list[tuple[list[Expr], set[Symbol]]] = []
    for term in sympy.Add.make_args(expr):
        terms, used = [term], {v for v in variables if term.has(v)}
        if used:
            joined = [g for g in groups if g[1] & used]
            groups = [g for g in groups if not g[1] & used]
            groups.append(([t for g in joined for t in g[0]] + terms, used.union(*(g[1] for g in joined))))
    return [(sympy.Add(*terms), [v for v in variables if v in used]) for terms, used in groups]


def _of_sum(answers: Sequence[Integrability], constant: Expr) -> Integrability:
    """Of independent terms: finite where it is of each, and infinite where it is of one, given the others."""
    infinite = [a for a in answers if a.finite is False]
    unknown = [a for a in answers if a.finite is None]
    hardest = max(answers, key=lambda a: a.reason == _BELOW)
    return _with_factor([*infinite, *unknown, hardest][0], constant)


def _core(expr: Expr, variables: Sequence[Symbol], order: Expr) -> tuple[Expr, Expr, Expr]:
    """(constant, core, order) with |expr|^order = |constant| |core|^order."""
    constant = S.One
    while True:
        if expr.is_Mul:
            factor, rest = expr.as_independent(*variables, as_Add=False)
            if factor != 1:
                constant, expr = constant * factor, rest
                continue
        if isinstance(expr, sympy.Abs):
            expr = expr.args[0]
            continue
        if expr.is_Pow and not isinstance(expr, sympy.exp) and expr.exp.is_Rational and expr.exp > 0:
            expr, order = expr.base, order * expr.exp
            continue
        return constant, expr, order


def _is_real(expr: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether roots and logarithms have arguments that are shown not to be negative."""
    for node in sympy.preorder_traversal(expr):
        inner = None
        if isinstance(node, sympy.log):
            inner = node.args[0]
        elif node.is_Pow and not isinstance(node, sympy.exp) and not node.exp.is_Integer:
            inner = node.base
        if inner is None or not inner.has(*variables):
            continue
        if not (
            inner.is_nonnegative or bounds(inner)[0].is_extended_nonnegative or is_positive(inner, variables)
        ):
            return False
    return True


def _is_finite_by_bounds(piece: Expr, cell: Polyhedron, order: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether the moment is finite already if no more is known of phi(g) than its bounds."""
    if not piece.has(own.phi):
        return False
    reader = Reader(variables, cell, opaque=(own.phi,))
    try:
        return judge_cell(reader.read(piece), cell, order, variables).finite is True
    except Undecided:
        return False


def _by_cells(expr: Expr, variables: Sequence[Symbol], order: Expr, name: str) -> Integrability:
    if sympy.count_ops(expr) > MAX_OPERATIONS:
        raise Undecided(f"more than {MAX_OPERATIONS} operations")
    open_: str | None = None
    for cell, piece in split(expr, variables):
        try:
            found: CellVerdict = judge_cell(Reader(variables, cell).read(piece), cell, order, variables)
        except Undecided as reason:
            found = CellVerdict(None, str(reason))
        if found.finite is False:
            return Integrability(False, f"{name} is infinite: {found.reason}")
        if found.finite is None and not _is_finite_by_bounds(piece, cell, order, variables):
            open_ = open_ or found.reason
    if open_ is not None:
        raise Undecided(open_)
    return Integrability(True, _BELOW)
