"""Where a structure changes with a parameter, and the order of values."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.label.structure import changes, ranks


def test_close_values_have_one_rank():
    assert ranks(np.zeros(0)) == ()
    assert ranks(np.array([2.0, 2.0 + 1e-10, -1.0, 2.1])) == (1, 1, 0, 2)
    assert ranks(np.array([1e-12, 2e-12])) == (0, 0)
    assert ranks(np.array([1e-12, 2e-12]), scale=1e-12) == (0, 1)


def test_all_changes_between_two_neighbours():
    places = np.array([-0.7, 0.1, 0.1 + 1e-5, 0.9])
    found = changes(lambda x: int(np.sum(x > places)), [-2.0, 0.5, 2.0], 4)
    assert found == pytest.approx(places, abs=1e-13)
    assert changes(lambda x: int(np.sum(x > places)), [-2.0, 0.5, 2.0], 3) is None
    assert changes(lambda x: 1, [0.0, 1.0], 0) == []


def test_values_that_are_not_told_apart_are_one_change():
    """The order of x and 1/3 is a third one within 1e-9 of the place."""
    [place] = changes(lambda x: ranks(np.array([x, 1 / 3])), [0.0, 1.0], 9)
    assert place == pytest.approx(1 / 3, abs=1e-8)
