"""One label written in two ways, rotated, renamed, mapped: decided answers agree."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nets.judge import shown
from tests.nets.pair_agreement import judge_pair
from tests.nets.rewriting import Pair, respelled, rewritten
from tests.nets.trees import label_text, noise_last, tree_of
from tests.symbolic.random_trees import values_of

SEEDS = (2, 5, 7, 11, 15, 20, 22, 24, 31, 33, 40, 44, 55)
SLOW_SEEDS = range(1000, 1030)
TURN = np.array([[0.6, 0.8], [-0.8, 0.6]])
WRITTEN = [
    Pair("renamed", "relu(z2)*step(xi)", "max(z2, 0)*step(xi)", np.eye(2)),
    Pair("mapped", "z1*z2*step(xi)", "tanh(z1*z2*step(xi))", np.eye(2)),
    Pair("mapped", "z1*z2*step(xi)", "(z1*z2)**3*step(xi)", np.eye(2)),
    Pair("noise mirrored", "z1**2*sign(xi) + z2", "z1**2*sign(-xi) + z2", np.eye(2)),
    Pair("mapped", "z1 + sign(relu(z1))**2*z2**2", "z1 + step(z1)*z2**2", np.eye(2)),
    Pair("mapped", "z1 + sign(relu(z1))*abs(z2)", "z1 + step(z1)*z2**2", np.eye(2)),  # the same cells
    Pair("mapped", "He2(z1) + step(xi)", "z1**2 + step(xi)", np.eye(1)),
    Pair("respelled", "abs(sign(z1) - sign(z1 - 1))*z2**2", "2*step(z1)*step(1 - z1)*z2**2", np.eye(2)),
]


# Comparisons allow the stated errors and 1e-12 of the values for rounding: no statistics, no false alarms.
@pytest.mark.cases(3)
@pytest.mark.parametrize("pair", WRITTEN, ids=str)
def test_written_pairs(pair):
    verdict, _ = judge_pair(pair, 1.5)
    assert not verdict.wrong, shown(verdict)


@pytest.mark.slow
@pytest.mark.draws(7)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_pairs(seed):
    verdict, _ = judge_pair(rewritten(seed), 1.0)
    assert not verdict.wrong, shown(verdict)


@pytest.mark.slow
@pytest.mark.draws(1)  # the path of `test_random_pairs` with more time
@pytest.mark.parametrize("seed", SLOW_SEEDS)
def test_more_random_pairs(seed):
    verdict, _ = judge_pair(rewritten(seed), 2.0)
    assert not verdict.wrong, shown(verdict)


@pytest.mark.parametrize(
    "text",
    ["relu(z1)*abs(xi)", "min(z1, step(xi))", "gelu(z1) + He3(z2)*sign(xi)", "tanh(max(z1, z2)) + step(z1)"],
)
def test_another_spelling_is_the_same_function(text):
    tree = tree_of(text)
    other = tree_of(label_text(respelled(tree)))
    points = np.random.default_rng(1).normal(size=(3, 500))
    assert other != tree
    assert np.allclose(*(values_of(noise_last(t, 2), points) for t in (tree, other)), atol=1e-13)
