"""Every fact in every record of a function is true, by the values of mpmath."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import sympy
from flint import acb, arb
from sympy import Rational, S, Symbol, oo

import hermite_analytics as ha
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.enclosure.strip import NoStripBound, strip_bounds
from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.derivative import almost_everywhere_derivative
from hermite_analytics.language.evaluation import reference_function
from hermite_analytics.language.functions import RECORDS, Domain, Growth, Record, record_of
from tests.symbolic.codegen.back_ends import argument, others_than

x = Symbol("x", real=True)
DIGITS = 30
SIZES = [mpmath.mpf(t) / 64 for t in (1, 9, 32, 57, 83, 130, 173, 386, 961)]  # exact in binary, no integers
POINTS = [*(-t for t in reversed(SIZES)), mpmath.mpf(0), *SIZES]
FAR = mpmath.mpf(10) ** 6
PARAMETER = Rational(1, 7)
ON_AN_INTERVAL = (sympy.asin, sympy.acos)
LEFT_OUT = (sympy.gamma, sympy.zeta, sympy.Heaviside, sympy.tan)  # poles on the line, or never in a kernel
OF_ONE = [
    r
    for r in RECORDS
    if r.function not in (None, *LEFT_OUT, sympy.Max, sympy.Min)
    and (r.arity == (1, 1) or r.constants)
    and (r.names or r.value)
]
NAMES = [r.function.__name__ for r in OF_ONE]
every = pytest.mark.parametrize("record", OF_ONE, ids=NAMES)


def node(record: Record) -> sympy.Expr:
    return record.function(x, *[PARAMETER] * len(record.constants))


def value(record: Record) -> Callable[[mpmath.mpf], mpmath.mpf]:
    return reference_function(node(record), (x,))


def points(record: Record) -> list[mpmath.mpf]:
    if record.domain is Domain.POSITIVE:
        return SIZES
    return [t for t in POINTS if abs(t) < 1] if record.function in ON_AN_INTERVAL else POINTS


def off_the_line(record: Record) -> Callable[[mpmath.mpc], mpmath.mpc] | None:
    """The analytic continuation, through functions that mpmath continues."""
    form = record.elementary or record.by_parity
    if record.value is None and form is None:
        return None
    return reference_function(node(record) if form is None else form(x), (x,))


def same(a: sympy.Expr, b: sympy.Expr, record: Record) -> bool:
    with mpmath.workdps(DIGITS):
        f, g = reference_function(a, (x,)), reference_function(b, (x,))
        return all(mpmath.almosteq(f(t), g(t), 1e-24, 1e-24) for t in points(record) if t != 0)


def test_names_are_those_of_one_function() -> None:
    names = [name for r in RECORDS for name in (*r.names, *r.elsewhere)]
    assert len(names) == len(set(names))
    functions = [r.function for r in RECORDS if r.function is not None]
    assert len(functions) == len(set(functions))


@every
def test_values(record: Record) -> None:
    """Bounds, positivity, signs and zeros; where two facts say the same they agree."""
    with mpmath.workdps(DIGITS):
        f = value(record)
        low, high = (
            mpmath.mpf(str(sympy.N(end, 40)).replace("oo", "inf")) for end in (record.low, record.high)
        )
        for t in points(record):
            assert low <= f(t) <= high
            assert f(t) > 0 or not record.is_positive
            assert mpmath.sign(f(t)) == mpmath.sign(t) or not record.has_sign_of_argument
            assert (f(t) == 0) == (t == 0) or not record.vanishes_at_zero_alone
    assert record.vanishes_at_zero_alone or not record.has_sign_of_argument
    assert record.is_increasing or not record.is_strictly_increasing
    assert record.low >= 0 or not record.is_positive
    assert bounds(node(record)) == (record.low, record.high) or record.function is sympy.exp


@every
def test_parity(record: Record) -> None:
    with mpmath.workdps(DIGITS):
        f = value(record)
        pairs = [(f(-t), f(t)) for t in points(record) if record.domain is Domain.REAL]
        found = {
            1: all(mpmath.almosteq(a, b, 1e-25) for a, b in pairs),
            -1: all(mpmath.almosteq(a, -b, 1e-25) for a, b in pairs),
        }
    assert [side for side in (1, -1) if pairs and found[side]] == ([record.parity] if record.parity else [])


@every
def test_slopes(record: Record) -> None:
    """Rises, bends, and the derivative that the node has."""
    with mpmath.workdps(DIGITS):
        f, where = value(record), points(record)
        values = [f(t) for t in where]
        rises = [b - a for a, b in itertools.pairwise(values)]
        assert all(r >= 0 for r in rises) == record.is_increasing or record.constants
        assert all(r > 0 for r in rises) or not record.is_strictly_increasing
        slopes = [r / (b - a) for r, (a, b) in zip(rises, itertools.pairwise(where), strict=True)]
        convex = all(b >= a - mpmath.mpf(10) ** -25 for a, b in itertools.pairwise(slopes))
        assert convex == record.is_convex or record.constants
        beyond = [b - a for a, b in itertools.pairwise(f(t) for t in where if t >= 0)]
        rises_with_size = record.parity == 1 and all(r > 0 for r in beyond)
        assert rises_with_size == record.increases_with_size or record.constants
        slope = reference_function(almost_everywhere_derivative(node(record), x), (x,))
        for t in where:
            if t != 0:
                assert mpmath.almosteq(slope(t), mpmath.diff(f, t), 1e-10, 1e-10)


@every
def test_growth_and_ends(record: Record) -> None:
    with mpmath.workdps(DIGITS):
        f = value(record)
        far = [t * mpmath.mpf(10) ** k for t in (-1, 1) for k in (1, 2, 3)]
        if record.growth is Growth.BOUNDED:
            assert record.low.is_finite and record.high.is_finite
        elif record.growth is Growth.LINEAR:
            assert all(abs(f(t)) <= 1 + abs(t) for t in far)
        elif record.growth is Growth.EXPONENTIAL:
            assert all(abs(f(t)) <= mpmath.exp(abs(t)) for t in far)
        if record.asymptotes is not None:
            parameters = [mpmath.mpf(1) / 7] * len(record.constants)
            for end, side in zip(record.asymptotes, (-1, 1), strict=True):
                line = reference_function(S.Zero + end(x, *[PARAMETER] * len(parameters)), (x,))
                assert abs(f(side * FAR) - line(side * FAR)) < 2 / FAR
        if record.kink is not None:
            for t in points(record):
                right, left = record.kink.sides(t, *parameters)
                assert f(t) == (right if t > 0 else left if t < 0 else 0)
            jump = abs(f(1 / FAR) - f(-1 / FAR)) > 0.5
            assert record.kink.is_jump == jump


@every
def test_other_forms(record: Record) -> None:
    """Definitions, forms of known parity and of known limits are the function; inverses invert it."""
    parameters = [PARAMETER] * len(record.constants)
    for form in (record.definition, record.by_parity, record.elementary, record.in_exponentials):
        if form is not None:
            assert same(form(x, *parameters), node(record), record)
    if record.phase is not None:
        assert same(sympy.cos(x + record.phase, evaluate=False), node(record), record)
    if record.of_sum is not None:
        assert same(record.of_sum(x, PARAMETER), record.function(x + PARAMETER), record)
    if record.inverse is not None:
        with mpmath.workdps(DIGITS):
            f, back = value(record), reference_function(record.inverse(x), (x,))
            for t in points(record):
                if abs(t) < 6:
                    assert mpmath.almosteq(back(f(t)), t, 1e-20, 1e-20)


@pytest.mark.cases(12)
@every
def test_strip(record: Record) -> None:
    """The mean over a circle is the value in its centre, and the derivative explodes at the singularity."""
    f = off_the_line(record)
    assert (record.kink is None) or record.strip is None
    if record.strip is None or f is None:
        assert record.strip is None
        return
    with mpmath.workdps(DIGITS):
        width = mpmath.mpf(2) if record.strip is oo else mpmath.mpf(str(sympy.N(record.strip, 40)))
        angles = [mpmath.expjpi(mpmath.mpf(2 * k) / 256) for k in range(256)]
        for centre in (mpmath.mpf(1) / 3, mpmath.mpf(7) / 5):
            mean = mpmath.fsum(f(centre + width * 3 / 4 * u) for u in angles) / 256
            assert mpmath.almosteq(mean, f(mpmath.mpc(centre)), 1e-20, 1e-20)
        if record.strip is not oo:
            edge = [mpmath.mpc(mpmath.mpf(k) / 64, width - mpmath.mpf(10) ** -6) for k in range(-64, 65)]
            assert max(abs(mpmath.diff(f, w, h=mpmath.mpf(10) ** -9)) for w in edge) > 100
        y = mpmath.mpf(40)
        if record.strip is oo:
            growth = mpmath.log(abs(f(mpmath.mpc(mpmath.mpf(1) / 3, y))))
            rate = y * record.is_wave + y**2 * record.gaussian_growth
            assert abs(growth - rate) < 8 or record.function is sympy.erfi  # which grows on the line


@every
def test_balls(record: Record) -> None:
    """Enclosures contain the values: at numbers, on intervals, on discs and on strips."""
    with working_precision(100), mpmath.workdps(40):
        f = value(record)
        enclosure = Program(node(record), [x], 100)
        for t in points(record):
            exact = mpmath.mpf(f(t))
            number = Rational(str(t)) if t else S.Zero
            assert _contains(enclosure(arb(float(t))), exact)
            if t != 0 or not record.kink:
                assert _contains(ball_of(node(record).subs(x, number), 100), exact)
            if record.domain is Domain.REAL and record.function not in (sympy.asin, sympy.acos):
                wide = enclosure(arb(float(t), 0.25))
                assert all(_contains(wide, f(t + d)) for d in (-0.25, -0.125, 0, 0.125, 0.25))


@every
def test_discs_and_strips(record: Record) -> None:
    f = off_the_line(record)
    if f is None or record.strip is None or not record.names:
        return
    height = 0.75 if record.strip is oo else 0.5 * float(record.strip)
    with working_precision(100), mpmath.workdps(40):
        enclosure = Program(node(record), [x], 100, analytic=True)
        try:
            strip = strip_bounds(node(record), [x], [arb(height)])
        except NoStripBound:
            assert record.function in (sympy.sinh, sympy.cosh)
            strip = None
        for t in points(record):
            for y in (-height, 0.0, height):
                w = mpmath.mpc(t + mpmath.mpf(2) ** -22, y)
                ball = enclosure(acb(arb(float(t), 2.0**-20), arb(y, 2.0**-20)))
                assert _contains(ball.real, f(w).real) and _contains(ball.imag, f(w).imag)
                if strip is not None and strip.top().is_finite() and strip.upper is not None:
                    assert f(w).real <= float(strip.top()) + 1e-12


@pytest.mark.cases(1)
@pytest.mark.parametrize("record", [r for r in OF_ONE if r.on_strip], ids=lambda r: r.names[0])
@pytest.mark.parametrize("part", [0.2, 0.6, 0.98])
def test_bounds_on_strips(record: Record, part: float) -> None:
    """They hold, and are reached: the largest size and imaginary part up to a third."""
    f, y = off_the_line(record), part * float(record.strip)
    size, low, high, imaginary = (float(b) for b in record.on_strip(arb(y)))
    with mpmath.workdps(DIGITS):
        heights = [y * k / 8 for k in range(-8, 9)]
        found = [f(mpmath.mpc(mpmath.mpf(t) / 16, h)) for t in range(-160, 161) for h in heights]
        assert size * (1 + 1e-12) >= max(abs(w) for w in found) >= 2 / 3 * size
        assert low - 1e-12 <= min(w.real for w in found) and max(w.real for w in found) <= high + 1e-12
        assert imaginary * (1 + 1e-12) >= max(abs(w.imag) for w in found) >= 2 / 3 * imaginary


def _contains(ball: arb, exact: mpmath.mpf) -> bool:
    """Up to the rounding of mpmath at 40 digits."""
    near = arb(mpmath.nstr(exact, 45)) + arb(0, 1) * (abs(arb(mpmath.nstr(exact, 20))) + 1) * arb(10) ** -36
    return bool(ball.is_finite() and ball.overlaps(near))


@pytest.mark.slow
@pytest.mark.parametrize("backend", others_than("cuda"))
def test_back_ends(backend: str) -> None:
    """One kernel with all functions, against mpmath."""
    chosen = [r for r in OF_ONE if r.names and r.domain is Domain.REAL]
    kernel = ha.compile({f"f_{r.names[0]}": node(r) for r in chosen}, (x,), backend=backend)
    for t in POINTS:
        for record, found in zip(chosen, kernel(argument(backend, float(t))), strict=True):
            with mpmath.workdps(DIGITS):
                exact = value(record)(t)
            assert abs(float(np.squeeze(found)) - exact) <= 1e-12 * max(1, abs(exact)), record.names[0]


def test_nothing_is_known_of_sums() -> None:
    assert record_of(x + 1) == Record()
