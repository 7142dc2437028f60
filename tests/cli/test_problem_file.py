"""`solve ... --problem FILE.toml`: the same document as from the flags, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from hermite_analytics.cli.solve import command as solve
from hermite_analytics.errors import InputError

PROBLEM = 'activation = "tanh(z)"\ntarget = "-sin(z1)"\n'
FLAGS = "--activation tanh(z) --target -sin(z1) "

# model: (file, the same flags in the same order)
SAME = {
    "giant-step": (
        PROBLEM + 'alpha0 = [2, inf]\neta = 1.5\nbeta = 0.5\nstep-convention = "notebook"\n',
        FLAGS + "--alpha0 2,inf --eta 1.5 --beta 0.5 --step-convention notebook",
    ),
    "spiked-random-features": (
        PROBLEM + 'r = 1\nc = [1.1, 1.2]\ngamma = 0.9\nbeta = "1,2"\nridge = [1e-1]\nalpha = 1.5\n'
        'letters = ["1:0.5", "-1:0.5"]\nbias = [0.1, 0]\n',
        FLAGS + "--r 1 --c 1.1,1.2 --gamma 0.9 --beta 1,2 --ridge 0.1 --alpha 1.5"
        " --letters 1:0.5,-1:0.5 --bias 0.1,0",
    ),
    "bounds": (PROBLEM + "c = 1\noptimise_step = true\n", FLAGS + "--c 1 --optimise-step"),
    "random-features": (
        PROBLEM + 'ridge = 0.1\nbeta = [1, 2]\nalpha = [1, 2]\ndegree = 1\nloss = "square"\n',
        FLAGS + "--ridge 0.1 --beta 1,2 --alpha 1,2 --degree 1 --loss square",
    ),
    "small-step": (
        PROBLEM + "alpha = 2\nbeta = 1\nridge = 0.1\neta = 2\ngradient_factor = 2\n",
        FLAGS + "--alpha 2 --beta 1 --ridge 0.1 --eta 2 --gradient-factor 2",
    ),
    "large-step": (PROBLEM, FLAGS),
    "deterministic-equivalent": (
        "eigenvalue-power = 1.5\ncoefficient_power = 2.2\nlevels = 100\nsamples = 20\nfeatures = [inf, 9]\n"
        "ridge = 0.1\n",
        "--eigenvalue-power 1.5 --coefficient-power 2.2 --levels 100 --samples 20 --features inf,9"
        " --ridge 0.1",
    ),
    "scaling-law": ("capacity = 2\nsource = 0.8\noptimal = true\n", "--capacity 2 --source 0.8 --optimal"),
    "spectrum": (
        'of = "features"\nactivation = "tanh(z)"\nr = 1\nc = 1.1\nbeta = 1\nalpha = 2\nz = [-0.5, 0]\n',
        "--of features --activation tanh(z) --r 1 --c 1.1 --beta 1 --alpha 2 --z -0.5,0",
    ),
    "sgd-flow": (
        'activation = "tanh(z)"\ntarget = "tanh(z1)"\nrate = 0.5\noverlap = 0.2\ntime = [0.5, 1]\n',
        "--activation tanh(z) --target tanh(z1) --rate 0.5 --overlap 0.2 --time 0.5,1",
    ),
    "three-layer": ("degrees = [2, 3]\nepsilon = 0.5\n", "--degrees 2,3 --epsilon 0.5"),
}


def written(folder: Path, text: str) -> str:
    path = folder / "problem.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_model_takes_a_problem():
    context = click.Context(solve)
    for name in solve.list_commands(context):
        model = solve.get_command(context, name)
        assert "problem" in {option.name for option in model.params}, name


@pytest.mark.cases(3)
@pytest.mark.parametrize("model", SAME)
def test_a_file_gives_the_same(run, tmp_path, model):
    text, flags = SAME[model]
    expected = run("solve", model, *flags.split(), "--json")
    assert expected.status == 0
    named = written(tmp_path, f'model = "{model}"\n{text}')
    for arguments in ((model, "--problem", named), ("--json", f"--problem={named}")):
        found = run("solve", *arguments, *(() if "--json" in arguments else ("--json",)))
        assert (found.status, found.out) == (0, expected.out)


def test_flags_override_the_file_in_its_place(run, tmp_path):
    path = written(tmp_path, PROBLEM + "beta = 1\nalpha0 = [2, 3]\n")
    rows = run("solve", "giant-step", "--beta", "1,4", "--eta", "0,1", "--problem", path, "--json").document[
        "results"
    ]
    order = [(row["beta"], row["alpha0"], row["eta"]) for row in rows]
    assert order == [(b, a, e) for b in (1, 4) for a in (2, 3) for e in (0, 1)]


def test_a_false_flag_is_not_given(run, tmp_path):
    path = written(tmp_path, PROBLEM + "r = 0.9\nc = 1\ngamma = 1\noptimise-step = false\n")
    assert "upper" in run("solve", "bounds", "--problem", path, "--json").document["results"][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha = 1\n", "unknown key 'alpha'; giant-step takes activation, alpha0, beta, eta, noise"),
        ("json = true\n", "unknown key 'json'"),
        (
            "alpha0 = true\n",
            "alpha0 is True (true or false); accepted: a number or a text, or a list of them",
        ),
        ("alpha0 = []\n", "alpha0 is [] (an empty list); accepted: a number or a text, or a list of them"),
        ("alpha0 = [[1]]\n", "alpha0 is [[1]] (a list); accepted"),
        ("alpha0 = 2020-01-01\n", "alpha0 is 2020-01-01 (a date or a time); accepted"),
        ("[alpha0]\nx = 1\n", "alpha0 is {'x': 1} (a table); accepted"),
        ("activation = 3\n", "activation is 3 (a number); accepted: a text"),
        ('activation = ["z", "sin(z)"]\n', "activation is ['z', 'sin(z)'] (a list); accepted: a text"),
        ('step-convention = "paper"\nstep_convention = "paper"\n', "'step_convention' is given twice"),
        ('model = "bounds"\n', "model is 'bounds', and giant-step was asked for"),
        (f"alpha0 = {10**30}\n", "alpha0 is an integer of more than 64 bits; write it as a decimal"),
        (f"alpha0 = 1{'0' * 5000}\n", "is not a TOML file"),
        (f"alpha0 = {'[' * 5000}\n", "is not a TOML file"),
        ("alpha0 = \n", "is not a TOML file: Invalid value (at line 1"),
        ('alpha0 = "many"\n', "Invalid value for '--alpha0': 'many' is not a number"),
        ("alpha0 = nan\n", "nan is not a number"),
        ("alpha0 = -1\n" + PROBLEM + "eta = 1\nbeta = 1\n", "alpha0 is -1; accepted: alpha0 >= 0"),
        (PROBLEM, "Missing option '--alpha0'"),
    ],
)
def test_bad_files_are_one_line(run, tmp_path, text, message):
    outcome = run("solve", "giant-step", "--problem", written(tmp_path, text), "--json")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err


def test_flags_are_true_or_false(run, tmp_path):
    outcome = run("solve", "bounds", "--problem", written(tmp_path, 'optimise-step = "yes"\n'))
    assert outcome.status == 2
    assert "optimise-step is yes (a text); accepted: true or false" in outcome.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PROBLEM, "names no model; accepted: bounds, deterministic-equivalent"),
        ('model = "giant"\n', "names the model 'giant'; accepted: bounds"),
        ("model = 3\n", "names the model '3'"),
    ],
)
def test_the_model_has_to_be_known(run, tmp_path, text, message):
    outcome = run("solve", "--problem", written(tmp_path, text))
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert message in outcome.err


def test_files_that_cannot_be_read(run, tmp_path):
    outcome = run("solve", "giant-step", "--problem", str(tmp_path / "none.toml"))
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert outcome.err.endswith("none.toml: no such file or directory\n")
    assert "is a directory" in run("solve", "giant-step", "--problem", str(tmp_path)).err
    (tmp_path / "latin.toml").write_bytes(b'target = "\xe9"\n')
    assert "is not a TOML file" in run("solve", "--problem", str(tmp_path / "latin.toml")).err
    assert "requires an argument" in run("solve", "giant-step", "--problem").err


def test_errors_are_of_the_family(tmp_path):
    from hermite_analytics.cli.solve.problem_file import read_problem

    with pytest.raises(InputError, match="no such file"):
        read_problem(str(tmp_path / "none.toml"))
