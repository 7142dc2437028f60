"""--seconds, --workers and --out FILE.npz of `solve`: pieces of a grid, in memory and in a file."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import jsonschema
import numpy as np
import pytest

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.solve import sweep
from hermite_analytics.cli.solve.pieces import pieces_of, points_in
from hermite_analytics.codegen.auto_backend import tiers
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.rendering.points_file import PointsFile
from hermite_analytics.schemas import schema

PROBLEM = ("--activation", "tanh(z)", "--target", "sin(z1)")
STEP = ("solve", "spiked-random-features", *PROBLEM, "--alpha0", "20", "--eta", "3", "--ridge", "0.1")
GRID = ("--beta", "0.5,2", "--alpha", "0.2:4:8")


def values(document, name):
    return [row[name] for row in document["results"]]


@pytest.mark.slow
def test_pieces_over_processes_are_the_whole(run, tmp_path, monkeypatch):
    """The same document, and the same numbers in a file; processes that share work compile at once."""
    monkeypatch.setattr(tiers, "FEW_VALUES", 0)
    whole = run(*STEP, *GRID, "--json")
    shared = run(*STEP, *GRID, "--json", "--workers", "2")
    assert (shared.status, shared.out) == (0, whole.out)
    path = tmp_path / "diagram.npz"
    stored = run(*STEP, *GRID, "--json", "--seconds", "600", "--out", str(path))
    assert stored.status == 0 and stored.document["statuses"] == {"converged": 16}
    jsonschema.Draft202012Validator(schema("solve-spiked-random-features")).validate(stored.document)
    with np.load(path) as file:
        assert file["axes"].tolist() == ["beta", "alpha"] and file["test_error"].shape == (2, 8)
        for name in ("alpha", "beta", "test_error", "iterations", "numerical_error"):
            assert file[name].reshape(-1).tolist() == values(whole.document, name)
        assert file["overlaps_m"].reshape(-1).tolist() == [m["m"] for m in values(whole.document, "overlaps")]
    assert os.listdir(tmp_path) == ["diagram.npz"]
    again = run(*STEP, *GRID, "--json", "--out", str(path))
    assert again.document == stored.document
    other = run(*STEP, *GRID, "--noise", "0.1", "--out", str(path))
    assert other.status == 2 and other.err.count("\n") == 1
    assert "holds another sweep; accepted: the same command to go on, or a new name" in other.err


def test_pieces_follow_the_order_of_the_grid():
    record = MODELS["random-features"]
    lists = {"ridge": (0.1, 1.0), "alpha": (1.0, 2.0, 3.0), "beta": (1.0, 2.0), "noise": (0.0,)}
    given = Given(record=record, values=lists | {"loss": "square"}, texts={}, typed=frozenset())
    names = list(lists)
    for size in (1, 2, 3, 4, 5, 6, 7, 12, 100):
        pieces = list(pieces_of(given, size))
        assert [point for piece in pieces for point in piece.points(names)] == given.points(names)
        assert max(points_in(piece) for piece in pieces) <= size
    assert len(pieces) == 1


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    "flags",
    [
        ("random-features", *PROBLEM, "--alpha", "1,2", "--beta", "0.5,1,2", "--ridge", "0.1"),
        ("spiked-random-features", *PROBLEM, "--r", "0,1", "--c", "1,1.2", "--gamma", "0.9", "--alpha", "1",
         "--beta", "1", "--ridge", "0.1", "--letters", "1:0.5,-1:0.5"),
        ("bounds", *PROBLEM, "--r", "0.5,1", "--c", "1", "--gamma", "0.8,0.9"),
        ("scaling-law", "--capacity", "2,3", "--source", "0.4,0.8", "--optimal"),
        ("sgd-flow", "--activation", "He2(z)", "--target", "He2(z1)", "--rate", "1", "--overlap", "0.1,0.2",
         "--time", "0,1"),
        ("spectrum", "--of", "features", "--activation", "tanh(z)", "--alpha", "1,2", "--beta", "1",
         "--z=-1,0"),
    ],
    ids=lambda flags: flags[0],
)  # fmt: skip
def test_every_model_in_pieces(run, flags, tmp_path):
    whole = run("solve", *flags, "--json")
    assert run("solve", *flags, "--json", "--workers", "1").out == whole.out
    stored = run("solve", *flags, "--json", "--out", str(tmp_path / "all.npz"))
    assert sum(stored.document["statuses"].values()) == len(whole.document["results"])


@pytest.mark.slow
def test_an_interrupted_sweep_goes_on(run, tmp_path, monkeypatch):
    """What was kept is not computed again; a full disk loses the piece that it met, and no other."""
    path, solved, kept = tmp_path / "diagram.npz", [], PointsFile.keep

    def keep(self, number, columns):
        if len(solved) == 7:
            raise self._stopped(OSError(28, "No space left on device"))
        solved.append(number)
        kept(self, number, columns)

    monkeypatch.setattr(PointsFile, "keep", keep)
    flags = (*STEP, *GRID, "--out", str(path))
    full = run(*flags)
    assert full.status == 2 and full.err.count("\n") == 1
    assert "cannot be written: no space left on device; what was computed is kept beside it" in full.err
    other = run(*STEP, *GRID, "--noise", "0.1", "--out", str(path))
    assert other.status == 2 and "holds another sweep" in other.err
    monkeypatch.setattr(PointsFile, "keep", kept)
    computed = []
    real = sweep._solved
    monkeypatch.setattr(sweep, "_solved", lambda job: computed.append(job) or real(job))
    assert run(*flags).status == 0
    assert len(solved) == 7 and len(computed) == 16 - 7
    with np.load(path) as file:
        assert file["test_error"].shape == (2, 8) and np.all(file["status"] == "converged")


def test_a_worker_that_ends(run, monkeypatch):
    def dead(function, jobs, *, workers, scheduler, lost):
        return (lost(job) for job in jobs)

    monkeypatch.setattr("hermite_analytics.executors.ordered.in_order", dead)
    done = run(*STEP, *GRID, "--workers", "2")
    assert done.status == 2 and done.err.count("\n") == 1
    assert "a worker ended without an answer" in done.err and "the same command goes on" in done.err


class Threads:
    """A cluster as far as a sweep sees it, on two threads; the workers end after some tasks."""

    def __init__(self, tasks):
        self.left, self.pool = tasks, ThreadPoolExecutor(2)

    def submit(self, function, job):
        self.left -= 1
        if self.left < 0:
            raise BrokenExecutor("the workers are gone")
        return self.pool.submit(function, job)


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [5, 1000])
def test_a_cluster(run, tmp_path, monkeypatch, tasks):
    """Its numbers are those of processes; where it is lost the pieces are kept, and the command goes on."""
    addresses = []

    @contextlib.contextmanager
    def pool(address):
        addresses.append(address)
        yield Threads(tasks)

    monkeypatch.setattr("hermite_analytics.executors.ordered.cluster_pool", pool)
    path = tmp_path / "diagram.npz"
    flags = (*STEP, *GRID, "--out", str(path))
    done = run(*flags, "--scheduler", "tcp://10.0.0.1:8786")
    assert addresses == ["tcp://10.0.0.1:8786"]
    if tasks < 16:
        assert done.status == 2 and done.err.count("\n") == 1
        assert "ended before all was computed (the workers are gone); what was computed is kept" in done.err
        assert len(list((tmp_path / "diagram.npz.parts").glob("*.npz"))) > 0
        done = run(*flags)
    assert done.status == 0
    other = tmp_path / "other.npz"
    assert run(*STEP, *GRID, "--out", str(other)).status == 0
    with np.load(path) as found, np.load(other) as expected:
        assert found["test_error"].tolist() == expected["test_error"].tolist()


def test_too_many_points_to_print(run):
    """A million rows would take 8 GB; a file of columns takes pieces."""
    done = run(*STEP, "--beta", "0.01:100:1000", "--alpha", "0.01:100:1000", "--json")
    assert done.status == 2 and done.err.count("\n") == 1 and done.out == ""
    assert "1000000 points are too many to print; accepted: up to 100000, or --out FILE.npz" in done.err


def test_one_place_of_work(run):
    both = run(*STEP, *GRID, "--workers", "2", "--scheduler", "tcp://10.0.0.1:8786")
    assert both.status == 2 and both.err.count("\n") == 1
    assert "workers and scheduler exclude each other; give one of them" in both.err


@pytest.mark.slow
def test_what_is_found_in_the_time(run, tmp_path, monkeypatch):
    """The time ends after five pieces: the rest is null, time_ended, and the exit status 1."""
    real, count = sweep._solved, []

    def solved(job):
        count.append(job)
        return real(job) if len(count) <= 5 else None

    monkeypatch.setattr(sweep, "_solved", solved)
    done = run(*STEP, *GRID, "--json", "--seconds", "600")
    assert done.status == 1
    jsonschema.Draft202012Validator(schema("solve-spiked-random-features")).validate(done.document)
    statuses = values(done.document, "status")
    assert statuses == ["converged"] * 5 + ["time_ended"] * 11
    last = done.document["results"][-1]
    assert (last["alpha"], last["beta"], last["test_error"], last["overlaps"]["m"]) == (4.0, 2.0, None, None)
    count.clear()
    path = tmp_path / "part.npz"
    stored = run(*STEP, *GRID, "--json", "--seconds", "600", "--out", str(path))
    assert stored.status == 1 and stored.document["statuses"] == {"converged": 5, "time_ended": 11}
    with np.load(path) as file:
        assert np.isnan(file["test_error"]).sum() == 11 and file["alpha"][1, 7] == 4.0
    monkeypatch.setattr(sweep, "_solved", real)
    assert run(*STEP, *GRID, "--out", str(path)).status == 0
    assert sorted(os.listdir(tmp_path)) == ["part.npz"]


def test_flags_that_no_document_shows_are_of_the_problem(run, tmp_path):
    """A tolerance changes the numbers: a file of another one is no answer."""
    flags = ("--activation", "tanh(z)", "--target", "z1", "--alpha", "3", "--eta", "0.1,0.2", "--steps", "1")
    path = tmp_path / "steps.npz"
    assert run("solve", "dmft", *flags, "--tolerance", "0.1", "--out", str(path)).status == 0
    assert (
        run("solve", "dmft", *flags, "--tolerance", "0.1", "--seconds", "9", "--out", str(path)).status == 0
    )
    other = run("solve", "dmft", *flags, "--tolerance", "0.001", "--out", str(path))
    assert other.status == 2 and "holds another sweep" in other.err


def test_a_solver_that_ends_by_itself_goes_on(run, tmp_path, monkeypatch):
    """A piece with points that are said to be out of time is solved again."""
    real, path = sweep._solved, tmp_path / "steps.npz"

    def ended(job):
        part = real(job)
        late = np.full_like(part.columns["status"], "time_ended", dtype="<U16")
        return dataclasses.replace(part, columns={**part.columns, "status": late})

    flags = (*STEP, *GRID, "--json", "--out", str(path))
    monkeypatch.setattr(sweep, "_solved", ended)
    early = run(*flags)
    assert early.status == 1 and early.document["statuses"] == {"time_ended": 16}
    monkeypatch.setattr(sweep, "_solved", real)
    assert run(*flags).document["statuses"] == {"converged": 16}


def test_what_is_refused_leaves_nothing(run, tmp_path):
    """A name is free for the command that is put right; so it is where only an empty folder stands."""
    path = tmp_path / "steps.npz"
    wrong = ("solve", "spiked-random-features", *PROBLEM, "--r", "1", "--c", "1", "--gamma", "1", *GRID)
    refused = run(*wrong, "--ridge", "-1", "--out", str(path))
    assert refused.status == 2 and os.listdir(tmp_path) == []
    (tmp_path / "steps.npz.parts").mkdir()
    (tmp_path / "steps.npz.parts" / "problem.json").touch()
    assert run(*wrong, "--ridge", "0.1", "--out", str(path)).status == 0
    assert os.listdir(tmp_path) == ["steps.npz"]


def test_one_run_writes_a_file(run, tmp_path):
    """A second one is told; when the first has ended it goes on."""
    path = tmp_path / "diagram.npz"
    other = PointsFile.opened(path, {}, {})
    (tmp_path / "diagram.npz.parts" / "problem.json").unlink()
    second = run(*STEP, *GRID, "--out", str(path))
    assert second.status != 0 and second.err.count("\n") == 1
    assert "diagram.npz.parts is in use by another run; wait for its end, or use another name" in second.err
    other.release()
    assert run(*STEP, *GRID, "--out", str(path)).status == 0
    assert os.listdir(tmp_path) == ["diagram.npz"]


def test_columns_where_nothing_was_found(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "_solved", lambda job: None)
    path = tmp_path / "steps.npz"
    done = run(*STEP, *GRID, "--json", "--seconds", "600", "--out", str(path))
    assert done.document["statuses"] == {"time_ended": 16}
    with np.load(path) as file:
        assert np.isnan(file["test_error"]).all() and file["test_error"].shape == (2, 8)
        assert (file["alpha0"] == 20).all() and (file["eta"] == 3).all() and (file["noise"] == 0).all()


def test_no_time_at_all(run, tmp_path):
    """A label that is not prepared in its time; a problem file gives the time as well."""
    problem = tmp_path / "label.toml"
    problem.write_text('target = "sin(z1)*z2*z3*z4"\nalpha = 1\nseconds = 0.01\n')
    done = run("solve", "state-evolution", "--problem", str(problem), "--json")
    assert done.status == 1 and values(done.document, "status") == ["time_ended"]
    jsonschema.Draft202012Validator(schema("solve-state-evolution")).validate(done.document)
    out = tmp_path / "label.npz"
    stored = run("solve", "state-evolution", "--problem", str(problem), "--json", "--out", str(out))
    assert stored.status == 1 and stored.document["statuses"] == {"time_ended": 1}


@pytest.mark.parametrize("given", ["0", "-1", "nan", "soon"])
def test_what_is_no_time(run, given):
    done = run(*STEP, *GRID, f"--seconds={given}")
    assert done.status == 2 and done.err.count("\n") == 1
    assert f"--seconds is {given!r}; a number > 0 is accepted" in done.err


def test_other_bad_input(run, tmp_path):
    none = run(*STEP, *GRID, "--workers", "0")
    assert none.status == 2 and "--workers" in none.err and none.err.count("\n") == 1
    path = tmp_path / "mine.npz"
    path.write_text(json.dumps({}))
    taken = run(*STEP, *GRID, "--out", str(path))
    assert taken.status == 2 and "holds no sweep" in taken.err and path.read_text() == "{}"
    both = run(*STEP, *GRID, "--out", str(path), "--csv", str(tmp_path / "x.csv"))
    assert both.status == 2 and "no results are left for --csv and --plot" in both.err
    nowhere = run(*STEP, *GRID, "--out", str(tmp_path / "no" / "x.npz"))
    assert nowhere.status == 2 and "does not exist" in nowhere.err and nowhere.err.count("\n") == 1


@pytest.mark.parametrize(
    ("where", "problem", "remedy"),
    [
        ((), "1000000000000000 points are too many to print", "--out FILE.npz"),
        (("--out", "big.npz"), "a grid of 1e+15 points (", "GB are free; accepted: fewer points"),
    ],
)
def test_a_grid_that_has_no_room_is_refused_before_the_work(
    run, tmp_path, monkeypatch, where, problem, remedy
):
    monkeypatch.chdir(tmp_path)
    spike = ("--r", "1", "--c", "1", "--gamma", "1", "--ridge", "0.1:1:100000")
    grid = ("--alpha", "1:5:100000", "--beta", "1:5:100000")
    network = ("--activation", "tanh(z)", "--target", "sin(z1)")
    outcome = run("solve", "spiked-random-features", *network, *spike, *grid, *where)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert problem in outcome.err and remedy in outcome.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("flag", ["--csv", "--out"])
def test_a_file_that_cannot_be_is_refused_before_the_work(run, flag, tmp_path):
    path = str(tmp_path / "missing" / "file")
    outcome = run("solve", "large-step", "--activation", "erf(z)", "--target", "z1", flag, path)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "the folder of" in outcome.err and "does not exist" in outcome.err
