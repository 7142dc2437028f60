"""The part that the second layer fits: known regimes, quadrature in rotated coordinates, refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import sympy
from scipy.special import eval_hermitenorm

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence
from hermite_analytics.language.functions import He, hermite_polynomial

EXAMPLE = "z1 + He2(z2) + He2(z1)*z2 + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"
UNITS = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def quadrature_error(f, learned, kappa, nodes=60):
    """E f^2 - sum over |S| <= kappa of E[E_y[He_S(y) f]^2]/S!, by Gauss-Hermite in rotated coordinates."""
    width = len(learned[0])
    basis = np.linalg.qr(np.array([*learned, *np.eye(width)], dtype=float).T)[0].T
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    w = w / w.sum()
    grid = np.meshgrid(*[x] * width, indexing="ij")
    z = np.tensordot(basis.T, np.array(grid), axes=1)
    values = f(*z)
    inside = len(learned)
    total = values**2
    for _ in range(width):
        total = total @ w
    for index in itertools.product(range(kappa + 1), repeat=width - inside):
        if sum(index) <= kappa:
            part = values
            for n in reversed(index):
                part = part @ (w * eval_hermitenorm(n, x))
            square = part**2
            for _ in range(inside):
                square = square @ w
            total -= square / math.prod(map(math.factorial, index))
    return float(total)


def opened(expression):
    """With Hermite polynomials written out."""
    return sympy.expand(expression.replace(He, lambda k, x: hermite_polynomial(int(k), x)))


@pytest.mark.parametrize(
    ("powers", "learned", "kappa", "error", "fitted", "unfitted"),
    [
        ((1, 0), 1, 0, 56, "z1", "He2(z2) + He2(z1)*z2 + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"),
        ((1, 1), 1, 1, 54, "z1 + He2(z1)*z2", "He2(z2) + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"),
        ((2, 0), 2, 0, 52, "z1 + He2(z2) + He2(z1)*z2", "He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"),
        ((2, 1), 2, 1, 4, "z1 + He2(z2) + He2(z1)*z2 + He4(z1)*He2(z2)*z3", "He2(z2)*He2(z3)"),
        ((2, 2), 2, 2, 0, EXAMPLE, "0"),
        (("3/2", 7), 1, 1, 54, "z1 + He2(z1)*z2", "He2(z2) + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"),
        ((0.5, 3), 0, 0, 57, "0", EXAMPLE),
    ],
)
def test_worked_example(powers, learned, kappa, error, fitted, unfitted):
    found = ha.second_layer(EXAMPLE, *powers)
    assert found.learned == tuple(tuple(map(str, row)) for row in UNITS[:learned])
    assert found.kappa == kappa
    assert found.error.exact == error and found.error.evidence is Evidence.EXACT
    for text, expected in ((found.fitted, fitted), (found.unfitted, unfitted)):
        assert ha.Target(text).expression == ha.Target(expected).expression


@pytest.mark.parametrize(
    ("learned", "errors"),
    [
        (0, [57, 56, 54, 52, 48, 48, 48, 0]),
        (1, [56, 54, 52, 4, 0, 0]),
        (2, [52, 4, 0, 0]),
        (3, [0, 0]),
    ],
)
def test_every_degree_of_the_worked_example(learned, errors):
    found = [ha.second_layer(EXAMPLE, 10, k, UNITS[:learned]).error.exact for k in range(len(errors))]
    assert found == errors


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_polynomials_in_rotated_subspaces(seed):
    rng = np.random.default_rng(seed)
    powers = [tuple(rng.integers(0, 4, size=3)) for _ in range(5)]
    weights = [int(x) for x in rng.integers(-3, 4, size=5)]
    text = " + ".join(f"({c})*z1**{a}*z2**{b}*z3**{e}" for c, (a, b, e) in zip(weights, powers, strict=True))
    rows = [[int(x) for x in row] for row in rng.integers(-2, 3, size=(1 + seed % 2, 3))]
    rows[0][0], rows[-1][-1] = 7, 7 - seed % 2  # independent
    for kappa in (0, 1, 2):
        found = ha.second_layer(text, 5, kappa, rows)
        assert found.error.evidence is Evidence.EXACT and found.error.exact.is_Rational
        reference = quadrature_error(
            lambda *z: sum(
                c * np.prod([x**p for x, p in zip(z, s, strict=True)], axis=0)
                for c, s in zip(weights, powers, strict=True)
            ),
            rows,
            kappa,
            nodes=14,
        )
        assert found.error.value == pytest.approx(reference, rel=1e-9, abs=1e-7)
        whole = found.fitted_expression + found.unfitted_expression
        assert opened(whole - ha.Target(text).expression) == 0


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("text", "f", "learned", "evidence"),
    [
        ("sin(z1) + 2*sin(z2)", lambda a, b: np.sin(a) + 2 * np.sin(b), [[1, 2]], Evidence.EXACT),
        ("exp(z1/2)*cos(z2 - z1)", lambda a, b: np.exp(a / 2) * np.cos(b - a), [[1, 0]], Evidence.EXACT),
        ("sin(z1*z2)", lambda a, b: np.sin(a * b), [[1, 0]], Evidence.EXACT),
        ("tanh(z1)*sin(z2)", lambda a, b: np.tanh(a) * np.sin(b), [[1, 0]], Evidence.PROVED),
        ("tanh((z1 + z2)/2) + z2**2", lambda a, b: np.tanh((a + b) / 2) + b**2, [[0, 1]], Evidence.PROVED),
        ("tanh(z1/2)*tanh(z2/2)", lambda a, b: np.tanh(a / 2) * np.tanh(b / 2), [[0, 1]], Evidence.PROVED),
    ],
)
def test_smooth_functions_by_quadrature(text, f, learned, evidence):
    for kappa in (0, 1):
        found = ha.second_layer(text, 5, kappa, learned)
        assert found.error.evidence is evidence
        reference = quadrature_error(f, learned, kappa, nodes=100)
        assert found.error.value == pytest.approx(reference, rel=2e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "learned", "kappa", "fitted", "error"),
    [
        ("relu(z1 + z2)", [[1, 0]], 0, "z1*Phi(z1) + phi(z1)", sympy.sympify("2/3 - sqrt(3)/(2*pi)")),
        ("sign(z1*z2)", [[1, 0]], 1, "sqrt(2/pi)*z2*sign(z1)", 1 - 2 / sympy.pi),
        ("sign(z1*z2)", [], 2, "2*z1*z2/pi", 1 - 4 / sympy.pi**2),
        ("abs(z1 + z2 + z3)", [], 0, "sqrt(6/pi)", 3 - 6 / sympy.pi),
        ("max(z1, z2)", [[1, 1]], 0, "z1/2 + z2/2 + 1/sqrt(pi)", sympy.Rational(1, 2) - 1 / sympy.pi),
        ("sign(z1)*sign(z2 + z3)", [[1, 0, 0], [0, 1, 1]], 0, "sign(z1)*sign(z2 + z3)", sympy.S.Zero),
        ("tanh(z1) + z1*z2", [[1, 0]], 0, "tanh(z1)", sympy.S.One),
        ("tanh(z1) + z1*z2", [[2, 0]], 1, "tanh(z1) + z1*z2", sympy.S.Zero),
        ("3", [], 0, "3", sympy.S.Zero),
        ("sign(z1 + xi) + z2", [[0, 1]], 1, "z2 + z1/sqrt(pi)", sympy.Rational(1, 3) - 1 / sympy.pi),
        ("z1*z2 + 5*xi", [[0, 1]], 0, "0", sympy.S.One),
    ],
)  # fmt: skip
def test_closed_forms(text, learned, kappa, fitted, error):
    width = max(ha.Target(text).dimension, 1)
    found = ha.second_layer(text, 3, kappa, learned or np.zeros((0, width)))
    assert sympy.simplify(found.error.exact - error) == 0
    assert found.error.evidence is Evidence.EXACT
    assert sympy.simplify(ha.Target(found.fitted).expression - ha.Target(fitted).expression) == 0


@pytest.mark.slow
def test_label_noise_is_averaged_out():
    found = ha.second_layer("tanh(z1 + xi) + z2", 1, 1, [[0, 1]])
    assert found.fitted == "E_z1,xi[z1*tanh(xi + z1)]*z1 + z2"
    assert found.unfitted == "E_xi[tanh(xi + z1)] - E_z1,xi[z1*tanh(xi + z1)]*z1"
    x, w = np.polynomial.hermite_e.hermegauss(150)
    w = w / w.sum()
    average = np.tanh(x[:, None] + x[None, :]) @ w
    expected = w @ average**2 - (w @ (x * average)) ** 2
    assert found.error.value == pytest.approx(expected, abs=1e-7)


def test_fitted_and_unfitted_are_orthogonal():
    found = ha.second_layer("relu(z1)*relu(z2) + z2*z3", 1, 1, [[1, 0, 0]])
    product = sympy.expand(found.fitted_expression * found.unfitted_expression)
    assert ha.expectation(product).at().zero
    assert ha.expectation(sympy.expand(found.unfitted_expression**2)).at().exact.equals(found.error.exact)


def test_error_decreases_with_degree_and_subspace():
    text = "He2(z1)*z2 + sin(z1 + z3)*z2"
    errors = [
        [float(ha.second_layer(text, 9, k, rows).error) for k in range(4)]
        for rows in (np.zeros((0, 3)), [[1, 0, 1]], [[1, 0, 1], [1, 0, 0]])
    ]
    assert np.all(np.diff(errors, axis=1) <= 1e-12) and np.all(np.diff(errors, axis=0) <= 1e-12)


def test_directions_of_the_target_are_columns():
    target = ha.Target("z1*z2", directions=[[3, 4], [4, -3]])
    found = ha.second_layer(target, 5, 0, [[3, 4]])
    assert found.error.exact == 625 and found.target == "(3*z1 + 4*z2)*(4*z1 - 3*z2)"


def test_status_and_remarks():
    theorem = ha.second_layer(EXAMPLE, 1, 0)
    assert theorem.status.startswith("theorem: lower bound for p = O(1)")
    assert theorem.remarks == ("U after one giant step: the span of C_1 (theorem)",)
    conjecture = ha.second_layer(EXAMPLE, 2, 1)
    assert conjecture.status == "conjectured lower bound (arXiv:2305.18270, Conjecture 3)"
    assert conjecture.remarks == (
        "U after one giant step: the span of C_1 to C_2 (conjecture: orders beyond the first)",
        "d^1 is a critical regime: the value is the limit from above",
    )
    assert ha.second_layer(EXAMPLE, 1, "1/2").status.startswith("conjectured")
    assert ha.second_layer(EXAMPLE, 1.5, 1.25).remarks[1:] == ()
    assert "kappa = 1" in str(conjecture) and "error:    4 [exact]" in str(conjecture)


@pytest.mark.slow
def test_a_subspace_without_closed_form_gives_an_estimate():
    found = ha.second_layer("tanh(z1) + tanh(2*z2)", 1, 0)
    assert found.fitted is None and found.unfitted_expression is None
    assert found.error.evidence is Evidence.ESTIMATED and found.error.zero is None
    m1, m2 = (ha.hermite(f"tanh({c}*z1)", 1)[1].value for c in (1, 2))
    reference = quadrature_error(lambda a, b: np.tanh(a) + np.tanh(2 * b), [[m1, m2]], 0, nodes=150)
    assert found.error.value == pytest.approx(reference, abs=2e-5)
    assert "rounded to 12 digits" in found.remarks[-1]


@pytest.mark.slow
def test_an_undecided_subspace_is_not_guessed():
    assert ha.second_layer("tanh(z1 + xi*z2)", 1, 0).learned == (("1", "0"),)
    found = ha.second_layer("tanh(z1 + z2*z3*z4)", 1, 0)
    assert found.learned is None and found.fitted is None
    assert found.error.evidence is Evidence.UNDECIDED
    assert "give `learned`" in found.remarks[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0), "samples_power is '-1'; accepted: a number from 0 to 100"),
        ((float("nan"), 0), "samples_power is 'nan'; accepted"),
        ((float("inf"), 0), "samples_power is 'inf'; accepted"),
        ((1, "many"), "width_power is 'many'; accepted"),
        ((1, 0, [[1, 0]]), "learned has a row of length 2; the target has 3 coordinates"),
        ((1, 0, [[1, 0, 0], [2, 0, 0]]), "learned has 2 rows of rank 1; independent rows are accepted"),
        ((1, 0, [[0, 0, 0]]), "learned has 1 rows of rank 0"),
        ((1, 0, [*UNITS, [1, 1, 1]]), "learned has 4 rows; at most 3 are independent"),
        ((1, 0, [["x", 0, 0]]), "an entry of learned is 'x'; a finite number is accepted"),
        ((1, 0, 3), "learned is not a matrix; a list of rows of numbers is accepted"),
        ((60, 60, []), "degree 60 in 3 directions that are not learned"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ha.InputError, match=message.replace("(", r"\(")):
        ha.second_layer(EXAMPLE, *arguments)


@pytest.mark.parametrize("text", ["exp(z1**2/3)", "exp(z1**2/4)", "exp((z1**2 + z2**2)/4)"])
def test_infinite_variance_is_refused(text):
    with pytest.raises(ha.UndefinedQuantity, match="E f\\^2 is infinite"):
        ha.second_layer(text)


def test_decimals_are_read_exactly():
    assert ha.second_layer("3*z1 + 4*z2", learned=[[0.1, 0.3]]).learned == (("1", "3"),)
    assert ha.second_layer("z1", 0.1).samples_power == "1/10"
