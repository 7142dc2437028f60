"""The orthogonality step, and every verified symmetry at random points in floating point."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import Rational, sqrt, tanh

from hermite_analytics.gaussian.zero import symmetries, symmetry_certificate
from hermite_analytics.gaussian.zero.certificate import exact_matrix
from hermite_analytics.gaussian.zero.isometries import Isometry
from hermite_analytics.gaussian.zero.monomials import Form, freeze, thaw
from hermite_analytics.gaussian.zero.reader import read
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.gaussian.zero.verification import VerifiedSymmetries
from hermite_analytics.language.parser import expectation_names, is_parameter, parse
from hermite_analytics.symbols import variable
from tests.symbolic.random_trees import EVERY, Grammar, Tree, text_of, values_of, variables_of

Z = tuple(variable(i) for i in range(1, 4))
half = Rational(1, 2)


def form(number: object) -> Form:
    return thaw(freeze(read(Ring(), sympy.sympify(number))))


def isometry_of(rows: sympy.Matrix) -> Isometry:
    return Isometry(matrix=tuple(tuple(form(x) for x in rows.row(i)) for i in range(rows.rows)))


def verifier(expr: sympy.Expr, n: int) -> VerifiedSymmetries:
    return VerifiedSymmetries(form(expr), [v.name for v in Z[:n]])


def rational_orthogonal(rng: random.Random, n: int) -> sympy.Matrix:
    """Cayley's (1 - A)/(1 + A) of a random antisymmetric A, times random signs."""
    a = sympy.zeros(n, n)
    for i in range(n):
        for j in range(i):
            a[i, j] = Rational(rng.randint(-3, 3), rng.randint(1, 3))
            a[j, i] = -a[i, j]
    one = sympy.eye(n)
    signs = sympy.diag(*[rng.choice((1, -1)) for _ in range(n)])
    return (one - a) * (one + a).inv() * signs


def radical_orthogonal(rng: random.Random, n: int) -> sympy.Matrix:
    """A product of rotations by multiples of pi/6 and pi/4 of coordinate planes."""
    product = sympy.eye(n)
    for _ in range(2):
        i, j = rng.sample(range(n), 2)
        c, s = rng.choice([(half, sqrt(3) / 2), (sqrt(2) / 2, sqrt(2) / 2), (sqrt(3) / 2, -half)])
        turn = sympy.eye(n)
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = c, -s, s, c
        product = (product * turn).applyfunc(sympy.expand)
    return product


RADIUS = tanh(Z[0] ** 2 + Z[1] ** 2 + Z[2] ** 2)  # every isometry is a symmetry
PLANE = tanh(Z[0] ** 2 + Z[1] ** 2)


@pytest.mark.parametrize("make", [rational_orthogonal, radical_orthogonal])
@pytest.mark.parametrize("n", [2, 3])
def test_orthogonal_matrices_pass(make, n):
    rng = random.Random(n)
    found = verifier(PLANE if n == 2 else RADIUS, n)
    for _ in range(10):
        assert found.character(isometry_of(make(rng, n))) == 1


@pytest.mark.parametrize("make", [rational_orthogonal, radical_orthogonal])
@pytest.mark.parametrize("n", [2, 3])
def test_a_changed_entry_is_refused(make, n):
    """Even for a function that the changed matrix leaves alone."""
    rng = random.Random(10 + n)
    unmoved = verifier(sympy.Integer(5), n)
    for _ in range(25):
        matrix = sympy.Matrix(make(rng, n))
        i, j = rng.randrange(n), rng.randrange(n)
        change = rng.choice([Rational(1, 10**6), Rational(-1, 7), sqrt(2) / 100, Rational(1, 10**40)])
        matrix[i, j] += change
        assert (matrix.T * matrix).applyfunc(sympy.expand) != sympy.eye(n)
        assert unmoved.character(isometry_of(matrix)) is None


@pytest.mark.parametrize(
    ("expr", "rows"),
    [
        (tanh(Z[0]), [[1, 0], [0, 2]]),  # f(Rz) = f(z) for matrices that are not orthogonal
        (tanh(Z[0]), [[1, 0], [1, 1]]),
        (tanh(Z[0]), [[-1, 0], [0, half]]),
        (tanh(Z[0] * Z[1]), [[2, 0], [0, half]]),
        (sympy.sign(Z[0]), [[3, 0], [0, 1]]),
        (sympy.Abs(Z[0] + Z[1]), [[2, 0], [-1, 1]]),
        (tanh(Z[0] ** 2 - Z[1] ** 2), [[Rational(5, 4), Rational(3, 4)], [Rational(3, 4), Rational(5, 4)]]),
    ],
    ids=str,
)
def test_invariance_under_a_matrix_that_is_not_orthogonal_is_refused(expr, rows):
    matrix = sympy.Matrix(rows)
    moved = expr.subs(dict(zip(Z, matrix * sympy.Matrix(Z[:2]), strict=False)), simultaneous=True)
    points = [{Z[0]: Rational(1, 3) + k, Z[1]: Rational(2, 7) - k * k} for k in range(3)]
    assert all(abs((moved - expr).subs(p).evalf()) < 1e-12 or (moved + expr).subs(p) == 0 for p in points)
    assert verifier(expr, 2).character(isometry_of(matrix)) is None


@pytest.mark.slow
def test_the_matrices_of_the_search_are_orthogonal_in_exact_algebra():
    forms = [tanh(Z[0] - 2 * Z[1]), tanh(Z[0] - Z[2]) ** 2, sympy.sin(Z[0] + Z[1] - sqrt(2) * Z[2])]
    for expr in (forms[0] + forms[1], forms[0] * forms[1], forms[2] ** 2, PLANE, RADIUS):
        for isometry, _ in symmetries(expr, Z):
            matrix = exact_matrix(isometry)
            product = (matrix.T * matrix).applyfunc(sympy.radsimp).applyfunc(sympy.expand)
            assert product == sympy.eye(3)


class Symmetric(Grammar):
    """Random expressions with a symmetry more often than not: sums and products over its images."""

    def symmetric(self) -> Tree:
        base = self.expression(1)
        for _ in range(self.random.choice((0, 1, 1, 2))):
            image = moved(base, self.image())
            sign = Fraction(self.random.choice((1, -1)))
            kind = self.random.random()
            base = ("*", base, image) if kind < 0.3 else ("+", base, ("*", sign, image))
        return base

    def image(self) -> list[tuple[int, int]]:
        columns = self.random.sample(range(1, self.variables + 1), self.variables)
        return [(c, self.random.choice((1, -1))) for c in columns]


def moved(tree: Tree, image: list[tuple[int, int]]) -> Tree:
    """The tree at a signed permutation of its variables."""
    if not isinstance(tree, tuple):
        return tree
    if tree[0] == "z":
        column, side = image[tree[1] - 1]
        return ("z", column) if side > 0 else ("*", Fraction(-1), ("z", column))
    return (tree[0], *(moved(child, image) for child in tree[1:]))


def expression_of(text: str) -> sympy.Expr:
    return parse(text, expectation_names, accepted="z1, z2, ...", is_constant=is_parameter)


def check_symmetries(tree: Tree, n: int, rng: np.random.Generator) -> int:
    """R'R = 1 and f(Rz) = chi f(z) in floating point; the number of symmetries."""
    expr = expression_of(text_of(tree))
    found = symmetries(expr, Z[:n])
    points = rng.normal(size=(n, 50)) * rng.choice([0.3, 1.0, 2.0], size=50)
    here = values_of(tree, points)
    scale = np.abs(here).max() + 1e-300
    for isometry, character in found:
        matrix = np.array(exact_matrix(isometry).evalf(20).tolist(), dtype=float)
        assert np.abs(matrix.T @ matrix - np.eye(n)).max() < 1e-14
        there = values_of(tree, matrix @ points)
        assert np.abs(there - character * here).max() < 1e-9 * scale, (text_of(tree), matrix, character)
    return len(found)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3])
def test_random_symmetric_expressions(n):
    rng = np.random.default_rng(n)
    counts = []
    for seed in range(24 if n < 3 else 8):
        tree = Symmetric(900 + seed, n, EVERY).symmetric()
        if len(variables_of(tree)) == n:
            counts.append(check_symmetries(tree, n, rng))
    assert sum(c > 0 for c in counts) >= len(counts) // 5


@pytest.mark.slow
@pytest.mark.draws(0)  # the path of `test_random_symmetric_expressions`
@pytest.mark.parametrize("chunk", range(4))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_more_random_symmetric_expressions(n, chunk):
    rng = np.random.default_rng(50 + n)
    count = 50 if n < 3 else 10
    for seed in range(chunk * count, (chunk + 1) * count):
        tree = Symmetric(5000 + seed, n, EVERY).symmetric()
        if len(variables_of(tree)) == n:
            check_symmetries(tree, n, rng)


def check_certificate(tree: Tree, n: int, index: tuple[int, ...], rng: np.random.Generator) -> bool:
    """The identities that a certificate states, where they are of f itself."""
    found = symmetry_certificate(expression_of(text_of(tree)), Z[:n], index)
    if found is None or found.text.startswith("g ="):
        return False
    points = rng.normal(size=(n, 30))
    here = values_of(tree, points)
    scale = np.abs(here).max() + 1e-300
    for exact, character in found.generators:
        matrix = np.array(exact.evalf(20).tolist(), dtype=float)
        assert np.abs(matrix.T @ matrix - np.eye(n)).max() < 1e-14
        there = values_of(tree, matrix @ points)
        assert np.abs(there - character * here).max() < 1e-9 * scale, (text_of(tree), found.text)
    return True


@pytest.mark.slow
def test_random_certificates():
    rng = np.random.default_rng(7)
    count = 0
    for seed in range(15):
        tree = Symmetric(300 + seed, 2, EVERY).symmetric()
        if len(variables_of(tree)) == 2:
            count += sum(check_certificate(tree, 2, s, rng) for s in ((0, 0), (1, 0), (1, 1), (2, 1)))
    assert count > 8
