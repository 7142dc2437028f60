"""K(rho) = sum_k a_k rho^k, a_k = mu_k^2/k!: the first terms proved, the others below Parseval's tail.

All a_k are non-negative and sum to E sigma^2, so that for |rho| <= 1 the terms left out add up to at most
(E sigma^2 - sum_{k <= N} a_k) |rho|^(N + 1). In Chebyshev polynomials of rho the coefficients are sums of a_k
and not negative either: those left out add up to a bound of what they change, and few are left.
"""

from __future__ import annotations

import math

from flint import arb, fmpq, fmpz
from sympy import Expr, Symbol

from hermite_analytics.errors import BudgetExhausted, UnsupportedExpression
from hermite_analytics.evidence import Evidence
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.gaussian.breakpoints import kink_arguments
from hermite_analytics.gaussian.enclosure import enclose, enclose_coefficients
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.pair.table import Table

__all__ = ["proved_powers", "proved_table"]

_SECONDS = 10.0
_DIGITS = 20
_BITS = 128
_DEGREES = (40, 100, 250, 600)
_MOST_TERMS = 100  # more are slower than panels in the angle
_SHARE = 1e-16  # of E sigma^2 that may be left out


def proved_table(sigma: Expr, z: Symbol) -> Table | None:
    """A Chebyshev sum in rho without at most 2e-16 E sigma^2; None where it takes more than 100 terms.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.symbols import z
    >>> table = proved_table(sympy.tanh(z), z)
    >>> table.method, table.error_bound < 1e-15
    ('250 Hermite coefficients, proved', True)
    >>> proved_table(sympy.Abs(z), z) is None
    True
    """
    if kink_arguments(sigma, z):  # the coefficients of kinks decay too slowly
        return None
    with allowed(_SECONDS):
        return _first_table(sigma, z)


def _first_table(sigma: Expr, z: Symbol) -> Table | None:
    for degree in _DEGREES:
        found = proved_powers(sigma, z, degree)
        if found is None:
            return None
        powers, power = found
        with working_precision(_BITS):
            scale = float(power.mid())
            tail = float((power - sum(powers[1:], powers[0])).abs_upper())
            if tail <= _SHARE * scale:
                return _economised(powers, scale, tail, f"{degree} Hermite coefficients, proved")
    return None


def proved_powers(sigma: Expr, z: Symbol, degree: int) -> tuple[list[arb], arb] | None:
    """Balls of a_0, ..., a_degree and of E sigma^2; None where there are none in time."""
    try:
        coefficients = enclose_coefficients(sigma, z, degree, digits=_DIGITS)
        power = enclose(sigma**2, (z,), digits=_DIGITS)
    except (BudgetExhausted, UnsupportedExpression):
        return None
    with working_precision(_BITS):
        return [c * c / arb(k).fac() for k, c in enumerate(coefficients)], power


def _economised(powers: list[arb], scale: float, tail: float, method: str) -> Table | None:
    """The Chebyshev sum of a polynomial with coefficients >= 0, without the terms that do not count."""
    sums = [_chebyshev(powers, n) for n in range(len(powers))]
    dropped, size = 0.0, len(sums)
    while size > 1 and dropped + float(sums[size - 1].abs_upper()) <= _SHARE * scale:
        size -= 1
        dropped += float(sums[size].abs_upper())
    if size > _MOST_TERMS:
        return None
    kept = sums[:size]
    rounding = sum(float(a.rad()) + 2.0**-53 * float(a.abs_upper()) for a in kept)
    return Table(
        edges=(),
        rows=(tuple(float(a.mid()) for a in kept),),
        error_bound=tail + dropped + rounding,
        evidence=Evidence.PROVED,
        scale=scale,
        method=method,
    )


def _chebyshev(powers: list[arb], n: int) -> arb:
    """The coefficient of T_n in sum_k a_k x^k: x^k = 2^(1 - k) sum_n C(k, (k - n)/2) T_n, T_0 halved."""
    total = arb(0)
    for k in range(n, len(powers), 2):
        if powers[k] != 0:
            share = fmpq(math.comb(k, (k - n) // 2), fmpz(2) ** k)
            total += powers[k] * arb(share if n == 0 else 2 * share)
    return total
