"""Parity and continuity of a function of one variable, shown by algebra or left open."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import sympy
from sympy import Abs, Expr, Poly, Rational, S, Symbol, sign

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.language import functions as own
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.functions import functions_where, record_of
from hermite_analytics.language.kinks import JUMPS, KINKS, STAIRS, branch, by_sign, slopes
from hermite_analytics.language.real_roots import real_roots

__all__ = ["changes_sign", "expanded_terms", "has_jumps", "has_symmetric_bend", "is_even", "is_odd", "opened"]

_LARGEST = 2000
_NOT_ROUNDING = 1e-9
_NONZERO = Rational(1, 10**15)  # far above the rounding of 30 digits

_OPENED = functions_where(
    lambda r: r.by_parity is not None and (r.stairs is not None or r.strip not in (None, S.Infinity))
)


def is_odd(expr: Expr, variable: Symbol) -> bool:
    """Whether f(-z) = -f(z) almost everywhere follows by algebra; False may mean that it was not shown.

    Examples
    --------
    >>> from hermite_analytics import Activation
    >>> from hermite_analytics.symbols import z
    >>> is_odd(Activation("sigmoid(z) - 1/2").expression, z)
    True
    """
    return changes_sign(expr, [variable])


def is_even(expr: Expr, variable: Symbol) -> bool:
    """Whether f(-z) = f(z) almost everywhere follows by algebra; False may mean that it was not shown."""
    return _is_opposite(expr, -expr.xreplace({variable: -variable}))


def changes_sign(expr: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether f changes sign almost everywhere with the signs of these variables, by algebra."""
    return _is_opposite(expr, expr.xreplace({v: -v for v in variables}))


def _is_opposite(expr: Expr, flipped: Expr) -> bool:
    """Whether the sum is 0 almost everywhere; a point that shows that it is not spares the algebra."""
    total = expr + flipped
    if sympy.count_ops(total) <= _LARGEST and _differs_somewhere(total):
        return False
    return _vanishes(_parity_form(expr) + _parity_form(flipped))


def has_symmetric_bend(expr: Expr, variable: Symbol) -> bool:
    """Whether f is even or odd up to an affine function, by algebra: f'' then has a parity.

    Examples
    --------
    >>> from hermite_analytics import Activation
    >>> from hermite_analytics.symbols import z
    >>> [has_symmetric_bend(Activation(f).expression, z) for f in ("gelu", "relu", "relu(z - 1)")]
    [True, True, False]
    """
    here, there = _parity_form(expr), _parity_form(expr.xreplace({variable: -variable}))
    if expanded_terms(here) > _LARGEST:
        return False
    for difference in (sympy.expand(here - there), sympy.expand(here + there)):
        if difference.is_polynomial(variable) and sympy.degree(difference, variable) <= 1:
            return True
    return False


def opened(expr: Expr) -> Expr:
    """sigmoid, softplus, silu and floor as a polynomial plus a part of known parity."""
    return expr.replace(lambda e: e.func in _OPENED, _by_parity)


def _parity_form(expr: Expr) -> Expr:
    check_time()
    if not expr.args:
        return expr
    arguments = [_parity_form(a) for a in expr.args]
    if isinstance(expr, own.He):
        return _hermite(*arguments)
    if isinstance(expr, sympy.Max | sympy.Min):
        return functools.reduce(lambda x, y: _larger_or_smaller(expr, x, y), arguments)
    if isinstance(expr, KINKS):
        return _kink(expr, arguments)
    return _by_parity(expr, arguments)


def _by_parity(expr: Expr, arguments: Sequence[Expr] | None = None) -> Expr:
    """Through functions whose parity sympy knows: the value at -x is then plus or minus that at x."""
    found = expr.args if arguments is None else arguments
    form = record_of(expr).by_parity
    return expr.func(*found) if form is None else form(*found)


def _kink(expr: Expr, arguments: Sequence[Expr]) -> Expr:
    """Through |x| or sign(x), almost everywhere; an argument with kinks may be 0 on an open set."""
    x = arguments[0]
    if isinstance(expr, JUMPS):
        side = _direction(x)
        return by_sign(expr, side, seen=side**2 if x.has(*KINKS) else S.One, arguments=arguments)
    right, left = slopes(expr, arguments)
    return ((right + left) * x + (right - left) * _size(x)) / 2


def _larger_or_smaller(expr: Expr, x: Expr, y: Expr) -> Expr:
    return (x + y + (1 if isinstance(expr, sympy.Max) else -1) * _size(x - y)) / 2


def _size(argument: Expr) -> Expr:
    """|x|, written the same for x and -x."""
    return Abs(_directed(argument)[0])


def _direction(argument: Expr) -> Expr:
    """sign(x), written as the opposite for -x."""
    directed, side = _directed(argument)
    return side * sign(directed)


def _directed(argument: Expr) -> tuple[Expr, int]:
    """(the argument or its opposite, the same of the two for both; 1 or -1)."""
    expanded = sympy.expand(argument) if expanded_terms(argument) <= _LARGEST else argument
    return (-expanded, -1) if expanded.could_extract_minus_sign() else (expanded, 1)


def _hermite(degree: Expr, x: Expr) -> Expr:
    n = int(degree)
    f = sympy.factorial
    weights = [(-1) ** j * f(n) / (f(j) * f(n - 2 * j) * 2**j) for j in range(n // 2 + 1)]
    return sympy.Add(*(weight * x ** (n - 2 * j) for j, weight in enumerate(weights)))


def _vanishes(expr: Expr) -> bool:
    """Zero by expansion."""
    if expr == 0:
        return True
    if sympy.count_ops(expr) > _LARGEST or _differs_somewhere(expr) or expanded_terms(expr) > _LARGEST:
        return False
    check_time()
    return bool(sympy.expand(expr) == 0)


def expanded_terms(expr: Expr) -> int:
    """Bound on the number of terms of the expansion."""
    if expr.is_Add:
        return sum(expanded_terms(a) for a in expr.args)
    if expr.is_Mul:
        return math.prod(expanded_terms(a) for a in expr.args)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        terms, power = expanded_terms(expr.base), int(expr.exp)
        return math.comb(min(terms, _LARGEST) + power - 1, power) if power <= _LARGEST else _LARGEST + 1
    return 1


def _differs_somewhere(expr: Expr) -> bool:
    """Whether its value at one point is not 0: this saves the expansion, and proves nothing else."""
    symbols = sorted(expr.free_symbols, key=lambda s: s.name)
    point = {s: sympy.Rational(3 + 4 * i, 7 + 2 * i) for i, s in enumerate(symbols)}
    try:
        value = sympy.N(expr.xreplace(point), 15, maxn=40)
    except (ArithmeticError, TypeError, ValueError):
        return False
    return bool(value.is_Float and abs(value) > _NOT_ROUNDING)


def has_jumps(expr: Expr, variable: Symbol) -> bool | None:
    """Whether a function is discontinuous somewhere: True, False, or None if that is not decided.

    Only jumps (sign, step) can; whether they do is read off the two one-sided limits at each zero of their
    arguments, for arguments that are polynomials.

    Examples
    --------
    >>> from hermite_analytics import Activation
    >>> from hermite_analytics.symbols import z
    >>> has_jumps(Activation("z*sign(z)").expression, z), has_jumps(Activation("sign(z)").expression, z)
    (False, True)
    """
    if expr.has(*STAIRS):
        return _jumps_of_stairs(expr, variable)
    atoms = [n for n in sympy.preorder_traversal(expr) if isinstance(n, JUMPS) and n.has(variable)]
    if not atoms:
        return False
    if any(a.args[0].has(*JUMPS) for a in atoms):
        return None
    undecided = False
    for atom in atoms:
        factors = _factors(atom.args[0], variable)
        if factors is None:
            undecided = True
            continue
        for factor, point in factors:
            verdict = _jumps_at(expr, atoms, variable, factor, point)
            if verdict:
                return True
            undecided |= verdict is None
    return None if undecided else False


def _jumps_of_stairs(expr: Expr, variable: Symbol) -> bool | None:
    """Whether f jumps where its one floor does, by the values on both sides of an integer of the floor."""
    nodes = expr.atoms(*STAIRS)
    if len(nodes) > 1 or expr.has(*JUMPS):
        return None
    (node,) = nodes
    for n in range(3):
        for _, point in _factors(node.args[0] - n, variable) or ():
            sides = [expr.xreplace({node: sympy.Integer(n - k)}).xreplace({variable: point}) for k in (0, 1)]
            change = sympy.N(sides[0] - sides[1], 30)
            if change.is_number and abs(change) > _NONZERO:
                return True
    return None


def _factors(argument: Expr, variable: Symbol) -> list[tuple[Poly, Expr]] | None:
    """(irreducible factor, real root of it), or None where they are not exact."""
    if not argument.is_polynomial(variable):
        return None
    poly = Poly(argument, variable)
    if poly.degree() == 1:
        return [(poly, -poly.coeff_monomial(1) / poly.coeff_monomial(variable))]
    if not all(a.is_Rational for a in poly.all_coeffs()):
        return None
    try:
        return [(factor, root) for factor, _ in irreducible_factors(poly)[1] for root in real_roots(factor)]
    except UnsupportedExpression:
        return None


def _jumps_at(expr: Expr, atoms: list[Expr], variable: Symbol, factor: Poly, point: Expr) -> bool | None:
    limits = []
    for side in (1, -1):
        values = {}
        for atom in atoms:
            known = _one_sided(atom, variable, factor, point, side)
            if known is None:
                return None
            values[atom] = known
        limits.append(expr.xreplace(values))
    jump = sympy.expand(limits[0] - limits[1])
    if jump.is_polynomial(variable) and Poly(jump, variable).rem(factor).is_zero:
        return False
    at_point = sympy.expand(jump.subs(variable, point))
    if at_point == 0:
        return False
    size = sympy.N(Abs(at_point), 30)
    return True if size.is_number and size > _NONZERO else None


def _one_sided(atom: Expr, variable: Symbol, factor: Poly, point: Expr, side: int) -> Expr | None:
    """Limit of a sign or step at a root of the factor from one side; None if it is not exact."""
    argument = atom.args[0]
    if not argument.is_polynomial(variable):
        return None
    poly, order = Poly(argument, variable), 0
    while poly.degree() >= factor.degree() and poly.rem(factor).is_zero:
        poly, order = poly.quo(factor), order + 1
    slope = sympy.N(factor.diff(variable).as_expr().subs(variable, point), 30)
    rest = sympy.N(poly.as_expr().subs(variable, point), 30)
    size = rest * (side * slope) ** order
    if not (size.is_number and abs(size) > _NONZERO):
        return None
    return branch(atom, 1 if size > 0 else -1)
