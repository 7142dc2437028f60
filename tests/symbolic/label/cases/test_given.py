"""Labels that are linear once some coordinates are given, against quadratures that know nothing of it."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.label.cases.given.form import given_form
from hermite_analytics.label.cases.sampled.solved import SolvedLabels, solved_channel
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.symbols import variable

VARIANCES = (1.0, 0.8, 0.3, 0.05)
SMOOTH = {  # label: (value, standard deviation of its noise)
    "z1+z2*z3+xi/2": (lambda z: z[0] + z[1] * z[2], 0.5),
    "tanh(z1+z2*z3)+xi/2": (lambda z: np.tanh(z[0] + z[1] * z[2]), 0.5),
}
NODES = {"z1+z2*z3+xi/2": 161, "tanh(z1+z2*z3)+xi/2": 161, "z1*z2*z3*z4+xi/5": 49}


def averages(log_p, w, omega, v):
    """(log Z, g, -dg) of weighted points: V = v I."""
    top = log_p.max()
    p = np.exp(log_p - top)
    total = p.sum()
    x = np.stack([np.broadcast_to(c, p.shape).ravel() for c in w]) - omega[:, None]
    p = p.ravel() / total
    mean = x @ p
    covariance = (x * p) @ x.T - np.outer(mean, mean)
    return np.log(total) + top, mean / v, np.eye(len(omega)) / v - covariance / v**2


def on_a_grid(value, deviation, y, omega, v, count):
    """The trapezoid rule over all coordinates: nothing is done in closed form."""
    x = np.linspace(-7.0, 7.0, count)
    axes = np.meshgrid(*[x] * len(omega), indexing="ij", sparse=True)
    w = [o + np.sqrt(v) * a for o, a in zip(omega, axes, strict=True)]
    rest = (y - value(w)) / deviation
    log_p = -0.5 * (sum(a * a for a in axes) + rest * rest) - np.log(deviation)
    log_p += len(omega) * np.log(x[1] - x[0]) - 0.5 * (len(omega) + 1) * np.log(2 * np.pi)
    return averages(log_p, w, omega, v)


def of_a_product(y, omega, v, count=700):
    """z1 z2 z3 = y by nodes of z1 and z2 that are dense at 0, where z3 = y/(z1 z2) is large."""
    deviation, small = np.sqrt(v), 1e-6

    def nodes(centre):
        ends = np.arcsinh((centre + np.array([-9.0, 9.0]) * deviation) / small)
        t = np.linspace(*ends, count)
        return small * np.sinh(t), small * np.cosh(t) * (t[1] - t[0])

    (a, da), (b, db) = (nodes(o) for o in omega[:2])
    a, b = a[:, None], b[None, :]
    c = y / (a * b)
    square = sum(((z - o) / deviation) ** 2 for z, o in zip((a, b, c), omega, strict=True))
    log_p = -0.5 * square - 3 * np.log(deviation * np.sqrt(2 * np.pi)) - np.log(np.abs(a * b))
    return averages(log_p + np.log(da)[:, None] + np.log(db), (a, b, c), omega, v)


def drawn(label, q, v, n, deviation=0.0, seed=5):
    rng = np.random.default_rng(seed)
    omega = np.sqrt(1 - v) * rng.standard_normal((n, q))
    z = omega + np.sqrt(v) * rng.standard_normal((n, q))
    return label(z.T) + deviation * rng.standard_normal(n), omega


@pytest.mark.cases(2)
@pytest.mark.parametrize("v", VARIANCES)
@pytest.mark.parametrize("text", SMOOTH)
def test_smooth_labels_by_quadrature(text, v):
    """Within what is stated, and rounding."""
    value, deviation = SMOOTH[text]
    y, omega = drawn(value, 3, v, 3, deviation)
    at = channel_of(text).at(y)
    found, error, by_points = at.with_error(omega, v * np.eye(3))
    assert not by_points.any()
    assert np.abs(error).max() < 1e-3
    for i in range(3):
        log_z, g, minus_dg = on_a_grid(value, deviation, y[i], omega[i], v, NODES[text])
        assert found.log_z[i] == pytest.approx(log_z, abs=1e-6)
        assert found.g[i] == pytest.approx(g, abs=1e-5)
        assert found.minus_dg[i] == pytest.approx(minus_dg, abs=1e-4)


@pytest.mark.cases(2)
@pytest.mark.parametrize("v", VARIANCES)
def test_products_by_points(v):
    """Root mean squares over 20 labels: 3 % of a standard deviation, and three times what is stated.

    Stated are draws, of heavy tails where a label is small: one of them may be most of the sum.
    """
    y, omega = drawn(lambda z: z.prod(0), 3, v, 20)
    found, error, _ = channel_of("z1*z2*z3").at(y).with_error(omega, v * np.eye(3))
    known = [of_a_product(*pair, v) for pair in zip(y, omega, strict=True)]
    off = found.g - np.array([g for _, g, _ in known])
    size = np.sqrt(np.mean(off**2))
    assert size < 0.03 / np.sqrt(v)
    assert size < 3 * np.sqrt(np.mean(error**2))
    assert np.abs(found.log_z - [z for z, _, _ in known]).max() < 0.1
    slopes = found.minus_dg - np.array([s for _, _, s in known])
    assert np.sqrt(np.mean(slopes**2)) < 0.03 / v


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize("v", [0.8, 0.3])
def test_a_product_of_four_by_points(v):
    """The same with noise; the grid of four coordinates is of 49^4 nodes."""
    y, omega = drawn(lambda z: z.prod(0), 4, v, 3, 0.2)
    found, error, _ = channel_of("z1*z2*z3*z4+xi/5").at(y).with_error(omega, v * np.eye(4))
    for i in range(3):
        log_z, g, _ = on_a_grid(lambda w: w[0] * w[1] * w[2] * w[3], 0.2, y[i], omega[i], v, 49)
        assert found.log_z[i] == pytest.approx(log_z, abs=0.05)
        assert np.abs(found.g[i] - g).max() < 0.04 / np.sqrt(v)
    assert np.sqrt(v * np.mean(error**2)) < 0.02


def test_rare_labels():
    """More than ten standard deviations off: log Z and g, where lines through omega meet no such label."""
    omega = np.array([0.3, -0.2, 0.1])

    def density(y, v):
        def at(z2):
            variance = v * (1 + z2**2) + mpmath.mpf("0.25")
            normal = mpmath.npdf(y, omega[0] + z2 * omega[2], mpmath.sqrt(variance))
            return normal * mpmath.npdf(z2, omega[1], mpmath.sqrt(v))

        return mpmath.quad(at, mpmath.linspace(-12, 12, 49))

    found = channel_of("z1+z2*z3+xi/2").at(np.array([30.0]))(omega[None], 0.3 * np.eye(3))
    assert found.log_z[0] == pytest.approx(float(mpmath.log(density(30.0, 0.3))), abs=1e-6)
    y, omega, v = 8.0, np.array([0.1, 0.5, -0.2]), 0.2
    log_z, g, _ = of_a_product(y, omega, v, 1500)
    found = channel_of("z1*z2*z3").at(np.array([y]))(omega[None], v * np.eye(3))
    assert found.log_z[0] == pytest.approx(log_z, abs=0.05)
    assert np.abs(found.g[0] - g).max() < 0.1


@pytest.mark.parametrize("text", ["z1+z2*z3+xi/2", "tanh(z1+z2*z3)+xi/2", "z1*z2+z3*xi"])
def test_derivatives_at_any_covariance(text):
    """g is the derivative of log Z, and -dg that of g; of noise inside points are the same at both ends."""
    rng = np.random.default_rng(3)
    root = rng.normal(size=(3, 3))
    variance = 0.4 * root @ root.T / 3 + 0.15 * np.eye(3)
    omega, h = 0.7 * rng.normal(size=(3, 3)), 1e-4
    at = channel_of(text).at(np.array([0.5, -2.0, 4.0]))
    found, error, by_points = at.with_error(omega, variance)
    most = 6 * np.sqrt(np.mean(error**2)) if by_points.any() else 1e-5
    for k in range(3):
        move = h * np.eye(3)[k]
        up, down = at(omega + move, variance), at(omega - move, variance)
        assert np.abs(found.g[:, k] - (up.log_z - down.log_z) / (2 * h)).max() < most
        if not by_points.any():
            assert np.abs(found.minus_dg[:, k] - (down.g - up.g) / (2 * h)).max() < most


@pytest.mark.arrays
@pytest.mark.cases(1)
@pytest.mark.parametrize("text", ["z1+z2*z3+xi/2", "z1*z2*z3"])
def test_squares_and_slopes_are_alike(text):
    """Over 2000 labels of its own: E[g g^T] = E[-dg] within 5 standard errors; false alarms below 1e-5."""
    channel, v = channel_of(text), 0.8
    rng = np.random.default_rng(2)
    omega = np.sqrt(1 - v) * rng.standard_normal((2000, 3))
    z = np.concatenate(
        [
            omega + np.sqrt(v) * rng.standard_normal((2000, 3)),
            rng.standard_normal((2000, channel.kind.hidden)),
        ],
        1,
    )
    _, g, minus_dg = channel.at(channel.kind.value(z))(omega, v * np.eye(3))
    off = np.einsum("ni,nj->nij", g, g) - minus_dg
    assert (np.abs(off.mean(0)) < 5 * off.std(0) / np.sqrt(2000)).all()


@pytest.mark.slow
@pytest.mark.arrays
def test_lines_state_what_they_are_off():
    """Against the points of the same label; stated is what the mean of two sets is off, within a half."""
    y, omega = drawn(lambda z: z.prod(0), 3, 0.5, 200)
    channel = channel_of("z1*z2*z3")
    known = channel.at(y)(omega, 0.5 * np.eye(3)).g
    for once in (True, False):
        at = channel.kind.along_lines(y, once=once)
        assert isinstance(at, SolvedLabels)
        found, error, _ = at.with_error(omega, 0.5 * np.eye(3))
        off, stated = (np.sqrt(np.mean(x**2)) for x in (found.g - known, error))
        assert 0.5 * off < stated < 1.5 * off
        assert off < (0.5 if once else 0.15)


def test_labels_with_atoms_are_solved_along_lines():
    """Given z2 and z3, relu(z2)*z1 is 0 for half of all z2, whatever z1 is."""
    z = [variable(i + 1) for i in range(3)]
    signal = Target("z1*relu(z2)*z3").expression
    form = given_form(signal, z)
    assert form is not None and not form.smooth
    assert solved_channel(function_of_points(signal, z), 3, given=form).given is None


def of_a_square(y, omega, v):
    """y = z3^2 + z1 z2/50 + xi/100: z2 in closed form, a grid of z1 and z3 that is dense in z3."""
    z1 = omega[0] + np.sqrt(v) * np.linspace(-7, 7, 141)[:, None]
    z3 = np.linspace(-4.5, 4.5, 14001)[None, :]
    slope, variance = z1 / 50, v * (z1 / 50) ** 2 + 1e-4
    mean = slope * omega[1] + z3**2
    log_p = -0.5 * ((z1 - omega[0]) ** 2 + (z3 - omega[2]) ** 2) / v - 0.5 * (y - mean) ** 2 / variance
    log_p -= 0.5 * np.log(variance)
    p = np.exp(log_p - log_p.max())
    z2 = omega[1] + v * slope * (y - mean) / variance
    means = [(p * x).sum() / p.sum() for x in (z1, z2, z3)]
    return (np.array(means) - omega) / v


@pytest.mark.slow
@pytest.mark.arrays
def test_a_law_of_two_narrow_parts():
    """z3 is near a root of y, of either sign: rows of which the grid may have missed one go to points."""
    y, omega = drawn(lambda z: z[2] ** 2 + z[0] * z[1] / 50, 3, 0.5, 40, 0.01)
    y, omega = np.append(y, 4.3695), np.vstack([omega, [1.24, -0.079, -0.487]])
    channel = channel_of("z3**2+z1*z2/50+xi/100")
    found, error, by_points = channel.at(y).with_error(omega @ channel.rows.T, 0.5 * np.eye(3))
    off = found.g @ channel.rows - np.array([of_a_square(*pair, 0.5) for pair in zip(y, omega, strict=True)])
    assert by_points.any()
    assert np.sqrt(np.mean(off**2)) < 3 * np.sqrt(np.mean(error**2))
    assert np.abs(off[~by_points]).max(initial=0.0) < 1e-3


def test_logarithms_are_not_smooth():
    """At z2 = 0 the label is infinite whatever z1 is: a narrow part of the law that no grid sees."""
    z = [variable(i + 1) for i in range(3)]
    forms = {
        text: given_form(Target(text).expression, z)
        for text in ("z1+z3*log(z2**2)+xi/2", "z1+z3*log(1+z2**2)+xi/2", "z1+z3*sqrt(1+z2**2)+xi/2")
    }
    assert [form.smooth for form in forms.values()] == [False, True, True]
    omega, y = np.array([-0.1404, 0.6520, 0.8767]), -12.9386
    channel = channel_of("z1+z3*log(z2**2)+xi/2")
    found = channel.at(np.array([y]))(omega[None] @ channel.rows.T, 0.8 * np.eye(3))
    assert (found.g @ channel.rows)[0] == pytest.approx([-0.2683, -0.8105, 1.4417], abs=0.01)


@pytest.mark.parametrize("text", ["z1+z2*z3+xi/2", "z1*z2*z3", "z1*z2*z3*z4+xi/5"])
def test_labels_out_of_reach(text):
    """log Z is -inf, the rest is 0, and nothing warns."""
    channel = channel_of(text)
    q = channel.kind.dimension
    found, error, _ = channel.at(np.array([1e200])).with_error(np.full((1, q), 0.1), 0.5 * np.eye(q))
    assert found.log_z[0] == -np.inf
    assert not found.g.any() and not found.minus_dg.any() and not error.any()


def test_many_coordinates_have_no_form():
    """Neither a sum nor a product of sixteen is searched for one."""
    z = [variable(i + 1) for i in range(16)]
    for text in ("+".join(f"tanh(z{i + 1})" for i in range(16)), "*".join(f"z{i + 1}" for i in range(16))):
        assert given_form(Target(text).expression, z) is None
