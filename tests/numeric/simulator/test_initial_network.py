"""Letters on neurons, in the fractions of a vocabulary, and symmetric networks."""

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.spiked.letters import Letters
from hermite_analytics.numeric.simulator.initial_network import neurons_of

TWO = Letters(values=(1, -3), fractions=(0.25, 0.75), biases=(0.5, 0))


def test_equal():
    neurons = neurons_of(TWO, 8, "equal", bias=1.0)
    assert neurons.letters.tolist() == [1, 1, -3, -3, -3, -3, -3, -3]
    assert neurons.biases.tolist() == [1.5, 1.5, 1, 1, 1, 1, 1, 1]
    assert neurons.kinds.tolist() == [0, 0, 1, 1, 1, 1, 1, 1] and not neurons.paired


def test_symmetric():
    neurons = neurons_of(TWO, 8, "symmetric")
    assert neurons.letters.tolist() == [1, -3, -3, -3, 3, 3, 3, -1]
    assert neurons.biases.tolist() == [0.5, 0, 0, 0, 0, 0, 0, 0.5]
    assert neurons.kinds.tolist() == [0, 1, 1, 1, 1, 1, 1, 0] and neurons.paired


@pytest.mark.parametrize("p", range(1, 40))
def test_shares_are_the_nearest(p):
    fractions = (0.1, 0.2, 0.7)
    kinds = neurons_of(Letters(values=(1, 2, 3), fractions=fractions), p, "equal").kinds
    counts = np.bincount(kinds, minlength=3)
    assert counts.sum() == p
    assert np.all(np.abs(counts - p * np.array(fractions)) < 1)


@pytest.mark.parametrize(
    ("p", "init", "message"),
    [
        (4, "random", "init is 'random': accepted are 'equal' and 'symmetric'"),
        (5, "symmetric", "p is 5: an even number is accepted, for neurons in pairs (init 'symmetric')"),
    ],
)
def test_bad_input(p, init, message):
    with pytest.raises(InputError) as error:
        neurons_of(TWO, p, init)
    assert str(error.value) == message
