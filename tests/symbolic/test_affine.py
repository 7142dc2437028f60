"""What is affine in one symbol, by algebra and not by a derivative."""

from __future__ import annotations

import pytest
import sympy

from hermite_analytics import InputError, Target, UnsupportedExpression
from hermite_analytics.gaussian.breakpoints import breakpoints
from hermite_analytics.language.affine import affine_part, linear_part
from hermite_analytics.numeric import GiantStep, Loss
from hermite_analytics.symbols import variable, xi, z

z1 = variable(1)


@pytest.mark.parametrize(
    ("text", "rest", "slope"),
    [
        ("z1**2 + 3*xi", "z1**2", 3),
        ("sin(z1)", "sin(z1)", 0),
        ("(z1 + xi)**2 - z1**2 - xi**2 - 2*z1*xi + xi", "0", 1),
        ("sqrt(2)*xi + relu(z1) - xi/3", "relu(z1)", sympy.sqrt(2) - sympy.Rational(1, 3)),
    ],
)
def test_additive_noise(text, rest, slope):
    expression = Target(text + " + z1").expression - z1
    found = linear_part(expression, xi)
    assert found is not None and sympy.expand(found[0] - Target(rest).expression) == 0
    assert sympy.expand(found[1] - slope) == 0


@pytest.mark.parametrize(
    "text",
    [
        *(
            "z1*xi",
            "z1 + step(xi)",
            "xi + step(xi)",
            "z1*step(xi)",
            "min(z1, step(xi))",
            "xi**2",
            "sign(z1 + xi)",
        ),
        *("step(exp(z1/2) + 2*xi)", "abs(z1 + step(xi))", "max(xi, 0)", "xi*sign(xi)", "sign(z1 + xi)"),
    ],
)
def test_other_noise(text):
    """Its derivative is 0, or a number, almost everywhere."""
    target = Target(text)
    assert linear_part(target.expression, xi) is None
    for name in ("noise_variance", "noiseless"):
        with pytest.raises(UnsupportedExpression, match="is not additive"):
            getattr(target, name)


def test_a_slope_with_parameters():
    r, x = sympy.symbols("r x", real=True)
    assert affine_part(r * (x - 2), x) == (-2 * r, r)
    assert affine_part(r * sympy.Abs(x), x) is None


def test_solvers_refuse_noise_inside_a_jump():
    with pytest.raises(UnsupportedExpression, match="not additive"):
        GiantStep("tanh(z)", "z1*step(xi)").solve(alpha0=2, eta=1, beta=1)


@pytest.mark.slow
def test_the_kinks_of_an_argument_that_jumps():
    """z - 2 step(z) + 1/2 changes sign at -1/2, 0 and 3/2, its derivative being 1."""
    step = Target("step(z1)").expression.subs(z1, z)
    found = breakpoints(sympy.sign(z - 2 * step + sympy.Rational(1, 2)), z)
    assert {round(float(x), 12) for x in found} >= {-0.5, 0.0, 1.5}


@pytest.mark.parametrize("text", ["step(y-x)", "(y-x)**2+step(x)", "abs(y-x)-step(x-1/2)/3"])
def test_a_loss_that_jumps_is_not_convex(text):
    with pytest.raises(InputError, match="is not convex in x"):
        Loss(text)
