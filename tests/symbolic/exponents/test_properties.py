"""What holds for every target: permutations, rotations, factors, nested subspaces, a reference in floats."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
import sympy

import hermite_analytics as ha

ROTATION = [["3/5", "4/5"], ["-4/5", "3/5"]]
SEEDS = range(12)


def drawn(seed: int, dimension: int) -> str:
    """A sparse polynomial in Hermite form, so that low orders often vanish."""
    draw = random.Random(seed)
    terms = []
    for _ in range(draw.randint(1, 4)):
        powers = [draw.choice((0, 0, 1, 1, 2)) for _ in range(dimension)]
        powers[draw.randrange(dimension)] += 1
        factors = [f"He({k}, z{i + 1})" for i, k in enumerate(powers) if k]
        terms.append(f"({draw.choice((-3, -2, -1, 1, 2, 3))})*" + "*".join(factors))
    return " + ".join(terms)


def same_answers(f: ha.Target, g: ha.Target) -> None:
    """What does not depend on the basis."""
    for function in (ha.leap_index, ha.isotropic_leap, ha.intrinsic_dimension):
        assert function(f).value == function(g).value
    for function in (ha.staircase, ha.leap_decomposition):
        a, b = function(f), function(g)
        assert (a.dimensions, a.orders, a.limit_dimension) == (b.dimensions, b.orders, b.limit_dimension)


@pytest.mark.draws(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_rotation(seed):
    text = drawn(seed, 2) + " + 0*z2"
    rotated = ha.Target(text, directions=[[sympy.Rational(x) for x in row] for row in ROTATION])
    same_answers(ha.Target(text, directions=[[1, 0], [0, 1]]), rotated)


@pytest.mark.cases(3)
@pytest.mark.parametrize("text", ["sign(z1*z2)", "sin(z1) + z2**2", "z1*relu(z2)", "relu(z1) + relu(z2)"])
def test_rotation_of_infinite_expansions(text):
    rotated = ha.Target(text, directions=[[sympy.Rational(x) for x in row] for row in ROTATION])
    same_answers(ha.Target(text), rotated)


@pytest.mark.draws(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_permutation(seed):
    text = drawn(seed, 3) + " + 0*z3"
    f = ha.Target(text, directions=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    g = ha.Target(text, directions=[[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    same_answers(f, g)
    assert ha.leap_complexity(f).value == ha.leap_complexity(g).value


@pytest.mark.draws(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_scaling_and_constants(seed):
    text = drawn(seed, 3)
    same_answers(ha.Target(text), ha.Target(f"pi - 2*({text})/sqrt(3)"))


@pytest.mark.draws(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_nested_and_ordered(seed):
    text = drawn(seed, 3)
    steps, stairs = ha.leap_decomposition(text), ha.staircase(text)
    for chain in (steps, stairs):
        for small, large in itertools.pairwise(chain.bases):
            assert len(small) < len(large)
            rows = [[sympy.Rational(x) for x in row] for row in (*small, *large)]
            assert sympy.Matrix(rows).rank() == len(large)
    leap, iso = ha.leap_index(text).value, ha.isotropic_leap(text).value
    assert leap <= ha.leap_complexity(text).value <= iso
    assert steps.orders[0] == leap
    assert max(steps.orders) == iso
    assert steps.limit_dimension == ha.intrinsic_dimension(text).value >= stairs.limit_dimension
    assert (iso == 1) == (stairs.limit_dimension == steps.limit_dimension)


@pytest.mark.slow
@pytest.mark.draws(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_against_floats(seed):
    text = drawn(seed, 3) + " + 0*z3"
    f = ha.Target(text, directions=[[1, 2, 0], [0, 1, -1], [1, 0, 1]])
    expansion = ha.hermite(f, 9)
    assert list(ha.staircase(f).dimensions) == float_staircase(expansion)


PIECES = ("sign({})", "relu({})", "sin({})", "abs({})", "erf({})", "He3({})", "He2({})", "cos({})")
FORMS = ("z1", "z2", "z3", "z1 + z2", "z2 - z3", "z1 - 2*z3")


@pytest.mark.cases(1)
@pytest.mark.draws(3)
@pytest.mark.parametrize("seed", range(16))
def test_infinite_expansions_against_floats(seed):
    draw = random.Random(100 + seed)
    terms = []
    for _ in range(draw.randint(1, 3)):
        factors = [draw.choice(PIECES).format(draw.choice(FORMS)) for _ in range(draw.choice((1, 1, 2)))]
        terms.append(f"{draw.choice((-2, 1, 3))}*" + "*".join(factors))
    f = ha.Target(" + ".join([*terms, "0*z3"]), directions=np.eye(3, dtype=int))
    steps = ha.staircase(f, seconds=10)
    seen = float_staircase(ha.hermite(f, 6))
    shared = min(len(seen), len(steps.dimensions))
    assert steps.dimensions[: shared - 1] == tuple(seen[: shared - 1])
    if steps.limit_dimension is not None:  # six degrees see nearly everything, and never more
        assert steps.limit_dimension >= seen[-1]
        assert (steps.limit_dimension == 0) == (seen[-1] == 0)


def float_staircase(expansion: ha.HermiteExpansion) -> list[int]:
    """Dimensions by contractions and singular values."""
    width = len(expansion.variables)
    basis, dimensions = np.zeros((width, 0)), [0]
    while True:
        vectors = [basis]
        for n in range(1, expansion.degree + 1):
            tensor = expansion.tensor(n)
            for _ in range(n - 1):
                tensor = np.tensordot(tensor, basis, axes=(1, 0)) if tensor.ndim > 1 else tensor
            vectors.append(tensor.reshape(width, -1))
        left, values, _ = np.linalg.svd(np.hstack(vectors))
        rank = int((values > 1e-9 * max(1.0, values.max(initial=0.0))).sum())
        if rank == basis.shape[1]:
            return dimensions
        basis = left[:, :rank]
        dimensions.append(rank)


def test_directions_beyond_floats():
    """The direction (1, 10^600) has no float; the target depends on it alone."""
    found = ha.analyze("1e-300*z1 + 1e300*z2")
    assert found.intrinsic_dimension == 1 and found.generative_exponent == 1
    assert found.grand_staircase.bases[-1] == (("1", str(10**600)),)
