"""Is a closed form zero? A proof of either answer, or neither.

The expression is read into canonical forms (`reader`), the rational relations among its angles are
eliminated (`angles`), and what is left is compared with the shapes whose non-vanishing is a theorem
(`rows`). A form that cancels is zero, whatever its shape; one that does not cancel proves nothing
outside those shapes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from hermite_analytics.gaussian.zero.angles import angle_relations
from hermite_analytics.gaussian.zero.balls import enclosure
from hermite_analytics.gaussian.zero.monomials import (
    Form,
    Generator,
    Monomial,
    OutOfReach,
    generators_of,
    is_algebraic,
    rational_value,
    thaw,
)
from hermite_analytics.gaussian.zero.reader import read
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.gaussian.zero.rows import nonzero_reason

__all__ = ["ZeroVerdict", "decide_constant"]

_PRECISIONS = (128, 512)
_MOST_ROOTS = 3


@dataclass(frozen=True, slots=True)
class ZeroVerdict:
    """zero : True or False if proved, None if not; reason : one line."""

    zero: bool | None
    reason: str


def decide_constant(expr: Expr, *, operations: int = 40_000) -> ZeroVerdict:
    """Whether a closed form without free symbols is zero.

    Parameters
    ----------
    expr : sympy expression
        Of rationals, roots, pi, exp, log, sin, cos, asin, acos, atan, erf, erfc, erfi, Phi, phi, OwenT, Phi2.
    operations : int
        Cap on the products of monomials.

    Returns
    -------
    ZeroVerdict
        zero=None where only a ball can prove that the number is not zero.

    Notes
    -----
    The grounds: Besicovitch (radicals of rationals), Lindemann-Weierstrass (exponentials), Baker and
    Gelfond-Schneider (angles and logarithms), Siegel-Shidlovskii and Beukers (error functions).

    Examples
    --------
    >>> from sympy import Rational, acos, asin, exp, pi
    >>> decide_constant(asin(Rational(3, 5)) + acos(Rational(3, 5)) - pi / 2)
    ZeroVerdict(zero=True, reason='every term cancels in the canonical form')
    >>> decide_constant(12 * exp(-72)).zero
    False
    >>> decide_constant(1 + exp(1) * pi).zero is None
    True
    """
    try:
        ring = Ring(operations)
        symbols = expr.free_symbols
        if symbols:
            return ZeroVerdict(None, f"free symbols: {', '.join(sorted(s.name for s in symbols))}")
        return _decide(ring, _reduced(ring, read(ring, expr)))
    except (OutOfReach, RecursionError) as error:
        return ZeroVerdict(None, f"undecided: {error}")


def _decide(ring: Ring, form: Form) -> ZeroVerdict:
    groups: dict[Monomial, Form] = {}
    for monomial, c in form.items():
        key, algebraic = _split(monomial)
        groups.setdefault(key, {})[algebraic] = c
    kept = {}
    for key, coefficient in groups.items():
        zero = _algebraic_is_zero(ring, coefficient)
        if zero is None:
            return ZeroVerdict(None, "undecided: an algebraic coefficient with nested roots")
        if not zero:
            kept[key] = coefficient
    if not kept:
        return ZeroVerdict(True, "every term cancels in the canonical form")
    reason = nonzero_reason(kept)
    if reason is None:
        return ZeroVerdict(
            None, "undecided: no theorem excludes a relation of this shape; a ball must decide"
        )
    return ZeroVerdict(False, reason)


def _split(monomial: Monomial) -> tuple[Monomial, Monomial]:
    """(transcendental part, algebraic part)."""
    ours = tuple((g, n) for g, n in monomial.generators if _is_algebraic_generator(g))
    rest = tuple((g, n) for g, n in monomial.generators if not _is_algebraic_generator(g))
    return monomial._replace(radical=(), generators=rest), Monomial(monomial.radical, generators=ours)


def _is_algebraic_generator(generator: Generator) -> bool:
    name, arguments = generator
    if name in {"root", "cos of pi times"}:
        return True
    return (
        name == "power"
        and all(is_algebraic(thaw(a)) for a in arguments)
        and rational_value(thaw(arguments[1])) is not None
    )


def _algebraic_is_zero(ring: Ring, form: Form) -> bool | None:
    """Whether a sum of radicals and nested roots vanishes: Besicovitch, a ball, or one squaring."""
    if is_algebraic(form):
        return not form
    for bits in _PRECISIONS:
        if not enclosure(form, bits).contains(0):
            return False
    return True if _vanishes_by_squaring(ring, form) else None


def _vanishes_by_squaring(ring: Ring, form: Form) -> bool:
    """a + b sqrt(A) = 0: a^2 = b^2 A, root by root, and a ball excludes a - b sqrt(A) = 0."""
    roots = sorted({g for g in generators_of(form) if g[0] == "root"})
    if not roots or len(roots) > _MOST_ROOTS:
        return False
    root = roots[0]
    a = {m: c for m, c in form.items() if (root, 1) not in m.generators}
    b = {
        m._replace(generators=tuple(g for g in m.generators if g != (root, 1))): c
        for m, c in form.items()
        if m not in a
    }
    squares = ring.multiply(a, a), ring.product([b, b, thaw(root[1][0])])
    if not _algebraic_is_zero(ring, ring.subtract(*squares)):
        return False
    return not enclosure(ring.subtract(a, ring.subtract(form, a)), _PRECISIONS[-1]).contains(0)


def _reduced(ring: Ring, form: Form) -> Form:
    """Replace every angle of rational squared sine by independent ones and pi."""
    angles = {}
    for generator in set(generators_of(form)):
        if generator[0] == "angle":
            square = rational_value(thaw(generator[1][0]))
            if square is not None:
                angles[square] = generator
    if len(angles) < 2:
        return form
    relations = angle_relations(angles)
    replaced = {angles[square]: combination for square, combination in relations.items()}
    if not replaced:
        return form
    parts = []
    for monomial, coefficient in form.items():
        factors = [ring.power(replaced[g], n) for g, n in monomial.generators if g in replaced and n > 0]
        rest = tuple((g, n) for g, n in monomial.generators if g not in replaced or n < 0)
        parts.append(ring.product([{monomial._replace(generators=rest): coefficient}, *factors]))
    return ring.add(parts)
