"""floor: coefficients by the sum over its jumps, means by Fourier series, and what takes finitely many steps.

E[He_k(z) f(z)] of a function that rises by 1 at each of the places b_n and is constant between them is
sum_n E[He_k 1{z > b_n}] = sum_n phi(b_n) He_{k-1}(b_n) for k >= 1. The sums are mpmath's own.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational, S

import hermite_analytics as ha
from hermite_analytics import Evidence, Target, UnsupportedExpression
from hermite_analytics.conditional import conditional_coefficients
from hermite_analytics.gaussian.breakpoints import breakpoints
from hermite_analytics.gaussian.quantities import expected_quantity
from hermite_analytics.gaussian.zero.null_sets import is_nonzero, nonzero_set
from hermite_analytics.gaussian.zero.symmetry import symmetry_certificate
from hermite_analytics.label.reduction.stairs import with_finite_stairs
from hermite_analytics.language.functions import floor, mid_floor
from hermite_analytics.language.shape import has_jumps, is_odd
from hermite_analytics.symbols import c, kappa, r, variable, z
from tests.symbolic.codegen.back_ends import argument, others_than

x, y = variable(1), variable(2)
FORMS = [(1, "0"), (2, "1/3"), (Rational(1, 2), "1/2"), (3, "-7/5")]  # floor(a z + b)


def hermite(k: int, t: mpmath.mpf) -> mpmath.mpf:
    low, high = mpmath.mpf(1), t
    for j in range(1, k):
        low, high = high, t * high - j * low
    return high if k else low


def by_jumps(a: sympy.Expr, b: sympy.Expr, k: int) -> mpmath.mpf:
    a, b = mpmath.mpf(a.p) / a.q, mpmath.mpf(b.p) / b.q
    places = [(n - b) / a for n in range(-60, 61)]
    return mpmath.fsum(mpmath.npdf(t) * hermite(k - 1, t) for t in places)


def mean_of_square(a: sympy.Expr, b: sympy.Expr) -> mpmath.mpf:
    """By probabilities of the integers."""
    a, b = mpmath.mpf(a.p) / a.q, mpmath.mpf(b.p) / b.q
    masses = ((n, mpmath.ncdf((n + 1 - b) / a) - mpmath.ncdf((n - b) / a)) for n in range(-80, 80))
    return mpmath.fsum(n * n * p for n, p in masses)


@pytest.mark.cases(1)
@pytest.mark.parametrize(("slope", "shift"), FORMS)
def test_coefficients_and_moments(slope: sympy.Expr, shift: str) -> None:
    a, b = S(slope), Rational(shift)
    table = ha.hermite(Target(f"floor({a}*z1 + {b})"), degree=5, digits=30)
    with mpmath.workdps(40):
        for k in range(1, 6):
            found, exact = table[k], by_jumps(a, b, k)
            assert abs(found.value - exact) <= found.error + 1e-38
            assert found.evidence in (Evidence.PROVED, Evidence.EXACT)
            assert found.zero == (2 * b == int(2 * b) and k % 2 == 0) or found.zero is None
        # E floor = b - 1/2 + sum_k exp(-2 pi^2 k^2 a^2) sin(2 pi k b)/(pi k)
        fa, fb = mpmath.mpf(a.p) / a.q, mpmath.mpf(b.p) / b.q
        waves = (
            mpmath.exp(-2 * (mpmath.pi * k * fa) ** 2) * mpmath.sinpi(2 * k * fb) / k for k in range(1, 30)
        )
        mean = fb - 0.5 + mpmath.fsum(waves) / mpmath.pi
        assert abs(table[0].value - mean) <= table[0].error + 1e-16
        assert abs(table.second_moment.value - mean_of_square(a, b)) <= table.second_moment.error + 1e-15


def test_what_is_exact() -> None:
    """floor(z) + 1/2, round and the part after the point minus 1/2 are odd."""
    assert ha.expectation("floor(z1)").exact == -Rational(1, 2)
    assert ha.expectation("z1 - floor(z1)").exact == Rational(1, 2)
    rounded = ha.hermite("floor(z1 + 1/2)", degree=4)
    assert [rounded[k].zero for k in range(5)] == [True, False, True, False, True]
    assert is_odd(floor(z + Rational(1, 2)), z) and not is_odd(floor(z), z)
    assert symmetry_certificate(floor(x + Rational(1, 2)) * y**2, [x, y], [0, 0]) is not None
    assert symmetry_certificate(floor(x) * y**2, [x, y], [0, 0]) is None


def test_integers_come_out() -> None:
    assert floor(x + 3) == floor(x) + 3 and floor(x - Rational(1, 2)) == floor(x + Rational(1, 2)) - 1
    assert mid_floor(-x) == -mid_floor(x) and mid_floor(Rational(5, 2)) == Rational(5, 2)
    assert floor(Rational(-5, 2)) == -3 and floor(5 * sympy.sqrt(2)) == 7
    assert floor(x).diff(x) == 0 and has_jumps(floor(z), z) and has_jumps(z * floor(z) ** 2, z)


def test_no_proof_takes_it_for_analytic() -> None:
    """floor(z) is 0 on (0, 1), and floor(z) - floor(z/2) - floor(z/2 + 1/2) everywhere."""
    assert not is_nonzero(floor(x)) and nonzero_set(floor(x)) is None
    assert nonzero_set(floor(x) - floor(x / 2) - floor(x / 2 + Rational(1, 2))) is None
    assert not is_nonzero(floor(x) * sympy.sin(y))


@pytest.mark.slow
def test_two_variables() -> None:
    """E floor(a.z)^2 of a direction, products with smooth functions, and blocks that are taken apart."""
    with mpmath.workdps(25):
        square = mean_of_square(S(2), S(0))  # sqrt(3) and 1 have the length 2
        found = expected_quantity(floor(sympy.sqrt(3) * x + y) ** 2, [x, y])
        assert abs(found.value - square) <= found.error + 1e-15
    coupled = expected_quantity(floor(x) * sympy.tanh(x + y), [x, y], digits=10)
    places, masses = np.polynomial.legendre.leggauss(30)
    exact = sum(n * float(masses @ smooth(n + 0.5 + places / 2)) / 2 for n in range(-9, 9))
    assert abs(coupled.value - exact) < 1e-9


def smooth(s: np.ndarray) -> np.ndarray:
    """phi(s) E tanh(s + z)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return np.exp(-s * s / 2) * (np.tanh(s[:, None] + nodes) @ weights) / (2 * np.pi)


FINITE = {
    "clip(floor(z1), -2, 2)": lambda t: min(max(mpmath.floor(t), -2), 2),
    "clip(floor(z1) + 1, -2, 2)": lambda t: min(max(mpmath.floor(t) + 1, -2), 2),
    "floor(4*Phi(z1))": lambda t: mpmath.floor(4 * mpmath.ncdf(t)),
    "floor(clip(3*z1, 0, 3))": lambda t: mpmath.floor(min(max(3 * t, 0), 3)),
    "floor(2*sign(z1))": lambda t: 2 * mpmath.sign(t),
}


@pytest.mark.parametrize("text", FINITE)
def test_finitely_many_steps(text: str) -> None:
    """Equal everywhere, at the jumps too, and of the exact law of labels."""
    f = Target(text).expression
    assert not f.has(floor)
    for t in (-3, -2, -1, 0, 1, 2, 3, *(Rational(k, 7) for k in range(-30, 30, 4))):
        assert float(f.subs(x, t)) == float(FINITE[text](mpmath.mpf(S(t).p) / S(t).q))


OF_KINKS = {
    "floor(abs(z1))": lambda t: mpmath.floor(abs(t)),
    "floor(relu(z1 + 1))": lambda t: mpmath.floor(max(t + 1, 0)),
    "floor(abs(z1) - 1/2)": lambda t: mpmath.floor(abs(t) - mpmath.mpf(1) / 2),
    "floor(abs(abs(z1) - 1) + z1/2)": lambda t: mpmath.floor(abs(abs(t) - 1) + t / 2),
    "floor(max(z1, 2*z1) - 2*relu(z1))": lambda t: mpmath.floor(max(t, 2 * t) - 2 * max(t, 0)),
}


@pytest.mark.parametrize("text", OF_KINKS)
def test_of_kinks(text: str) -> None:
    """Equal everywhere, at the kinks and the jumps too."""
    f = Target(text).expression
    for t in (Rational(k, 4) for k in range(-20, 21)):
        assert float(f.subs(x, t)) == float(OF_KINKS[text](mpmath.mpf(t.p) / t.q))


def test_coefficients_of_kinks() -> None:
    """E[He_k floor|z|] is twice the sum of phi(n) He_{k-1}(n) over n >= 1, for even k."""
    f = Target("floor(abs(z1))")
    assert symmetry_certificate(f.expression, [x], [1]) is not None
    table = ha.hermite(f, degree=2)
    with mpmath.workdps(30):
        mean = 2 * mpmath.fsum(mpmath.ncdf(-n) for n in range(1, 40))
        second = 2 * mpmath.fsum(n * mpmath.npdf(n) for n in range(1, 40))
    for k, exact in ((0, mean), (2, second)):
        assert abs(table[k].value - exact) <= table[k].error + 1e-16


@pytest.mark.slow
def test_values_of_a_bounded_label() -> None:
    """A bound that is not reached is no value."""
    law = ha.ConditionalLaw("floor(4*sigmoid(z1))")
    assert [str(q) for q in law.values] == ["0", "1", "2", "3"]
    exact = mpmath.ncdf(mpmath.log(3)) - mpmath.ncdf(0)  # 2 <= 4 sigmoid < 3
    assert law.branches(2)[0].weight.value == pytest.approx(float(exact), abs=1e-12)


def test_refusals() -> None:
    with pytest.raises(UnsupportedExpression, match="infinitely many pieces; a clipped floor"):
        ha.ConditionalLaw("floor(z1)").branches(1)
    clipped = r"; a floor that is clipped, clip\(floor\(x\), lo, hi\), has finitely many"
    with pytest.raises(UnsupportedExpression, match=f"move with the parameter z2 of its argument{clipped}"):
        ha.compile(ha.GaussianExpectation(sympy.tanh(z) * floor(y * z + 1), z), (y,))
    form = conditional_coefficients(ha.Activation("floor(z)")).kernel_form()
    with pytest.raises(UnsupportedExpression, match="move with the parameters c, kappa, r of its argument"):
        ha.compile(form, (kappa, c, r))
    with pytest.raises(UnsupportedExpression, match=rf"where its argument is a \+ b z with .*{clipped}"):
        breakpoints(floor(z**2), z)
    with pytest.raises(UnsupportedExpression, match="laws of labels list at most 256"):
        with_finite_stairs(floor(30 * x))
    with pytest.raises(UnsupportedExpression, match="infinitely many jumps move"):
        ha.GaussianExpectation(floor(z + y), z).diff(y)


def test_threshold_of_a_quantised_square() -> None:
    """alpha_c of floor(z^2/4): 1/alpha = sum over n of E[(z^2 - 1) 1{y = n}]^2/P(y = n), ends 2 sqrt(n)."""
    total = mpmath.mpf(0)
    for n in range(90):
        low, high = 2 * mpmath.sqrt(n), 2 * mpmath.sqrt(n + 1)
        mass = 2 * (mpmath.ncdf(-low) - mpmath.ncdf(-high))
        total += (2 * (low * mpmath.npdf(low) - high * mpmath.npdf(high))) ** 2 / mass
    (stage,) = ha.weak_recovery("floor(z1**2/4)").stages
    assert abs(stage.alpha_c.value - 1 / total) <= stage.alpha_c.error < 1e-11
    assert stage.alpha_c.evidence is Evidence.ESTIMATED and stage.alpha_c.exact is None


@pytest.mark.parametrize("backend", others_than("cuda"))
def test_kernels(backend: str) -> None:
    kernel = ha.compile({"f": floor(2 * z), "g": z - floor(z)}, (z,), backend=backend)
    for t in (-2.25, -0.5, 0.0, 0.75, 1e17):
        found = [float(np.squeeze(v)) for v in kernel(argument(backend, t))]
        assert found == [np.floor(2 * t), t - np.floor(t)]


@pytest.mark.slow
@pytest.mark.arrays
def test_thresholds_of_steps_beyond_what_is_listed_are_not_known() -> None:
    """1/alpha is 1.5e-15: it was taken for 0, and alpha_c for infinite."""
    (stage,) = ha.weak_recovery("floor(abs(z1)/9)").stages
    assert math.isnan(stage.alpha_c.value) and "1/alpha is below" in stage.alpha_c.reason
