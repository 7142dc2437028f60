"""`simulate`: documents of every protocol, grids on one network, flags of the giant step, interruption."""

from __future__ import annotations

import subprocess
import sys
import time

import click
import jsonschema
import numpy as np
import pytest

from hermite_analytics.cli.simulate import command as simulate_group
from hermite_analytics.cli.simulate.progress import simulation_progress
from hermite_analytics.numeric import simulate
from hermite_analytics.numeric.simulator import PROTOCOLS
from hermite_analytics.schemas import schema

STAIRCASE = "z1+He2(z1)+z2-He2(z2)"
STEPS = (
    *("simulate", "giant-step", "--activation", "relu(z)", "--target", STAIRCASE),
    *("--d", "40", "--p", "6", "--n0", "120", "--seeds", "2"),
)
CURVE = (
    *("simulate", "giant-step", "--activation", "erf(z)", "--target", "sin(z1)", "--d", "30"),
    *("--beta", "1", "--seeds", "1", "--n0", "60"),
)


def document(run, *arguments):
    outcome = run(*arguments, "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.err == ""
    jsonschema.Draft202012Validator(schema("simulate")).validate(outcome.document)
    return outcome.document


def test_every_protocol_has_a_command():
    assert set(simulate_group.list_commands(click.Context(simulate_group))) == set(PROTOCOLS)


def test_two_steps_with_defaults(run):
    found = document(
        run,
        *("simulate", "giant-step", "--steps", "2", "--activation", "relu(z)", "--target", STAIRCASE),
        *("--d", "64", "--p", "20", "--n", "512", "--seeds", "2"),
    )
    assert (
        found["parameters"] | {"n0": 512, "ridge": 0.01, "effective_step": 1.0, "init": "symmetric"}
        == (found["parameters"])
    )
    (row,) = found["results"]
    assert [len(row[name]) for name in ("overlap", "span", "learned")] == [2, 2, 2]
    assert [len(step) for step in row["overlap"]] == [2, 2]
    assert set(row["learned"][1][0]) == {"verdict", "p_value", "scaled_overlap", "seeds"}
    assert row["test_error"]["seeds"] == 2


def test_flags_of_the_giant_step(run):
    found = document(
        run,
        *STEPS,
        *("--steps", "2", "--batch", "reused", "--init", "equal", "--letters", "1:0.5,-2:0.5"),
        *("--bias", "0.1,0.3", "--directions", "1,1;1,-1", "--step-convention", "notebook", "--eta", "0.7"),
    )
    ours = simulate(
        "giant-step",
        activation="relu(z)",
        target=STAIRCASE,
        d=40,
        p=6,
        n0=120,
        seeds=2,
        steps=2,
        batch="reused",
        init="equal",
        letters={(1.0, 0.1): 0.5, (-2.0, 0.3): 0.5},
        directions=[[1, 1], [1, -1]],
        step_convention="notebook",
        eta=0.7,
    )
    (row,) = found["results"]
    assert np.array_equal(
        [[entry["mean"] for entry in step] for step in row["overlap"]], ours.results["overlap"].mean
    )
    assert "test_error" not in row and found["parameters"]["letters"] == "1:0.5,-2:0.5"


def test_lists_on_one_network_and_on_several(run):
    found = document(run, *CURVE, "--ridge", "0.1,1", "--eta", "1,2", "--alpha", "0.5,2")
    rows = found["results"]
    assert [(row["ridge"], row["eta"], row["alpha"]) for row in rows] == [
        (ridge, eta, alpha) for ridge in (0.1, 1) for eta in (1, 2) for alpha in (0.5, 2)
    ]
    alone = document(run, *CURVE, "--ridge", "1", "--eta", "2", "--alpha", "0.5")["results"][0]
    same = next(row for row in rows if (row["ridge"], row["eta"], row["alpha"]) == (1, 2, 0.5))
    assert same["test_error"]["mean"] == pytest.approx(alone["test_error"]["mean"], rel=1e-9)
    assert same["r"] == alone["r"] and same["overlap"] == alone["overlap"]
    # what the runs have in common stands once
    assert found["parameters"]["n"] == [15, 60] and "effective_step" not in found["parameters"]


def test_decisions_are_words_for_people(run):
    outcome = run(*STEPS)
    assert outcome.status == 0 and "learned" in outcome.out.replace("\n", "") and "{" not in outcome.out
    assert "GFLOP/s" in outcome.out


@pytest.mark.slow
@pytest.mark.parametrize("before", [1, 2])
def test_interruption_keeps_what_is_done(run, monkeypatch, before):
    from hermite_analytics.numeric.protocols.giant_step.protocol import GiantStepProtocol

    calls = []
    original = GiantStepProtocol.run

    def interrupted(self, seed):
        calls.append(seed)
        if len(calls) > before:
            raise KeyboardInterrupt
        return original(self, seed)

    monkeypatch.setattr(GiantStepProtocol, "run", interrupted)
    # two seeds of each
    outcome = run(*STEPS, "--eta", "0.1,0.2", "--seeds-together", "1", "--json")
    assert outcome.status == 130 and outcome.document["interrupted"] is True
    jsonschema.Draft202012Validator(schema("simulate")).validate(outcome.document)
    assert [row["overlap"][0][0]["seeds"] for row in outcome.document["results"]] == [before]


def test_after_the_time_no_seeds_are_begun(run):
    outcome = run(*STEPS, "--eta", "0.1,0.2", "--seeds-together", "1", "--seconds", "1e-6", "--json")
    assert (outcome.status, outcome.err) == (1, "the time of 1e-06 s ended after 1 of 4 seeds\n")
    jsonschema.Draft202012Validator(schema("simulate")).validate(outcome.document)
    (row,) = outcome.document["results"]
    assert outcome.document["interrupted"] is True and row["eta"] == 0.1
    assert row["overlap"][0][0]["seeds"] == 1


@pytest.mark.slow
def test_processes_share_the_seeds(run):
    alone, shared = (
        document(run, *STEPS, "--eta", "0.1,0.2", "--seeds-together", "1", "--workers", workers)
        for workers in ("1", "2")
    )
    assert alone | {"seconds": 0} == shared | {"seconds": 0}


@pytest.mark.slow
def test_seeds_that_run_at_once(run):
    together, alone = (document(run, *STEPS, *more) for more in ((), ("--seeds-together", "1")))
    assert together["seeds_together"] == 2 and alone["seeds_together"] == 1
    assert "seeds_together" not in together["parameters"]
    ours, theirs = (found["results"][0]["overlap"][0][0]["mean"] for found in (together, alone))
    assert ours == pytest.approx(theirs, rel=1e-10)
    assert "2 seeds at once" in " ".join(run(*STEPS).out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--device", "abacus"),
            "device is 'abacus': accepted are 'cpu', 'torch', 'cuda', 'cupy' and 'cuda:<number>'",
        ),
        (("--p", "7"), "p is 7: an even number is accepted, for neurons in pairs (init 'symmetric')"),
        (("--p", "7.5"), "--p takes integers; for ratios to d use the flag of the ratio"),
        (("--alpha0", "3"), "both are given of alpha0 and n0: exactly one is accepted"),
        (("--seconds", "0"), "--seconds is '0'; a number > 0 is accepted"),
        (
            ("--workers", "2", "--scheduler", "tcp://nowhere:1"),
            "workers and scheduler exclude each other; give one of them",
        ),
        (("--letters", "1"), "--letters is '1'; accepted: VALUE:FRACTION,VALUE:FRACTION,..."),
        (
            ("--bias", "learned"),
            "--bias takes a number, or with --letters one a letter; a simulation learns no bias",
        ),
        (("--directions", "1,a"), "--directions is '1,a'; accepted: rows of numbers, as \"1,1;1,-1\""),
        (("--directions", "1,2,3"), "directions has rows of 3 numbers: the target has 2 indices"),
        (
            ("--eta", "1,inf"),
            "eta is inf: a finite number is accepted",  # before the first of the two runs
        ),
    ],
)
def test_bad_input(run, arguments, message):
    outcome = run(*STEPS, "--steps", "2", *arguments)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"hermite-analytics: {message}\n")


@pytest.mark.slow
def test_a_device_that_is_not_there(run):
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install hermite-analytics[gpu]")
    if torch.cuda.is_available():
        pytest.skip("a CUDA device is there")
    outcome = run(*STEPS, "--device", "cuda")
    assert outcome.status == 2 and outcome.err == (
        "hermite-analytics: device 'cuda:0' is asked for, but torch sees no CUDA device: use one that is "
        "there, 'cpu' or 'torch'\n"
    )


def test_chunks_and_test_samples(run):
    plain, chunked = (
        document(run, *CURVE, "--alpha", "1", "--n-test", "300", *more)
        for more in ((), ("--chunk-rows", "7"))
    )
    assert plain["parameters"]["n_test"] == 300
    ours, theirs = (found["results"][0]["test_error"]["mean"] for found in (plain, chunked))
    assert ours == pytest.approx(theirs, rel=1e-10)


def test_progress_shows_the_rate_of_products(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, for rich
    with simulation_progress("simulating") as advance:
        advance(1, 4, 3e9)
        time.sleep(0.2)
    assert "GFLOP/s" in capsys.readouterr().err


@pytest.mark.slow
def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from hermite_analytics.cli import main\n"
        "try:\n main(['simulate', '--help'])\n"
        "except SystemExit:\n pass\n"
        "heavy = {'sympy', 'numba', 'scipy', 'torch', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
