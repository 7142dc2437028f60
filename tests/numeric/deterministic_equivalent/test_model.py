"""Random-feature ridge regression at finite sizes against its equations and its limits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from hermite_analytics.errors import ConvergenceError, InputError
from hermite_analytics.numeric import DeterministicEquivalent

from .reference import paper_equations

RESULTS = ("test_error", "bias", "variance", "train_error", "nu1", "nu2")
K = np.arange(1.0, 2501.0)
POWER = DeterministicEquivalent(K**-1.5, K**-2.2)


def results(solution):
    return np.stack([np.asarray(getattr(solution, name), dtype=float) for name in RESULTS])


def test_reference_numbers():
    found = POWER.solve(samples=200, features=400, ridge=0.01, noise=0.01)
    assert found.nu1 == pytest.approx(6.267786024326588e-4, rel=1e-12)
    assert found.nu2 == pytest.approx(1.1609451452966903e-3, rel=1e-12)
    assert found.bias == pytest.approx(0.014262859931115613, rel=1e-12)
    assert found.variance == pytest.approx(0.012335730248019637, rel=1e-12)
    assert found.test_error == pytest.approx(0.02659859017913525, rel=1e-12)
    assert found.train_error == pytest.approx(2.329035141850431e-4, rel=1e-12)
    upsilon = found.variance / (found.variance + 0.01)
    assert upsilon == pytest.approx(0.55228685657651, rel=1e-12)
    assert (found.status, found.residual <= 1e-12, found.numerical_error < 1e-13) == ("converged", True, True)


def test_reference_numbers_of_the_kernel():
    found = POWER.solve(samples=200, features=np.inf, ridge=0.01, noise=0.01)
    assert found.nu1 == found.nu2 == pytest.approx(1.0933711387787772e-3, rel=1e-12)
    assert found.bias == pytest.approx(0.004779205621474628, rel=1e-12)
    assert found.variance == pytest.approx(0.006050030201139195, rel=1e-12)


def test_reference_numbers_beside_the_peak():
    found = POWER.solve(samples=300, features=300, ridge=1e-3, noise=0.01)
    assert results(found)[[0, 1, 2, 4, 5]] == pytest.approx(
        [0.10866, 0.048159, 0.060501, 4.4128e-5, 5.8417e-4], rel=2e-5
    )
    assert POWER.solve(samples=200, features=400, ridge=1e-5, noise=0.01).test_error == pytest.approx(
        0.032649, rel=1e-5
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_printed_equations_in_60_digits(seed):
    generator = np.random.default_rng(seed)
    levels = int(generator.integers(3, 40))
    spectrum = 10.0 ** generator.uniform(-5, 1, levels)
    target = generator.exponential(size=levels) * (generator.random(levels) < 0.8)
    counts = generator.integers(1, 30, levels).astype(float)
    model = DeterministicEquivalent(spectrum, target, counts)
    sizes = counts.sum() * np.array([0.03, 0.4, 0.9999999, 1.0, 1.7])
    samples = generator.choice(sizes)
    features = generator.choice([*sizes, samples, samples * (1 + 1e-9), np.inf])
    for ridge in (1e-8, 1e-3, 1.0, 1e6):
        found = model.solve(samples=samples, features=features, ridge=ridge, noise=0.3)
        expected = paper_equations(spectrum, target, counts, samples, features, ridge, 0.3)
        assert found.status == "converged"
        # conditioning of the problem itself enters at the threshold; the solution says how much
        tolerance = max(1e-13, found.numerical_error)
        assert results(found) == pytest.approx(expected, rel=tolerance), (ridge, samples, features)
        assert tolerance < 1e-10


def test_all_ridges_and_sizes_converge():
    found = POWER.solve(
        samples=np.array([1.0, 10, 299.5, 300, 2500, 1e5, np.inf])[:, None, None],
        features=np.array([1.0, 10, 300, 300.5, 2500, 1e5, np.inf])[:, None],
        ridge=np.array([0, *10.0 ** np.arange(-8, 7)]),
        noise=0.0,
    )
    assert set(np.unique(found.status)) == {"converged", "infinite"}
    assert np.max(found.residual) <= 1e-12
    # without noise only samples = features < rank has an infinite limit
    where = {(r["samples"], r["features"]) for r in found.results() if r["status"] == "infinite"}
    assert where == {(1.0, 1.0), (10.0, 10.0), (300.0, 300.0)}
    assert np.all(found.iterations <= 20)


def test_kernel_is_the_limit_of_many_features():
    kernel = results(POWER.solve(samples=200, features=np.inf, ridge=0.01, noise=0.01))
    gaps = [
        np.abs(results(POWER.solve(samples=200, features=p, ridge=0.01, noise=0.01)) / kernel - 1).max()
        for p in (1e6, 1e8, 1e12)
    ]
    assert gaps[0] < 1e-2 and gaps[1] / gaps[0] == pytest.approx(0.01, rel=0.01) and gaps[2] < 1e-8


def test_population_is_the_limit_of_many_samples():
    found = POWER.solve(samples=[1e13, np.inf], features=100, ridge=0.1, noise=0.5)
    assert results(found)[[0, 1, 3, 5], 0] == pytest.approx(results(found)[[0, 1, 3, 5], 1], rel=1e-9)
    assert found.variance[1] == 0.0 and found.nu1[1] == 0.0
    nu = found.nu2[1]
    assert found.test_error[1] == pytest.approx(nu * np.sum(K**-2.2 / (K**-1.5 + nu)), rel=1e-13)
    assert np.sum(K**-1.5 / (K**-1.5 + nu)) == pytest.approx(100, rel=1e-13)


@pytest.mark.parametrize(("samples", "features"), [(100, 200), (200, 100), (100, np.inf), (3000, 4000)])
def test_no_ridge_is_the_limit_of_a_small_one(samples, features):
    limit = POWER.solve(samples=samples, features=features, ridge=0.0, noise=0.1)
    near = POWER.solve(samples=samples, features=features, ridge=1e-12, noise=0.1)
    assert results(near)[:3] == pytest.approx(results(limit)[:3], rel=1e-5, abs=1e-10)
    assert near.train_error == pytest.approx(limit.train_error, rel=1e-5, abs=1e-12)
    if samples < features and samples < 2500:
        assert limit.train_error == 0.0


def test_ordinary_least_squares():
    model = DeterministicEquivalent([3.0, 1.0, 0.2], [1.0, 2.0, 0.5], [4, 3, 3])
    found = model.solve(samples=25, features=np.inf, ridge=0.0, noise=0.3)
    assert found.bias == 0.0
    assert found.variance == pytest.approx(0.3 * 10 / 15, rel=1e-15)
    assert found.train_error == pytest.approx(0.3 * 15 / 25, rel=1e-15)
    unseen = DeterministicEquivalent([3.0, 1.0], [1.0, 2.0], [4, 6], tail_coefficient=0.7)
    assert unseen.solve(samples=25, features=30, ridge=0.0).bias == pytest.approx(0.7 * 25 / 15, rel=1e-15)


def test_interpolation_threshold_is_infinite():
    found = POWER.solve(samples=300, features=[300, 301], ridge=0.0, noise=[[0.1], [0.0]])
    assert found.status.tolist() == [["infinite", "converged"]] * 2
    assert found.variance[:, 0].tolist() == [np.inf, 0.0] and np.all(found.bias[:, 0] == np.inf)
    # as many samples as eigenfunctions: only noise diverges
    small = DeterministicEquivalent([1.0, 0.5], [1.0, 1.0])
    at_rank = small.solve(samples=2, features=[5, np.inf], ridge=0.0, noise=[[0.1], [0.0]])
    assert at_rank.status.tolist() == [["infinite"] * 2, ["converged"] * 2]
    assert at_rank.bias.tolist() == [[0.0, 0.0]] * 2
    # the approach to it
    near = [small.solve(samples=2, features=np.inf, ridge=r, noise=0.1).variance for r in (1e-8, 1e-10)]
    assert near[1] / near[0] == pytest.approx(10, rel=1e-3)


def test_scale_order_and_multiplicity():
    base = POWER.solve(samples=200, features=400, ridge=0.01, noise=0.01)
    scaled = DeterministicEquivalent(7 * K**-1.5, K**-2.2).solve(
        samples=200, features=400, ridge=0.07, noise=0.01
    )
    assert results(scaled)[:4] == pytest.approx(results(base)[:4], rel=1e-12)
    assert scaled.nu2 == pytest.approx(7 * base.nu2, rel=1e-12)
    backwards = DeterministicEquivalent(K[::-1] ** -1.5, K[::-1] ** -2.2)
    assert results(backwards.solve(samples=200, features=400, ridge=0.01, noise=0.01)) == pytest.approx(
        results(base), rel=1e-12
    )
    pairs = DeterministicEquivalent([1.0, 0.1], [0.5, 0.25], [2, 3])
    singles = DeterministicEquivalent([1, 1, 0.1, 0.1, 0.1], [0.5, 0, 0.05, 0.1, 0.1])
    given = {"samples": 3, "features": 2, "ridge": 0.1, "noise": 0.2}
    assert results(pairs.solve(**given)) == pytest.approx(results(singles.solve(**given)), rel=1e-13)
    assert pairs.rank == singles.rank == 5


def test_tail_is_many_small_eigenvalues():
    head, target = [1.0, 0.3], [1.0, 0.5]
    tail = DeterministicEquivalent(head, target, [5, 10], tail_trace=2.0, tail_coefficient=0.7)
    many = DeterministicEquivalent([*head, 2e-9], [*target, 0.7], [5, 10, 1e9])
    given = {"samples": 30, "features": [20, 60, np.inf], "ridge": 0.1, "noise": 0.2}
    assert results(tail.solve(**given)) == pytest.approx(results(many.solve(**given)), rel=1e-7)


def test_large_ridge_learns_nothing():
    found = POWER.solve(samples=200, features=400, ridge=1e12, noise=0.5)
    norm = np.sum(K**-2.2)
    assert found.test_error == pytest.approx(norm, rel=1e-8)
    assert found.train_error == pytest.approx(norm + 0.5, rel=1e-8)


def test_plateau_of_a_gap_in_the_spectrum():
    # T is flat between the two groups and samples sit exactly on it
    model = DeterministicEquivalent([1.0, 1e-14], [1.0, 1.0], [100, 1000])
    found = model.solve(samples=100, features=[500, np.inf], ridge=0.0, noise=0.1)
    assert found.status.tolist() == ["converged"] * 2
    assert found.nu2[1] == pytest.approx(np.sqrt(1e-14 * 1000 / 100), rel=1e-6)
    assert np.all(found.residual <= 1e-12)


@pytest.mark.slow
def test_threads_change_nothing():
    ridge = np.geomspace(1e-8, 1e6, 300)
    one = POWER.solve(samples=200, features=400, ridge=ridge, noise=0.01)
    two = POWER.solve(samples=200, features=400, ridge=ridge, noise=0.01, parallel=True)
    assert results(one).tobytes() == results(two).tobytes()


def test_too_few_steps():
    found = POWER.solve(samples=200, features=400, ridge=0.01, max_steps=1)
    assert found.status == "max_steps_reached" and np.isnan(found.test_error) and np.isnan(found.nu2)
    with pytest.raises(ConvergenceError, match="point 0 of deterministic-equivalent: max_steps_reached"):
        POWER.solve(samples=200, features=400, ridge=0.01, max_steps=1, throw=True)
    POWER.solve(samples=200, features=200, ridge=0.0, throw=True)  # infinite is an answer


@pytest.mark.slow
def test_records_and_shape():
    found = POWER.solve(samples=[[100], [200]], features=[50, np.inf, 200], ridge=0.1)
    assert found.test_error.shape == (2, 3) and not found.test_error.flags.writeable
    rows = found.to_dict()["results"]
    assert [(r["samples"], r["features"]) for r in rows[:3]] == [
        (100.0, 50.0),
        (100.0, "inf"),
        (100.0, 200.0),
    ]
    assert rows[1]["test_error"] == found.test_error[0, 1]
    infinite = POWER.solve(samples=9, features=9, ridge=0).results()[0]
    assert (infinite["test_error"], infinite["status"]) == ("inf", "infinite")
    assert "2405.15699" in found.cite()
    again = pickle.loads(pickle.dumps(POWER)).solve(samples=100, features=50, ridge=0.1)
    assert again.test_error == found.test_error[0, 0]


def test_plot():
    import matplotlib

    matplotlib.use("Agg")
    axes = POWER.solve(samples=np.geomspace(10, 1000, 5), features=50, ridge=0.1, noise=0.1).plot()
    assert axes.get_xlabel() == "samples $n$" and len(axes.lines) == 4
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DeterministicEquivalent([1, 0], [1, 1]), "eigenvalues is 0; accepted: .*eigenvalues > 0"),
        (lambda: DeterministicEquivalent([1, -2], [1, 1]), "eigenvalues is -2"),
        (lambda: DeterministicEquivalent([1, np.inf], [1, 1]), "eigenvalues is inf"),
        (lambda: DeterministicEquivalent([1, 2], [1, -0.5]), "coefficients is -0.5; accepted: .* >= 0"),
        (lambda: DeterministicEquivalent([1, 2], [1]), "coefficients has 1 entries and eigenvalues 2"),
        (lambda: DeterministicEquivalent([1, 2], [1, 1], [1]), "multiplicities has 1 entries and "),
        (lambda: DeterministicEquivalent([1, 2], [1, 1], [1, 0]), "multiplicities is 0"),
        (lambda: DeterministicEquivalent([], []), r"eigenvalues is empty"),
        (lambda: DeterministicEquivalent([[1, 2]], [[1, 2]]), r"eigenvalues has shape \(1, 2\)"),
        (lambda: DeterministicEquivalent([1e308] * 3, [1] * 3), "the trace of the eigenvalues is infinite"),
        (lambda: DeterministicEquivalent("k**-2", [1]), "is not a number or a range"),
        (lambda: DeterministicEquivalent([1], [1], tail_trace=-1), "tail_trace is -1; accepted"),
        (lambda: POWER.solve(samples=0, features=1, ridge=1), "samples is 0; accepted: samples > 0"),
        (lambda: POWER.solve(samples=1, features=-3, ridge=1), "features is -3; accepted: features > 0"),
        (lambda: POWER.solve(samples=1, features=1, ridge=-1), "ridge is -1; accepted: .*ridge >= 0"),
        (lambda: POWER.solve(samples=1, features=1, ridge=np.inf), "ridge is inf"),
        (lambda: POWER.solve(samples=1, features=1, ridge=1, noise=-1), "noise is -1"),
        (lambda: POWER.solve(samples=1, features=1, ridge=1, tolerance=0), "tolerance is 0; accepted"),
    ],
)  # fmt: skip
def test_bad_input(make, message):
    with pytest.raises(InputError, match=message) as error:
        make()
    assert "\n" not in str(error.value)
