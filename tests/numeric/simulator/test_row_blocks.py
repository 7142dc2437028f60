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


@pytest.mark.parametrize(
    "name", ["tanh(z)", "z**2/2", "He2(z)/2 + z", "z"]
)  # slopes that are the fields, too
@pytest.mark.parametrize("seed", [1, (1, 2)])
def test_a_step_in_blocks_is_the_formula(seed, name, threads):
    p, samples = 300, 2000
    activation = Activation(name)
    weights = unit_rows(GaussianStream(seed=seed, purpose=Purpose.WEIGHTS), p, 20)
    directions = unit_rows(GaussianStream(seed=seed, purpose=Purpose.TEACHER), 1, 20)
    data = IndexData(
        backend=resolve_backend("cpu"), directions=directions, link=Target("He2(z1)").function("array"),
        seed=seed, purpose=Purpose.STEP_DATA,
    )  # fmt: skip
    readout, biases = np.full(p, p**-0.5), np.linspace(-1, 2, p)
    found = gradient_step(
        weights, readout, data, activation=with_derivative(activation),
        samples=samples, step_size=1.3, chunk_rows=samples, biases=biases,
    )  # fmt: skip
    x, y = data.rows(0, samples)
    fields = x @ weights.mT + biases
    slopes = activation.derivative_function("array")(fields) * np.ones_like(fields)
    residuals = y - activation.function("array")(fields) @ readout / p**0.5
    step = 1.3 * p**0.5 / samples * readout[:, None] * ((residuals[..., None] * slopes).mT @ x)
    assert np.allclose(found.displacement, step, rtol=0, atol=1e-12)
    assert np.allclose(found.mean_slope, slopes.mean((-2, -1)), rtol=1e-12, atol=0)


def test_what_is_no_array_of_one_kind_of_floats_is_taken_at_once(threads):
    whole = np.arange(2**19) % 7
    assert np.array_equal(elementwise(np.exp)(whole), np.exp(whole))
    x = np.linspace(0, 1, 2**19)
    assert elementwise(np.add)(x.astype(np.float32), x).dtype == np.float64


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
