"""Random numbers made on a device: the words of the host bit for bit, the normals to rounding."""

import importlib.util
import sys
import types

import array_api_strict
import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator import backend as backends
from hermite_analytics.numeric.simulator.backend import Backend, resolve_backend
from hermite_analytics.numeric.simulator.device_normals import device_normals, device_words
from hermite_analytics.numeric.simulator.philox import philox4x32
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose


@pytest.fixture(scope="module", params=["numpy", "strict", "torch"])
def where(request):
    """(array library, place); PyTorch is loaded where these tests run, not in every process that collects."""
    if request.param == "strict":
        return array_api_strict, array_api_strict.Device("CPU_DEVICE")
    try:
        backend = resolve_backend({"numpy": "cpu", "torch": "torch"}[request.param])
    except InputError as error:
        pytest.skip(str(error))
    return backend.xp, backend.place if request.param == "torch" else "cpu"


@pytest.fixture(scope="module")
def xp(where):
    return where[0]


@pytest.fixture(scope="module")
def place(where):
    return where[1]


@pytest.mark.parametrize(
    ("counter", "key", "words"),  # the known answers of the generator's authors
    [
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_words(xp, place, counter, key, words):
    shifted = _Shifted(xp, counter[0])
    found = device_words(shifted, place, 1, 1, counter[1], counter[2:], key)
    assert " ".join(f"{int(word[0, 0]):08x}" for word in found) == words


class _Shifted:
    """A namespace whose ranges start at a given block, so that one word of a far block can be had."""

    def __init__(self, xp, block):
        self.xp, self.block = xp, block

    def __getattr__(self, name):
        return getattr(self.xp, name)

    def arange(self, *limits, **options):
        shift = self.block if len(limits) == 1 else 0
        return self.xp.arange(*limits, **options) + shift


def test_words_of_a_table_are_those_of_the_host(xp, place):
    found = device_words(xp, place, 3, 4, 2**32 - 4, (7, 8), (123, 456))
    for row in range(4):
        for block in range(3):
            words = philox4x32(*map(np.uint64, (block, 2**32 - 4 + row, 7, 8, 123, 456)))
            assert tuple(int(word[row, block]) for word in found) == words


@pytest.mark.parametrize("columns", [1, 4, 10, 1001])
def test_normals_are_those_of_the_host(xp, place, columns):
    stream = GaussianStream(seed=12345, purpose=Purpose.STEP_DATA)
    ours = stream.normals(50, columns, first_row=9, step=2)
    theirs = np.asarray(device_normals(xp, place, stream, 50, columns, first_row=9, step=2))
    assert theirs.shape == (50, columns) and theirs.dtype == np.float64
    assert np.max(np.abs(ours - theirs)) < 1e-14


def test_a_device_makes_its_own(monkeypatch):
    monkeypatch.setattr(Backend, "on_host", property(lambda self: False))
    stream = GaussianStream(seed=3, purpose=Purpose.WEIGHTS)
    made = resolve_backend("cpu", "float32").normals(stream, 20, 6, first_row=2)
    assert made.dtype == np.float32
    assert np.allclose(made, stream.normals(20, 6, first_row=2), rtol=3e-7, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 131])
def test_one_kernel_makes_a_table(columns, dtype):
    config, cuda = pytest.importorskip("numba").config, pytest.importorskip("numba.cuda")
    if not config.ENABLE_CUDASIM and not cuda.is_available():
        pytest.skip("no CUDA device, and NUMBA_ENABLE_CUDASIM is 0: the simulator is off")
    pytest.importorskip(
        "numba_cuda", reason="numba-cuda is not installed: pip install hermite-analytics[cuda]"
    )
    from hermite_analytics.numeric.simulator.device_kernel import fill_on_device

    stream = GaussianStream(seed=(12345, 2**32 - 1), purpose=Purpose.STEP_DATA)
    table = cuda.to_device(np.full((2, 9, columns), np.nan, dtype))
    fill_on_device(table, stream, first_row=2**32 - 9, step=2)
    expected = stream.normals(9, columns, first_row=2**32 - 9, step=2, dtype=dtype)
    assert np.allclose(table.copy_to_host(), expected, rtol=2e-7 if dtype == "float32" else 0, atol=1e-14)


def test_a_kernel_that_does_not_run_is_named(monkeypatch):
    def check(number):
        raise RuntimeError("CUDA_ERROR_NO_DEVICE\n  on this machine")

    name = "hermite_analytics.numeric.simulator.device_kernel"
    broken = types.ModuleType(name)
    broken.check = check
    monkeypatch.setitem(sys.modules, name, broken)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    backends._kernel_works.cache_clear()
    with pytest.warns(
        RuntimeWarning, match=r"^numba-cuda does not work on this device \(CUDA_ERROR_NO_DEVICE on"
    ):
        assert not backends._kernel_works(0)
    backends._kernel_works.cache_clear()


def test_without_numba_cuda_array_operations_are_taken(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    backends._kernel_works.cache_clear()
    assert not backends._kernel_works(0)
    backends._kernel_works.cache_clear()


@pytest.mark.gpu
@pytest.mark.parametrize("device", ["cuda", "cupy"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_normals_of_a_device(device, dtype):
    try:
        backend = resolve_backend(device, dtype)
    except InputError as error:
        pytest.skip(str(error))
    assert backends._kernel_works(0)
    for seed, shape in ((3, (70_000, 10)), ((4, 2**32 - 1), (50, 1001))):
        stream = GaussianStream(seed=seed, purpose=Purpose.STEP_DATA)
        found = backend.normals(stream, *shape, first_row=5, step=2)
        expected = stream.normals(*shape, first_row=5, step=2, dtype=dtype)
        assert np.allclose(backend.host(found), expected, rtol=2e-7 if dtype == "float32" else 0, atol=1e-13)
