"""Largest and smallest of three or more, of which two are equal on an open set."""

from __future__ import annotations

import pytest

import hermite_analytics as ha
from tests.nets.trees import tree_of
from tests.symbolic.tree_quadrature import moments

TIES = (
    "max(sign(z2**3 + z2)*sign(z2), max(z1, 1))",
    "max(sign(z1)**2, 1, z2)",
    "max(relu(z1), z1, z2)",
    "max(step(z1), sign(relu(z1)), z2)",
    "min(abs(z1), z1, z2)",
    "min(1, sign(z1)**2, z2, sign(z2)**2)",
    "max(abs(z1), -z1, z1, z2)",
    "max(z1, min(z1, z2), z2/2)",
    "abs(max(sign(z1), -sign(z1), z2))",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", TIES)
def test_equal_arguments_count_once(text):
    indices = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1)]
    expected = moments(tree_of(text), indices)
    found = ha.hermite(text, 2)
    for index, value, slack in zip(indices, expected.values, expected.tolerance(), strict=False):
        assert abs(found[index].value - value) <= 3 * slack + 1e-10 + found[index].error, index
    assert abs(found.second_moment.value - expected.values[-1]) <= 3 * expected.tolerance()[-1] + 1e-10
