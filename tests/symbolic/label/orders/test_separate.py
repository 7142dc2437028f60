"""Moments of waves and sublevel sets of separate parts, and what grows with the size of a coordinate."""

import numpy as np
import pytest
import sympy
from scipy.stats import norm

from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents import information_exponent
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.gaussian.association import second_coefficient, trend_in_size
from hermite_analytics.label.orders.grand_staircases import grand_staircase
from hermite_analytics.label.orders.separate import separate_parts
from hermite_analytics.target import Target

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(160)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def tensors(text):
    f = Target(text)
    variables = tuple(sympy.Symbol(f"z{j + 1}", real=True) for j in range(f.dimension))
    numbers = Numbers()
    parts = separate_parts(f.expression, variables)
    return numbers, list(parts.transformations(f.expression, variables, numbers))


def test_moments_of_waves_are_those_of_a_product_rule_in_the_plane():
    numbers, found = tensors("tanh(z1) + 2*tanh(z2) + z2**2/4")
    x, y = np.meshgrid(NODES, NODES, indexing="ij")
    label = np.tanh(x) + 2 * np.tanh(y) + y**2 / 4
    weights = np.outer(WEIGHTS, WEIGHTS)
    for one in found[:4]:
        wave = {"sin": np.sin, "cos": np.cos}[one.transformation.of]
        values = wave(float(one.transformation.number) * label)
        for index, factor in {(1, 0): x, (0, 1): y, (1, 1): x * y, (2, 0): x**2 - 1}.items():
            ball = numbers.ball(one.tensor(sum(index))[index]) if index in one.tensor(sum(index)) else 0
            assert float(ball) == pytest.approx(float((weights * factor * values).sum()), abs=1e-9)


def test_moments_of_sublevel_sets_of_a_maximum():
    numbers, found = tensors("max(z1, 2*z2, 1/2)")
    for one in found:
        t = float(one.transformation.number)
        inside = t > 0.5
        tensor = one.tensor(1)
        first = float(numbers.ball(tensor[1, 0])) if tensor else 0.0
        assert first == pytest.approx(-norm.pdf(t) * norm.cdf(t / 2) * inside, abs=1e-14)


def test_moments_of_sublevel_sets_of_a_minimum():
    """1{y <= t} is 1 less a product, so its moments have the sign of that of the maximum."""
    numbers, found = tensors("min(z1, 2*z2)")
    for one in found:
        t = float(one.transformation.number)
        first = float(numbers.ball(one.tensor(1)[1, 0]))
        assert first == pytest.approx(-norm.pdf(t) * norm.sf(t / 2), abs=1e-14)


def test_moments_of_waves_under_noise():
    """E[z sin(t z)] = t exp(-t^2/2), and noise a xi multiplies by exp(-(a t)^2/2)."""
    numbers, found = tensors("z1 + z2 + xi/3")
    for one in found[::2]:
        t = float(one.transformation.number)
        first = float(numbers.ball(one.tensor(1)[1, 0]))
        assert one.transformation.of == "sin"
        assert first == pytest.approx(t * np.exp(-(t**2) - t**2 / 18), rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("erf(z1) + 2*erf(z2) + 3*erf(z3) + 4*erf(z4)", (1,)),  # odd: y and y^3 show two directions of four
        ("max(abs(z1), abs(z2), abs(z3), abs(z4))", (2,)),
        ("sign(z1**2 + z2**2 - z3**2 - z4**2)", (2,)),
    ],
)
def test_every_direction_of_separate_parts_is_proved(text, orders):
    found = grand_staircase(text)
    assert (found.dimensions, found.orders, found.limit_dimension) == ((0, 4), orders, 4)


def test_what_is_read_off_of_sizes_is_the_sign_of_the_second_coefficient():
    x, y = sympy.symbols("x y", real=True)
    a, b = np.meshgrid(NODES, NODES, indexing="ij")
    weights = np.outer(WEIGHTS, WEIGHTS)
    falling = sympy.exp(-(x**2)) * (1 + abs(y)) - y**2 * sympy.tanh(x**2)
    assert trend_in_size(falling, x, [y]) == -1
    assert trend_in_size(falling, y, [x]) is None  # 1 in one addend, -1 in the other
    values = np.exp(-(a**2)) * (1 + np.abs(b)) - b**2 * np.tanh(a**2)
    assert (weights * (a**2 - 1) * values).sum() < -0.1


@pytest.mark.slow
def test_a_second_coefficient_by_association_is_in_its_ball():
    """E[He_2(x) sign(x^2 + y^2 - v^2 - w^2)] = 1/2: both sums of squares are exponential."""
    x, y, v, w = sympy.symbols("x y v w", real=True)
    f = sympy.sign(x**2 + y**2 - v**2 - w**2)
    rising, falling = second_coefficient(f, x, [y, v, w]), second_coefficient(f, v, [w, x, y])
    assert rising > 0 > falling
    assert rising.contains(0.5)
    assert falling.contains(-0.5)
    found = information_exponent("sign(z1**2 + z2**2 - z3**2 - z4**2)")
    assert found == 2
    assert "c_(0, 0, 0, 2) = -1/2" in found.reason
    found = information_exponent("sign(z1**2 + 2*z2**2 - z3**2 - 2*z4**2)")  # no two of equal weight
    assert (found, found.evidence) == (2, Evidence.PROVED)
    assert "c_(0, 0, 0, 2) < -" in found.reason


@pytest.mark.parametrize(
    "text", ["x", "cos(x)", "x**2*y", "(x**2-1)**2", "Max(x**2-40,-1)", "sign(x**2+1)", "Abs(x-1)"]
)
def test_no_trend_without_a_reason(text):
    """Odd, oscillating, a factor that changes its sign, with a minimum; constant on boxes or everywhere."""
    x, y = sympy.symbols("x y", real=True)
    functions = {
        "x": x,
        "cos(x)": sympy.cos(x),
        "x**2*y": x**2 * y,
        "(x**2-1)**2": (x**2 - 1) ** 2,
        "Max(x**2-40,-1)": sympy.Max(x**2 - 40, -1),
        "sign(x**2+1)": sympy.sign(x**2 + 1, evaluate=False),
        "Abs(x-1)": sympy.Abs(x - 1),
    }
    assert trend_in_size(functions[text], x, [y]) is None
