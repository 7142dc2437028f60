"""What is taken away gives the same numbers elsewhere."""

from __future__ import annotations

import shlex

import pytest

from hermite_analytics.explorer import exports
from hermite_analytics.explorer.models import MODELS

INPUTS = {"target": "tanh(2*z1)", "activation": "erf(z)"}


def asked(model):
    names = [p.name for p in MODELS[model].inputs]
    size = {"steps": 2} if MODELS[model].counts_steps else {"points": 5}
    return {**{name: INPUTS[name] for name in names}, **size}


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize("model", MODELS)
def test_python_gives_the_same_curve(get, model):
    document = get(f"curve/{model}", **asked(model)).document
    name, curve = next(iter(document["curves"].items()))
    namespace: dict = {}
    exec(document["exports"]["python"].replace("print(", "result = ("), namespace)
    found = (
        namespace["solution"].overlap.trace(axis1=1, axis2=2) if name == "overlap" else namespace["result"]
    )
    assert list(found) == pytest.approx(curve, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_command_gives_the_same_curve(get, run, model):
    document = get(f"curve/{model}", **asked(model)).document
    program, *words = shlex.split(document["exports"]["command"])
    assert program == "hermite-analytics"
    rows = run(*words).document["results"]
    name, curve = next(iter(document["curves"].items()))
    found = [row["overlap"][0][0] if name == "overlap" else row[name] for row in rows]
    assert found == pytest.approx(curve, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("model", "chosen"),
    [
        ("spiked-random-features", {"ridge_choice": "optimal"}),
        ("random-features", {"loss": "logistic", "target": "sign(z1)"}),
    ],
)
def test_choices_are_taken_away_too(get, run, model, chosen):
    while (document := get(f"curve/{model}", **{**asked(model), "points": 3, **chosen}).document)["missing"]:
        pass
    curve = document["curves"]["test_error"]
    plain = get(f"curve/{model}", **{**asked(model), "points": 3, "target": document["parameters"]["target"]})
    assert curve != pytest.approx(plain.document["curves"]["test_error"], rel=1e-3)
    namespace: dict = {}
    exec(document["exports"]["python"].replace("print(", "result = ("), namespace)
    assert list(namespace["result"]) == pytest.approx(curve, rel=1e-9)
    rows = run(*shlex.split(document["exports"]["command"])[1:]).document["results"]
    assert [row["test_error"] for row in rows] == pytest.approx(curve, rel=1e-9)


@pytest.mark.parametrize("target", ["z1*z2", "-z1", "sign(z1)", "z1 + 2*z2"])
def test_the_command_of_an_analysis(run, target):
    _, *words = shlex.split(exports.target_exports(target)["command"])
    assert run(*words).document["target"] == target
    compile(exports.target_exports(target)["python"], "exported", "exec")


def test_texts_are_quoted():
    hostile = "'; import os; os.system('true') #"
    code = exports.target_exports(hostile)["python"]
    assert f"ha.analyze({hostile!r})" in code
    assert shlex.split(exports.activation_exports("-z; rm -rf /")["command"])[-1] == "-z; rm -rf /"


def test_latex_of_an_activation(get):
    latex = get("activation", activation="z").document["exports"]["latex"]
    assert latex.splitlines()[0] == r"\begin{align*}" and r"\mu_1(\kappa) &= 1" in latex


def test_a_figure_for_latex(get):
    latex = get("curve/random-features", **asked("random-features")).document["exports"]["latex"]
    assert latex.count(r"\addplot") == 2 and r"\addlegendentry{test error}" in latex and "xmode=log" in latex
