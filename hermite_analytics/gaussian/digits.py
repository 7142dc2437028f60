"""Digits of a one-dimensional Gaussian expectation without free parameters."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

import mpmath
import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.errors import ConvergenceError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.breakpoints import real_breakpoints, real_sharp_points
from hermite_analytics.language.evaluation import reference_function

__all__ = ["expectation_digits", "gauss_legendre"]

_GUARD_BITS = (31, 200, 500)  # more where the integrand itself loses digits to cancellation
_WIDEST_PANEL = 2  # between features that nothing announces
_LARGEST_HALF_WIDTH = 2000
_MOST_PANELS = 1500
_SECONDS = 60.0
_NOISY = 7  # halvings in a row that do not make a panel's change smaller than its share
_Function = Callable[[mpmath.mpf], mpmath.mpf]


class _Noise(Exception):
    """Halving a panel no longer helps: the integrand is evaluated with too few digits."""


def expectation_digits(
    integrand: Expr, variables: Sequence[Symbol], prec: int
) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(value, error estimate) of E[integrand] as mpmath numbers, to `prec` bits of E|integrand|.

    Gauss-Legendre panels between the breakpoints of the integrand, halved where a panel and its two
    halves disagree. The error is the sum of those disagreements, and an estimate, not a proof.

    Raises
    ------
    UnsupportedExpression
        More than one variable, or more kinks than can be located.
    UndefinedQuantity
        If the integrand does not decay against the Gaussian.
    ConvergenceError
        If the panels do not settle, or not within a minute, or the integrand decays like a power only.
    TimeEnded
        If a limit around the call ends.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.symbols import z
    >>> value, error = expectation_digits(sympy.tanh(z) ** 2, [z], 100)
    >>> mpmath.nstr(value, 25), bool(error < 1e-30)
    ('0.3942944903978411744164598', True)
    """
    used = [v for v in variables if integrand.has(v)]
    if not used:
        return mpmath.mpmathify(sympy.N(integrand, _decimals(prec))._to_mpmath(prec)), mpmath.mpf(0)
    if len(used) > 1:
        raise UnsupportedExpression("digits of an expectation over several variables are not available yet")
    (z,) = used
    with attempted(_SECONDS):
        return _settled(integrand, z, prec)
    raise ConvergenceError(f"the quadrature of {integrand} did not settle in time")


def _settled(integrand: Expr, z: Symbol, prec: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    for guard in _GUARD_BITS:
        try:
            with mpmath.workprec(prec + guard):
                value, error = _expectation(integrand, z, prec, last=guard == _GUARD_BITS[-1])
        except _Noise:
            continue
        with mpmath.workprec(prec + 10):
            return +value, +error
    raise AssertionError("the last pass returns or raises")  # pragma: no cover


def _expectation(integrand: Expr, z: Symbol, prec: int, *, last: bool) -> tuple[mpmath.mpf, mpmath.mpf]:
    evaluate = reference_function(integrand, (z,), mpmath)

    def weighted(x: mpmath.mpf) -> mpmath.mpf:
        check_time()
        try:
            found = evaluate(x)
        except ZeroDivisionError:
            found = mpmath.inf
        except OverflowError:
            raise ConvergenceError(
                f"the quadrature of {integrand} meets numbers of too many digits at {mpmath.nstr(x, 5)}"
            ) from None
        if not mpmath.isfinite(found):  # at a point, as log at 0: the mean exists, so look beside it
            found = _beside(evaluate, x, prec, str(integrand))
        return found * mpmath.npdf(x)

    half_width = _half_width(weighted, prec, str(integrand))
    kinks = [b for b in real_breakpoints(integrand, z) if abs(b) < half_width]
    ends = [-half_width, *kinks, half_width]
    sharp = frozenset(real_sharp_points(integrand, z))
    return _integrate(weighted, ends, prec, str(integrand), sharp=sharp, last=last)


def _beside(evaluate: _Function, x: mpmath.mpf, prec: int, name: str) -> mpmath.mpf:
    try:
        return evaluate(x + mpmath.ldexp(1, -prec))
    except (ZeroDivisionError, OverflowError):
        raise ConvergenceError(f"the quadrature of {name} divides by 0 at {mpmath.nstr(x, 5)}") from None


def _decimals(prec: int) -> int:
    return int(prec * 0.30103) + 3


def _half_width(weighted: _Function, prec: int, name: str) -> mpmath.mpf:
    """Where the integrand has fallen below 2^-(prec + 20) of the largest value met on the way there."""
    width = mpmath.sqrt(2 * (prec + 30) * mpmath.log(2)) + 2
    scan = [width * j / 16 for j in range(-16, 17)]
    largest = max(abs(weighted(x)) for x in scan)
    decays = True
    while width < _LARGEST_HALF_WIDTH:
        tails = [abs(weighted(s * width * q)) for s in (1, -1) for q in (0.98, 0.99, 1)]
        if max(tails) <= mpmath.ldexp(largest, -(prec + 20)):
            return width
        if not all(mpmath.isfinite(t) for t in tails):
            decays = False
            break
        decays = max(tails) < largest
        largest = max(largest, *tails)
        width *= mpmath.mpf(9) / 8
    if decays:
        raise ConvergenceError(f"the quadrature of {name} did not settle: it decays slowly at infinity")
    raise UndefinedQuantity(
        f"the expectation of {name} is not finite: it does not decay against the Gaussian"
    )


def _integrate(
    function: _Function,
    ends: list[mpmath.mpf],
    prec: int,
    name: str,
    *,
    sharp: frozenset[mpmath.mpf] = frozenset(),
    last: bool,
) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(integral, error) by panels; each is halved until it and its halves agree.

    At a sharp point it takes as many halvings as there are digits: there they show no lack of digits.
    """
    # one loop on purpose: what a panel does depends on the size and the number of all of them
    work = []
    for low, high in itertools.pairwise(ends):
        count = int(mpmath.ceil((high - low) / _WIDEST_PANEL))
        edges = [low, *(low + (high - low) * j / count for j in range(1, count)), high]
        work += [(a, b, *_panel(function, a, b), mpmath.inf, 0) for a, b in itertools.pairwise(edges)]
    value = error = mpmath.mpf(0)
    scale = mpmath.fsum(item[3] for item in work)
    panels = len(work)
    while work:
        low, high, whole, size, before, stale = work.pop()
        middle = (low + high) / 2
        left, right = _panel(function, low, middle), _panel(function, middle, high)
        change = abs(left[0] + right[0] - whole)
        if not mpmath.isfinite(change):
            place = mpmath.nstr(middle, 5)
            raise ConvergenceError(f"the quadrature of {name} meets infinite values near {place}")
        scale += left[1] + right[1] - size
        panels += 1
        if change <= mpmath.ldexp(scale, -(prec + 8)) or not low < middle < high:
            value += left[0] + right[0]
            error += change
        elif panels > (_MOST_PANELS if mpmath.mp.prec < prec + 100 else _MOST_PANELS // 5):
            raise ConvergenceError(f"the quadrature of {name} did not settle with {panels} panels")
        else:
            slow = change > before / 3 and not {low, high} & sharp
            stale = stale + 1 if slow else 0  # a kink gives 1/4, rounding 1/2
            small = change < mpmath.ldexp(scale, -prec // 2)
            if stale >= (_NOISY if small else 2 * _NOISY) and not last:
                raise _Noise
            work += [(low, middle, *left, change, stale), (middle, high, *right, change, stale)]
    # a small integrand may be the rest of a cancellation: it needs its own size in guard bits
    if not last and (scale == 0 or 30 - mpmath.mag(scale) > mpmath.mp.prec - prec):
        raise _Noise
    return value, error + mpmath.ldexp(scale, -(prec + 8))


def _panel(function: _Function, low: mpmath.mpf, high: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(integral, integral of the absolute value) over one panel."""
    centre, half = (low + high) / 2, (high - low) / 2
    terms = [w * function(centre + half * x) for x, w in _rule()]
    return half * mpmath.fsum(terms), half * mpmath.fsum(abs(t) for t in terms)


def _rule() -> tuple[tuple[mpmath.mpf, mpmath.mpf], ...]:
    """A number of nodes in proportion to the working precision."""
    return gauss_legendre(12 + mpmath.mp.prec // 6, mpmath.mp.prec)


@functools.lru_cache(maxsize=32)
def gauss_legendre(count: int, prec: int) -> tuple[tuple[mpmath.mpf, mpmath.mpf], ...]:
    """(node, weight) of the Gauss-Legendre rule on [-1, 1], to `prec` bits.

    Examples
    --------
    >>> [(float(x), float(w)) for x, w in gauss_legendre(2, 60)]
    [(-0.5773502691896257, 1.0), (0.5773502691896257, 1.0)]
    """
    rule = []
    with mpmath.workprec(prec + 20):
        for guess in np.polynomial.legendre.leggauss(count)[0]:
            x = mpmath.mpf(float(guess))
            for _ in range(3 + prec.bit_length() // 2):  # Newton doubles the digits
                value, slope = _legendre(count, x)
                step = value / slope
                x -= step
                if abs(step) < mpmath.ldexp(1, -(prec + 10)):
                    break
            slope = _legendre(count, x)[1]
            rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return tuple(rule)


def _legendre(degree: int, x: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(P_n(x), P_n'(x)) by the recurrence."""
    low, high = mpmath.mpf(1), x
    for j in range(1, degree):
        low, high = high, ((2 * j + 1) * x * high - j * low) / (j + 1)
    return high, degree * (low - x * high) / (1 - x * x)
