"""Devices by name, and the hand-over of arrays."""

import importlib
import types

import array_api_strict
import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator import backend as backend_module
from hermite_analytics.numeric.simulator.backend import (
    Backend,
    require_memory,
    resolve_backend,
    solve_positive,
)

STRICT = Backend(xp=array_api_strict, place=array_api_strict.Device("CPU_DEVICE"), dtype="float32")


@pytest.mark.parametrize("backend", [resolve_backend("cpu", "float32"), STRICT], ids=["numpy", "strict"])
def test_arrays_go_there_and_back(backend):
    values = np.arange(6.0).reshape(2, 3) / 7
    there = backend.array(values)
    assert there.dtype == backend.xp.float32
    assert backend.wide(there).dtype == backend.xp.float64
    assert backend.narrow(backend.wide(there)).dtype == backend.xp.float32
    assert backend.zeros(2, 3).dtype == backend.xp.float64
    back = backend.host(there)
    assert type(back) is np.ndarray and back.dtype == np.float64
    assert np.array_equal(back, values.astype(np.float32))
    assert backend.total(there) == pytest.approx(15 / 7, rel=1e-6)


@pytest.mark.parametrize("xp", [resolve_backend("cpu").xp, array_api_strict])
def test_solve_positive(xp):
    matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    solution = solve_positive(xp, xp.asarray(matrix), xp.asarray(np.array([4.0, 7.0])))
    assert np.allclose(np.asarray(solution), [1.0, 2.0])


def test_names():
    assert resolve_backend("cpu").dtype == "float64"
    names = "'cpu', 'torch', 'cuda', 'cupy' and 'cuda:<number>'"
    for device in ("tpu", "cpu:0", "cuda:", "cuda:x", "cuda:-1", ""):
        with pytest.raises(InputError) as error:
            resolve_backend(device)
        assert str(error.value) == f"device is {device!r}: accepted are {names}"
    with pytest.raises(InputError, match=r"^dtype is 'float16': accepted are 'float64', 'float32'$"):
        resolve_backend("cpu", "float16")


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(backend_module.importlib, "import_module", absent)
    for device, library, extra in (
        ("cuda", "torch", "gpu"),
        ("torch", "torch", "gpu"),
        ("cupy", "cupy", "cupy"),
    ):
        with pytest.raises(InputError) as error:
            resolve_backend(device)
        assert str(error.value) == (
            f"device '{device}' needs {library}, which is not installed: "
            f"install hermite-analytics[{extra}], or use device 'cpu'"
        )


def test_a_missing_device_is_named(monkeypatch):
    cuda = types.SimpleNamespace(is_available=lambda: True, device_count=lambda: 1)
    torch = types.SimpleNamespace(cuda=cuda, device=lambda *a: a)
    monkeypatch.setattr(
        backend_module.importlib,
        "import_module",
        lambda name: torch if name == "torch" else importlib.__import__(name),
    )
    with pytest.raises(
        InputError,
        match=r"^device 'cuda:1' is asked for, but torch sees 'cuda:0': use one that is there, 'cpu' or '",
    ):
        resolve_backend("cuda:1")
    cuda.is_available = lambda: False
    with pytest.raises(
        InputError,
        match=r"^device 'cuda:0' is asked for, but torch sees no CUDA device: use one that is there, '",
    ):
        resolve_backend("cuda")


def test_memory_of_the_host():
    free = resolve_backend("cpu").free_memory()
    assert free > 10**6
    require_memory("cpu", 10**6)
    with pytest.raises(
        InputError, match=r"^this size needs 1000000\.0 GB of memory, and device 'cpu' has \d+\.\d GB free"
    ):
        require_memory("cpu", 10**15)


def test_memory_without_proc(monkeypatch):
    def absent(*arguments, **options):
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", absent)
    assert resolve_backend("cpu").free_memory() > 10**6
