"""AMP on labels in any unit: they are brought to the unit of the channel, and the path is the same."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import InputError
from hermite_analytics.numeric.bayes.amp import AMP, SpectralMethod


def data(function, *, n=1800, d=400, dimension=1, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    teacher = np.linalg.qr(rng.standard_normal((d, dimension)))[0]
    return x, function(*(x @ teacher).T, rng.standard_normal(n)), teacher


def square(z, xi):
    return z**2


def noisy_square(z, xi):
    return z**2 + xi


def two_steps(z, v, xi):
    return 1.0 * (z > 0) + (v > 0)


def product(z, v, xi):
    return z * v


def noisy_sign(z, xi):
    return np.sign(z + xi)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("plain", "scaled", "offset", "unit", "function", "dimension"),
    [
        ("z1**2", "z1**2/10**8", 0.0, 1e-8, square, 1),
        ("z1**2", "10**4+z1**2", 1e4, 1.0, square, 1),
        ("z1**2+xi", "z1**2/10**8+xi/10**8", 0.0, 1e-8, noisy_square, 1),
        ("step(z1)+step(z2)", "(step(z1)+step(z2))/10**13", 0.0, 1e-13, two_steps, 2),
        ("z1*z2", "10**9*z1*z2", 0.0, 1e9, product, 2),
        ("sign(z1+xi)", "sign(z1+xi)/10**5+1", 1.0, 1e-5, noisy_sign, 1),
    ],
)
def test_the_same_path(plain, scaled, offset, unit, function, dimension):
    """A few steps: rounding of the labels may grow afterwards where directions compete."""
    x, y, teacher = data(function, dimension=dimension)
    steps = {"teacher": teacher, "seed": 1, "max_steps": 8}
    one = AMP(plain).run(x, y, **steps)
    two = AMP(scaled).run(x, offset + unit * y, **steps)
    assert two.status == one.status
    np.testing.assert_allclose(two.overlap_matrix, one.overlap_matrix, atol=1e-6)


@pytest.mark.slow
def test_moments_by_a_sequence_say_so():
    x, y, _ = data(lambda a, b, c, v, xi: a * b * c * v, n=60, d=30, dimension=4)
    assert AMP("z1*z2*z3*z4").run(x, y, max_steps=1).rule == "randomised quasi-Monte Carlo"


def test_the_spectral_method_too():
    x, y, teacher = data(lambda z, xi: z**2)
    one, two = (
        SpectralMethod(t).run(x, u * y, teacher=teacher) for t, u in (("z1**2", 1), ("10**9*z1**2", 1e9))
    )
    assert two.overlap == pytest.approx(one.overlap, abs=1e-6)


def test_a_label_that_is_not_taken():
    x, y, _ = data(lambda z, xi: np.sign(z) / 10**5 + 1)
    with pytest.raises(InputError, match=r"takes the values -1, 1, where y stands for \(y - 1\)/1e-05"):
        AMP("sign(z1)/10**5+1").run(x, y + 3e-6)
