"""The normals of a stream on any device: Philox4x32-10 and Box-Muller through the array API.

The words are those of `philox`, bit for bit. They are kept in int64: a product of two words wraps around
modulo 2^64 as an unsigned one would, and a mask after the shift takes off the copies of its sign. The
logarithm, sine and cosine are the library's, so that normals differ from those of the host by rounding.
"""

from __future__ import annotations

import math

from hermite_analytics.foundation.arrays import Array, Namespace
from hermite_analytics.numeric.simulator.normals import NORMALS_PER_COUNTER
from hermite_analytics.numeric.simulator.streams import GaussianStream, Seeds

__all__ = ["device_normals", "device_words"]

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW_WORD = 0xFFFFFFFF
_WORD_BITS = 32
_ROUNDS = 10
_WORD_SCALE = 2.0**-32


def device_words(
    xp: Namespace,
    place: object,
    blocks: int,
    rows: int,
    first_row: int,
    counter: tuple[int, int],
    key: tuple[Seeds, int],
) -> tuple[Array, ...]:
    """The words of the counters (block, row, counter...), block < blocks, row - first_row < rows.

    Parameters
    ----------
    xp : module
        An array API namespace whose int64 products wrap around.
    place : object
        The device.
    blocks, rows, first_row : int
    counter, key : tuple of two int < 2**32
        Several numbers in place of the first of the key stack the words of each.

    Returns
    -------
    tuple of four arrays of int64, shape (rows, blocks), or (seeds, rows, blocks)
    """
    zeros = xp.zeros((rows, blocks), dtype=xp.int64, device=place)
    c0 = zeros + xp.arange(blocks, dtype=xp.int64, device=place)[None, :]
    c1 = zeros + xp.arange(first_row, first_row + rows, dtype=xp.int64, device=place)[:, None]
    c2, c3 = zeros + counter[0], zeros + counter[1]
    first, k1 = key
    k0: Array | int = (
        xp.reshape(xp.asarray(first, dtype=xp.int64, device=place), (-1, 1, 1))
        if isinstance(first, tuple)
        else first
    )
    for _ in range(_ROUNDS):
        product_0, product_1 = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0 = _high(product_1) ^ c1 ^ k0
        c1 = product_1 & _LOW_WORD
        c2 = _high(product_0) ^ c3 ^ k1
        c3 = product_0 & _LOW_WORD
        k0, k1 = (k0 + _WEYL[0]) & _LOW_WORD, (k1 + _WEYL[1]) & _LOW_WORD
    return c0, c1, c2, c3


def device_normals(
    xp: Namespace,
    place: object,
    stream: GaussianStream,
    rows: int,
    columns: int,
    *,
    first_row: int,
    step: int,
) -> Array:
    """Rows first_row, ..., first_row + rows - 1 of a stream, made where they are used.

    Returns
    -------
    array of float64, shape (rows, columns), or (seeds, rows, columns)
        Within 1e-14 of `GaussianStream.normals`.
    """
    blocks = -(-columns // NORMALS_PER_COUNTER)
    words = device_words(xp, place, blocks, rows, first_row, (step, 0), (stream.seed, int(stream.purpose)))
    uniform = [(xp.astype(word, xp.float64) + 0.5) * _WORD_SCALE for word in words]
    normals = [normal for pair in (uniform[:2], uniform[2:]) for normal in _box_muller(xp, *pair)]
    seeds = words[0].shape[:-2]
    table = xp.reshape(xp.stack(normals, axis=-1), (*seeds, rows, NORMALS_PER_COUNTER * blocks))
    return table[..., :columns]


def _box_muller(xp: Namespace, u: Array, turn: Array) -> tuple[Array, Array]:
    radius = xp.sqrt(-2.0 * xp.log(u))
    angle = 2.0 * math.pi * turn
    return radius * xp.cos(angle), radius * xp.sin(angle)


def _high(product: Array) -> Array:
    return (product >> _WORD_BITS) & _LOW_WORD
