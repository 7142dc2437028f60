"""Every record against its own text in the language: nothing here knows the name of a loss."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from sympy import symbols

from hermite_analytics.evidence import Evidence
from hermite_analytics.language.evaluation import reference_function
from hermite_analytics.losses.expression import LossExpression
from hermite_analytics.losses.registry import FORMS, LOSSES
from hermite_analytics.numeric.losses.loss import Loss

RECORDS = list(LOSSES.values())
VARIANCES = [1e-3, 0.8, 12.0]


def parameters(record):
    """Two values inside the range, or the 0 of none."""
    if record.parameter is None:
        return [0.0]
    low = record.parameter.range.low
    width = min(record.parameter.range.high, low + 4.0) - low
    return [low + share * width for share in (0.3, 0.7)]


def name_of(record, parameter):
    return record.name if record.parameter is None else f"{record.name}:{parameter!r}"


def text_of(record, parameter):
    """The value with a number for the symbol, a whole word of the text."""
    if record.parameter is None:
        return record.text
    symbol = record.parameter.symbol
    return " ".join(
        f"({parameter!r})" if word == symbol else word
        for word in record.text.replace(symbol, f" {symbol} ").split()
    )


@functools.cache
def expression_of(record, parameter):
    return LossExpression(text_of(record, parameter))


CASES = [(record, parameter) for record in RECORDS for parameter in parameters(record)]


@pytest.fixture(params=CASES, ids=[name_of(*case) for case in CASES])
def case(request):
    record, parameter = request.param
    return record, parameter, Loss(name_of(record, parameter)), expression_of(record, parameter)


def labels(record):
    return (1.0, -1.0) if record.needs_signs else (0.3, -1.9)


def minimum(function, low, high):
    """Ternary search of a strictly convex function to 18 digits, on values alone."""
    while high - low > mp.mpf(10) ** -18:
        third = (high - low) / 3
        if function(low + third) < function(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2


@pytest.mark.cases(4)
@pytest.mark.parametrize("variance", VARIANCES)
def test_the_prox_minimises_the_text(case, variance):
    record, _, loss, expression = case
    value = reference_function(expression.expression, symbols("y x", real=True))
    with mp.workdps(45):
        for y in labels(record):
            for field in (-2.3, 0.4, 1.7):

                def energy(x, y=y, field=field):
                    return (x - mp.mpf(field)) ** 2 / (2 * mp.mpf(variance)) + value(mp.mpf(y), x)

                reach = 3 * variance * (1 + loss.parameter) + 3
                best = minimum(energy, mp.mpf(field) - reach, mp.mpf(field) + reach)
                assert abs(loss.prox(y, field, variance) - best) <= 1e-14 * max(1, abs(best)), (y, field)
                assert float(energy(best)) == pytest.approx(loss.envelope(y, field, variance), rel=1e-13)


def test_value_slope_and_curvature_are_those_of_the_text(case):
    record, _, loss, expression = case
    kernel = expression.kernel(backend="python")
    for y in labels(record):
        for x in (-2.7, -0.61, 0.13, 1.9):
            expected = kernel(y, x)
            found = loss._outputs(y, x, 0.0)
            assert found[4] == pytest.approx(float(expected.value), rel=1e-14, abs=1e-15)
            assert -found[2] == pytest.approx(float(expected.slope), rel=1e-14, abs=1e-15)
            assert found[0] == x
            near = loss._outputs(y, x, 1e-9)  # at variance 0 the field is beside every kink
            assert near[3] == pytest.approx(float(expected.curvature), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("variance", [1e-4, 0.5, 3.0, 60.0])
def test_outputs_are_those_of_one_function(case, variance):
    """derivative = d prox/d field but at the corners, slope and curvature from it, and no bend elsewhere."""
    record, parameter, loss, _ = case
    y, h = 1.0, 1e-5
    field = np.linspace(-7.03, 6.01, 301)
    prox, derivative, slope, curvature, _ = loss._outputs(y, field, variance)
    assert np.all((derivative >= 0) & (derivative <= 1))
    np.testing.assert_allclose(prox - field, variance * slope, atol=2e-14 * (variance + 8))
    np.testing.assert_allclose(1 - derivative, variance * curvature, atol=1e-14)
    corners = np.empty((16, 2))
    count = loss.corners(y, variance, parameter, corners)
    assert (count == 0) == (record.corners is None)
    smooth = np.all(np.abs(field[:, None] - corners[:count, 0]) > 2 * h, axis=1)
    difference = (loss.prox(y, field + h, variance) - loss.prox(y, field - h, variance)) / (2 * h)
    np.testing.assert_allclose(difference[smooth], derivative[smooth], atol=2e-6)


def test_kinks_of_the_prox_are_its_corners(case):
    """Where a corner has width 0, the derivative jumps."""
    record, parameter, loss, _ = case
    if record.corners is None:
        return
    corners = np.empty((16, 2))
    for y in labels(record):
        for variance in VARIANCES:
            count = loss.corners(y, variance, parameter, corners)
            for field, width in corners[:count]:
                below, above = (loss.prox_derivative(y, field + side, variance) for side in (-1e-9, 1e-9))
                assert width > 0 or abs(above - below) > 1e-4, (y, variance, field)


def test_kinds(case):
    record, _, loss, expression = case
    assert expression.convexity is Evidence.PROVED or record.name == "huber"
    assert (expression.of_margin, expression.of_residual) == (record.needs_signs, not record.needs_signs)
    assert (loss.of_margin, loss.of_residual) == (record.needs_signs, not record.needs_signs)
    far = [abs(float(expression.kernel(backend="python")(1.0, x).slope)) for x in (-1e6, -1e3, 1e3, 1e6)]
    assert (max(far) < 1e2) == record.has_bounded_slope
    assert (expression.kink_kernel() is None) == record.is_analytic


def test_duals(case):
    """max over the box of u g - bend u^2/2 is the loss, by hand at the clipped stationary point."""
    record, parameter, loss, _ = case
    if record.dual is None:
        return
    dual = record.dual(parameter)
    for y in labels(record):
        for x in (-2.7, -0.61, 0.13, 1.9):
            gap = 1 - y * x if record.needs_signs else y - x
            if dual.bend > 0:
                u = np.clip(gap / dual.bend, dual.low, dual.high)
            else:
                u = dual.high if gap > 0 else dual.low
            assert u * gap - dual.bend * u * u / 2 == pytest.approx(loss.value(y, x), rel=1e-14, abs=1e-15)


def test_counting_from_the_kink_of_a_class_is_exact():
    for record in RECORDS:
        if record.counts_from:
            loss = Loss(record.name)
            out = loss.proximal(1.0, 1e-30, 1e-40, 1.0)
            assert out[0] == 1e-30 and loss.proximal(1.0, -1e-30, 1e-40, 1.0)[0] == -1e-30 + 1e-40


def test_help_is_made_from_the_records_without_compiling():
    code = (
        "import sys\n"
        "from hermite_analytics.numeric.models import MODELS\n"
        "from hermite_analytics.numeric.protocols import PROTOCOLS\n"
        f"assert {FORMS!r} in MODELS['random-features']['loss'].help\n"
        f"assert {FORMS!r} in MODELS['spiked-random-features']['loss'].help\n"
        f"assert {FORMS!r} in PROTOCOLS['random-features']['loss'].help\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
