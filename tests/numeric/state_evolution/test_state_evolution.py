"""State evolution: table of fixed points, thresholds, errors, statuses and error texts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from hermite_analytics.errors import ConvergenceError, InputError, UnsupportedExpression
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.status import Status

# overlaps reached from small m, by an independent program (absolute tolerance 1e-5)
TABLE = {
    "z1**2": {0.45: 0, 0.55: 0.023142, 0.6: 0.051820, 0.7: 0.124120, 0.8: 0.216227, 0.9: 0.330773}
    | {1.0: 0.476264, 1.05: 0.568449, 1.1: 0.690788, 1.12: 0.766734, 1.13: 1},
    "abs(z1)": {0.45: 0, 0.6: 0.051820, 1.12: 0.766734, 1.2: 1},
    "sign(z1)": {0.5: 0.280326, 1: 0.486264, 2: 0.728298, 3: 0.842606, 5: 0.932064, 10: 0.981378},
    "z1**3 - 3*z1": {0.1: 0.065535, 0.3: 0.189515, 0.5: 0.305886, 0.7: 0.418268, 0.9: 0.533279}
    | {1.0: 0.596567, 1.1: 0.672181, 1.2: 1},
    "sign(z1*z2)": {2.4: 0, 2.5: 0.013362, 2.6: 0.056054, 2.8: 0.147289, 3: 0.242706, 3.5: 0.470760}
    | {4: 0.643841, 5: 0.823537, 6: 0.896925},
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", TABLE)
def test_table_of_fixed_points(text):
    solution = StateEvolution(text).solve(alpha=list(TABLE[text]))
    found = np.linalg.eigvalsh(solution.overlap)
    np.testing.assert_allclose(found, np.array(list(TABLE[text].values()))[:, None] + 0 * found, atol=1e-5)
    assert set(solution.status) == {Status.CONVERGED}
    assert np.all(solution.residual < 1e-12) and np.all(solution.numerical_error < 1e-5)


@pytest.mark.slow
def test_staircase_target():
    alpha = [0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.3, 2.0, 3.0, 4.0]
    first = [0, 0.00924, 0.05682, 0.11848, 0.27940, 0.49322, 0.62914, 1, 1, 1]
    later = [0] * 8 + [0.242706, 0.643841]
    solution = StateEvolution("z1**2 + sign(z1*z2*z3)").solve(alpha=alpha)
    diagonal = np.diagonal(solution.overlap, axis1=1, axis2=2)
    np.testing.assert_allclose(diagonal, np.array([first, later, later]).T, atol=1e-5)
    # E f^2 = 4 and E f = 1; once z1 is known the rest is the problem sign(z2*z3)
    assert solution.test_error[0] == pytest.approx(3, abs=1e-12)
    assert solution.test_error[-1] == pytest.approx(StateEvolution("sign(z1*z2)").solve(alpha=4.0).test_error)


def test_label_with_a_limit_at_infinity():
    """Labels just below 0 have a preimage near 0 and one far to the left, which leaves as y -> 0-."""

    def value(z):
        return z * math.erfc(-z / math.sqrt(2)) / 2

    def slope(z):
        return math.erfc(-z / math.sqrt(2)) / 2 + z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    least = brentq(slope, -3, -0.2)

    def square_of_the_mean(z):  # E[z | y]^2 p(y) dy/dz on the branch right of the minimum
        far = brentq(lambda u: value(u) - value(z), -30, least, xtol=1e-13)
        p, q = (math.exp(-u * u / 2) / math.sqrt(2 * math.pi) / abs(slope(u)) for u in (z, far))
        return (p * z + q * far) ** 2 / (p + q) * abs(slope(z))

    first = 0.5 + quad(square_of_the_mean, least + 1e-9, -1e-7, limit=500, epsabs=1e-10)[0]
    solution = StateEvolution("gelu(z1)").solve(alpha=1e-7)  # m = alpha E[E[z | y]^2] + O(alpha^2)
    assert solution.overlap.item() / 1e-7 == pytest.approx(first, abs=1e-6)
    assert solution.numerical_error < 1e-12


def test_threshold_of_a_label_with_a_limit_at_infinity():
    # y = (z^2 - 1) exp(-z^2/2) -> 0 at infinity, a label also taken at z = 1; reference: quad over z
    model = StateEvolution("(z1**2 - 1)*exp(-z1**2/2)")
    assert model.weak_recovery() == pytest.approx(0.8406018745, abs=5e-9)
    assert model.curve().alpha[0] == pytest.approx(0.8406018745, abs=1e-6)


@pytest.mark.slow
def test_spinodals():
    found = StateEvolution("z1**2").thresholds()
    assert found.weak_recovery == pytest.approx(0.5, abs=1e-8)
    (jump,) = found.algorithmic_jumps
    assert jump == pytest.approx((1.128471, 0.8466, 1), abs=5e-5)
    assert found.equilibrium_jumps == ((1.0, pytest.approx(0.476264, abs=1e-5), 1.0),)
    assert found.exact_recovery == pytest.approx(1.128471, abs=1e-6)
    assert found.exact_recovery_information == 1
    assert found.to_dict()["exact_recovery_information"] == 1
    cubic = StateEvolution("z1**3 - 3*z1").thresholds()
    assert cubic.weak_recovery == 0
    assert cubic.algorithmic_jumps[0] == pytest.approx((1.194312, 0.8320, 1), abs=5e-5)
    first = StateEvolution("z1**2 + sign(z1*z2*z3)").thresholds()
    assert first.weak_recovery == pytest.approx(0.5751663523, abs=1e-8)
    assert first.exact_recovery == pytest.approx(1.40011, abs=1e-5)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("text", "alpha_c"),
    [
        ("sign(z1*z2)", math.pi**2 / 4),
        ("abs(z1) + xi", 1.7620599188),
        ("abs(z1) + xi/2", 0.7740222985),
        ("z1**4 - 5*z1**2 + 2", 0.6356906673),
        ("step(abs(z1) - 1) + step(abs(z1) - 2)", 0.6126285349),
        ("cos(z1)", 0.5090963826),
        ("sign(z1*z2) + xi", 4.4829195),
    ],
)
def test_weak_recovery_is_the_limit_of_small_overlaps(text, alpha_c):
    assert StateEvolution(text).thresholds().weak_recovery == pytest.approx(alpha_c, rel=2e-8)


def test_trivial_direction_of_a_cubic():
    model = StateEvolution("z1**3 - 3*z1")
    alpha = 1e-6
    assert model.solve(alpha=alpha).overlap[0, 0] / alpha == pytest.approx(0.6678316716, rel=1e-5)


@pytest.mark.slow
def test_unstable_branch_and_stability():
    curve = StateEvolution("z1**2").curve()
    assert [s.kind for s in curve.spinodals] == ["maximum"]
    assert curve.at_zero == pytest.approx(0.5, abs=1e-8) and curve.at_one == 1
    falling = ~curve.stable
    at = {1.05: 0.99183, 1.1: 0.95409, 1.12: 0.91214}
    found = np.interp(list(at), curve.alpha[falling][::-1], curve.overlap[falling][::-1])
    np.testing.assert_allclose(found, list(at.values()), atol=2e-3)
    points = StateEvolution("z1**2")._overlaps.only().fixed_points(1.1)
    assert [(round(p.overlap, 5), p.stable) for p in points] == [
        (0.0, False),
        (0.69079, True),
        (0.95409, False),
        (1.0, True),
    ]


@pytest.mark.slow
def test_informed_start():
    model = StateEvolution("z1**2")
    found = model.solve(alpha=[0.9, 1.05, 1.2], start="informed").overlap[:, 0, 0]
    np.testing.assert_allclose(found, [0.330773, 1, 1], atol=1e-5)
    both = [
        StateEvolution("sign(z1*z2)").solve(alpha=3.0, start=s).overlap[0, 0]
        for s in ("informed", "uninformed")
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-12)


@pytest.mark.slow
def test_label_without_second_order_information():
    """sign(z1 z2 z3): AMP never leaves m = 0, the equilibrium does, beyond a spinodal."""
    model = StateEvolution("sign(z1*z2*z3)")
    assert model.solve(alpha=100.0).overlap.max() == 0
    found = model.thresholds()
    assert found.weak_recovery == math.inf and found.algorithmic_jumps == ()
    ((alpha, before, after),) = found.equilibrium_jumps
    (spinodal,) = model.curve().spinodals
    assert spinodal.kind == "minimum" and before == 0 and after > spinodal.overlap and alpha > spinodal.alpha
    assert model._overlaps.only().free_entropy_difference(alpha, before, after) == pytest.approx(0, abs=1e-8)
    assert model.solve(alpha=alpha, start="informed").overlap[0, 0] == pytest.approx(after)


def test_free_entropy_is_that_of_the_label():
    """alpha (E log Z(m) - E log Z(0)) + (m + log(1 - m))/2, with E log Z by its own quadrature."""
    one = StateEvolution("sign(z1)")._overlaps.only()
    alpha, m = 2.0, 0.6
    t = np.linspace(-8, 8, 4001)
    p = 0.5 * (1 + np.vectorize(math.erf)(t * math.sqrt(m / (1 - m) / 2)))
    weights = np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi) * (t[1] - t[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.where((p > 0) & (p < 1), p * np.log(p) + (1 - p) * np.log1p(-p), 0.0)
    expected = alpha * (weights @ entropy + math.log(2)) + (m + math.log(1 - m)) / 2
    assert one.free_entropy_difference(alpha, 0.0, m) == pytest.approx(expected, abs=1e-10)


def test_error_of_the_posterior_mean():
    sign = StateEvolution("sign(z1)")
    solution = sign.solve(alpha=[1.0, 3.0])
    expected = 1 - 2 / math.pi * np.arcsin(solution.overlap[:, 0, 0])
    np.testing.assert_allclose(solution.test_error, expected, atol=1e-12)
    square = StateEvolution("z1**2").solve(alpha=[0.6, 1.0])
    np.testing.assert_allclose(square.test_error, 2 * (1 - square.overlap[:, 0, 0] ** 2), atol=1e-12)
    pair = StateEvolution("sign(z1*z2)").solve(alpha=4.0)
    assert pair.test_error == pytest.approx(1 - (2 / math.pi * math.asin(pair.overlap[0, 0])) ** 2, abs=1e-12)
    relu = StateEvolution("relu(z1)").solve(alpha=1.0)
    m = relu.overlap[0, 0]
    kernel = (math.sqrt(1 - m * m) + m * (math.pi - math.acos(m))) / (2 * math.pi)
    assert relu.test_error == pytest.approx(0.5 - kernel, abs=1e-12)


def test_mixed_label_needs_two_samples_a_dimension_for_exact_recovery():
    found = StateEvolution("relu(z1)").thresholds()
    assert found.exact_recovery == pytest.approx(2) and found.exact_recovery_information == pytest.approx(2)


@pytest.mark.slow
def test_label_flips_scale_the_channel():
    """sign(z1 + xi a): E over z of the soft label; more noise, less overlap; no noise is the limit."""
    overlap = [
        StateEvolution(f"sign(z1 + {a}*xi)").solve(alpha=2.0).overlap[0, 0] for a in ("1", "1/2", "1/100")
    ]
    assert overlap[0] < overlap[1] < overlap[2] < 0.7282982
    assert overlap[2] == pytest.approx(0.728298, abs=1e-3)


@pytest.mark.slow
def test_max_minus_z3():
    solution = StateEvolution("max(z1,z2) - z3").solve(alpha=[1.0, 2.0, 4.0])
    line, difference = np.array([1, 1, -2]) / math.sqrt(6), np.array([1, -1, 0]) / math.sqrt(2)
    along = np.array([[m @ v @ v for v in (line, difference)] for m in solution.overlap])
    np.testing.assert_allclose(along[0], [0.712514, 0], atol=1e-5)
    np.testing.assert_allclose(along[1], [0.970010, 0.866460], atol=1e-5)
    np.testing.assert_allclose(along[2], [1, 1])  # four labels for two directions
    assert solution.test_error[2] == 0
    assert solution.overlap[1] @ np.ones(3) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.slow
def test_max_minus_z3_finds_the_line_then_both():
    solution = StateEvolution("max(z1,z2) - z3").solve(alpha=[1.0, 4.0])
    assert np.linalg.eigvalsh(solution.overlap[0]) == pytest.approx([0, 0, 0.712514], abs=1e-5)
    assert np.linalg.eigvalsh(solution.overlap[1]) == pytest.approx([0, 1, 1])


@pytest.mark.slow
def test_noise_on_finitely_many_values():
    """Little noise is none: sign(z1*z2) at alpha = 4; one value of the noise is a box or a smooth channel."""
    found = StateEvolution("sign(z1*z2) + xi/10").solve(alpha=4.0)
    assert found.overlap[0, 0] == pytest.approx(0.643841, abs=1e-5)


def test_additive_form_of_linear_target():
    """y = z1 + xi: F = 1/(V + 1), m/(1 - m) = alpha/(2 - m)."""
    solution = StateEvolution("z1 + xi").solve(alpha=2.0)
    assert solution.overlap[0, 0] == pytest.approx(2 - math.sqrt(2), abs=1e-9)


@pytest.mark.draws(1)
@pytest.mark.slow
@pytest.mark.parametrize("overlaps", [(0.3, 0.3), (0.8, 0.4)])
def test_map_of_an_additive_form_by_sampling(overlaps):
    """F by 2e4 samples of (omega, y) with a rule of 1401 points inside; |z| < 5 standard errors (1e-6)."""
    from hermite_analytics.label.channel import channel_of
    from hermite_analytics.numeric.bayes.maps.overlap_map import map_of

    found = np.diag(map_of(channel_of("z1 + abs(z2)"))[0].at(np.diag(overlaps)))
    rng = np.random.default_rng(7)
    m = np.array(overlaps)
    n = 20_000
    omega = np.sqrt(m)[:, None] * rng.standard_normal((2, n))
    z = omega + np.sqrt(1 - m)[:, None] * rng.standard_normal((2, n))
    y = z[0] + np.abs(z[1])
    w = np.linspace(-7, 7, 1401)
    p = np.exp(-0.5 * (w - omega[1][:, None]) ** 2 / (1 - m[1]))
    p *= np.exp(-0.5 * (y[:, None] - np.abs(w) - omega[0][:, None]) ** 2 / (1 - m[0]))
    p /= p.sum(1, keepdims=True)
    g_w = (p @ w - omega[1]) / (1 - m[1])
    g_l = (y - p @ np.abs(w) - omega[0]) / (1 - m[0])
    for value, g in zip(found, (g_l, g_w), strict=True):
        assert abs(np.mean(g**2) - value) < 5 * np.std(g**2) / math.sqrt(n)


def test_shapes_records_and_scalars():
    model = StateEvolution("sign(z1)")
    grid = model.solve(alpha=[[0.5, 1.0], [2.0, 3.0]])
    assert grid.overlap.shape == (2, 2, 1, 1) and grid.test_error.shape == (2, 2)
    assert not grid.overlap.flags.writeable
    one = model.solve(alpha=1.0)
    assert one.overlap.shape == (1, 1) and isinstance(one.test_error, float)
    assert one.status is Status.CONVERGED
    (row,) = one.to_dict()["results"]
    assert row["alpha"] == 1 and row["start"] == "uninformed" and len(row["overlap"]) == 1
    assert "1708.03395" in one.cite()


@pytest.mark.parametrize("text", ["5", "xi", "xi*sign(z1)", "sign(z1)**2"])
def test_label_that_says_nothing(text):
    model = StateEvolution(text)
    assert model.weak_recovery() == math.inf
    with pytest.raises(InputError, match="do not depend on z"):
        model.solve(alpha=3.0)


def test_infinite_second_moment():
    assert StateEvolution("exp(z1**2/4)").solve(alpha=0.6).test_error == math.inf


@pytest.mark.slow
def test_error_that_does_not_split():
    """E (f(z) - f(z'))^2/2 over 2e5 samples; |z| < 5 standard errors (1e-6)."""
    solution = StateEvolution("tanh(z1 + abs(z2))").solve(alpha=0.5)
    assert solution.status is Status.CONVERGED
    rng = np.random.default_rng(3)
    z = rng.standard_normal((200_000, 2))
    m = np.diag(solution.overlap)
    other = m * z + np.sqrt(1 - m * m) * rng.standard_normal(z.shape)
    f, g = (np.tanh(x[:, 0] + np.abs(x[:, 1])) for x in (z, other))
    half = 0.5 * (f - g) ** 2
    assert abs(half.mean() - solution.test_error) < 5 * half.std() / math.sqrt(len(z))


@pytest.mark.slow
def test_max_steps_is_reported():
    solution = StateEvolution("max(z1,z2) - z3").solve(alpha=1.0, max_steps=3)
    assert solution.status is Status.MAX_STEPS_REACHED and np.isnan(solution.overlap).all()
    with pytest.raises(ConvergenceError, match="point 0 of state-evolution: max_steps_reached"):
        StateEvolution("max(z1,z2) - z3").solve(alpha=1.0, max_steps=3, throw=True)


def test_plots():
    import matplotlib

    matplotlib.use("Agg")
    model = StateEvolution("z1**2")
    assert model.solve(alpha=[0.4, 0.8]).plot().get_xlabel() == r"$\alpha = n/d$"
    assert model.curve().plot().get_ylabel() == "overlap"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"alpha": 0.0}, "alpha is 0; accepted: finite numbers alpha > 0"),
        ({"alpha": 1.0, "start": "cold"}, "start is 'cold'; accepted: uninformed, informed"),
        ({"alpha": 1.0, "max_steps": 0}, "max_steps is 0; accepted: integers >= 1"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        StateEvolution("sign(z1)").solve(**arguments)


@pytest.mark.slow
def test_what_is_refused_says_why():
    with pytest.raises(UnsupportedExpression, match=r"at alpha = 0.7 several overlaps of z1 \+ sign"):
        StateEvolution("z1 + sign(z2) + sign(z3) + sign(z4)").solve(alpha=0.7)
    with pytest.raises(UnsupportedExpression, match="has 2 overlaps; curve"):
        StateEvolution("max(z1,z2) - z3").thresholds()
    with pytest.raises(InputError, match="seconds is 0; a number > 0 is accepted"):
        StateEvolution("z1", seconds=0)
