"""Loops over nodes as statements on arrays: what is no sum is refused, never read otherwise."""

import numpy as np
import pytest

from hermite_analytics.foundation.loops_as_arrays import as_arrays
from hermite_analytics.numeric import square_loss


def product(x):
    total = 1.0
    for k in range(x.size):
        total *= x[k]
    return total


def branch(x):
    total = 0.0
    for k in range(x.size):
        if x[k] > 0:
            total += x[k]
    return total


def written(x):
    for k in range(x.size):
        x[k] += 1.0
    return x


def counted(x):
    total = one = 0.0
    for k in range(x.size):
        total += x[k]
        one += total
    return one


def running(x):
    total = square = 0.0
    for k in range(x.size):
        total += x[k]
        square += total * x[k]
    return square


def half(x):
    total = 0.0
    for k in range(x.size // 2):
        total += x[k]
    return total


@pytest.mark.parametrize("function", [product, branch, written, counted, running, half])
def test_other_loops_are_refused(function):
    with pytest.raises(TypeError, match="loop over"):
        as_arrays(function)


def test_all_sums_of_the_square_loss_are_understood():
    """Each against its compiled loop."""
    rng, n = np.random.default_rng(0), 50
    columns = tuple(rng.random((8, n)))
    given = {
        "_responses": (*columns[:3], 0.3, 0.7, 1.0),
        "_linear_averages": (columns, 0.3, 0.7, 1.0),
        "_residual_averages": (columns, 0.3, 0.7, 1.0, 0.2, 0.5, -0.4, 0.1),
    }
    for name, arguments in given.items():
        kernel = getattr(square_loss, name)
        np.testing.assert_allclose(as_arrays(kernel.__wrapped__)(*arguments), kernel(*arguments), rtol=1e-13)
