"""Networks before the first step: neurons, the letters of their readouts, their biases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.spiked.letters import Letters, LettersLike, letters_of

__all__ = ["INITS", "ONE_LETTER", "Neurons", "neurons_of", "vocabulary_of"]

INITS = ("equal", "symmetric")
ONE_LETTER = Letters(values=(1.0,), fractions=(1.0,))

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neurons:
    """What is fixed on each neuron while the first layer moves.

    Attributes
    ----------
    letters : ndarray, shape (p,)
        omega_k: the readout of neuron k is a_k = omega_k/sqrt p.
    biases : ndarray, shape (p,)
        b_k.
    kinds : ndarray of int, shape (p,)
        Which letter of the vocabulary each neuron has.
    paired : bool
        Whether the second half mirrors the first.
    """

    letters: Floats
    biases: Floats
    kinds: NDArray[np.int64]
    paired: bool = False


def vocabulary_of(given: LettersLike) -> Letters:
    """What `letters_of` accepts, as letters; InputError for a continuous law."""
    found = letters_of(given)
    if not isinstance(found, Letters):
        raise InputError("letters is a continuous law: a simulation takes letters, such as law.letters(8)")
    return found


def neurons_of(vocabulary: Letters, p: int, init: str, bias: float = 0.0) -> Neurons:
    """Letters for p neurons in the fractions of a vocabulary, rounded by largest remainders.

    Parameters
    ----------
    vocabulary : Letters
        Of rank 1.
    p : int >= 1
    init : {"equal", "symmetric"}
        "symmetric": the neurons p/2 + 1, ..., p repeat p/2, ..., 1 with omega of the other sign (and the same
        bias): with equal weights the network is 0.
    bias : float
        Added to the biases of the letters.

    Returns
    -------
    Neurons

    Raises
    ------
    InputError
        If the init is unknown, or symmetric with an odd p, or the vocabulary is not of rank 1.

    Examples
    --------
    >>> neurons_of(Letters(values=(1, 2), fractions=(0.5, 0.5)), 4, "symmetric").letters
    array([ 1.,  2., -2., -1.])
    """
    if init not in INITS:
        raise InputError(f"init is {init!r}: accepted are 'equal' and 'symmetric'")
    if vocabulary.rank != 1:
        raise InputError(f"the letters are of rank {vocabulary.rank}: one number a letter is accepted")
    if init == "symmetric" and p % 2:
        raise InputError(f"p is {p}: an even number is accepted, for neurons in pairs (init 'symmetric')")
    kinds = _shares(vocabulary.fractions, p // 2 if init == "symmetric" else p)
    values = np.array([row[0] for row in vocabulary.values])[kinds]
    biases = bias + np.array(vocabulary.biases)[kinds]
    if init == "symmetric":
        values = np.concatenate([values, -values[::-1]])
        biases, kinds = (np.concatenate([part, part[::-1]]) for part in (biases, kinds))
    return Neurons(letters=values, biases=biases, kinds=kinds, paired=init == "symmetric")


def _shares(fractions: object, count: int) -> NDArray[np.int64]:
    """0, ..., 0, 1, ..., 1, ...: `count` entries in these fractions."""
    exact = np.asarray(fractions, dtype=np.float64) * count
    shares = np.array([math.floor(x + 1e-9) for x in exact])
    largest = np.argsort(shares - exact, kind="stable")[: count - int(shares.sum())]
    shares[largest] += 1
    return np.repeat(np.arange(len(shares)), shares)
