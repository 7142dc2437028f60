"""Streams: where each number comes from, whatever the chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.normals import box_muller
from hermite_analytics.numeric.simulator.philox import philox4x32
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, orthonormal_rows, unit_rows

STREAM = GaussianStream(seed=2024, purpose=Purpose.TEST_DATA)


@pytest.mark.slow
@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 17), (2**32 - 1, 6), (2**31, 4095)])
def test_counter_and_key(row, column):
    words = philox4x32(*map(np.uint64, (column // 4, row, 5, 9, 2024, Purpose.TEST_DATA)))
    first, second = np.empty((2, 2))
    box_muller(np.array(words[0::2]), np.array(words[1::2]), first, second)
    block = [first[0], second[0], first[1], second[1]]
    value = STREAM.normals(1, column + 1, first_row=row, step=5, stream=9)[0, column]
    assert value == block[column % 4]


def test_purposes_keep_their_numbers():
    assert len(Purpose.__members__) == len(set(Purpose))  # no number means two things
    assert {p.name: p.value for p in Purpose if p < 9} == {
        "WEIGHTS": 1,
        "TEACHER": 2,
        "SPIKE": 3,
        "STEP_DATA": 4,
        "STEP_NOISE": 5,
        "READOUT_DATA": 6,
        "READOUT_NOISE": 7,
        "TEST_DATA": 8,
    }


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 90),
    columns=st.integers(1, 70),
    start=st.integers(0, 2**32 - 90),
    cut=st.floats(0, 1),
    wider=st.integers(0, 9),
)
def test_bits_do_not_depend_on_the_chunk(rows, columns, start, cut, wider):
    whole = STREAM.normals(rows, columns, first_row=start)
    at = int(cut * rows)
    parts = [
        STREAM.normals(at, columns, first_row=start),
        STREAM.normals(rows - at, columns, first_row=start + at),
    ]
    assert np.array_equal(whole, np.concatenate(parts))
    assert np.array_equal(whole, STREAM.normals(rows, columns + wider, first_row=start)[:, :columns])


def test_large_chunk_is_made_of_small_ones():
    whole = STREAM.normals(700, 203)  # many tiles of the generator
    assert np.array_equal(
        whole, np.concatenate([STREAM.normals(7, 203, first_row=7 * k) for k in range(100)])
    )


def test_float32_is_the_rounded_float64():
    single = STREAM.normals(50, 31, dtype=np.float32)
    assert single.dtype == np.float32
    assert np.array_equal(single, STREAM.normals(50, 31).astype(np.float32))


def test_empty():
    assert STREAM.normals(0, 5).shape == (0, 5)
    assert STREAM.normals(5, 0).shape == (5, 0)


def test_unit_rows():
    rows = unit_rows(STREAM, 30, 7)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, rtol=0, atol=1e-15)
    assert np.array_equal(rows[:10], unit_rows(STREAM, 10, 7))


def test_out_of_range():
    with pytest.raises(InputError, match=r"^seed is -1: an integer from 0 to 2\*\*32 - 1 is accepted$"):
        GaussianStream(seed=-1, purpose=Purpose.WEIGHTS)
    with pytest.raises(InputError, match=r"^seed is 4294967296: an integer from 0"):
        GaussianStream(seed=2**32, purpose=Purpose.WEIGHTS)
    with pytest.raises(InputError, match=r"^step is 4294967296: an integer from 0"):
        STREAM.normals(1, 1, step=2**32)
    with pytest.raises(InputError, match=r"^stream is -1: an integer from 0"):
        STREAM.normals(1, 1, stream=-1)
    with pytest.raises(
        InputError, match=r"^rows 4294967295 to 4294967297 are asked for: a stream has rows 0 to"
    ):
        STREAM.normals(2, 1, first_row=2**32 - 1)


def test_orthonormal_rows():
    rows = orthonormal_rows(STREAM, 5, 7)
    assert np.allclose(rows @ rows.T, np.eye(5), rtol=0, atol=1e-15)
    assert np.array_equal(rows[0], unit_rows(STREAM, 1, 7)[0])
    assert np.array_equal(orthonormal_rows(STREAM, 2, 7), rows[:2])  # a row depends on those before it only
    with pytest.raises(InputError, match=r"^8 orthogonal directions are asked for in dimension 7$"):
        orthonormal_rows(STREAM, 8, 7)
