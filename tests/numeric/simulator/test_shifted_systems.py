"""One matrix and many shifts: Cholesky, tridiagonal reduction and eigenvectors give the same solutions."""

import array_api_strict
import numpy as np
import pytest

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.shifted_systems import solve_shifted

XP = resolve_backend("cpu").xp
RANDOM = np.random.default_rng(11)


def system(size, samples=None):
    features = RANDOM.normal(size=(samples or 2 * size, size)) / np.sqrt(size)
    return features.T @ features, RANDOM.normal(size=size)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 17, 90])
@pytest.mark.parametrize("count", [1, 5, 6, 40])
def test_solutions(size, count):
    matrix, right = system(size)
    shifts = np.geomspace(1e-3, 10, count)
    solutions = solve_shifted(XP, matrix, right, shifts)
    assert solutions.shape == (count, size)
    for shift, solution in zip(shifts, solutions, strict=True):
        assert np.allclose(solution, np.linalg.solve(matrix + shift * np.eye(size), right), rtol=1e-10)


@pytest.mark.parametrize("count", [3, 20])
def test_other_namespaces(count):
    matrix, right = system(12)
    shifts = list(np.geomspace(1e-3, 10, count))
    strict = solve_shifted(
        array_api_strict, array_api_strict.asarray(matrix), array_api_strict.asarray(right), shifts
    )
    assert np.allclose(np.asarray(strict), solve_shifted(XP, matrix, right, shifts), rtol=1e-10)


def test_singular_matrix_and_its_null_space():
    matrix, right = system(30, samples=10)  # 20 eigenvalues are 0
    shifts = np.geomspace(1e-6, 1e-2, 8)
    solutions = solve_shifted(XP, matrix, right, shifts)
    for shift, solution in zip(shifts, solutions, strict=True):
        residual = matrix @ solution + shift * solution - right
        assert np.linalg.norm(residual) < 1e-8 * np.linalg.norm(right)


def test_the_matrix_is_left_as_it_is():
    matrix, right = system(20)
    before = matrix.copy(), right.copy()
    solve_shifted(XP, matrix, right, np.ones(8))
    assert np.array_equal(matrix, before[0]) and np.array_equal(right, before[1])


@pytest.mark.parametrize("count", [1, 10])
def test_what_is_not_positive_definite(count):
    with pytest.raises(ConvergenceError, match=r"^the ridge is below the rounding error of the Gram matrix"):
        solve_shifted(XP, -np.diag(np.arange(1.0, 6.0)), np.ones(5), np.full(count, 1e-3))
