"""The compiled saddle point: the bulk formulas and their identities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermite_analytics.numeric.square_loss import bulk, bulk_moments

from .reference import marchenko_pastur


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (
            (1.3, 0.5, 0.7, 0.25),
            (
                1.0035829127489877,
                1.1899678443028352,
                1.8799070185557607,
                1.0285586995198506,
                1.0663474826700363,
            ),
        ),
        (
            (1.0, 1.0, 1.0, 0.1),
            (
                0.7298437881283576,
                2.7015621187164243,
                15.617376188860606,
                1.1398244998303637,
                0.6158613381453213,
            ),
        ),
    ],
)
def test_reference_numbers(point, expected):
    c, beta, s, t = point
    v1, v2 = bulk(s, t, c, beta)
    assert (v1, v2, *bulk_moments(s, v1, v2, c, beta)) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("c", "beta", "s", "t"), [(1.3, 0.5, 0.7, 0.25), (0.8, 3.0, 2.0, 0.4), (1.1, 1.5, 0.2, 2)]
)
def test_against_the_spectral_integral(c, beta, s, t):
    x, weights = marchenko_pastur(beta, 4000)
    x = c * x
    v1, v2 = bulk(s, t, c, beta)
    assert v1 == pytest.approx(weights @ (x / (t + s * x)), rel=1e-10)
    assert v2 == pytest.approx(weights @ (1 / (t + s * x)), rel=1e-10)
    for k, value in enumerate(bulk_moments(s, v1, v2, c, beta)):
        assert value == pytest.approx(weights @ (x**k / (t + s * x) ** 2), rel=1e-10)


positive = st.floats(1e-3, 1e3)


@settings(max_examples=300, deadline=None)
@given(positive, st.floats(1e-2, 1e2), positive, positive)
def test_identities(c, beta, s, t):
    v1, v2 = bulk(s, t, c, beta)
    a0, a1, a2 = bulk_moments(s, v1, v2, c, beta)
    assert s * v1 + t * v2 == pytest.approx(1.0, rel=1e-9)
    assert c * v2 * (1 - beta * s * v1) == pytest.approx(v1, abs=1e-9 * c * v2)  # the bracket cancels
    condition = 1.0 - beta * s * s * v1 * v1  # the moments divide by it
    if condition > 1e-4:
        assert s * a1 + t * a0 == pytest.approx(v2, rel=1e-9)
        assert s * a2 + t * a1 == pytest.approx(v1, rel=1e-9)


def test_no_spectrum_is_a_constant():
    v1, v2 = bulk(0.0, 0.5, 1.3, 0.7)
    assert v2 == pytest.approx(2.0, rel=1e-15) and v1 == pytest.approx(2.6, rel=1e-15)
    assert np.isclose(bulk_moments(0.0, v1, v2, 1.3, 0.7)[2], 1.3**2 * (1 + 0.7) / 0.25)
