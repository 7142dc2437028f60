"""Later thresholds against integrals of their own: labels of three, noise, flat parts, open steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import erfinv, k0, k1, ndtr

from hermite_analytics import Evidence, Target, grand_staircase, weak_recovery
from hermite_analytics.label.thresholds.estimated_steps import estimated_steps

MEDIAN = "z1+z2+z3-max(z1,z2,z3)-min(z1,z2,z3)"


def gauss(low, high, nodes):
    """Gauss and Legendre's rule."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    return (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * w


def stages(text, **options):
    return weak_recovery(text, **options).stages


def normal_density(x):
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def tail(x):
    return 2 * ndtr(-x)


def order_statistic(kind):
    """(u, its weights, E[|w|^2 | u]/2 - 1) of the label minus the mean of three, u sqrt(2/3).

    One of the three is u sqrt(2/3) above the mean, the two others v sqrt(2) apart: it is the median where
    |v| > sqrt(3) |u|, the largest where |v| < sqrt(3) u. G = a I, as the exchanges act irreducibly on w.
    """
    u, weights = (np.concatenate(x) for x in zip(gauss(-8, 0, 120), gauss(0, 8, 120), strict=True))
    half = math.sqrt(3) * np.abs(u)
    if kind == "median":
        mass, slope = tail(half), 2 * half * normal_density(half)
    else:
        mass, slope = np.where(u > 0, 1 - tail(half), 0.0), -2 * half * normal_density(half) * (u > 0)
    square = 1 + np.divide(slope, mass, out=np.zeros_like(u), where=mass > 0)
    return u, weights * 3 * normal_density(u) * mass, (u * u + square) / 2 - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (MEDIAN, "median"),
        *(
            pytest.param(text, "median", marks=[pytest.mark.slow, pytest.mark.draws(2, spread=True)])
            for text in ("max(min(z1,z2),min(max(z1,z2),z3))", "max(min(z1,z2),min(z2,z3),min(z1,z3))")
        ),
        ("max(z1,z2,z3)", "largest"),
    ],
)
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_order_statistics_of_three(text, kind, noise):
    u, p, a = order_statistic(kind)
    if noise:
        y, weights = gauss(-14, 14, 300)
        density = normal_density((y[:, None] - math.sqrt(2 / 3) * u) / noise) / noise
        expected = weights @ ((density @ (p * a)) ** 2 / (density @ p))
    else:
        expected = p @ a**2
    first, second = stages(text + "+xi" * bool(noise))
    assert (first.dimension, second.dimension, str(first.alpha_c)) == (1, 2, "0")
    assert float(second.alpha_c) == pytest.approx(1 / expected, rel=1e-9)
    assert second.alpha_c.error < 1e-10 * float(second.alpha_c)
    assert (first.alpha_c.evidence, second.alpha_c.evidence) == (Evidence.EXACT, Evidence.ESTIMATED)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_product_of_three_steps(noise):
    """Given the sum w is in a triangle of inradius s/sqrt(2): p and E[|w|^2/2 - 1; y = 1] in polar form."""
    s, weights = gauss(0, 9, 200)
    theta, angles = gauss(0, math.pi / 3, 60)
    square = (s[:, None] / np.cos(theta)) ** 2 / 4
    p = 3 / math.pi * -np.expm1(-square) @ angles
    q = -3 / math.pi * (square * np.exp(-square)) @ angles
    if noise:
        y, steps = gauss(-9, 10, 300)
        up, down = (normal_density((y - v) / noise) / noise for v in (1, 0))
        mixed = p[:, None] * up + (1 - p)[:, None] * down
        given = (q[:, None] * (up - down)) ** 2 / mixed @ steps
    else:
        given = q**2 / (p * (1 - p))
    expected = (weights * normal_density(s)) @ given
    second = stages("step(z1)*step(z2)*step(z3)" + "+xi" * bool(noise))[1].alpha_c
    assert float(second) == pytest.approx(1 / expected, abs=second.error)
    assert second.error < 2e-6 * float(second)


@pytest.mark.parametrize(
    ("text", "label", "tolerance", "error"),
    [
        ("relu(z1)+relu(z2)+relu(z3)", lambda z: np.maximum(z, 0).sum(1), 1e-3, 1e-6),
        pytest.param(
            "tanh(z1)+tanh(z2)+tanh(z3)",
            lambda z: np.tanh(z).sum(1),
            1e-4,
            1e-4,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "relu(z1)*relu(z2)*relu(z3)",
            lambda z: np.maximum(z, 0).prod(1),
            2e-4,
            1e-4,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_symmetric_labels_of_three_with_noise(text, label, tolerance, error):
    """On a grid in w for each value of the sum: kinks leave about 1e-4, a smooth label nothing."""
    grid = np.linspace(-6, 6, 81)
    w = np.stack(np.meshgrid(grid, grid, indexing="ij"), -1).reshape(-1, 2)
    weights = normal_density(w[:, 0]) * normal_density(w[:, 1]) * (grid[1] - grid[0]) ** 2
    axes = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    features = np.stack([weights, weights * ((w**2).sum(1) / 2 - 1)], 1)
    expected = 0.0
    for s, mass in zip(*gauss(-5, 5, 24), strict=True):
        g = label(w @ axes + s / math.sqrt(3))
        y, steps = gauss(g.min() - 7, g.max() + 7, 70 + int(3 * np.ptp(g)))
        p, a = (normal_density(y[:, None] - g) @ features).T
        expected += mass * normal_density(s) * (steps @ (a**2 / np.maximum(p, 1e-300)))
    second = stages(text + "+xi")[1].alpha_c
    assert float(second) == pytest.approx(1 / expected, rel=tolerance)
    assert second.error < error * float(second)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["relu(z2-z1**2)+relu(z1)", "relu(z2-z1**2)+relu(z1)+xi", "relu(z2-z1**2)+z1", "relu(z1+z2**2)*step(z2)"],
)
def test_partly_flat_labels_whose_directions_are_found_at_once(text):
    found = weak_recovery(text)
    assert [(s.dimension, str(s.alpha_c)) for s in found.stages] == [(2, "0")]
    assert (found.staircase.evidence, found.staircase.orders) == (Evidence.PROVED, (1,))


@pytest.mark.slow
def test_the_smaller_of_a_product_and_a_coordinate():
    """Given z3 = x the label is z1*z2 below x, an atom above; G is diagonal in (z1 +- z2)/sqrt(2)."""

    def parts(low, high):
        r, w = gauss(0, 1, 60)
        t, w = low + (high - low) * r**3, (high - low) * 3 * r**2 * w  # log|t| at 0
        size = np.abs(t) * k1(np.abs(t)) / k0(np.abs(t))
        return w * k0(np.abs(t)) / math.pi, np.stack([size + t - 1, size - t - 1])

    expected = np.zeros(2)
    for low, high in ((-7, 0), (0, 7)):
        for x, mass in zip(*gauss(low, high, 120), strict=True):
            far = -math.copysign(60, x)
            inside = [parts(0, x), parts(0, far)]
            beyond = parts(x, math.copysign(60, x))
            below, above = (inside, [beyond]) if x > 0 else ([beyond], inside)
            known = sum(np.abs(p) @ (g**2).T for p, g in below)
            p = sum(np.abs(p).sum() for p, _ in above)
            rest = sum(np.abs(p) @ g.T for p, g in above)
            expected += mass * normal_density(x) * (known + rest**2 / p)
    second = stages("min(z1*z2,z3)", seconds=20)[1].alpha_c
    assert float(second) == pytest.approx(1 / expected.max(), abs=second.error)
    assert second.error < 0.05 * float(second)


def test_four_relus_from_samples():
    """Given their sum G = a I: 300 values of it with 4000 samples in bins of 40, which err by about 1 %."""
    rng = np.random.default_rng(3)
    z = rng.standard_normal((300, 4000, 4))
    z -= z.mean(2, keepdims=True)
    s = np.sqrt(2) * erfinv((2 * np.arange(300) + 1) / 300 - 1)
    y = np.maximum(z + s[:, None, None] / 2, 0).sum(2)
    order = np.argsort(y, axis=1)
    a = np.take_along_axis((z**2).sum(2) / 3 - 1, order, 1).reshape(300, -1, 40)
    expected = (a.mean(2) ** 2 - a.var(2, ddof=1) / 40).mean()
    first, second = stages("relu(z1)+relu(z2)+relu(z3)+relu(z4)")
    assert (first.dimension, second.dimension) == (1, 3)
    assert float(second.alpha_c) == pytest.approx(1 / expected, rel=0.03)
    assert second.alpha_c.error < 0.05 * float(second.alpha_c)
    assert second.alpha_c.evidence is Evidence.ESTIMATED


@pytest.mark.slow
def test_an_open_staircase_goes_on_with_estimates():
    """The bound of each step is proved, that it is filled is not: nothing of it is called exact or proved."""
    text = "relu(z2-z1**2)+relu(z3)"
    found = weak_recovery(text, seconds=60, staircase=grand_staircase(text, seconds=0.02))  # too short
    x, weights = gauss(0, 8, 200)
    root = np.sqrt(x)
    rules = [gauss(-r, r, 60) for r in root]
    inside = np.array([w @ ((v**2 - 1) ** 2 * normal_density(v)) for v, w in rules])
    beside = (2 * root * normal_density(root)) ** 2 / tail(root)
    expected = (weights * normal_density(x)) @ (inside + beside)
    assert found.staircase.evidence is Evidence.UNDECIDED
    assert found.staircase.limit_dimension is None
    assert [s.dimension for s in found.stages] == [2, 1]
    assert [float(s.alpha_c) for s in found.stages] == [0, pytest.approx(1 / expected, rel=1e-6)]
    for stage in found.stages:
        assert stage.alpha_c.evidence is Evidence.ESTIMATED
        assert (stage.alpha_c.exact, stage.alpha_c.zero) == (None, None)
        assert "directions estimated: at most these" in stage.reason
    assert (found.trivial, found.easy, found.hard) == (None, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "sin(pi*(step(z1) + step(z2)))",
        "sin(pi*floor(z1))",
        "tanh(2*z1) - 2*tanh(z1)/(1 + tanh(z1)**2)",
        "log(cosh(z1)) - abs(z1) - log((1 + exp(-2*abs(z1)))/2)",
    ],
)
def test_rounding_shows_no_direction(text):
    """All four are 0: what floating point finds of them depends on z, in some hundred values of 1e-16."""
    assert estimated_steps(Target(text), [], seconds=20) == []


def test_the_label_times_a_small_number_is_a_label():
    """Scale decides nothing: 1e-20 z1^2 is seen, as a sum that rounds to it is not."""
    [step] = estimated_steps(Target("z1**2/10**20"), [], seconds=20)
    assert (step.order, step.after.dimension) == (2, 1)
