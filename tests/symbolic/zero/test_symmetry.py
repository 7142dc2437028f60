"""Certificates: what they say, that f(Rz) = chi f(z) with R orthogonal, that the coefficients are zero."""

from __future__ import annotations

import math

import pytest
import sympy
from sympy import (
    Abs,
    ImmutableMatrix,
    Max,
    Min,
    Rational,
    cos,
    cosh,
    erf,
    exp,
    log,
    sign,
    sin,
    sinh,
    sqrt,
    tanh,
)

from hermite_analytics.errors import InputError
from hermite_analytics.gaussian.zero import symmetries, symmetry_certificate, vanishing
from hermite_analytics.gaussian.zero.certificate import exact_matrix
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.language.functions import (
    He,
    Phi,
    gelu,
    leaky_relu,
    relu,
    sigmoid,
    silu,
    softplus,
    step,
)
from tests.symbolic.zero.quadrature import compiled, grid_coefficient, polar_coefficient

z1, z2, z3, z4 = Z = sympy.symbols("z1:5", real=True)
half = Rational(1, 2)
cubic = sign(z1) * sign(z1**2 - 3 * z2**2)
quintic = z1**5 - 10 * z1**3 * z2**2 + 5 * z1 * z2**4
square = z1**4 - 6 * z1**2 * z2**2 + z2**4  # Re (z1 + i z2)^4


def check(certificate, expr, variables):
    """The certificate's own identity, in exact algebra for R and at a point for f."""
    for matrix, character in certificate.generators:
        product = (matrix.T * matrix).applyfunc(sympy.radsimp).applyfunc(sympy.expand)
        assert product == ImmutableMatrix(sympy.eye(len(variables)))
        if not certificate.text.startswith("g ="):
            point = [0.3137 + 0.7171 * k for k in range(len(variables))]
            moved = [float(x) for x in matrix.evalf(30) * sympy.Matrix(point)]
            function = compiled(expr, variables)
            assert math.isclose(function(*moved), character * function(*point), abs_tol=1e-12)


# expression, dimension, the degrees up to 5 whose whole tensor vanishes by symmetry
TENSORS = [
    (sin(z1 * z2), 2, {0, 1, 3, 5}),
    (sign(z1 + z2) * sign(z1 - z2) * z1 * z2, 2, {0, 1, 2, 3, 5}),
    (sign(z1 + z2) * sign(z2 + z3) * sign(z3 + z1), 3, {0, 2, 4}),
    (tanh(z1), 1, {0, 2, 4}),
    (cubic, 2, {0, 1, 2, 4}),
    (tanh(z1**3 - 3 * z1 * z2**2), 2, {0, 1, 2, 4}),
    (sign(quintic), 2, {0, 1, 2, 3, 4}),
    (tanh(quintic), 2, {0, 1, 2, 3, 4}),
    (sign(square), 2, {0, 1, 2, 3, 5}),
    (z1 * z2 * z3, 3, {0, 1, 2, 4, 5}),
    ((erf(z1) + erf(z2) + erf(z3)) / 3, 3, {0, 2, 4}),
    (Max(z1, z2) - Max(-z1, -z2), 2, {0, 2, 3, 4, 5}),
    (sign(z1) * sign(-z1 + sqrt(3) * z2) * sign(z1 + sqrt(3) * z2), 2, {0, 1, 2, 4}),
    (sign(z1 - z2) * sign(z2 - z3) * sign(z3 - z1), 3, {0, 1, 2, 4}),
    (relu(z1 + 2 * z2), 2, {3, 5}),
    (softplus(z1), 1, {3, 5}),
    (silu(z1 - z2), 2, {3, 5}),
    (gelu(z1), 1, {3, 5}),
    (leaky_relu(z1, Rational(1, 10)), 1, {3, 5}),
    (Phi(z1) - half, 1, {0, 2, 4}),
    (sigmoid(z1 + z2), 2, {2, 4}),
    (Abs(erf(z1)), 1, {1, 3, 5}),
    (Min(Max(z1, -1), 1), 1, {0, 2, 4}),
    (sinh(z1 / 2) * cosh(z2), 2, {0, 2, 4}),
    (He(3, z1 + z2), 2, {0, 2, 4, 5}),
    (cos(z1**2) * sin(z2), 2, {0, 2, 4}),
    (log(1 + z1**2) * tanh(z2) / (2 + cos(z1)), 2, {0, 2, 4}),
    (sqrt(1 + z1**2 + z2**2), 2, {1, 3, 5}),
    (exp(z1), 1, set()),
    (step(z1 - 1), 1, set()),
]


@pytest.mark.cases(8)
@pytest.mark.parametrize(("expr", "n", "degrees"), TENSORS, ids=str)
def test_tensors(expr, n, degrees):
    found = {k: vanishing(expr, Z[:n], k) for k in range(6)}
    assert {k for k, (zero, _) in found.items() if zero} == degrees
    for zero, certificate in found.values():
        assert zero == (certificate is not None)
        if zero:
            check(certificate, expr, Z[:n])


@pytest.mark.cases(7)
@pytest.mark.parametrize("expr", [case[0] for case in TENSORS if case[1] <= 2], ids=str)
def test_tensors_by_quadrature(expr):
    """Every coefficient that is certified is zero to rounding by a rule of the same symmetry."""
    n = 2 if expr.has(z2) else 1
    rules = [grid_coefficient] if n == 1 else [grid_coefficient, polar_coefficient]
    for degree in range(5):
        for index in indices(n, degree):
            certificate = symmetry_certificate(expr, Z[:n], index)
            results = [rule(expr, Z[:n], index) for rule in rules]
            if certificate is None:
                continue
            assert min(abs(value) / max(1, scale) for value, scale in results) < 1e-12, (index, certificate)
            assert all(abs(value) < 0.03 * max(1, scale) for value, scale in results), (index, certificate)


@pytest.mark.parametrize(
    ("expr", "n", "index", "text"),
    [
        (tanh(z1), 1, (4,), "f(-z1) = -f(z1): even powers of z1 vanish"),
        (sin(z1 * z2), 2, (0, 0), "f(z1, -z2) = -f(z1, z2): even powers of z2 vanish"),
        (Abs(z1) * z2, 2, (1, 1), "f(-z1, -z2) = -f(z1, z2): even degrees vanish"),
        (tanh(z1 - z2) * exp(z3), 3, (1, 1, 0), "f(-z1, -z2, z3) = -f(z1, z2, z3): c_(1, 1, 0) = 0"),
        (
            softplus(z1),
            1,
            (3,),
            "g = f without its terms in lower or absent powers; g(-z1) = g(z1): odd powers of z1 vanish",
        ),
        (
            erf(z1) + erf(z2),
            2,
            (2, 1),
            "every term is orthogonal to the Hermite polynomial in some variable: c_(2, 1) = 0",
        ),
    ],
)
def test_texts(expr, n, index, text):
    assert str(symmetry_certificate(expr, Z[:n], index)) == text


def test_certificate_is_exact():
    found = symmetry_certificate(cubic, Z[:2], (1, 0))
    assert found.character in (1, -1)
    assert found.matrix == ImmutableMatrix([[-half, -sqrt(3) / 2], [sqrt(3) / 2, -half]])
    assert found.latex.startswith("$f(") and r"$\Rightarrow" in found.latex
    assert found.generators[0] == (found.matrix, found.character)


def test_several_symmetries_together():
    found = vanishing(sign(z1**2 - z2**2) * z1 * z2, Z[:2], 2)[1]
    assert len(found.generators) == 2
    assert found.text == "f(z1, -z2) = -f(z1, z2); f(z2, z1) = -f(z1, z2): C_2 = 0"


@pytest.mark.cases(3)
@pytest.mark.parametrize("m", [3, 4, 5, 6, 8, 10, 12])
def test_rotations_of_the_plane(m):
    """f = tanh(Re (z1 + i z2)^m): the first tensor that is not zero is C_m."""
    f = tanh(sympy.re(sympy.expand((z1 + sympy.I * z2) ** m)))
    assert [k for k in range(m + 1) if not vanishing(f, Z[:2], k)[0]] == [m]


def test_isometries_of_forms_in_three_dimensions():
    """A reflection that no signed permutation is: across the plane orthogonal to (2, 1, 2)."""
    a, b = z1 - 2 * z2, z1 - z3
    f = tanh(a) + tanh(b) ** 2
    matrices = [exact_matrix(isometry) for isometry, _ in symmetries(f, Z[:3])]
    normal = sympy.Matrix([2, 1, 2])
    reflection = ImmutableMatrix(sympy.eye(3) - 2 * normal * normal.T / 9)
    assert reflection in matrices


def test_kinks_with_parameters_are_refused():
    a = sympy.Symbol("a", real=True)
    assert symmetry_certificate(sign(a * z1), [z1], (0,)) is None
    assert symmetry_certificate(tanh(a * z1), [z1], (0,)) is not None


def test_bad_index():
    with pytest.raises(InputError, match="must have 2 entries"):
        symmetry_certificate(tanh(z1), [z1, z2], (1,))


def test_zero_function():
    assert vanishing(relu(z1) - relu(-z1) - z1, [z1], 1)[0]
