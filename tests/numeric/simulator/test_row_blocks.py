"""Long arrays in blocks: the same bits for any number of threads, whatever the shape."""

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.foundation.threads import ONE_EACH, in_threads, threads_of_products
from hermite_analytics.numeric.simulator import row_blocks
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData
from hermite_analytics.numeric.simulator.functions import function_of, with_derivative
from hermite_analytics.numeric.simulator.gradient_step import gradient_step
from hermite_analytics.numeric.simulator.row_blocks import elementwise, in_row_blocks
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, unit_rows

STREAM = GaussianStream(seed=3, purpose=Purpose.STEP_DATA)


@pytest.fixture(params=[1, 2, 5])
def threads(request, monkeypatch):
    monkeypatch.setattr(row_blocks, "threads_of_products", lambda: request.param)
    return request.param


@pytest.mark.parametrize(("rows", "numbers"), [(1, 1), (7, 2**16), (1000, 300), (10**6, 1), (3, 0)])
def test_blocks_cover_all_rows_in_order(rows, numbers, threads):
    blocks = in_row_blocks(lambda block: block, rows, numbers)
    assert [block.start for block in blocks] == [0, *(block.stop for block in blocks[:-1])]
    assert blocks[-1].stop == rows
    assert all((b.stop - b.start) * numbers <= 2**16 or b.stop == b.start + 1 for b in blocks)


def test_no_rows():
    assert in_row_blocks(lambda block: block, 0, 5) == []


@pytest.mark.parametrize("shape", [(700, 1000), (3, 400, 500), (2**20 + 1,)])
def test_functions_in_blocks_are_those_at_once(shape, threads):
    x = np.random.default_rng(0).standard_normal(shape)
    y = np.random.default_rng(1).standard_normal(shape)
    assert np.array_equal(elementwise(np.hypot)(x, y), np.hypot(x, y))
    narrow = x.astype(np.float32)
    found = function_of(Activation("gelu(z)"))(narrow)
    assert found.dtype == np.float32
    assert found.shape == shape
    assert np.array_equal(found, Activation("gelu(z)").function("array")(narrow))


def test_arrays_that_are_no_blocks_of_rows_are_taken_at_once(threads):
    x = np.random.default_rng(0).standard_normal((800, 900))
    assert np.array_equal(elementwise(np.exp)(x.T), np.exp(x.T))
    assert np.array_equal(elementwise(np.add)(x, x[0]), x + x[0])


def test_normals_do_not_depend_on_threads(threads):
    whole = STREAM.normals(1500, 401, first_row=5)
    with ONE_EACH:
        rows = [STREAM.normals(1, 401, first_row=5 + k)[0] for k in (0, 162, 163, 164, 1499)]
    assert np.array_equal(whole[[0, 162, 163, 164, 1499]], rows)


@pytest.mark.parametrize("seed", [1, (1, 2)])
def test_a_step_does_not_depend_on_threads(seed, threads):
    def step():
        weights = unit_rows(GaussianStream(seed=seed, purpose=Purpose.WEIGHTS), 300, 20)
        directions = unit_rows(GaussianStream(seed=seed, purpose=Purpose.TEACHER), 1, 20)
        data = IndexData(
            backend=resolve_backend("cpu"), directions=directions, link=Target("He2(z1)").function("array"),
            seed=seed, purpose=Purpose.STEP_DATA,
        )  # fmt: skip
        return gradient_step(
            weights, np.full(300, 300**-0.5), data, activation=with_derivative(Activation("tanh(z)")),
            samples=2000, step_size=1.0, chunk_rows=2000,
        )  # fmt: skip

    found = step()
    row_blocks.threads_of_products = lambda: 1
    alone = step()
    assert np.allclose(found.displacement, alone.displacement, rtol=0, atol=1e-13)
    assert np.array_equal(found.mean_slope, alone.mean_slope)


def test_products_have_one_thread_beside_others():
    with ONE_EACH:
        assert threads_of_products() == 1
    assert set(in_threads(lambda _: threads_of_products(), range(20), threads=3)) == {1}


def test_what_fails_in_a_thread_is_raised(threads):
    def fail(block):
        if block.start > 2**19:
            raise ValueError("here")

    with pytest.raises(ValueError, match="here"):
        in_row_blocks(fail, 2**21, 1)
