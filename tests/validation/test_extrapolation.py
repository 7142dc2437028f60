"""Extrapolation against an independent weighted least squares, and what it refuses."""

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.sizes.extrapolation import CellMean, extrapolate, extrapolations


def cells(sizes, means, variances, counts):
    return [
        CellMean(size=d, count=n, mean=m, variance=v)
        for d, m, v, n in zip(sizes, means, variances, counts, strict=True)
    ]


def least_squares(sizes, means, variance_of_mean, powers):
    """Estimate and covariance by numpy's own solver, on rows scaled by their standard deviation."""
    sizes = np.asarray(sizes, float)
    scale = 1 / np.sqrt(np.asarray(variance_of_mean))
    design = np.stack([sizes**-q for q in powers], axis=1) * scale[:, None]
    estimate = np.linalg.lstsq(design, np.asarray(means) * scale, rcond=None)[0]
    upper = np.linalg.qr(design, mode="r")
    inverse = np.linalg.inv(upper)
    residual = np.asarray(means) * scale - design @ estimate
    return estimate, inverse @ inverse.T, float(residual @ residual)


@pytest.mark.parametrize("exponent", [0.5, 2 / 3, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_pooled_fit_is_weighted_least_squares(seed, exponent):
    random = np.random.default_rng(seed)
    sizes, counts = [60, 96, 144, 300], [40, 28, 16, 5]
    variances = random.uniform(0.8, 1.2, 4) / np.array(sizes)
    means = 1 + 3 / np.array(sizes) + random.normal(0, 0.02, 4)
    fit = extrapolate(cells(sizes, means, variances, counts), exponent=exponent)
    df = np.array(counts) - 1
    kappa2 = np.sum(df * np.array(sizes) * variances) / df.sum()
    variance = kappa2 / (np.array(sizes) * np.array(counts))
    estimate, covariance, chi2 = least_squares(sizes, means, variance, (0, exponent))
    assert fit.pooled and fit.df == df.sum() == 85
    assert [fit.value, fit.slope] == pytest.approx(estimate, rel=1e-9)
    assert fit.chi2 == pytest.approx(chi2, rel=1e-9)
    assert fit.inflation == pytest.approx(max(1, np.sqrt(chi2 / 2)), rel=1e-9)
    assert fit.stderr == pytest.approx(np.sqrt(covariance[0, 0]) * fit.inflation, rel=1e-9)
    estimate, covariance, _ = least_squares(sizes, means, variance, (0, exponent, 2 * exponent))
    assert fit.curvature == pytest.approx(estimate[2] / np.sqrt(covariance[2, 2]), rel=1e-6)


def test_variances_that_differ_are_not_pooled():
    sizes, counts = [100, 200], [5, 9]
    variances, means = [0.04, 0.0001], [1.3, 1.1]
    fit = extrapolate(cells(sizes, means, variances, counts))
    # Two sizes: intercept = 2 m_2 - m_1, so its variance is 4 s_2^2/n_2 + s_1^2/n_1.
    terms = np.array([0.04 / 5, 4 * 0.0001 / 9])
    assert not fit.pooled
    assert fit.value == pytest.approx(2 * 1.1 - 1.3)
    assert fit.slope == pytest.approx(40)
    assert fit.stderr == pytest.approx(np.sqrt(terms.sum()))
    assert fit.df == pytest.approx(terms.sum() ** 2 / (terms[0] ** 2 / 4 + terms[1] ** 2 / 8))
    assert fit.chi2 == pytest.approx(0, abs=1e-12) and fit.inflation == 1
    assert np.isnan(fit.curvature)


def test_order_of_the_cells_does_not_matter():
    given = cells([60, 96, 144], [1.1, 1.07, 1.02], [0.02, 0.01, 0.008], [8, 6, 4])
    assert extrapolate(given) == extrapolate(given[::-1])
    assert extrapolate(given).sizes == (60, 96, 144)


def test_without_noise_the_limit_is_exact():
    fit = extrapolate(cells([60, 96, 144], [2 + 30 / d for d in (60, 96, 144)], [0.0] * 3, [2] * 3))
    assert fit.value == pytest.approx(2, rel=1e-12) and fit.slope == pytest.approx(30, rel=1e-10)
    assert fit.stderr < 1e-12


def test_a_number_that_is_not_finite_stays_so():
    fit = extrapolate(cells([60, 96, 144], [1.0, np.nan, 1.0], [0.1, np.nan, 0.1], [3, 3, 3]))
    assert np.isnan(fit.value) and np.isnan(fit.stderr)


def test_cell_mean_of_samples():
    assert CellMean.of(50, np.array([1.0, 2.0, 6.0])) == CellMean(size=50, count=3, mean=3.0, variance=7.0)


def test_curvature_asks_for_a_second_fit():
    sizes = [60, 96, 144]
    straight = cells(sizes, [1 + 3 / d for d in sizes], [1 / d for d in sizes], [900] * 3)
    bent = cells(sizes, [1 + 3 / d + 400 / d**2 for d in sizes], [1 / d for d in sizes], [900] * 3)
    assert len(extrapolations(straight, (1.0,))) == 1
    assert [fit.exponent for fit in extrapolations(straight, (1.0, 0.5))] == [1.0, 0.5]
    first, second = extrapolations(bent, (1.0,))
    assert first.curvature > 2 and first.sizes == (60, 96, 144)
    assert second.sizes == (96, 144) and abs(second.value - 1) < abs(first.value - 1)


@pytest.mark.parametrize(
    ("sizes", "counts", "exponent", "message"),
    [
        ([60], [3], 1.0, "the sizes [60] must be at least two distinct ones"),
        ([60, 60], [3, 3], 1.0, "the sizes [60, 60] must be at least two distinct ones"),
        ([60, 96], [3, 1], 1.0, "1 seed at a size gives no variance; at least 2 are needed"),
        ([60, 96], [3, 3], 0.0, "the exponent is 0.0; a number > 0 is needed"),
    ],
)
def test_bad_input(sizes, counts, exponent, message):
    with pytest.raises(InputError) as error:
        extrapolate(cells(sizes, [1.0] * len(sizes), [1.0] * len(sizes), counts), exponent=exponent)
    assert str(error.value) == message


def test_no_exponent():
    with pytest.raises(InputError, match=r"^no exponent is given; at least one is needed$"):
        extrapolations(cells([60, 96], [1, 1], [1, 1], [3, 3]), ())
