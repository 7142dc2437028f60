"""The best ridge, long grids, and points that are hard."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import Bounds, GiantStep, SpikedRandomFeatures
from hermite_analytics.numeric.best_ridge import best_ridges
from hermite_analytics.numeric.minima import local_minima

TANH, SIN = Activation("tanh(z)"), Target("sin(z1)")
SPIKE = {"r": 0.9, "c": 1.2, "gamma": 0.8}


def test_best_ridge_beats_a_scan(model):
    found = model.solve(alpha=[0.4, 1.0, 3.0], beta=1, ridge="optimal", **SPIKE)
    scan = model.solve(alpha=[[0.4], [1.0], [3.0]], beta=1, ridge=np.geomspace(1e-4, 1e4, 200), **SPIKE)
    assert np.all(found.test_error <= scan.test_error.min(axis=1))
    assert found.test_error == pytest.approx(scan.test_error.min(axis=1), rel=1e-3)
    at = model.solve(alpha=[0.4, 1.0, 3.0], beta=1, ridge=found.parameters["ridge"], **SPIKE)
    assert np.all(at.test_error == found.test_error)
    assert found.alternatives[0][0]["ridge"] == found.parameters["ridge"][0]


@pytest.mark.slow
def test_ridge_may_be_zero_or_infinite_at_best():
    # the mean map of sin is the target: the infinite ridge keeps nothing else, and no noise
    sine = SpikedRandomFeatures(Activation("sin(z)"), SIN)
    found = sine.solve(alpha=1, beta=1, ridge="optimal", r=1.0, c=1.0, gamma=1.0, noise=0.1)
    assert found.parameters["ridge"] == np.inf and found.test_error < 1e-14
    upper = Bounds(Activation("sin(z)"), SIN).solve(r=0.9, gamma=0.7).upper
    far = sine.solve(alpha=1e-3, beta=1, ridge="optimal", r=0.9, c=1.0, gamma=0.7)
    assert far.test_error <= upper + 1e-15
    # no noise, a linear target and many samples: nothing to regularise
    exact = SpikedRandomFeatures(TANH, Target("tanh(z1)")).solve(
        alpha=0.5, beta=100, ridge="optimal", r=0.0, c=1.0, gamma=0.0
    )
    smallest = SpikedRandomFeatures(TANH, Target("tanh(z1)")).solve(
        alpha=0.5, beta=100, ridge=exact.alternatives[0][0]["ridge"] if exact.alternatives[0] else 1e-9,
        r=0.0, c=1.0, gamma=0.0,
    )  # fmt: skip
    assert exact.test_error <= smallest.test_error


def test_ridge_is_a_number_or_optimal(model):
    with pytest.raises(
        InputError, match="ridge is 'best'; accepted: numbers >= 0, 'optimal', 'optimal:square"
    ):
        model.solve(alpha=1, beta=1, ridge="best", **SPIKE)


def test_local_minima_of_many_functions():
    # cos(x + shift) on [0, 12]: minima at odd multiples of pi, and an end
    shifts = np.array([0.0, 1.0, 2.0])
    grid = np.linspace(0, 12, 61)
    found = local_minima(lambda owner, x: np.cos(x + shifts[owner]), grid, np.cos(grid + shifts[:, None]))
    for index, shift in enumerate(shifts):
        places = np.sort(found.place[found.owner == index])
        inner = np.arange(1, 9, 2) * np.pi - shift
        expected = inner[(inner > 0) & (inner < 12)]
        ends = [e for e, slope in ((0.0, -np.sin(shift)), (12.0, np.sin(12 + shift))) if slope > 0]
        assert places == pytest.approx(np.sort(np.concatenate([expected, ends])), abs=1e-11)
    place, value = found.best(3)
    assert np.all(value == pytest.approx(-1.0, abs=1e-14)) and np.cos(place + shifts) == pytest.approx(value)


def test_kinks_zeros_and_ends_are_found_as_well():
    """Where Newton's method has nothing to say golden section goes on; 0 has no relative rounding."""
    functions = (
        lambda x: np.abs(x - 3.3) + 1.0,
        lambda x: np.abs(x - 3.3),
        lambda x: (x - 3.3) ** 2,
        lambda x: np.maximum(x - 3.3, 0.5 * (3.3 - x)),
        lambda x: x + 1.0,
    )

    def values(owner, x):
        return np.array([functions[k](place) for k, place in zip(owner, x, strict=True)])

    grid = np.linspace(0.0, 10.0, 21)
    on_grid = np.array([f(grid) for f in functions])
    found = local_minima(values, grid, on_grid)
    assert found.owner.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(found.place, [3.3, 3.3, 3.3, 3.3, 0.0], atol=1e-8)


def test_a_learned_bias_is_known_to_all_digits():
    """The derivative of the training objective vanishes; values of it alone would show the place to 1e-8."""
    ratios = {"r": 0.8, "c": 1.3, "gamma": 0.6, "alpha": 2.0, "beta": 1.5, "ridge": 0.1, "noise": 0.2}

    def solved(bias):
        return SpikedRandomFeatures("relu", "sin(z1)", bias=bias).solve(**ratios)

    def objective(bias):
        found = solved(bias)
        return float(found.train_error) + 0.1 * 1.5 / 2.0 * float(found.overlaps["q2"])

    best = solved("learned")
    place = min(best.alternatives[0], key=lambda entry: entry["objective"])["bias"]
    far, near, close, last = (objective(place + k * 2e-3) for k in (-2, -1, 1, 2))
    assert abs(far - 8 * near + 8 * close - last) / 0.024 < 1e-11
    assert best.test_error == pytest.approx(solved(place).test_error, rel=1e-12)


def test_rounding_is_no_minimum():
    """A valley of depth .1, a plateau with noise of 1e-13 beside it, and a dip of 1e-6 in that."""
    grid = np.linspace(0.0, 10.0, 101)

    def valley(owner, x):
        dip = 1e-6 * np.exp(-((x - 7) ** 2) / 0.1)
        return 1 - 0.1 * np.exp(-((x - 2) ** 2)) - dip + 1e-13 * np.sin(1e4 * x)

    on_grid = valley(None, grid)[None]
    assert local_minima(valley, grid, on_grid).place.size > 2
    found = local_minima(valley, grid, on_grid, rounding=1e-12)
    np.testing.assert_allclose(np.sort(found.place), [2.0, 7.0], atol=1e-3)


def test_a_limit_where_no_ridge_has_an_answer():
    none = best_ridges(
        2, lambda owner, ridge: np.full(owner.shape, np.nan), at_zero=np.array([0.3, np.nan]), rounding=0.0
    )
    np.testing.assert_array_equal(none.ridge, [0.0, np.nan])
    assert not none.at_border.any()


def test_no_point_fails(model):
    """Ridges from 1e-8 to 1e6 and ratios from 1e-3 to 1e3, all combinations at random."""
    rng = np.random.default_rng(3)
    count = 20_000
    found = model.solve(
        alpha=10 ** rng.uniform(-3, 3, count),
        beta=10 ** rng.uniform(-3, 3, count),
        ridge=10 ** rng.uniform(-8, 6, count),
        **SPIKE,
    )
    assert np.all(found.status == "converged") and np.all(found.residual <= 1e-12)
    assert np.all(found.test_error > 0) and np.all(found.train_error >= 0)
    # the least squares of the lower bound is below every test error
    lower = Bounds(TANH, SIN).solve(**SPIKE).lower
    assert np.all(found.test_error >= lower * (1 - 1e-9))


def test_no_point_fails_with_letters():
    rng = np.random.default_rng(4)
    count = 300
    model = SpikedRandomFeatures(TANH, SIN, letters={0.5: 0.4, 1.5: 0.6})
    found = model.solve(
        alpha=10 ** rng.uniform(-3, 3, count),
        beta=10 ** rng.uniform(-3, 3, count),
        ridge=10 ** rng.uniform(-8, 6, count),
        **SPIKE,
    )
    assert np.all(found.status == "converged") and np.all(found.test_error > 0)


def test_threads_change_nothing_and_tell_progress():
    step = GiantStep(TANH, SIN).solve(alpha0=2, eta=np.linspace(0.5, 3, 9), beta=1)
    ratios = {"alpha": np.geomspace(0.1, 10, 20)[:, None, None], "ridge": np.geomspace(1e-4, 1, 10)[:, None]}
    told = []
    model = SpikedRandomFeatures(TANH, SIN)
    one = model.solve(step=step, **ratios, workers=1)
    two = model.solve(step=step, **ratios, workers=2, progress=lambda done, total: told.append((done, total)))
    assert one.test_error.shape == (20, 10, 9)
    assert np.all(one.test_error == two.test_error)
    assert told[-1] == (1800, 1800) and len(told) > 1


def test_a_neighbour_is_no_part_of_a_result(model):
    """Each point of a curve is what it is alone, to rounding."""
    alpha = np.linspace(0.2, 3, 15)
    curve = model.solve(alpha=alpha, beta=1, ridge=1e-3, **SPIKE)
    alone = [model.solve(alpha=a, beta=1, ridge=1e-3, **SPIKE).test_error for a in alpha]
    assert curve.test_error == pytest.approx(alone, rel=1e-13)


def test_refinement_goes_on_until_the_tolerance(model):
    """A point whose first two rules, of one size, agree to 1e-10 only."""
    found = model.solve(
        alpha=0.29150530628251775, beta=1, ridge=0.00026560877829466864,
        step=None, r=1.949780713838435, c=1.3741, gamma=0.79365,
    )  # fmt: skip
    assert found.numerical_error <= 1e-12
