"""Several seeds at once: the numbers of one after the other, on every device, in every stacking protocol."""

import threading
import time
from concurrent.futures import BrokenExecutor

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import ExecutorEnded, InputError
from hermite_analytics.executors.processes import SerialExecutor
from hermite_analytics.numeric.protocols.giant_step.protocol import GiantStepProtocol
from hermite_analytics.numeric.simulator import (
    PROTOCOLS,
    GaussianStream,
    Purpose,
    make_protocol,
    protocol_class,
    run_seeds,
    simulate,
)
from hermite_analytics.numeric.simulator.backend import Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData
from hermite_analytics.numeric.simulator.protocol import StackingProtocol
from hermite_analytics.numeric.simulator.sgd import training
from hermite_analytics.numeric.simulator.shifted_systems import solve_shifted
from hermite_analytics.numeric.simulator.streams import orthonormal_rows, unit_rows

SEEDS = 5
SMALL = {"activation": "tanh", "target": "sin(z1)", "d": 24, "n_test": 40}
CASES = {
    "steps": (
        "giant-step",
        {
            "activation": "relu",
            "target": "z1+He2(z1)+z2-He2(z2) + xi/3",
            "d": 24,
            "p": 6,
            "n0": 80,
            "n": [5, 60],
            "ridge": [0.1, 1.0],
            "letters": {(1.0, 0.2): 0.5, (2.0, -0.1): 0.5},
            "steps": 2,
            "n_test": 40,
            "chunk_rows": 30,
        },
    ),
    "one step, a path of ridges": (
        "giant-step",
        {**SMALL, "p": 7, "n0": 48, "n": [5, 60], "ridge": list(np.geomspace(0.1, 1, 16))},
    ),
    "spike": (
        "spiked-random-features",
        {**SMALL, "p": 12, "n": [8, 40], "ridge": 0.1, "r": 1, "c": 1.1, "gamma": 0.5},
    ),
    "features": (
        "random-features",
        {**SMALL, "target": "z1 + z1*z2", "p": 12, "n": 40, "ridge": [0.1, 1], "features": "equivalent"},
    ),
    "batches": (
        "reuse",
        {"activation": "tanh", "target": "z1+He3(z2)+xi/2", "d": 20, "p": 3, "n": 16, "time": [2, 4],
         "readout": "gaussian"},
    ),
    "full batch": (
        "reuse",
        {"activation": "relu", "target": "He3(z1)", "d": 20, "n": 40, "reuse": 3, "time": 4, "init": "random",
         "spherical": True, "chunk_rows": 25},
    ),
    "one sample a step": (
        "sgd",
        {"activation": "relu", "target": "z1+z1*z2", "d": 20, "p": 3, "rate": 0.5, "time": [0, 3],
         "readout": "signs"},
    ),
    "given overlaps": (
        "sgd",
        {"activation": "relu", "target": "z1", "d": 20, "rate": 0.5, "time": 3, "overlap": 0.2, "reuse": 0.1},
    ),
}  # fmt: skip
ON_DEVICES = [name for name in CASES if CASES[name][0] != "sgd"]
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}
FITTED = ("test_error", "train_error", "m", "zeta", "psi", "q1", "q2", "intercept", "M", "Q")


def compared(name, device, dtype):
    protocol, parameters = CASES[name]
    alone, together = (
        simulate(protocol, **parameters, seeds=SEEDS, device=device, dtype=dtype, seeds_together=count)
        for count in (1, 3)  # a group of three and one of two
    )
    assert (alone.seeds_together, together.seeds_together) == (1, 3)
    assert list(alone.samples) == list(together.samples)
    for quantity, values in alone.samples.items():
        # float32 loses as much again where a system is solved
        tolerance = TOLERANCE[dtype] * (100 if dtype == "float32" and quantity in FITTED else 1)
        other = together.samples[quantity]
        assert values.shape == other.shape
        assert np.allclose(values, other, rtol=tolerance, atol=0.1 * tolerance), quantity


@pytest.mark.cases(5)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", CASES)
def test_together_as_alone(name, dtype):
    compared(name, "cpu", dtype)


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", ON_DEVICES)
def test_together_as_alone_in_the_array_standard(name, strict_device):
    compared(name, strict_device, "float64")


@pytest.mark.cases(2)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", ON_DEVICES)
def test_together_as_alone_on_torch(name, dtype):
    pytest.importorskip("torch", reason="torch is not installed: pip install hermite-analytics[gpu]")
    compared(name, "torch", dtype)


@pytest.mark.cases(2)
@pytest.mark.parametrize("device", ["cpu", "torch"])
@pytest.mark.parametrize("name", ON_DEVICES)
def test_together_as_alone_with_the_random_numbers_of_a_device(name, device, monkeypatch):
    if device == "torch":
        pytest.importorskip("torch", reason="torch is not installed: pip install hermite-analytics[gpu]")
    """By array operations; the kernel that makes them on CUDA has `test_device_normals.py`."""
    monkeypatch.setattr(Backend, "on_host", property(lambda self: False))
    monkeypatch.setattr(Backend, "_cuda_number", lambda self: None)
    monkeypatch.setattr(Backend, "free_memory", lambda self: None)
    compared(name, device, "float64")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", ON_DEVICES)
def test_together_as_alone_on_a_device(name, dtype):
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install hermite-analytics[gpu]")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no CUDA device")
    compared(name, "cuda", dtype)


def test_streams_of_several_seeds():
    seeds = (4, 2**32 - 1, 4)
    stack = GaussianStream(seed=seeds, purpose=Purpose.CONTROL)
    alone = [GaussianStream(seed=seed, purpose=Purpose.CONTROL) for seed in seeds]
    where = {"first_row": 3, "step": 1, "stream": 2}
    for dtype in (np.float64, np.float32):
        tables = stack.normals(5, 6, **where, dtype=dtype)
        assert tables.dtype == dtype
        assert np.array_equal(tables, [one.normals(5, 6, **where, dtype=dtype) for one in alone])
    assert np.array_equal(unit_rows(stack, 3, 8), [unit_rows(one, 3, 8) for one in alone])
    rows = orthonormal_rows(stack, 3, 8)
    assert np.allclose(rows, [orthonormal_rows(one, 3, 8) for one in alone], rtol=0, atol=1e-14)
    with pytest.raises(InputError, match=r"^seed is -1: an integer from 0 to 2\*\*32 - 1 is accepted$"):
        GaussianStream(seed=(1, -1), purpose=Purpose.CONTROL)


def test_data_of_several_seeds_can_be_told_apart():
    backend, seeds = resolve_backend("cpu"), (7, 3)
    theta = orthonormal_rows(GaussianStream(seed=seeds, purpose=Purpose.TEACHER), 2, 9)
    data = IndexData(backend=backend, directions=theta, link=Target("z1*z2").function("array"), seed=seeds,
                     purpose=Purpose.STEP_DATA, noise_purpose=Purpose.STEP_NOISE, noise=0.5)  # fmt: skip
    x, y = data.rows(4, 6)
    assert x.shape == (2, 6, 9) and y.shape == (2, 6)
    for k, one in enumerate(data.apart()):
        its_x, its_y = one.rows(4, 6)
        assert np.array_equal(x[k], its_x) and np.allclose(y[k], its_y, rtol=1e-14)
        assert one.apart() == [one]


@pytest.mark.parametrize("count", [2, 8, 20])  # factorisations, the reduction, eigenvectors
def test_systems_of_several_seeds(count):
    features = GaussianStream(seed=(1, 2, 3), purpose=Purpose.STEP_DATA).normals(9, 6)
    matrices, rights = features.mT @ features, features[:, 0, :]
    shifts = np.geomspace(0.1, 10, count)
    for backend in (resolve_backend("cpu"), *(resolve_backend(name) for name in _torch())):
        xp = backend.xp
        found = solve_shifted(xp, xp.asarray(matrices), xp.asarray(rights), shifts)
        for matrix, right, solutions in zip(matrices, rights, backend.host(found), strict=True):
            expected = [np.linalg.solve(matrix + shift * np.eye(6), right) for shift in shifts]
            assert np.allclose(solutions, expected, rtol=1e-11)


def _torch():
    try:
        resolve_backend("torch")
    except InputError:
        return []
    return ["torch"]


def test_a_sample_of_several_seeds_is_that_of_each():
    protocol = make_protocol(*CASES["steps"])
    for seed, sample in zip((8, 2), protocol.run_many([8, 2]), strict=True):
        for quantity, values in protocol.run(seed).items():
            assert np.allclose(sample[quantity], values, rtol=1e-10), quantity
    assert len(protocol.run_many([3])) == 1 and protocol.run_many([]) == []


def test_progress_counts_seeds_in_groups():
    calls = []
    protocol, parameters = CASES["steps"]
    simulate(protocol, **parameters, seeds=5, seeds_together=2, progress=lambda *done: calls.append(done))
    assert calls == [(2, 5), (4, 5), (5, 5)]


def test_interruption_keeps_the_groups_that_are_done(monkeypatch):
    original = GiantStepProtocol.run
    groups = []

    def interrupted(self, seed):
        groups.append(seed)
        if 2 in seed:
            raise KeyboardInterrupt
        return original(self, seed)

    protocol, parameters = CASES["steps"]
    monkeypatch.setattr(GiantStepProtocol, "run", interrupted)
    found = simulate(protocol, **parameters, seeds=5, seeds_together=2)
    assert groups == [(0, 1), (2, 3)] and found.interrupted and found.seeds == 2
    with pytest.raises(KeyboardInterrupt):  # of the first group: nothing is done
        simulate(protocol, **parameters, seeds=5, seeds_together=5)


class _Dies(SerialExecutor):
    """An executor that ends after some tasks."""

    def __init__(self, tasks: int) -> None:
        self._left = tasks

    def submit(self, fn, /, *args, **kwargs):
        self._left -= 1
        if self._left < 0:
            raise BrokenExecutor("lost")
        return super().submit(fn, *args, **kwargs)


def test_an_executor_that_ends_keeps_what_is_done():
    protocol, parameters = CASES["steps"]
    sizes = parameters | {"d": [16, 20]}
    whole = simulate(protocol, **sizes, seeds=3, seeds_together=1)
    found = simulate(protocol, **sizes, seeds=3, seeds_together=1, executor=_Dies(2))
    assert found.d == (16,) and found.simulations[0].interrupted and not found.limits
    assert "interrupted: seeds are missing" in found.frame().remarks
    for name, samples in found.simulations[0].samples.items():
        assert np.array_equal(samples, whole.simulations[0].samples[name][:2])
    found = simulate(protocol, **sizes, seeds=3, seeds_together=1, executor=_Dies(5))
    assert [(run.seeds, run.interrupted) for run in found.simulations] == [(3, False), (2, True)]
    with pytest.raises(ExecutorEnded):
        simulate(protocol, **sizes, seeds=3, executor=_Dies(0))


def test_after_the_time_no_seeds_are_begun():
    protocol, parameters = CASES["steps"]
    found = simulate(protocol, **parameters, seeds=5, seeds_together=2, seconds=1e-6)
    assert found.interrupted and found.seeds == 2
    assert not simulate(protocol, **parameters, seeds=5, seconds=1e-6).interrupted  # one group has them all
    with pytest.raises(InputError, match=r"^seconds is 0; a number > 0 is accepted$"):
        simulate(protocol, **parameters, seeds=5, seconds=0)


def test_one_size_twice_is_refused_before_it_is_run(monkeypatch):
    monkeypatch.setattr(GiantStepProtocol, "run", lambda self, seed: pytest.fail("it was run"))
    protocol, parameters = CASES["steps"]
    for d in ([16], [16, 16]):
        with pytest.raises(InputError, match=r"accepted: an integer, or different ones$"):
            simulate(protocol, **parameters | {"d": d}, seeds=2)


def test_how_many_by_default(monkeypatch):
    tiny, large = ({**SMALL, "n0": 48, "p": p, "d": d} for p, d in ((4, 16), (300, 1000)))
    assert simulate("giant-step", **tiny, seeds=7).seeds_together == 7
    assert make_protocol("giant-step", large).seeds_together() == 1
    monkeypatch.setattr(Backend, "on_host", property(lambda self: False))  # a device takes more
    assert make_protocol("giant-step", large).seeds_together() > 1
    protocol = make_protocol("giant-step", tiny)
    monkeypatch.setattr(Backend, "free_memory", lambda self: 5 * protocol.memory())
    assert run_seeds([protocol], seeds=7).simulations[0].seeds_together == 2
    monkeypatch.setattr(Backend, "free_memory", lambda self: protocol.memory())
    assert run_seeds([protocol], seeds=2).simulations[0].seeds_together == 1


def test_more_than_fits_is_refused(monkeypatch):
    protocol = make_protocol("giant-step", {**SMALL, "n0": 48, "p": 4})
    monkeypatch.setattr(Backend, "free_memory", lambda self: 3 * protocol.memory())
    monkeypatch.setattr(GiantStepProtocol, "run", lambda self, seed: pytest.fail("it was run"))
    with pytest.raises(InputError, match=r"free: try fewer seeds_together, or smaller sizes$"):
        run_seeds([protocol], seeds=8, seeds_together=4)


@pytest.mark.parametrize(
    ("protocol", "more"), [("random-features", {"features": "tangent"}), ("small-step", {"eta": 1.0})]
)
def test_what_does_not_stack_says_so(protocol, more):
    parameters = {**SMALL, "p": 8, "n": 20, "ridge": 0.1, **more}
    assert simulate(protocol, **parameters, seeds=2).seeds_together == 1
    with pytest.raises(InputError) as error:
        simulate(protocol, **parameters, seeds=3, seeds_together=3)
    assert str(error.value) == (
        f"seeds_together is 3, but {protocol} runs its seeds one after the other with these parameters: "
        "1 is accepted"
    )
    with pytest.raises(InputError, match=r"^seeds_together is 0: an integer >= 1 is accepted$"):
        simulate(protocol, **parameters, seeds=3, seeds_together=0)


def test_which_protocols_stack():
    stacking = {name for name in PROTOCOLS if issubclass(protocol_class(name), StackingProtocol)}
    assert stacking == {"giant-step", "spiked-random-features", "random-features", "sgd", "reuse"}


def test_loops_beside_each_other_end_together(monkeypatch):
    monkeypatch.setattr(training, "threads", lambda: 2)
    ended, chunks = threading.Event(), []

    def work(k):
        if k == 1:
            raise KeyboardInterrupt
        for _ in range(1000):
            if ended.is_set():
                return
            chunks.append(k)
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        training._beside_each_other(work, 3, ended)
    assert ended.is_set() and len(chunks) < 1000


def test_the_derivative_is_made_once():
    from hermite_analytics.numeric.simulator.functions import derivative_of

    assert derivative_of(Activation("tanh")) is derivative_of(Activation("tanh"))
