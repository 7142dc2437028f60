"""Closed exponents against the slopes of the equations, and the lines of the phase diagram."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import DeterministicEquivalent, ScalingLaw

F = Fraction


def slopes(law, ridge_exponent, features_exponent, sizes):
    """Decay exponents of bias, variance and their sum between two sizes, noise 1."""
    n = np.asarray(sizes)
    features = n if features_exponent == 1 else n**features_exponent
    model = DeterministicEquivalent.power_law(law.eigenvalue_power, law.coefficient_power)
    found = model.solve(samples=n, features=features, ridge=n ** (1 - ridge_exponent), noise=1.0, throw=True)
    assert np.all(found.numerical_error < 1e-10)
    return [-np.polyfit(np.log(n), np.log(v), 1)[0] for v in (found.bias, found.variance, found.test_error)]


@pytest.mark.parametrize(
    ("law", "point", "bias", "variance", "measured"),
    [
        ((1.5, 0.4), (0.8, 0.8), 0.64, 7 / 15, (0.6449, 0.4676)),
        ((2, 0.8), (0.5, 0.3), 0.55, 0.75, (0.5712, 0.7466)),
        ((2, 0.8), (0.5, 1.2), 0.8, 0.75, (0.7985, 0.7495)),
        ((2, 0.8), (1, 0.6), 1.1, 0.5, (1.1152, 0.4994)),
    ],
)
def test_reference_exponents(law, point, bias, variance, measured):
    law = ScalingLaw(*law)
    found = law.solve(ridge_exponent=point[0], features_exponent=point[1])
    assert found.bias_exponent == pytest.approx(bias, abs=1e-15)
    assert found.variance_exponent == pytest.approx(variance, abs=1e-15)
    assert slopes(law, *point, [1e9, 1e10, 1e11])[:2] == pytest.approx(measured, abs=6e-5)


@pytest.mark.cases(1)
@pytest.mark.parametrize("law", [(2, 0.8), (1.5, 0.4), (1.3, 0.3), (2.5, 1.7)])
def test_slopes_of_the_equations(law):
    law = ScalingLaw(*law)
    sizes = [1e15, 1e16] if law.eigenvalue_power > 2 else [1e17, 1e18]
    for ridge, q in itertools.product((0.23, 0.61, 1.17, 3.3), (0.17, 0.45, 0.83, 1.4, 3.6, math.inf)):
        found = law.solve(ridge_exponent=ridge, features_exponent=q)
        bias, variance, total = slopes(law, ridge, q, sizes)
        # the next order is n^-|difference of two exponents|, up to 5 % of it here
        assert bias == pytest.approx(found.bias_exponent, abs=0.04), (ridge, q)
        assert variance == pytest.approx(found.variance_exponent, abs=0.04), (ridge, q)
        assert total == pytest.approx(found.exponent, abs=0.04), (ridge, q)


@pytest.mark.parametrize(("source", "bias"), [(0.8, 1.5), (0.3, 0.7)])
def test_peak_where_features_are_samples(source, bias):
    law = ScalingLaw(2, source)
    found = law.solve(ridge_exponent=3, features_exponent=1)
    assert found.region == "interpolation-peak"
    assert found.variance_exponent == -0.5 and found.bias_exponent == pytest.approx(bias)
    assert slopes(law, 3, 1, [1e9, 1e11])[:2] == pytest.approx([bias, -0.5], abs=1e-4)
    none = law.solve(ridge_exponent=math.inf, features_exponent=1)
    assert none.exponent == -math.inf


@pytest.mark.parametrize(
    ("law", "ridge", "features", "exponent"),
    [
        ((2, 0.8), F(10, 21), F(11, 21), F(16, 21)),
        ((2, 0.4), F(10, 13), F(5, 13), F(8, 13)),
        ((2, 0.5), F(2, 3), F(1, 3), F(2, 3)),
        ((1.5, 3), F(3, 8), F(5, 8), F(3, 4)),
        ((F(5, 3), F(1, 7)), F(35, 31), F(21, 31), F(10, 31)),
    ],
)
def test_optimum(law, ridge, features, exponent):
    law = ScalingLaw(*law)
    found = law.optimal()
    assert dict(found.exact) == {
        "ridge_exponent": ridge,
        "features_exponent": features,
        "exponent": exponent,
    }
    assert found.exponent == float(exponent)
    grid = [F(j, 60) for j in range(1, 200)]
    best = law.solve(ridge_exponent=[float(x) for x in grid], features_exponent=math.inf)
    assert np.max(best.exponent) <= found.exponent
    for q, reached in ((features, True), (features + F(1, 50), True), (features - F(1, 50), False)):
        there = law.solve(ridge_exponent=ridge, features_exponent=q)
        assert (there.exponent == found.exponent) is reached
        many = law.solve(ridge_exponent=np.array([ridge, *grid], dtype=object), features_exponent=q)
        assert bool(np.max(many.exponent) == found.exponent) is reached  # no other ridge repairs it


@pytest.mark.parametrize(
    ("source", "measured"), [(0.8, (0.7288, 0.7614, 0.7670)), (0.4, (0.5310, 0.6117, 0.6326))]
)
def test_fewest_features(source, measured):
    law = ScalingLaw(2, source)
    best = law.optimal()
    found = [
        slopes(law, best.ridge_exponent, best.features_exponent + shift, [1e9, 1e10, 1e11])[2]
        for shift in (-0.05, 0.0, 0.1)
    ]
    assert found == pytest.approx(measured, abs=6e-5)


@pytest.mark.parametrize("law", [(2, 0.8), (1.5, 0.3), (3, 2), (1.2, 0.5)])
def test_lines_of_the_phase_diagram(law):
    """At points on each line two exponents or two scales are equal, and beside it they are not."""
    law = ScalingLaw(*law)
    diagram, alpha, e = law.phase_diagram(), F(str(law.eigenvalue_power)), F(1, 10**6)
    for name, line in diagram.lines().items():
        for start, stop in itertools.pairwise(line):
            a, b = (tuple(min(x, F(9)) for x in point) for point in (start, stop))
            middle = tuple((x + y) / 2 for x, y in zip(a, b, strict=True))
            vertical = a[0] == b[0]
            sides = [(e, F(0)), (-e, F(0))] if vertical else [(F(0), e), (F(0), -e)]
            there = law.solve(ridge_exponent=middle[0], features_exponent=middle[1])
            beside = [
                law.solve(ridge_exponent=middle[0] + x, features_exponent=middle[1] + y) for x, y in sides
            ]
            if name == "bias_variance":
                assert there.dominant == "both", (start, stop)
                assert [s.dominant for s in beside] == ["variance", "bias"], (start, stop)
            elif name == "kernel_features":
                assert [there.bias_from, *(s.bias_from for s in beside)] == ["kernel", "kernel", "features"]
            else:
                expected = {
                    "ridge_features": ["ridge-limited", "features-limited"],
                    "ridge_samples": ["interpolating", "ridge-limited"],
                    "features_samples": ["interpolating", "features-limited"],
                }[name]
                assert [s.region for s in beside] == expected
    assert diagram.ridge_samples[0] == (alpha, 1)
    best = law.optimal().exact
    assert diagram.optimum == (best["ridge_exponent"], best["features_exponent"])


def test_decimals_are_exact():
    law = ScalingLaw(1.1, 0.3)
    # 0.11/1.1 is not 0.1 in floating point, but the point is on the line l = alpha q
    assert 0.11 / 1.1 != 0.1
    found = law.solve(ridge_exponent=[0.11, 0.1100000001], features_exponent=0.1)
    assert found.region.tolist() == ["ridge-limited", "features-limited"]


def test_logarithms():
    assert ScalingLaw(2, 1).solve(ridge_exponent=0.5, features_exponent=[2, 0.3]).logarithm.tolist() == [
        True,
        False,
    ]
    assert ScalingLaw(2, 0.5).solve(ridge_exponent=1, features_exponent=[0.3, 0.9]).logarithm.tolist() == [
        True,
        False,
    ]
    # a logarithm is seen: n^0.5 times the bias grows like log n
    model = DeterministicEquivalent.power_law(2, 5)
    n = np.array([1e10, 1e12, 1e14])
    bias = model.solve(samples=n, features=np.inf, ridge=n**0.5).bias * n
    assert bias[2] - bias[1] == pytest.approx(bias[1] - bias[0], rel=1e-3) and bias[1] > 1.1 * bias[0]


def test_crossover_to_noise():
    law = ScalingLaw(2, 0.8)
    at = {"ridge_exponent": 0.5, "features_exponent": np.array([1.2, 0.3])}
    assert law.noise_crossover(1e-2, **at).tolist() == pytest.approx([1e-2 ** (-1 / 0.05), np.inf])
    assert law.noise_crossover(1e-2, ridge_exponent=1, features_exponent=np.inf) == pytest.approx(
        1e-2 ** (-1 / 1.1)
    )
    with pytest.raises(InputError, match="noise is 2; accepted: 0 < noise < 1"):
        law.noise_crossover(2, ridge_exponent=1, features_exponent=1)


def test_records():
    law = ScalingLaw(2, 0.8)
    rows = law.solve(ridge_exponent=[0.5, 1], features_exponent=math.inf).to_dict()["results"]
    assert rows[1]["ridge_exponent"] == 1.0 and rows[1]["features_exponent"] == "inf"
    assert rows[1]["bias_exponent"] == 1.6 and rows[1]["dominant"] == "variance"
    (row,) = law.optimal().to_dict()["results"]
    assert row["exponent"] == 16 / 21 and row["status"] == "converged"


@pytest.mark.slow
@pytest.mark.parametrize("law", [(2, 0.8), (1.5, 0.3)])
def test_plot(law):
    import matplotlib

    matplotlib.use("Agg")
    axes = ScalingLaw(*law).plot()
    assert axes.get_ylabel().startswith("features exponent")
    assert len(axes.lines) == len(ScalingLaw(*law).phase_diagram().lines()) + 1
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ScalingLaw(1, 0.5), "capacity is 1; accepted: finite capacity > 1"),
        (lambda: ScalingLaw(math.inf, 0.5), "capacity is inf"),
        (lambda: ScalingLaw(2, 0), "source is 0; accepted: finite source > 0"),
        (lambda: ScalingLaw(2, math.nan), "source is nan; a number"),
        (lambda: ScalingLaw("two", 1), "capacity is 'two'; a number or an array of numbers is accepted"),
        (
            lambda: ScalingLaw(2, 1).solve(ridge_exponent=-1, features_exponent=1),
            "ridge_exponent is -1; accepted: ridge_exponent >= 0, inf included",
        ),
        (
            lambda: ScalingLaw(2, 1).solve(ridge_exponent=1, features_exponent=[1, 0]),
            "features_exponent is 0; accepted: features_exponent > 0, inf included",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(InputError, match=message) as error:
        make()
    assert "\n" not in str(error.value)
