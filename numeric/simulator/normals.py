"""Standard normals from Philox words, by the Box-Muller transform, in loops that vectorise.

A 32-bit word k stands for u = (k + 1/2) 2**-32, strictly inside (0, 1). Words (0, 1) of a counter give the
normals r cos, r sin with r = sqrt(-2 log u) and angle 2 pi u'; words (2, 3) give the next two.

The logarithm, sine and cosine are written out in additions, products, one division and one square root, all
of which IEEE 754 rounds correctly, and nothing is contracted or reordered: the normals are the same bits
whatever the chunks, the vector width and the processor. They differ from the exact transform by less than
1e-15; their largest modulus is 6.77.

Polynomials: fdlibm (Sun Microsystems, 1993), `e_log.c`, `k_sin.c` and `k_cos.c`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.philox import Words, compiled, philox_words

__all__ = ["NORMALS_PER_COUNTER", "box_muller", "fill_normals"]

NORMALS_PER_COUNTER = 4

Floats = NDArray[np.float64]

_TILE = 512  # counters worked on at once: all scratch arrays together stay in the first-level cache

# A word with these bits on top is the double 2**52 + word: a conversion that every processor vectorises.
_TWO_52_BITS = np.uint64(0x4330000000000000)
_TWO_52 = 2.0**52
_WORD_SCALE = 2.0**-32

_MANTISSA_BITS = np.uint64(52)
_EXPONENT_BIAS = np.uint64(0x3FF)
_SQRT_HALF_TO_ONE = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
# Coefficients from the highest power down to the constant.
_LOG_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
_LOG_ODD = (
    1.479819860511658591e-01,
    1.818357216161805012e-01,
    2.857142874366239149e-01,
    6.666666666666735130e-01,
)

_EIGHTH_TURN = np.uint64(1 << 29)
_QUARTER_TURN_BITS = np.uint64(30)
_QUARTER_TURN = 2.0**-30
_OFFSET = np.uint64(1 << 40)  # keeps a signed difference of words positive
_TWO_52_AND_OFFSET = 2.0**52 + 2.0**40
_HALF_PI = 1.5707963267948966
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_FROM_SECOND_TO_SIGN_BIT = np.uint64(62)
_SIN = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
_COS = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)


@compiled
def _horner(x: float, coefficients: tuple[float, ...]) -> float:
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


@compiled
def _radius(bits: Words, value: Floats, exponent_bits: Words, exponent: Floats) -> None:
    """Words -> sqrt(-2 log u), in place; `value` and `exponent` are float views of the two bit arrays.

    u = 2**e m with m in [sqrt(1/2), sqrt(2)), so that log u loses no digits near u = 1.
    """
    for i in range(bits.size):
        bits[i] |= _TWO_52_BITS
    for i in range(bits.size):
        value[i] = ((value[i] - _TWO_52) + 0.5) * _WORD_SCALE
    for i in range(bits.size):
        biased = (bits[i] + _SQRT_HALF_TO_ONE) >> _MANTISSA_BITS
        bits[i] -= (biased - _EXPONENT_BIAS) << _MANTISSA_BITS
        exponent_bits[i] = biased | _TWO_52_BITS
    for i in range(bits.size):
        e = exponent[i] - (_TWO_52 + 1023.0)
        f = value[i] - 1.0
        s = f / (2.0 + f)
        z = s * s
        w = z * z
        series = w * _horner(w, _LOG_EVEN) + z * _horner(w, _LOG_ODD)
        half = 0.5 * f * f
        log = e * _LN2_HIGH - ((half - (s * (half + series) + e * _LN2_LOW)) - f)
        value[i] = np.sqrt(-2.0 * log)


@compiled
def _direction(
    bits: Words, value: Floats, cos_bits: Words, cos: Floats, sin_bits: Words, sin: Floats, turns: Words
) -> None:
    """Words -> cos(2 pi u), sin(2 pi u); the nearest quarter turn is taken off exactly, in integers."""
    for i in range(bits.size):
        turns[i] = (bits[i] + _EIGHTH_TURN) >> _QUARTER_TURN_BITS
        bits[i] = (bits[i] + _OFFSET - (turns[i] << _QUARTER_TURN_BITS)) | _TWO_52_BITS
    for i in range(bits.size):
        x = ((value[i] - _TWO_52_AND_OFFSET) + 0.5) * _QUARTER_TURN * _HALF_PI
        z = x * x
        sin[i] = x + x * z * _horner(z, _SIN)
        cos[i] = 1.0 - (0.5 * z - z * z * _horner(z, _COS))
    # Turn back: an odd number of quarter turns exchanges cosine and sine; then the signs, all as bits.
    for i in range(bits.size):
        exchange = (cos_bits[i] ^ sin_bits[i]) & (_ZERO - (turns[i] & _ONE))
        cos_bits[i] ^= exchange ^ (((turns[i] + _ONE) & _TWO) << _FROM_SECOND_TO_SIGN_BIT)
        sin_bits[i] ^= exchange ^ ((turns[i] & _TWO) << _FROM_SECOND_TO_SIGN_BIT)


@compiled
def box_muller(radius_words: Words, angle_words: Words, first: Floats, second: Floats) -> None:
    """Two normals from each pair of words.

    Parameters
    ----------
    radius_words, angle_words : ndarray of uint64 < 2**32, shape (size,)
        Overwritten.
    first, second : ndarray of float64, shape (size,)
        On return r cos and r sin.
    """
    exponent_bits = np.empty_like(radius_words)
    radius = radius_words.view(np.float64)
    _radius(radius_words, radius, exponent_bits, exponent_bits.view(np.float64))
    _direction(
        angle_words,
        angle_words.view(np.float64),
        first.view(np.uint64),
        first,
        second.view(np.uint64),
        second,
        exponent_bits,
    )
    for i in range(radius.size):
        first[i] *= radius[i]
        second[i] *= radius[i]


@compiled
def _scatter(
    out: NDArray[np.floating], normals: Floats, count: int, row: int, block: int, blocks: int
) -> None:
    """Put the normals of a tile in their rows; the last block of a row may be cut."""
    columns = out.shape[1]
    done = 0
    while done < count:
        run = min(count - done, blocks - block)
        whole = min(run, columns // NORMALS_PER_COUNTER - block)
        target = out[row]
        for i in range(whole):
            column = NORMALS_PER_COUNTER * (block + i)
            target[column] = normals[0, done + i]
            target[column + 1] = normals[1, done + i]
            target[column + 2] = normals[2, done + i]
            target[column + 3] = normals[3, done + i]
        if whole < run:
            column = NORMALS_PER_COUNTER * (block + whole)
            for k in range(columns - column):
                target[column + k] = normals[k, done + whole]
        done += run
        row, block = row + 1, 0


@compiled
def fill_normals(
    out: NDArray[np.floating],
    first_row: int,
    step: np.uint64,
    stream: np.uint64,
    seed: np.uint64,
    purpose: np.uint64,
) -> None:
    """Fill rows first_row, first_row + 1, ... of a stream: the counter is (column // 4, row, step, stream).

    Parameters
    ----------
    out : ndarray of float64 or float32, shape (rows, columns)
        float32 takes the rounded float64 normals.
    first_row : int
        0 <= first_row, first_row + rows <= 2**32.
    step, stream : uint64 < 2**32
        The rest of the counter.
    seed, purpose : uint64 < 2**32
        The key.
    """
    rows, columns = out.shape
    blocks = (columns + NORMALS_PER_COUNTER - 1) // NORMALS_PER_COUNTER
    words = np.empty((4, _TILE), np.uint64)
    normals = np.empty((4, _TILE), np.float64)
    row, block = 0, 0
    while row < rows:
        start_row, start_block, count = row, block, 0
        while count < _TILE and row < rows:
            for i in range(count, min(_TILE, count + blocks - block)):
                words[0, i] = np.uint64(block + i - count)
                words[1, i] = np.uint64(first_row + row)
            run = min(_TILE - count, blocks - block)
            count += run
            block += run
            if block == blocks:
                row, block = row + 1, 0
        x0, x1, x2, x3 = words[0, :count], words[1, :count], words[2, :count], words[3, :count]
        philox_words(x0, x1, x2, x3, step, stream, seed, purpose)
        box_muller(x0, x1, normals[0, :count], normals[1, :count])
        box_muller(x2, x3, normals[2, :count], normals[3, :count])
        _scatter(out, normals, count, start_row, start_block, blocks)
