"""Help names exactly what exists, and is quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Commands of later versions must not be announced.
UNBUILT = ("second-layer", "complexities", "explore", "doctor")
UNBUILT_MODELS = ("random-features ", "small-step", "state-evolution", "sgd-flow", "spectrum", "three-layer")


def test_commands(run):
    outcome = run("--help")
    assert outcome.status == 0
    for name in ("hermite", "expect", "mu", "solve", "simulate", "validate"):
        assert f"  {name} " in outcome.out
    for name in UNBUILT:
        assert name not in outcome.out.replace("hermite-analytics", "")


@pytest.mark.parametrize(
    ("group", "members"),
    [
        ("solve", {"giant-step", "spiked-random-features", "bounds"}),
        ("simulate", {"giant-step", "spiked-random-features"}),
    ],
)
def test_models(run, group, members):
    text = run(group, "--help").out
    listed = {line.split()[0] for line in text.split("Commands:")[1].splitlines() if line.strip()}
    assert listed == members


@pytest.mark.parametrize(
    "command",
    [
        ("analyze",),
        ("staircase",),
        ("hermite",),
        ("expect",),
        ("mu",),
        ("solve", "giant-step"),
        ("solve", "spiked-random-features"),
        ("solve", "bounds"),
        ("simulate", "giant-step"),
        ("simulate", "spiked-random-features"),
        ("validate",),
    ],
)
def test_every_command_explains_itself(run, command):
    outcome = run(*command, "--help")
    assert outcome.status == 0
    assert "--json" in outcome.out and outcome.out.startswith("Usage: hermite-analytics")


def test_version(run):
    from hermite_analytics import __version__

    assert __version__ in run("--version").out


@pytest.mark.parametrize("arguments", [["--help"], ["solve", "--help"]])
def test_help_loads_nothing_heavy(arguments):
    code = (
        "import sys\n"
        "from hermite_analytics.cli import main\n"
        "try:\n main(sys.argv[1:])\n"
        "except SystemExit:\n pass\n"
        "heavy = {'sympy', 'numba', 'scipy', 'flint', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)
