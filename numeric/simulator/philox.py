"""Philox4x32-10: the counter-based generator behind every random number of the simulator.

A 128-bit counter and a 64-bit key give four 32-bit words, without any state: a word can be had at any place
of the stream, on any device, in any order. The words are kept in `uint64`, so that the 32 x 32 -> 64 bit
products need no special instruction and the loops over arrays vectorise.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC11), section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.kernels_on_disk import kept

__all__ = ["compiled", "philox4x32", "philox_words"]

Function = TypeVar("Function", bound=Callable[..., object])
Words = NDArray[np.uint64]

# Every constant is a uint64: a bare int would turn the arithmetic into int64 or float64.
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW_WORD = np.uint64(0xFFFFFFFF)
_WORD_BITS = np.uint64(32)
_ROUNDS = 10


def compiled(function: Function) -> Function:
    """Compile with numba: cached, without the lock, IEEE arithmetic (no fastmath, so no reordering)."""
    return kept(nogil=True)(function)


@compiled
def philox4x32(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random words for one counter and one key.

    Parameters
    ----------
    c0, c1, c2, c3 : uint64 < 2**32
        The counter, least significant word first.
    k0, k1 : uint64 < 2**32
        The key.

    Returns
    -------
    tuple of four uint64 < 2**32
    """
    for _ in range(_ROUNDS):
        product_0 = _MULTIPLIER_0 * c0
        product_1 = _MULTIPLIER_1 * c2
        c0 = (product_1 >> _WORD_BITS) ^ c1 ^ k0
        c1 = product_1 & _LOW_WORD
        c2 = (product_0 >> _WORD_BITS) ^ c3 ^ k1
        c3 = product_0 & _LOW_WORD
        k0 = (k0 + _WEYL_0) & _LOW_WORD
        k1 = (k1 + _WEYL_1) & _LOW_WORD
    return c0, c1, c2, c3


@compiled
def philox_words(
    x0: Words, x1: Words, x2: Words, x3: Words, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> None:
    """Replace counters by words, in place, for many counters that share c2, c3 and the key.

    Parameters
    ----------
    x0, x1 : ndarray of uint64, shape (size,)
        On entry the counter words c0 and c1; on return the words 0 and 1.
    x2, x3 : ndarray of uint64, shape (size,)
        On return the words 2 and 3.
    c2, c3, k0, k1 : uint64 < 2**32
        The rest of the counter, and the key.
    """
    for i in range(x0.size):
        x0[i], x1[i], x2[i], x3[i] = philox4x32(x0[i], x1[i], c2, c3, k0, k1)
