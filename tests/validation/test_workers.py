"""Where cells run: in this process or in others, with the same results."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.executors.processes import SerialExecutor, available_cores, worker_pool
from hermite_analytics.validation.campaign.workers import CellError, run_cells
from tests.validation.synthetic import SyntheticExperiment


class Odd:
    """A cell with numbers that JSON has no word for."""

    def run(self, seed):
        return {"scalar": np.nan, "curve": np.array([1.0, np.inf]), "count": 3}


def environment_of_worker(name):
    return os.environ.get(name), os.getpid()


def fail(message):
    raise ValueError(message)


def test_a_worker_loads_what_its_cells_are_of_and_no_more():
    code = "import sys, hermite_analytics.validation.campaign.workers; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert {"numba", "sympy", "scipy"}.isdisjoint(loaded.split())


def test_results_are_plain_numbers():
    first, second = run_cells(Odd(), [4, 5])
    assert (first.seed, second.seed) == (4, 5)
    assert first.result == {"scalar": None, "curve": [1.0, None], "count": 3.0}
    assert first.seconds >= 0


class Refusing:
    """A cell that one seed is too much for."""

    def run(self, seed):
        if seed == 6:
            raise InputError("six is too much")
        return {"seed": seed}


def test_an_error_names_the_seed_and_keeps_what_was_done():
    with pytest.raises(CellError) as caught:
        run_cells(Refusing(), [4, 5, 6, 7])
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert str(error) == "seed 6: six is too much"
        assert [one.result for one in error.done] == [{"seed": 4.0}, {"seed": 5.0}]


def test_serial_executor():
    with SerialExecutor() as executor:
        assert executor.submit(pow, 2, 3).result() == 8
        with pytest.raises(ValueError, match="too bad"):
            executor.submit(fail, "too bad").result()
    with worker_pool(1) as executor:
        assert isinstance(executor, SerialExecutor)


@pytest.mark.slow
def test_workers_are_other_processes_with_one_thread_and_the_same_numbers(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    cell = SyntheticExperiment().cell(50)
    with worker_pool(2) as executor:
        threads, process = executor.submit(environment_of_worker, "OMP_NUM_THREADS").result()
        there = executor.submit(run_cells, cell, [1, 2]).result()
    assert threads == "1" and process != os.getpid()
    here = run_cells(cell, [1, 2])
    assert [one.result["error"] for one in there] == [one.result["error"] for one in here]
    assert os.environ["OMP_NUM_THREADS"] == "5" and "OPENBLAS_NUM_THREADS" not in os.environ


def test_bad_number_of_workers():
    with pytest.raises(InputError, match=r"^workers is 0; an integer >= 1 is accepted$"), worker_pool(0):
        pass
    assert available_cores() >= 1


ABANDONED = """
import os, time
from hermite_analytics.executors.processes import worker_pool
if __name__ == "__main__":
    with worker_pool(2) as executor:
        print(executor.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


@pytest.mark.slow
def test_workers_end_with_a_killed_coordinator(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ABANDONED)
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([sys.executable, str(script)], **quiet) as process:
        worker = int(process.stdout.readline())
        os.kill(worker, 0)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _is_running(worker):
        time.sleep(0.05)
    assert not _is_running(worker)


def _is_running(process):
    """Whether a process runs; one that ended and that nobody waits for does not count."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
