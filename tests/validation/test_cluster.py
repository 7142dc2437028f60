"""Campaigns on a Dask cluster: the same decisions, workers that die, and a scheduler that is not there."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from click.testing import CliRunner

from hermite_analytics.cli import cli
from hermite_analytics.errors import InputError
from hermite_analytics.executors import cluster as cluster_module
from hermite_analytics.executors.cluster import cluster_pool
from hermite_analytics.validation import runner
from hermite_analytics.validation.runner import run_suite
from tests.validation.synthetic import SyntheticExperiment, study, suite

SUITE = suite(
    study(),
    study("noisy", SyntheticExperiment(noise=0.5)),
    study("wrong", SyntheticExperiment(theory=(1.5,), noise=0.2)),
)


def without_clock(result):
    document = result.to_dict()
    return {k: v for k, v in document.items() if k not in ("seconds", "environment", "report")}


def dask(*arguments, folder):
    """A process of the cluster; its log goes to a file, as a full pipe would stop it."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.getcwd()}
    with (folder / f"{arguments[0]}.log").open("a") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], stdout=log, stderr=log, cwd=folder, env=environment
        )


def process_id():
    """A version that no two processes share."""
    return str(os.getpid())


class Cluster:
    """A scheduler and workers of one thread each, without nannies: what dies stays dead."""

    def __init__(self, folder, workers):
        self.file = folder / "scheduler.json"
        common = ("--scheduler-file", str(self.file))
        self.scheduler = dask("scheduler", *common, "--port", "0", "--no-dashboard", folder=folder)
        flags = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder / "work"))
        self.workers = [dask("worker", *common, *flags, folder=folder) for _ in range(workers)]
        deadline = time.monotonic() + 30
        while not self.file.is_file() or not self.file.read_text():
            assert time.monotonic() < deadline and self.scheduler.poll() is None, "no scheduler"
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]

    def stop(self):
        for process in (*self.workers, self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    made = Cluster(tmp_path_factory.mktemp("dask"), workers=2)
    yield made
    made.stop()


@pytest.mark.slow
def test_the_same_decisions_as_in_one_process(tmp_path, cluster):
    here = run_suite(SUITE, tmp_path / "here", workers=1)
    there = run_suite(SUITE, tmp_path / "there", scheduler=cluster.address)
    assert without_clock(there) == without_clock(here)
    assert there.environment["workers"].startswith("Dask, ")


@pytest.mark.slow
def test_code_of_the_workers_must_be_that_of_the_coordinator(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(runner, "code_version", process_id)
    with pytest.raises(
        InputError, match=r"^a worker runs version \d+ of this library, the coordinator \d+; install the"
    ):
        run_suite(SUITE, tmp_path, scheduler=cluster.address)


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_by_the_others(tmp_path):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    (tmp_path / "dask").mkdir()
    made = Cluster(tmp_path / "dask", workers=2)
    slow = suite(
        *(study(f"slow-{k}", SyntheticExperiment(noise=0.5 + k / 100, pause=0.02), looks=3) for k in range(3))
    )
    try:
        timer = threading.Timer(1.5, made.workers[0].send_signal, [signal.SIGKILL])
        timer.start()
        there = run_suite(slow, tmp_path / "there", scheduler=made.address)
        timer.join()
        assert made.workers[0].wait(5) == -signal.SIGKILL
    finally:
        made.stop()
    quick = suite(
        *(study(s.id, SyntheticExperiment(noise=s.experiment.noise), looks=3) for s in slow.studies)
    )
    here = run_suite(quick, tmp_path / "here", workers=1)
    assert without_clock(there) == without_clock(here)


def test_nobody_there(monkeypatch):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr(cluster_module, "_CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:1", "nonsense://", "127.0.0.1"):
        with pytest.raises(InputError) as error, cluster_pool(address):
            pass
        text = str(error.value)
        assert text.startswith(f"the scheduler '{address}' does not answer (") and "\n" not in text
        assert text.endswith("); an address such as 'tcp://10.0.0.1:8786' is needed")


def test_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError) as error, cluster_pool("tcp://127.0.0.1:8786"):
        pass
    assert str(error.value) == ("a scheduler needs dask.distributed; install hermite-analytics[distributed]")


def test_workers_and_scheduler_exclude_each_other(tmp_path):
    with pytest.raises(InputError, match=r"^workers and scheduler exclude each other; give one of them$"):
        run_suite(SUITE, tmp_path / "out", workers=2, scheduler="tcp://127.0.0.1:8786")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_sweep_and_a_table(tmp_path, cluster):
    """Pieces of a grid and lines of a file: the same documents as from processes of this machine."""
    flags = ("solve", "spiked-random-features", "--activation", "tanh(z)", "--target", "sin(z1)", "--json")
    grid = ("--alpha0", "20", "--eta", "3", "--ridge", "0.1", "--beta", "0.5,2", "--alpha", "0.2:4:8")
    lines = tmp_path / "targets.txt"
    lines.write_text("z1\nz1*z2\n")
    for command in ((*flags, *grid), ("analyze", "--file", str(lines))):
        here = CliRunner().invoke(cli, [*command, "--workers", "2"])
        there = CliRunner().invoke(cli, [*command, "--scheduler", cluster.address])
        assert (there.exit_code, there.stdout) == (here.exit_code, here.stdout) == (0, here.stdout)
        assert here.stdout
