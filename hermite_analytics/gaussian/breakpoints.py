"""Where an integrand in one variable fails to be smooth, and how wide its strip of analyticity is.

Both are read off the structure of the expression. Breakpoints are the zeros of the arguments of sign,
abs, step, relu, max, ...; a zero too many costs a panel, a missing one costs digits, so zeros of
transcendental arguments are searched on a fine grid. Where the argument of a logarithm or of a root
vanishes the integrand is sharp: it has no Taylor series there, and panels have to become shorter towards it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

import flint
import mpmath
import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.language import functions as own
from hermite_analytics.language.affine import affine_part
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import BREAKS, KINKS, STAIRS, differences

__all__ = [
    "breakpoints",
    "inner_form",
    "kink_arguments",
    "real_breakpoints",
    "real_sharp_points",
    "sharp_arguments",
    "sharp_points",
    "strip_half_width",
]

_SEARCH_HALF_WIDTH = 40
_SEARCH_POINTS = 8001
_MOST_ZEROS = 1000


def kink_arguments(expr: Expr, z: Symbol) -> list[Expr]:
    """The expressions whose sign changes are kinks or jumps of `expr`, without repetition."""
    found: dict[Expr, None] = {}
    for node in sympy.preorder_traversal(expr):
        if isinstance(node, STAIRS) and node.has(z):
            found |= dict.fromkeys(_levels(node.args[0], z))
        elif isinstance(node, KINKS):
            found |= {argument: None for argument in differences(node) if argument.has(z)}
    return list(found | dict.fromkeys(sharp_arguments(expr, z)))


def sharp_arguments(expr: Expr, z: Symbol) -> list[Expr]:
    """The expressions at whose zeros the argument of a logarithm, or of a root, vanishes."""
    found: dict[Expr, None] = {}
    for node in sympy.preorder_traversal(expr):
        if isinstance(node, sympy.log) or _is_root(node):
            found |= dict.fromkeys(_factors_with_zeros(node.args[0], z))
    return list(found)


def _is_root(node: Expr) -> bool:
    if not isinstance(node, sympy.Pow) or isinstance(node, sympy.exp):
        return False
    return bool(node.exp.is_number and not node.exp.is_integer)


def _factors_with_zeros(argument: Expr, z: Symbol) -> list[Expr]:
    """Of a product; sums that are no polynomials are left out, as 1 + |z|."""
    found = []
    for factor in sympy.Mul.make_args(argument):
        base = factor if isinstance(factor, sympy.exp) else factor.as_base_exp()[0]
        if isinstance(base, KINKS):
            found += [d for d in differences(base) if d.has(z)]
        elif base.has(z) and not base.is_positive:
            is_polynomial = base.free_symbols == {z} and base.is_polynomial(z)
            found += [base] if is_polynomial or affine_part(base, z) is not None else []
    return found


def _levels(argument: Expr, z: Symbol) -> list[Expr]:
    """The argument of a staircase minus each integer that it takes inside of the range of search."""
    affine = affine_part(argument, z)
    parameters = sorted(map(str, argument.free_symbols - {z}))
    if affine is None or parameters:
        plural = "s" if len(parameters) > 1 else ""
        obstacle = (
            f"which move with the parameter{plural} {', '.join(parameters)} of its argument"
            if parameters
            else f"which are listed where its argument is a + b {z} with numbers a and b"
        )
        raise UnsupportedExpression(
            f"floor({argument}) has infinitely many jumps, {obstacle}; "
            f"a floor that is clipped, clip(floor(x), lo, hi), has finitely many"
        )
    reach = sympy.Abs(affine[1]) * _SEARCH_HALF_WIDTH
    first, last = (int(sympy.ceiling(affine[0] + side * reach)) for side in (-1, 1))
    if last - first > _MOST_ZEROS:
        raise UnsupportedExpression(
            f"floor({argument}) jumps {last - first} times; at most {_MOST_ZEROS} are accepted"
        )
    return [argument - n for n in range(first, last)]


def breakpoints(expr: Expr, z: Symbol) -> list[Expr]:
    """Breakpoints in z as expressions in the parameters.

    Raises
    ------
    UnsupportedExpression
        If a kink's argument is neither affine in z nor a parameter-free function of one affine form.

    Examples
    --------
    >>> from hermite_analytics.symbols import c, kappa, r, z
    >>> breakpoints(sympy.Abs(r * kappa + sympy.sqrt(c) * z), z)
    [-kappa*r/sqrt(c)]
    """
    return _zeros(kink_arguments(expr, z), z)


def sharp_points(expr: Expr, z: Symbol) -> list[Expr]:
    """The breakpoints at which `expr` is like a power |x|^p, p > 0, or a power of log|x|.

    None where it has other singularities there too: it may be infinite, or like 1/log|x|.

    Raises
    ------
    UnsupportedExpression
        As `breakpoints`.

    Examples
    --------
    >>> from hermite_analytics.symbols import c, kappa, r, z
    >>> x = r * kappa + sympy.sqrt(c) * z
    >>> sharp_points(z * sympy.log(sympy.Abs(x)), z), sharp_points(1 / sympy.sqrt(sympy.Abs(x)), z)
    ([-kappa*r/sqrt(c)], [])
    """
    return _zeros(sharp_arguments(expr, z), z) if _is_mild(expr, z) else []


def _is_mild(expr: Expr, z: Symbol) -> bool:
    """Whether it is a polynomial in its logarithms, and divides only by what is shown to be positive."""
    logarithms = {}
    for node in sympy.preorder_traversal(expr):
        if isinstance(node, sympy.log) and _factors_with_zeros(node.args[0], z):
            logarithms[node] = sympy.Dummy("log", real=True)
        elif isinstance(node, sympy.Pow) and not isinstance(node, sympy.exp):
            divides = not node.exp.is_number or bool(node.exp.is_negative)
            if divides and node.base.has(z) and not node.base.is_positive:
                return False
    return not logarithms or bool(expr.xreplace(logarithms).is_polynomial(*logarithms.values()))


def _zeros(arguments: Sequence[Expr], z: Symbol) -> list[Expr]:
    points: dict[Expr, None] = {}
    for argument in arguments:
        affine = affine_part(argument, z)
        if affine is not None:
            points[-affine[0] / affine[1]] = None
            continue
        form = inner_form(argument, z)
        offset, slope = form
        inner = argument.subs(z, (z - offset) / slope)
        if inner.free_symbols != {z}:
            raise UnsupportedExpression(
                f"the kinks of {argument} are not those of a function of one affine form of {z}"
            )
        for root in _real_zeros(inner, z):
            points[(sympy.Float(str(root), 30) - offset) / slope] = None
    return list(points)


def inner_form(argument: Expr, z: Symbol) -> tuple[Expr, Expr]:
    """(offset, slope) of the first affine form of z inside `argument` that carries parameters."""
    for node in sympy.preorder_traversal(argument):
        if node.is_Add and node.has(z):
            affine = affine_part(node, z)
            if affine is not None and (affine[1].free_symbols or node.free_symbols != {z}):
                return affine
    for node in sympy.preorder_traversal(argument):
        affine = affine_part(node, z) if node.is_Mul and node.has(z) else None
        if affine is not None:
            return S.Zero, affine[1]
    return S.Zero, S.One


def real_breakpoints(expr: Expr, z: Symbol) -> list[mpmath.mpf]:
    """Sorted breakpoints of a parameter-free expression, at the current mpmath precision."""
    return _real_zeros_of(kink_arguments(expr, z), z)


def real_sharp_points(expr: Expr, z: Symbol) -> list[mpmath.mpf]:
    """Of these the points where a logarithm or a root has no Taylor series, at the current precision."""
    return _real_zeros_of(sharp_arguments(expr, z), z)


def _real_zeros_of(arguments: Sequence[Expr], z: Symbol) -> list[mpmath.mpf]:
    return sorted({x for argument in arguments for x in _real_zeros(argument, z)})


def _real_zeros(argument: Expr, z: Symbol) -> list[mpmath.mpf]:
    try:
        poly = sympy.Poly(argument, z)
    except sympy.PolynomialError:
        return _searched_zeros(argument, z)
    coefficients = poly.all_coeffs()
    if not all(a.is_Rational for a in coefficients):
        return (
            _searched_zeros(argument, z) if poly.degree() > 1 else [_mp(-coefficients[1] / coefficients[0])]
        )
    scaled = flint.fmpq_poly([flint.fmpq(int(a.p), int(a.q)) for a in reversed(coefficients)])
    saved = flint.ctx.prec
    flint.ctx.prec = mpmath.mp.prec + 20
    try:
        roots = scaled.numer().complex_roots()
    finally:
        flint.ctx.prec = saved
    return [mpmath.mpf(r.real.str(mpmath.mp.dps + 5, radius=False)) for r, _ in roots if r.imag == 0]


def _mp(expr: Expr) -> mpmath.mpf:
    return mpmath.mpmathify(sympy.N(expr, mpmath.mp.dps + 5)._to_mpmath(mpmath.mp.prec))


def _searched_zeros(argument: Expr, z: Symbol) -> list[mpmath.mpf]:
    """Sign changes on a fine grid, refined by bisection to the working precision."""
    return list(_zeros_at(argument, z, mpmath.mp.prec))


@functools.lru_cache(maxsize=64)
def _zeros_at(argument: Expr, z: Symbol, prec: int) -> tuple[mpmath.mpf, ...]:
    from hermite_analytics.language.evaluation import reference_function

    function = reference_function(argument, (z,), mpmath)
    with mpmath.workprec(53):
        step = mpmath.mpf(2 * _SEARCH_HALF_WIDTH) / (_SEARCH_POINTS - 1)
        grid = [-_SEARCH_HALF_WIDTH + step * j for j in range(_SEARCH_POINTS)]
        signs = []
        for x in grid:
            check_time()
            signs.append(_sign_at(function, x))
    changes = sum(a * b < 0 for a, b in itertools.pairwise(signs))
    if changes > _MOST_ZEROS:
        raise UnsupportedExpression(
            f"{argument} changes sign {changes} times; at most {_MOST_ZEROS} are accepted"
        )
    zeros = []
    before = signs[0]
    for low, high, a, b in zip(grid[:-1], grid[1:], signs[:-1], signs[1:], strict=True):
        if a == 0:
            if before != 0 or b != 0:  # inside an interval of zeros nothing happens
                zeros.append(low)
        elif a * b < 0:
            zeros.append(_bisect(function, low, high, a))
        before = a
    return tuple(zeros)


def _sign_at(function: Callable[[mpmath.mpf], mpmath.mpf], x: mpmath.mpf) -> mpmath.mpf:
    """The sign of the value, 0 at a pole: a change of branches is looked for at both."""
    try:
        return mpmath.sign(function(x))
    except ZeroDivisionError:
        return mpmath.mpf(0)


def _bisect(
    function: Callable[[mpmath.mpf], mpmath.mpf], low: mpmath.mpf, high: mpmath.mpf, sign_low: mpmath.mpf
) -> mpmath.mpf:
    for _ in range(mpmath.mp.prec + 10):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if mpmath.sign(function(middle)) == sign_low:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def strip_half_width(expr: Expr, z: Symbol) -> Expr | None:
    """Half-width of the strip around the real z-axis where `expr` is analytic between its kinks.

    Infinite for entire functions; None where it cannot be read off (a nested or divided function):
    a quadrature then has to find its step by itself.
    """
    if not expr.has(z) or expr == z:
        return S.Infinity
    if expr.is_Add or expr.is_Mul or isinstance(expr, BREAKS):
        return _least_width(expr.args, z)
    if expr.is_Pow and not isinstance(expr, sympy.exp):
        entire_power = expr.exp.is_Integer and expr.exp > 0
        return strip_half_width(expr.base, z) if entire_power else None
    strip = record_of(expr).strip
    if strip is S.Infinity or isinstance(expr, own.He):
        return _least_width(expr.args, z)
    affine = None if strip is None else affine_part(expr.args[0], z)
    return None if affine is None else strip / sympy.Abs(affine[1])


def _least_width(parts: Sequence[Expr], z: Symbol) -> Expr | None:
    widths = [strip_half_width(a, z) for a in parts]
    known = [w for w in dict.fromkeys(widths) if w is not None]
    if None in widths:
        return None
    finite = [w for w in known if w is not S.Infinity]
    if not finite:
        return S.Infinity
    return sympy.Min(*finite, evaluate=all(w.is_number for w in finite))
