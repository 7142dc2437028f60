"""AMP on data: fixed points of state evolution, the Nishimori identities, starts, arrays and bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.errors import ConvergenceError, InputError
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.moments import Moments
from hermite_analytics.numeric import AMP, StateEvolution
from hermite_analytics.numeric.bayes.amp.data import Data
from hermite_analytics.numeric.bayes.amp.iteration import State, iterate, step
from hermite_analytics.numeric.bayes.amp.overlaps import principal_overlaps


def sampled(text, alpha, d, seed):
    """Inputs, labels and an orthonormal teacher."""
    target = Target(text)
    rng = np.random.default_rng(seed)
    teacher = np.linalg.qr(rng.normal(size=(d, target.dimension)))[0]
    x = rng.normal(size=(round(alpha * d), d))
    return x, np.array(target.function("array")(*(x @ teacher).T)), teacher


def runs(text, alpha, d, seeds, **options):
    model = AMP(text)
    found = []
    for seed in range(seeds):
        x, y, teacher = sampled(text, alpha, d, seed)
        found.append(model.run(x, y, teacher=teacher, seed=seed, **options))
    return found


@pytest.fixture(scope="module")
def one():
    """A run on sign(z1) at alpha = 3, d = 400."""
    x, y, teacher = sampled("sign(z1)", 3, 400, 1)
    return x, y, teacher, AMP("sign(z1)").run(x, y, teacher=teacher)


def test_a_step_by_hand():
    """y = z1 + noise of variance 1: g = (y - omega)/(V + 1), all sums by hand."""
    rng = np.random.default_rng(5)
    x, w = rng.normal(size=(30, 20)), rng.normal(size=20) / 20**0.5
    y, memory = rng.normal(size=30), rng.normal(size=30)
    data = Data.of(x, y)
    state = State(weights=w[:, None], covariance=np.array([[0.6]]), memory=memory[:, None])
    found = step(data, channel_of("z1 + xi").at(y), state)
    g = (y - (x @ w - memory * 0.6)) / 1.6
    a = 30 / 20 / 1.6
    assert found.slope[0, 0] == pytest.approx(a, rel=1e-9)
    assert found.state.covariance[0, 0] == pytest.approx(1 / (1 + a), rel=1e-9)
    assert found.state.weights[:, 0] == pytest.approx((x.T @ g / 20 + w * a) / (1 + a), rel=1e-8)


def test_linear_channel_is_ridge():
    """For y = z1 + xi the fixed point is the posterior mean, ridge regression with lambda = d."""
    x, _, teacher = sampled("z1", 2, 150, 0)
    y = x @ teacher[:, 0] + np.random.default_rng(1).normal(size=len(x))
    found = AMP("z1 + xi").run(x, y, tolerance=1e-10)
    ridge = np.linalg.solve(x.T @ x + 150 * np.eye(150), x.T @ y)
    assert np.linalg.norm(found.estimate[:, 0] - ridge) < 0.02 * np.linalg.norm(ridge)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("text", "alpha", "d", "seeds"),
    [("sign(z1)", 1, 500, 10), ("sign(z1)", 3, 500, 10), ("He3(z1)", 0.5, 800, 10)],
)
def test_overlap_is_that_of_state_evolution(text, alpha, d, seeds):
    """Within 4 standard errors and 0.01 for the finite size."""
    theory = float(StateEvolution(text).solve(alpha=alpha).overlap[0, 0])
    found = runs(text, alpha, d, seeds)
    overlaps = np.array([r.overlap for r in found])
    assert all(r.status == "converged" for r in found)
    assert abs(overlaps.mean() - theory) < 4 * overlaps.std(ddof=1) / seeds**0.5 + 0.01


def test_nishimori_identities():
    """M ~ I - C ~ |W^|^2, and alpha <-dg> ~ alpha <g g^T>, at a Bayes-optimal fixed point."""
    found = runs("sign(z1)", 3, 600, 8)
    expected = np.mean([r.expected_overlaps[-1] for r in found])
    assert np.mean([r.overlap for r in found]) == pytest.approx(expected, abs=0.01)
    assert np.mean([r.overlap_matrix[0, 0] for r in found]) == pytest.approx(expected, abs=0.015)
    assert np.mean([r.estimate.T @ r.estimate for r in found]) == pytest.approx(expected, abs=0.015)
    ratios = np.array([r.square[0, 0] / r.slope[0, 0] for r in found])  # g^2 has heavy tails
    assert abs(ratios.mean() - 1) < 4 * ratios.std(ddof=1) / len(found) ** 0.5 + 0.02


@pytest.mark.slow
def test_exact_recovery_of_phase_retrieval():
    """z1**2 at alpha = 1.3 from m0 = 0.3: 97% of runs at d = 500 are exact; fewer than 17 of 20: 2e-4."""
    found = runs("z1**2", 1.3, 500, 20, start="informed", max_steps=150)
    assert sum(r.overlap > 0.99 for r in found) >= 17


def test_below_the_threshold_an_informed_start_is_lost():
    found = runs("z1**2", 0.35, 500, 6, start="informed", max_steps=100)
    assert np.mean([r.overlap for r in found]) < 0.08  # state evolution: 0


def test_spectral_start_needs_no_teacher():
    x, y, teacher = sampled("z1**2", 2, 400, 3)
    found = AMP("z1**2").run(x, y, start="spectral")
    assert found.overlaps is None and found.overlap is None and found.overlap_matrix is None
    assert abs(found.estimate[:, 0] @ teacher[:, 0]) > 0.999
    assert found.status == "converged"


def test_two_directions():
    """sign(z1*z2) at alpha = 6 from the spectral start; state evolution: 0.896925."""
    x, y, teacher = sampled("sign(z1*z2)", 6, 400, 0)
    options = {"start": "spectral", "damping": 0.2, "damping_steps": 15, "tolerance": 1e-4}
    found = AMP("sign(z1*z2)").run(x, y, teacher=teacher, **options)
    assert found.overlaps.shape == (found.iterations + 1, 2)
    assert found.overlap == pytest.approx(0.896925, abs=0.05)
    assert found.expected_overlaps[-1] == pytest.approx(found.overlap, abs=0.05)
    aligned = np.abs(found.overlap_matrix)  # a signed permutation: z1 and z2 are not told apart
    assert max(np.trace(aligned), np.trace(aligned[::-1])) / 2 == pytest.approx(0.9, abs=0.06)


def test_coordinates_that_do_not_enter():
    """z2**2 has one direction: the estimate of z1 stays 0 and its variance 1."""
    x, _, teacher = sampled("z1", 2, 300, 3)
    both = np.hstack([np.roll(teacher, 7, axis=0), teacher])
    found = AMP("z2**2").run(x, (x @ teacher[:, 0]) ** 2, teacher=both, start="spectral")
    assert found.directions.tolist() == [[0, 1]]
    assert not found.estimate[:, 0].any() and found.covariance[0, 0] == 1
    assert found.overlap > 0.99 and found.overlaps.ndim == 1


def test_rotated_target():
    """The estimate stands in the z of the user: a kink of z1 + z2."""
    x, _, teacher = sampled("z1*z2", 2, 400, 3)
    z = x @ teacher
    found = AMP("sign(z1 + z2)").run(x, np.sign(z[:, 0] + z[:, 1]), teacher=teacher)
    ahead = (teacher[:, 0] + teacher[:, 1]) / 2**0.5
    assert found.estimate[:, 0] == pytest.approx(found.estimate[:, 1])
    assert abs(found.estimate[:, 0] @ ahead) > 0.4
    assert found.overlap == pytest.approx(0.7283, abs=0.08)  # sign(z) at alpha = 2


def test_results_are_reproducible_and_frozen(one):
    x, y, teacher, first = one
    second = AMP("sign(z1)").run(x, y, teacher=teacher)
    assert np.array_equal(first.estimate, second.estimate)
    with pytest.raises(ValueError, match="read-only"):
        first.estimate[0] = 1
    with pytest.raises(AttributeError):
        first.status = None


def test_path_and_document(one):
    *_, found = one
    assert len(found.overlaps) == len(found.expected_overlaps) == found.iterations + 1
    assert found.covariances.shape == (found.iterations + 1, 1, 1)
    assert found.residual == found.residuals[-1] <= 1e-6
    assert found.impossible == 0
    found.raise_unless_converged()
    document = found.to_dict()
    (row,) = document["results"]
    assert row["overlap"] == found.overlap and row["status"] == "converged"
    assert row["rule"] == "quadrature"
    assert document["parameters"]["alpha"] == 3 and document["parameters"]["damping"] == 0
    axes = found.plot()
    assert axes.get_xlabel() == "iteration" and len(axes.lines) == 2
    assert "1010.5141" in found.cite()


def test_steps_end():
    x, y, _ = sampled("sign(z1)", 2, 200, 0)
    found = AMP("sign(z1)").run(x, y, max_steps=2)
    assert found.status == "max_steps_reached" and found.iterations == 2
    with pytest.raises(ConvergenceError, match="amp: max_steps_reached"):
        found.raise_unless_converged()


def test_divergence_keeps_the_last_state():
    """Moments that are not numbers end the run, with the state before."""

    class Broken:
        def __call__(self, omega, variance):
            n, q = omega.shape
            return Moments(np.zeros(n), np.full((n, q), np.nan), np.full((n, q, q), np.nan))

    data = Data.of(np.eye(4), np.ones(4))
    start = State(weights=np.full((4, 2), 0.1), covariance=np.eye(2), memory=np.zeros((4, 2)))
    seen = []
    found = iterate(
        data, Broken(), start, damping=0.0, damping_steps=1, tolerance=1e-6, max_steps=5, watch=seen.append
    )
    assert found.status == "diverged" and found.state is start and seen == [start]
    assert np.isnan(found.residuals).tolist() == [True] and len(found.covariances) == 1


@pytest.mark.parametrize("seed", [20, 29])
def test_an_atom_far_from_what_is_believed_is_possible(seed):
    """Its mass underflows on the way of these runs: its moments are numbers, and no label is left out."""
    x, y, teacher = sampled("relu(z1)-1", 2, 20, seed)
    found = AMP("relu(z1)-1").run(x, y, teacher=teacher, seed=seed)
    assert np.isfinite(found.residuals).all() and found.impossible == 0


def test_damping_keeps_the_fixed_point(one):
    x, y, teacher, plain = one
    damped = AMP("sign(z1)").run(x, y, teacher=teacher, damping=0.2, max_steps=400)
    assert damped.parameters["damping"] == 0.2 and damped.iterations > plain.iterations
    assert damped.overlap == pytest.approx(plain.overlap, abs=0.01)
    first = AMP("sign(z1)").run(x, y, teacher=teacher, damping=0.2, damping_steps=5)
    assert first.parameters["damping_steps"] == 5
    assert first.overlap == pytest.approx(plain.overlap, abs=1e-5)


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
@pytest.mark.parametrize("start", ["uninformed", "spectral"])
def test_other_array_libraries(library, start):
    xp = pytest.importorskip(library)
    x, y, teacher = sampled("z1**2", 2, 200, 3)
    options = {"teacher": teacher, "start": start, "max_steps": 15}
    here = AMP("z1**2").run(x, y, **options)
    there = AMP("z1**2").run(xp.asarray(x), xp.asarray(y), **options)
    assert there.estimate == pytest.approx(here.estimate, abs=1e-6)


X = np.random.default_rng(0).normal(size=(60, 40))
Y = np.sign(X[:, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": X[0]}, r"x has the shape \(40,\): \(n, d\) is accepted"),
        ({"x": np.zeros((10, 5)), "y": np.ones(10)}, r"the entries of x have the mean square 0: inputs x"),
        ({"x": X / 40**0.5}, r"the entries of x have the mean square 0.0\d+: inputs x ~ N\(0, I_d\)"),
        ({"x": X * np.nan}, "entries that are no finite numbers"),
        ({"y": Y[:-1]}, r"y has the shape \(59,\): \(60,\) is accepted"),
        ({"y": Y / 2}, r"y\[0\] is -?0.5; the target takes the values -1, 1"),
        ({"start": "warm"}, "start is 'warm'; accepted: uninformed, informed, spectral"),
        ({"start": "informed"}, "start is 'informed' without a teacher"),
        ({"start_overlap": 1.5}, "start_overlap is 1.5; accepted: 0 < start_overlap < 1"),
        ({"max_steps": 0}, "max_steps is 0; accepted: integers >= 1"),
        ({"tolerance": 0.0}, "tolerance is 0; accepted: finite numbers tolerance > 0"),
        ({"damping": 0.1, "damping_steps": 0}, "damping_steps is 0; accepted: integers >= 1"),
        ({"damping": 1.0}, "damping is 1.0; accepted: 0 <= damping < 1"),
        ({"teacher": np.ones((40, 2))}, r"the teacher has the shape \(40, 2\): \(40, 1\) is accepted"),
        ({"teacher": np.zeros(40)}, "columns are not independent"),
        ({"normals": np.ones((3, 1))}, r"normals has the shape \(3, 1\): \(40, 1\) is accepted"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        AMP("sign(z1)").run(**({"x": X, "y": Y} | arguments))


def test_bad_time():
    with pytest.raises(InputError, match="seconds is 0; a number > 0 is accepted"):
        AMP("sign(z1)", seconds=0)


def test_principal_overlaps():
    """Rotations of either side change nothing; an estimate of lower rank has zeros."""
    rng = np.random.default_rng(2)
    w, v = rng.normal(size=(9, 2)), rng.normal(size=(9, 2))
    root = rng.normal(size=(2, 2))
    plain = principal_overlaps(w.T @ w, w.T @ v, v.T @ v)
    moved = principal_overlaps(root.T @ w.T @ w @ root, root.T @ w.T @ v, v.T @ v)
    assert moved == pytest.approx(plain, abs=1e-10)
    flat = w[:, :1] @ np.ones((1, 2))
    assert principal_overlaps(flat.T @ flat, flat.T @ v, v.T @ v)[1] == pytest.approx(0, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "alpha", "d", "options"),
    [
        ("sign(z1)", 3, 2000, {}),
        ("He3(z1)", 1, 2000, {}),
        ("sign(z1*z2)", 5, 1000, {"start": "spectral", "damping": 0.2, "damping_steps": 20}),
    ],
)
def test_large_dimension(text, alpha, d, options):
    """4 seeds: within 4 standard errors and 5/d; the seeds are fixed."""
    theory = np.linalg.eigvalsh(StateEvolution(text).solve(alpha=alpha).overlap)[-1]
    overlaps = [np.mean(r.overlap) for r in runs(text, alpha, d, 4, tolerance=1e-3, **options)]
    assert abs(np.mean(overlaps) - theory) < 4 * np.std(overlaps, ddof=1) / 2 + 5 / d


@pytest.mark.slow
def test_level_curves():
    """max(z1,z2) - z3 at alpha = 1.5: two overlaps, by state evolution 0.859083 and 0.200610."""
    found = runs("max(z1,z2) - z3", 1.5, 500, 8, tolerance=1e-3, max_steps=80)
    overlaps = np.array([r.overlap for r in found])
    errors = overlaps.std(axis=0, ddof=1) / len(found) ** 0.5
    assert np.all(np.abs(overlaps.mean(axis=0) - [0.859083, 0.200610]) < 4 * errors + 0.01)


def test_the_start_is_not_the_teacher_of_the_same_seed():
    """z1**2 below its threshold, and a teacher from default_rng(0): W^ began along it, with overlap 1."""
    teacher = np.random.default_rng(0).standard_normal(400)
    teacher /= np.linalg.norm(teacher)
    x = np.random.default_rng(1).standard_normal((160, 400))
    run = AMP("z1**2").run(x, (x @ teacher) ** 2, teacher=teacher, seed=0, max_steps=30)
    assert run.overlaps[0] < 0.05 and run.overlap < 0.3


@pytest.mark.slow
@pytest.mark.arrays
def test_coarse_moments_are_stated():
    """Solved along lines a label has an error that a run sees, and says where it is large."""
    x, y, teacher = sampled("tanh(z1*z2*z3)", 3, 50, 0)
    model = AMP("tanh(z1*z2*z3)")
    found = model.run(x, y, start="informed", teacher=teacher, start_overlap=0.5, max_steps=1)
    assert found.rule == "randomised quasi-Monte Carlo"
    c = np.linalg.inv(np.eye(3) + found.slope)
    assert found.moment_error == pytest.approx(np.linalg.eigvalsh(c @ found.noise @ c)[-1])
    assert 1e-5 < found.moment_error < 0.01 and found.remarks == ()
    assert replace(found, moment_error=0.02).remarks == (
        "the moments of single labels are coarse: their errors put 0.02 into the squared length of the "
        "estimate, and overlaps fall short of what is expected by about as much",
    )


@pytest.mark.slow
def test_a_product_beside_a_coordinate():
    """State evolution at alpha = 6: (0.9275, 0.8986, 0.8986); at d = 400 within 0.03 of it, for two seeds."""
    text = "z1+z2*z3+xi/2"
    theory = np.linalg.eigvalsh(StateEvolution(text).solve(alpha=6).overlap)[::-1]
    for seed in range(2):
        x, y, teacher = sampled(text, 6, 400, seed)
        y = y + 0.5 * np.random.default_rng([seed, 1]).normal(size=len(y))
        options = {"teacher": teacher, "damping": 0.3, "tolerance": 1e-3, "seed": seed}
        found = AMP(text).run(x, y, start="informed", **options)
        assert str(found.status) == "converged" and found.rule == "quadrature"
        assert found.moment_error < 1e-9 and found.remarks == ()
        assert found.overlap == pytest.approx(theory, abs=0.03)
        assert found.expected_overlap == pytest.approx(theory, abs=0.03)
