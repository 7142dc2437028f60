"""Philox4x32-10 against its published known answers and against plain Python integers."""

import numpy as np
import pytest

from hermite_analytics.numeric.simulator.philox import philox4x32, philox_words

# From the authors' library Random123, `kat_vectors`: counter, key, words.
KNOWN_ANSWERS = [
    ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def reference(counter, key):
    """The definition, in integers without bound."""
    c, k = list(counter), list(key)
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c[0], 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c[2], 2**32)
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return tuple(c)


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN_ANSWERS)
def test_known_answers(counter, key, words):
    assert reference(counter, key) == words
    assert tuple(int(w) for w in philox4x32(*map(np.uint64, (*counter, *key)))) == words


def test_arrays_agree_with_plain_integers():
    random = np.random.default_rng(20240)
    for _ in range(5):
        c2, c3, k0, k1 = (int(word) for word in random.integers(2**32, size=4))
        c0, c1 = random.integers(2**32, size=(2, 61), dtype=np.uint64)
        expected = [reference((int(a), int(b), c2, c3), (k0, k1)) for a, b in zip(c0, c1, strict=True)]
        x2, x3 = np.empty((2, 61), np.uint64)
        philox_words(c0, c1, x2, x3, *map(np.uint64, (c2, c3, k0, k1)))
        assert list(zip(*(x.tolist() for x in (c0, c1, x2, x3)), strict=True)) == expected
