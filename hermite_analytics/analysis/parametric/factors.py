"""Where a closed form in parameters vanishes: its factors, positive ones dropped, and what it divides by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy
from sympy import Expr, Pow, S, Symbol

from hermite_analytics.gaussian.zero import decide_constant
from hermite_analytics.language.bounds import POSITIVE, is_shown_positive
from hermite_analytics.language.functions import He, Phi, hermite_polynomial, record_of
from hermite_analytics.language.kinks import JUMPS, STAIRS

__all__ = ["denominators", "factors", "jump_coefficients", "normal"]

_LARGEST = 300  # operations of an expression that sympy may factor


def factors(x: Expr) -> tuple[Expr, ...]:
    """Factors g_i with x = 0 exactly where one of them is 0; (0,) for 0, () for what never vanishes.

    Examples
    --------
    >>> a, b = sympy.symbols("a b", real=True)
    >>> factors(a**3 * sympy.exp(-(a**2) / 2) * (2 * b - 4)), factors(1 / (1 + a**2)), factors(S.Zero)
    ((a, b - 2), (), (0,))
    """
    found = dict.fromkeys(g for f in sympy.Mul.make_args(_factored(x)) for g in _bases(f))
    return (S.Zero,) if S.Zero in found else tuple(found)


def _factored(x: Expr) -> Expr:
    if not x.free_symbols or sympy.count_ops(x) > _LARGEST:
        return x
    return sympy.factor(sympy.together(_canonical(x)))


def _canonical(x: Expr) -> Expr:
    """With Phi(-y) = 1 - Phi(y) where both stand, and 0 where sin^2 + cos^2 = 1 leaves nothing."""
    there = x.atoms(Phi)
    turned = {p: 1 - Phi(-p.args[0]) for p in there if p.args[0].could_extract_minus_sign()}
    x = x.xreplace({p: y for p, y in turned.items() if Phi(-p.args[0]) in there})
    if not x.has(sympy.sin, sympy.cos):
        return x
    plain = sympy.expand(sympy.expand_trig(x))
    for wave in sorted(plain.atoms(sympy.sin), key=sympy.default_sort_key):
        if plain.is_polynomial(wave):
            plain = sympy.rem(plain, wave**2 + sympy.cos(wave.args[0]) ** 2 - 1, wave)
    return S.Zero if sympy.expand(plain) == 0 else x


def _bases(f: Expr) -> Iterator[Expr]:
    half = _zero_of_half(f)
    if half is not None:
        yield from factors(half)
    elif not f.free_symbols:
        verdict = decide_constant(f).zero
        if verdict is not False:
            yield S.Zero if verdict else f
    elif isinstance(f, POSITIVE) or is_shown_positive(f) or is_shown_positive(-f):
        return
    elif f.is_Pow and f.exp.is_number:
        if f.exp.is_positive:
            yield from factors(f.base)
    elif isinstance(f, sympy.Abs | sympy.sign) or record_of(f).vanishes_at_zero_alone:
        yield from factors(f.args[0])
    elif not f.is_nonzero:
        yield normal(f)


def _zero_of_half(f: Expr) -> Expr | None:
    """y where f = c (Phi(y) - 1/2), which is 0 where y is."""
    if not f.is_Add or len(f.args) != 2 or len(f.atoms(Phi)) != 1:
        return None
    (p,) = f.atoms(Phi)
    c = f.coeff(p)
    return p.args[0] if c.is_number and c != 0 and sympy.expand(f - c * p + c / 2) == 0 else None


def normal(g: Expr) -> Expr:
    """The same up to a number, one of g and -g.

    Examples
    --------
    >>> a, b = sympy.symbols("a b", real=True)
    >>> normal(2 - 2 * a), normal(a - 1), normal(-b)
    (a - 1, a - 1, b)
    """
    primitive = sympy.expand_mul(g).primitive()[1]
    if primitive.is_Mul:
        primitive = primitive.as_coeff_Mul()[1]
    return -primitive if primitive.could_extract_minus_sign() else primitive


def denominators(x: Expr) -> Iterator[Expr]:
    """Factors of what a closed form divides by, or takes the sign of: it may not hold where one is 0."""
    for power in sorted(x.atoms(Pow, sympy.log, *JUMPS, *STAIRS), key=sympy.default_sort_key):
        if not power.is_Pow:
            yield from factors(power.args[0])
        elif power.exp.is_number and power.exp.is_negative:
            yield from factors(power.base)


def jump_coefficients(f: Expr, inputs: Sequence[Symbol]) -> Iterator[tuple[Expr, ...] | None]:
    """For each jump (or logarithm) whose place depends on parameters the coefficients of its argument in z.

    E[He_S f] is continuous in the parameters, by dominated convergence, where none of these arguments is 0
    for all z: a closed form that holds for generic parameters then holds there too. None stands for an
    argument that is no polynomial in z.

    Examples
    --------
    >>> a, b, z = sympy.symbols("a b z", real=True)
    >>> list(jump_coefficients(sympy.sign(a * z + b) ** 2 * sympy.Abs(a * z) + sympy.sign(z), [z]))
    [(a, b)]
    """
    for node in sorted(f.atoms(sympy.log, *JUMPS, *STAIRS), key=sympy.default_sort_key):
        argument = node.args[0].replace(He, lambda k, x: hermite_polynomial(int(k), x))
        if not node.has(*inputs) or not node.free_symbols - set(inputs):
            continue
        polynomial = sympy.Poly(argument, *inputs) if argument.is_polynomial(*inputs) else None
        yield None if polynomial is None else tuple(polynomial.coeffs())
