"""`weak_recovery` against known answers, independent integrals, and Monte Carlo."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from scipy.special import ndtr

import hermite_analytics as ha
from hermite_analytics import Evidence, InputError, weak_recovery
from tests.symbolic.label.terms import normal_density, three_relus

TABLE = json.loads((Path(__file__).parent / "known_thresholds.json").read_text())
SLOW = {"M10", "M52"}


def thresholds(target, **options):
    found = [float(stage.alpha_c) for stage in weak_recovery(target, **options).stages]
    return [None if math.isnan(alpha) else alpha for alpha in found]


@pytest.mark.cases(9)
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(r, id=r["id"], marks=[pytest.mark.slow] if r["id"] in SLOW else [])
        for r in TABLE
        if r["id"] != "M44"
    ],
)
def test_known_answers(row):
    expected = [None if a is None else float(a) for a in row["alpha_c"]]
    found = weak_recovery(row["target"], seconds=120)
    assert len(found.stages) == len(expected)
    for stage, alpha in zip(found.stages, expected, strict=True):
        if alpha is not None:
            assert float(stage.alpha_c) == pytest.approx(alpha, abs=1e-8 * max(1.0, min(alpha, 9.0)))
            assert math.isinf(alpha) or stage.alpha_c.error < 1e-7
    if {order for order, _ in row["steps"]} != {1}:
        assert [s.dimension for s in found.stages] == ([d for _, d in row["steps"]] or [0])
    assert sum(map(len, (found.trivial, found.easy, found.hard))) == row["intrinsic_dimension"]


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("target", "alpha"),
    [
        ("z1**4-5*z1**2+2", 0.6356906673),
        ("z1**2*exp(-z1**2/2)", 2.1565649484),
        ("(z1**2-1)*exp(-z1**2/2)", 0.8406018735),  # its limit 0 at infinity is also taken at z = 1
        ("z1*z2*z3*z4", 3.7250774241),
        ("z1**3*sign(z2)+sign(z2*z3)", 0.4762898916356839),  # an inflection without slope
        ("z1**5*sign(z2)+sign(z2*z3)", 0.4635159579820864),
        ("z1**6-3*z1**4+3*z1**2+z2**2", 0.5933298071457643),  # (z1^2 - 1)^3 + z2^2
        ("(cos(z1)-1)**2+z2**2", 0.6064452753320666),  # 4 sin(z1/2)^4 + z2^2
        pytest.param("relu(abs(z1)-1)**2*z2**2", 0.6910914423593899, marks=pytest.mark.slow),
        ("(cosh(z1)-1)**2+abs(z2)", 0.573077538600492),  # 4 sinh(z1/2)^4 + |z2|
        pytest.param("max(abs(z1),abs(z2),abs(z3))", 1.6955623867, marks=pytest.mark.slow),
        ("min(abs(z1),abs(z2))", 2.4206855258),
        ("min(1+z1**2,xi)", 17.8244133045),  # of the noise nothing is asked
        ("min(z1**2,xi)", 3.8220255239),
        ("abs(z1+xi)", 2.0),  # by rotation: G = (u^2 - 1)/2, u = (z1 + xi)/sqrt(2)
        ("z1**2+xi**2", 1.0),
        ("He2(z1)+step(xi)", 0.5303257034384653),
        ("relu(z1**2-1)*step(xi)", 1.14831296774),
        ("step(max(sin(z1**2),1/3)+xi/3)", 212.7749878386),
        ("z1**2*step(xi-8)", 803734397655348.0),  # 1/(2 P(xi > 8))
        pytest.param("abs(z1)+abs(z2)+abs(z3)", 1.6378683918, marks=pytest.mark.slow),
        ("z1**2+2*z2**2", 0.6157200149),
        ("z1**2+3*z1*z2", 0.5406130779),
        ("step(abs(z1)-1)+step(abs(z1)-2)", 0.6126285349),
        ("abs(z1)+xi", 1.7620599188),
        ("abs(z1)+xi/2", 0.7740222985),
        pytest.param("z1*z2+xi", 1.1863871080, marks=pytest.mark.slow),
        pytest.param("sign(z1*z2+xi)", 4.9225575354, marks=pytest.mark.slow),
        ("max(abs(z1),abs(z2))", 1.0679875404),
        pytest.param("z1**4+z2**4", 1.0281662328, marks=pytest.mark.slow),
        ("z1**2+xi", 0.64659060),
        ("sign(z1*z2)+xi", 4.48291951),
    ],
)
def test_reference_values(target, alpha):
    [found] = thresholds(target)
    assert found == pytest.approx(alpha, abs=2e-9 * max(1, alpha) if alpha != 0.6465906 else 5e-9)


def test_exact_thresholds_are_closed_forms():
    exact = {
        "z1**2": "1/2",
        "cosh(z1) + z1**4": "1/2",
        "z1**2 + z2**2 + z3**2 + z4**2": "2",
        "sign(z1*z2)": "pi**2/4",
        "sign(z1*(z1 + z2))": "3*pi**2/8",
        "sign(z1**2 - z2**2)": "pi**2/4",
    }
    for target, text in exact.items():
        [stage] = weak_recovery(target).stages
        assert (str(stage.alpha_c), stage.alpha_c.evidence) == (text, Evidence.EXACT)


@pytest.mark.cases(7)
@pytest.mark.parametrize(
    ("target", "steps"),
    [
        ("z1**2*z2", [0, 0.5]),
        ("max(z1,z2)", [0, 0.5]),
        ("max(z1,z2)-z3", [0, 0.5]),
        ("relu(z1)*z2**2", [0, 1]),  # half of the samples say something
        ("z1**2*z2**2 + abs(z2) + z1", [0, 0.5]),
        ("exp(z1+2*z2)*cos(2*z1-z2)", [0, None]),
        ("z1*z2 + z3", [0, 0.593751098222]),
        ("tanh(z1*z2)", [0.593751098222]),
        ("sign(z1)*sign(z2)*z3**2", [0.5]),
        ("z1**4*exp(-2*z1**2)", [math.inf]),
        ("abs(z1)*exp(-z1**2/2)", [math.inf]),
    ],
)
def test_comparable_targets(target, steps):
    found = thresholds(target)
    assert len(found) == len(steps)
    for alpha, expected in zip(found, steps, strict=True):
        if expected is None:
            # cos(sqrt(5) w): a = E[w^2 - 1 | cos] over the preimages, averaged by a fine grid
            assert alpha == pytest.approx(cosine(math.sqrt(5)), rel=1e-5)
        else:
            assert alpha == pytest.approx(expected, abs=1e-8)


def cosine(slope):
    """alpha_c of cos(slope z): preimages +-z + 2 pi k/slope, where |cos'| is the same at all of them."""
    z = (math.pi / slope * (np.arange(4000) + 0.5) / 4000)[:, None]
    k = 2 * math.pi / slope * np.arange(-12, 13)
    points = np.concatenate([z + k, -z + k], axis=1)
    p = np.exp(-(points**2) / 2)
    a = (p * (points**2 - 1)).sum(1) / p.sum(1)
    density = p.sum(1)
    return density.sum() / (density * a**2).sum()


@pytest.mark.slow
def test_products_of_squared_coordinates_do_not_depend_on_the_outer_power():
    assert thresholds("(z1*z2)**2") == pytest.approx(thresholds("abs(z1)*abs(z2)"), rel=1e-12)
    assert thresholds("z1*z2*sign(z3)")[0] == pytest.approx(thresholds("abs(z1*z2)")[0], rel=1e-8)


@pytest.mark.slow
def test_rotations_and_scales_of_the_inputs_change_nothing():
    [a], [b] = thresholds("abs(z1+z2) + abs(z1-z2)"), thresholds("abs(z1) + abs(z2)")
    assert a == pytest.approx(b, rel=1e-9)
    [a], [b] = thresholds("z1*z2 + z2*z3 + z3*z1"), thresholds("2*z1**2 - z2**2 - z3**2")
    assert a == pytest.approx(b, rel=1e-9)
    assert thresholds("cos(z1)") == pytest.approx(thresholds("cos((3*z1+4*z2)/5)"), rel=1e-12)


@pytest.mark.slow
def test_monte_carlo():
    """E[a^2] for cos(z1) + cos(z2) from sorted bins of 6e5 samples; alarm beyond 5 standard errors: 1e-6."""
    rng = np.random.default_rng(7)
    z = rng.standard_normal((600_000, 2))
    order = np.argsort(np.cos(z).sum(1))
    bins = (z[order, 0] ** 2 - 1).reshape(-1, 200)
    found = bins.mean(1) ** 2 - bins.var(1, ddof=1) / 200
    # G is diagonal, so that the largest eigenvalue is E[G_11^2] = E[G_22^2]
    g22 = (z[order, 1] ** 2 - 1).reshape(-1, 200).mean(1)
    mixed = (bins.mean(1) * g22).mean()
    top = 1 / thresholds("cos(z1)+cos(z2)")[0]
    error = 5 * found.std() / math.sqrt(len(found)) + 5e-3  # the bins lose less than that
    assert found.mean() == pytest.approx(top, abs=error)
    assert mixed <= top + error


def test_a_committee_after_its_mean_direction():
    """Where the activations differ by a linear map, the later threshold is exact; identical ones stall."""
    found = weak_recovery("z1**3 + z2**3")
    assert [str(s.alpha_c) for s in found.stages] == ["0", "1/2"]  # z1^3+z2^3 = c(s) + c'(s) w^2
    assert (found.trivial, found.easy) == ((("1", "1"),), (("1", "-1"),))


@pytest.mark.slow
def test_a_committee_of_three():
    """Two unknown coordinates, one known.

    Reference: 400 values of the known one with 40000 samples each in bins of 40 gave 1.4395, with 20000
    samples 1.4455: the information that bins lose halves with their width.
    """
    found = weak_recovery("(erf(z1)+erf(z2)+erf(z3))/3", seconds=200)
    assert [s.dimension for s in found.stages] == [1, 2]
    alpha = found.stages[1].alpha_c
    assert float(alpha) == pytest.approx(2 * 1.4395 - 1.4455, abs=0.004)
    assert alpha.evidence is Evidence.ESTIMATED
    assert alpha.error < 1.4e-5


@pytest.mark.slow
def test_piecewise_linear_labels():
    """The largest of three by order statistics, and three relus by integrals for each value of their sum."""
    first, largest = thresholds("max(z1,z2,z3)")

    def node(
        u,
    ):  # the mean is known; the largest is u sqrt(2/3) above it, the others sqrt(2) t apart, t < sqrt(3) u
        half = math.sqrt(3) * u
        mass = math.erf(half / math.sqrt(2))
        square = u * u - 1 - 2 * half * normal_density(half) / mass
        return 3 * normal_density(u) * mass * square**2 / 4

    nodes, weights = np.polynomial.legendre.leggauss(80)
    expected = sum(4.5 * w * node(4.5 * (1 + t)) for t, w in zip(nodes, weights, strict=True))
    assert (first, largest) == (0, pytest.approx(1 / expected, rel=1e-8))
    found = weak_recovery("relu(z1)+relu(z2)+relu(z3)").stages[1].alpha_c
    given = [(s, w) for s, w in zip(*np.polynomial.legendre.leggauss(24), strict=True)]
    average = sum(
        3 * w * normal_density(s) * (three_relus(math.sqrt(3) * s) + three_relus(-math.sqrt(3) * s))
        for s, w in ((3 * (1 + s), w) for s, w in given)
    )
    assert float(found) == pytest.approx(1 / average, rel=2e-6)
    assert found.error < 2e-6


def test_a_staircase_that_is_there_is_used(monkeypatch):
    steps = ha.grand_staircase("z1 + z2**2")
    monkeypatch.setattr("hermite_analytics.label.thresholds.recovery.grand_staircase", None)
    found = weak_recovery("z1 + z2**2", staircase=steps)
    assert found.staircase is steps
    assert [str(s.alpha_c) for s in found.stages] == ["0", "1/2"]
    with pytest.raises(InputError, match="have 2 entries and the target has dimension 3"):
        weak_recovery("z1*z2*z3", staircase=steps)


@pytest.mark.slow
def test_time_that_ends_is_told():
    """Labels whose integrals take seconds: undecided, with the reason."""
    for target in ("cos(z1)+cos(z2)+cos(z3)+cos(z4)", "(erf(z1)+erf(z2)+erf(z3))/3"):
        found = weak_recovery(target, seconds=0.3, staircase=ha.grand_staircase(target))
        assert math.isnan(found.stages[-1].alpha_c.value)
        assert re.match(r"the time of 0\.\d+ seconds ended", found.stages[-1].reason)


def test_subspaces_and_json():
    found = weak_recovery("z1**2 + sign(z1*z2*z3)")
    assert found.document().keys() == {
        "trivial_dimension", "easy_dimension", "hard_dimension", "alpha_c", "stages"
    }  # fmt: skip
    assert [s["dimension"] for s in found.to_dict()["stages"]] == [1, 2]
    assert found.to_dict()["stages"][1]["alpha_c"]["exact"] == "pi**2/4"
    hard = weak_recovery("z1 + sign(z2*z3*z4)")
    assert (hard.trivial_dimension, hard.easy_dimension, hard.hard_dimension) == (1, 0, 3)
    assert hard.to_dict()["stages"][1]["alpha_c"]["value"] == "inf"
    none = weak_recovery("3")
    assert [(s.dimension, float(s.alpha_c)) for s in none.stages] == [(0, math.inf)]
    assert (none.trivial, none.easy, none.hard) == ((), (), ())


def test_every_step_of_order_one_makes_one_stage():
    found = weak_recovery("z1+z1*z2+z1*z2*z3")
    assert [(s.dimension, float(s.alpha_c)) for s in found.stages] == [(3, 0.0)]


def mean_of_cells(ends, sign) -> np.ndarray:
    """E[(z1, z2) y] where y is `sign` for z2 above all ends, the edges of cells over z1, and alternates."""
    z, w = np.polynomial.legendre.leggauss(40)
    knots = np.linspace(-9, 9, 400)
    knots = np.unique([*knots, *ends(knots)[1]])
    x = (knots[:-1, None] + np.diff(knots)[:, None] * (1 + z) / 2).ravel()
    p = (np.diff(knots)[:, None] * w / 2).ravel() * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    edges = np.sort(ends(x)[0], axis=0)
    signs = sign * (-1.0) ** np.arange(len(edges), 0, -1)
    above = 1 - ndtr(edges)
    level = signs[0] + sum((b - a) * u for a, b, u in zip(signs, [*signs[1:], sign], above, strict=True))
    slope = sum(
        (b - a) * np.exp(-e * e / 2) for a, b, e in zip(signs, [*signs[1:], sign], edges, strict=True)
    )
    return np.array([p @ (x * level), p @ slope / math.sqrt(2 * math.pi)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "ends", "sign"),
    [
        ("sign((z1-z2)*(z1+2*z2-1))", lambda x: (np.array([x, (1 - x) / 2]), [1 / 3]), -1.0),
        (
            "sign((z1-z2-1/2)*(z1+z2+1/3)*(z1-2*z2))",
            lambda x: (np.array([x - 0.5, -x - 1 / 3, x / 2]), [1 / 12, 1.0, -2 / 9]),
            1.0,
        ),
    ],
)
def test_lines_in_general_position(text, ends, sign):
    """Closed forms of dozens of terms as entries: exact eliminations did not end in a quarter of an hour."""
    found = weak_recovery(text, seconds=20)
    assert (found.trivial_dimension, found.easy_dimension, found.hard_dimension) == (1, 1, 0)
    assert [stage.alpha_c.value for stage in found.stages] == [0]
    normal = {
        "phi": lambda x: sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi),
        "Phi": lambda x: sympy.erfc(-x / sympy.sqrt(2)) / 2,
    }
    first, second = (
        np.array([float(sympy.sympify(x, locals=normal)) for x in rows[0]])
        for rows in (found.trivial, found.easy)
    )
    mean = mean_of_cells(ends, sign)
    assert first[1] / first[0] == pytest.approx(mean[1] / mean[0], rel=1e-8)
    assert first @ second == pytest.approx(0, abs=1e-12)


def test_public_names():
    assert ha.weak_recovery is weak_recovery
    assert isinstance(weak_recovery("z1"), ha.WeakRecovery)
    assert "alpha_c = 1/2" in str(weak_recovery("z1**2"))


def test_what_is_said_of_several_directions():
    """|z3| = |y| from 1/2 on, sign(z1*z2) = sign(y) from pi^2/4 on: no threshold of all three."""
    found = weak_recovery("sign(z1*z2)*abs(z3)")
    assert found.alpha_c.value == pytest.approx(0.5) and str(found).startswith(
        "3 directions, none before alpha_c"
    )
    assert str(weak_recovery("z1+z1*z2")).startswith("2 directions at alpha_c = 0")
    assert str(weak_recovery("z1**2")).startswith("1 direction at alpha_c")
    (bayes,) = (row for row in ha.complexities("sign(z1*z2)*abs(z3)") if row.algorithm == "Bayes-AMP")
    assert bayes.remark.endswith("of several in one step, that of the first")


def test_bad_input():
    with pytest.raises(InputError, match="seconds is 0; a number > 0 is accepted"):
        weak_recovery("z1", seconds=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("step(z1**2 - 5)*tanh(2*xi)", math.sqrt(5)),
        ("step(z1**4 - 5*z1**2)*tanh(2*xi)", math.sqrt(5)),
        ("step(abs(z1) - 2)*abs(xi)", 2.0),
        ("step(z1**2 - 3)*(1 + z2**2)", math.sqrt(3)),
    ],
)
def test_gates_that_jump_beside_a_rounding(text, edge):
    """What is seen of z1 is whether |z1| > a: 1/alpha_c = (2 a phi(a))^2 (1/p + 1/(1 - p)).

    step(w^2 - 5) is 0 at the number after sqrt(5) still: the whole piece was lost (2.2468 for 1.1519).
    """
    p = math.erfc(edge / math.sqrt(2))
    moment = 2 * edge * math.exp(-edge * edge / 2) / math.sqrt(2 * math.pi)
    expected = 1 / (moment**2 * (1 / p + 1 / (1 - p)))
    alpha = weak_recovery(text).alpha_c
    if "z2" in text:  # z2 is found beside
        assert alpha.value <= expected + 1e-9
    else:
        assert abs(alpha.value - expected) <= alpha.error + 1e-12


@pytest.mark.slow
def test_logarithms_of_parts():
    """The same label as (z1^2 + z2^2) |z3|, by sums on a fine grid of log |z3| and log y; no overflow."""
    found = weak_recovery("log(z1**2+z2**2)+log(abs(z3))").alpha_c
    assert abs(found.value - 1.98980409806) < found.error < 0.05


@pytest.mark.parametrize(("kink", "expected"), [(4, 54.559118079479754), (5, 2579.3544779230428), (6, None)])
def test_labels_that_are_seldom_more_than_one_number(kink, expected):
    """relu(|z| - c): 1/alpha = (2 c phi(c))^2/P + E[(z^2 - 1)^2 1{|z| > c}]; nearly all is one atom."""
    with mpmath.workdps(30):
        c = mpmath.mpf(kink)
        mass = 1 - mpmath.erfc(c / mpmath.sqrt(2))
        tail = 2 * mpmath.quad(lambda z: (z * z - 1) ** 2 * mpmath.npdf(z), [c, c + 1, c + 3, c + 20])
        exact = 1 / ((2 * c * mpmath.npdf(c)) ** 2 / mass + tail)
    found = ha.weak_recovery(f"relu(abs(z1) - {kink})").alpha_c
    assert expected is None or abs(float(exact) / expected - 1) < 1e-15
    assert abs(found.value - float(exact)) <= found.error < 1e-11 * found.value
