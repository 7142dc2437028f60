"""What a command loads: packages and modules are counted, no time is measured."""

import subprocess
import sys

import pytest

CODE = """
import atexit, gc, sys
from hermite_analytics.cli import main

def searches():
    return sum(stage["collections"] for stage in gc.get_stats()[1:])

def tell():  # what is registered last is called first
    print(searches() - before, gc.get_freeze_count(), len(sys.modules), *sys.modules, file=sys.stderr)

before = searches()
atexit.register(tell)
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
"""
TANH = ["--activation", "tanh(z)", "--target", "sin(z1)", "--alpha", "2"]
NEVER = {
    "matplotlib",
    "pandas",
    "xarray",
    "pydantic",
    "fastapi",
    "torch",
    "IPython",
    "scipy.stats",
    "scipy.ndimage",
}
NUMBERS = {"numba", "scipy"}
SOLVER = {"scipy.optimize", "scipy.sparse", "scipy.integrate"}

# (command, packages that it does not need, the most modules)
COMMANDS = {
    "help": (["--help"], {"sympy", "numpy", "flint"} | NUMBERS, 200),
    "help of solve": (["solve", "--help"], {"sympy", "flint"} | NUMBERS, 300),
    "mu": (["mu", "erf(z)"], {"hermite_analytics.argument"} | NUMBERS, 1050),
    "hermite": (["hermite", "tanh(z1)", "--degree", "3"], NUMBERS, 1070),
    "analyze": (["analyze", "z1*z2"], {"numba", "scipy.fft", "scipy.linalg"} | SOLVER, 1480),
    "curve": (
        [
            "solve",
            "spiked-random-features",
            *TANH,
            *["--alpha0", "20", "--eta", "3", "--beta", "1", "--ridge", ".1"],
        ],
        {"numba", "numpy.f2py", "scipy.fft", "scipy.special"} | SOLVER,
        1400,
    ),
    "state evolution": (
        ["solve", "state-evolution", "--target", "z1*z2", "--alpha", "1"],
        {"scipy.fft", "scipy.special", "scipy.interpolate"} | SOLVER,
        2030,
    ),
    "dmft": (["solve", "dmft", *TANH, *["--eta", ".1", "--steps", "1"]], {"numba"} | SOLVER, 1680),
    "simulate": (
        [
            "simulate",
            "random-features",
            *TANH,
            *["--beta", "1", "--ridge", ".1", "--d", "40", "--seeds", "2"],
        ],
        SOLVER,
        1870,
    ),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_loads_what_it_needs(name):
    arguments, unneeded, most = COMMANDS[name]
    run = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    searches, frozen, count, *loaded = run.stderr.decode().splitlines()[-1].split()
    assert (unneeded | NEVER).intersection(loaded) == set()
    assert int(count) <= most
    assert int(searches) == 0 and int(frozen) > 0  # for garbage, of which loading leaves none
