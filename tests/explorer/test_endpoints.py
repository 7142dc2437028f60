"""Answers of the endpoints are those of the library, and satisfy their schemas."""

from __future__ import annotations

import base64

import jsonschema
import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.argument import text_of
from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.models import MODELS
from hermite_analytics.explorer.words import DEFINITIONS, EXAMPLES, START
from hermite_analytics.numeric import RandomFeatures, SmallStep
from hermite_analytics.rendering.provenance import kept
from hermite_analytics.schemas import schema, schema_names

INPUTS = {"target": "sin(z1)", "activation": "tanh"}


def validate(name, document):
    jsonschema.Draft202012Validator(schema(name)).validate(document)


@pytest.mark.parametrize("path", ENDPOINTS)
def test_every_endpoint_answers_with_its_schema(get, path):
    asked = {p.name: INPUTS[p.name] for p in ENDPOINTS[path].parameters if p.name in INPUTS}
    reply = get(path, **asked)
    assert reply.status == 200, reply.document
    validate(f"explore-{path.split('/')[0]}", reply.document)


def test_every_schema_is_of_an_endpoint():
    names = {name for name in schema_names() if name.startswith("explore-")}
    assert names == {f"explore-{path.split('/')[0]}" for path in ENDPOINTS} | {
        "explore-about",
        "explore-error",
    }
    for name in names:
        jsonschema.Draft202012Validator.check_schema(schema(name))


def test_about_describes_what_there_is(get):
    document = get("about").document
    validate("explore-about", document)
    assert [entry["path"] for entry in document["endpoints"]] == [f"/api/{path}" for path in ENDPOINTS]
    assert [model["name"] for model in document["models"]] == list(MODELS)
    assert document["version"] == ha.__version__


def test_a_target_s_answer_holds_its_analysis(get):
    document = get("target", target="z1 + z2 + z1*z2").document
    validate("analyze", kept(document["analysis"]))
    assert document["analysis"]["isotropic_leap"]["value"] == 2
    norms = {entry["degree"]: entry["exact"] for entry in document["expansion"]["norms"]}
    assert (norms[0], norms[1], norms[2], norms[3]) == ("0", "2", "1", "0")
    assert document["expansion"]["tail"]["exact"] == "0"
    ladders = {
        ladder["title"]: [rung["dimension"] for rung in ladder["rungs"]] for ladder in document["ladders"]
    }
    assert ladders == {
        "staircase (n ~ d)": [0, 1],
        "leap decomposition": [0, 1, 2],
        "grand staircase": [0, 1, 2],
    }


def test_a_high_first_degree_is_shown(get):
    norms = get("target", target="He(12, z1)").document["expansion"]["norms"]
    assert [entry["degree"] for entry in norms if not entry["zero"]] == [12]
    assert norms[12]["exact"] == "479001600"  # E He_12^2 = 12!


def test_thresholds_carry_their_formula(get):
    (stage,) = get("target", target="sign(z1*z2)").document["thresholds"]
    assert stage["alpha_c"]["exact"] == "pi**2/4" and stage["alpha_c"]["mathml"].startswith("<math")
    words = [piece["text"] for piece in stage["reason"]]
    assert "".join(words) == text_of(ha.weak_recovery("sign(z1*z2)").stages[0].facts)
    assert any(piece["mathml"] is not None for piece in stage["reason"])


def test_a_closed_form_that_nobody_can_read_is_left_out(get):
    norms = get("target", target="cos(1e300*z1)").document["expansion"]["norms"]
    assert norms[0]["exact"] is not None and norms[0]["zero"] is False
    assert norms[8]["exact"] is norms[8]["mathml"] is None and norms[8]["zero"] is False  # 1e300^16 in it


def test_a_target_without_expansion_has_none(get):
    document = get("target", target="exp(z1**2/4)").document
    assert document["expansion"] is not None and document["expansion"]["whole"]["value"] == "inf"
    assert get("target", target="sign(z1 + xi/2)").document["formula"]["latex"] is not None


def test_the_explanation_is_the_library_s(get):
    document = get("explanation", target="sign(z1*z2)").document
    explained = ha.analyze("sign(z1*z2)").explain()
    assert document["exports"]["latex"] == explained.latex and document["exports"]["text"] == explained.text
    assert [section["title"] for section in document["sections"]] == [s.title for s in explained.sections]
    pieces = [p for s in document["sections"] for b in s["blocks"] for item in b["items"] for p in item]
    assert any(piece["mathml"] for piece in pieces)
    assert document["exports"]["svg"].startswith("<svg")


def test_learns(get):
    assert get("learns", target="z1 + He2(z1)*z2", activation="tanh").document["is_realised"] is True
    steps = get("learns", target="z1 + z1*z2", activation="tanh").document["steps"]
    assert [step["verdict"] for step in steps] == ["learned", "not learned"]


def test_formulas_of_an_activation(get):
    found = get("activation", activation="relu").document
    mu1 = found["coefficients"]["mu1"]
    assert (mu1["text"], mu1["closed"]) == ("Phi(kappa*r/sqrt(c))", True) and mu1["mathml"].startswith(
        "<math"
    )
    assert (found["is_odd"], found["has_jumps"]) == (False, False)
    assert get("activation", activation="tanh").document["coefficients"]["mu0"]["closed"] is False


@pytest.mark.cases(1)
@pytest.mark.parametrize("activation", ["relu", "tanh", "sign"])
def test_curves_of_the_coefficients(get, activation):
    document = get("coefficients", activation=activation, c=1.3, r=0.7, kappa_max=2).document
    kernel = ha.compile(
        ha.conditional_coefficients(ha.Activation(activation)).kernel_form(),
        ("kappa", "c", "r"),
        backend="python",
    )
    for j in (0, 60, 160):
        expected = kernel(document["kappa"][j], 1.3, 0.7)
        found = [document["curves"][name][j] for name in ("mu0", "mu1", "mu2_squared")]
        assert found == pytest.approx([float(value) for value in expected], abs=1e-10)
    assert document["kappa"][0] == -2 and document["kappa"][-1] == 2
    assert min(document["curves"]["mu2_squared"]) >= 0


def test_the_learning_curve_of_the_paper(get):
    # arXiv 2402.04980, figure 2: the values of test_documents, at a range of one's own
    document = get(
        "curve/giant-step", activation="tanh", target="sin(z1)", alpha0=20, eta=3, beta=1, ridge=0.1,
        alpha_from=0.2, alpha_to=3, spacing="linear",
    ).document  # fmt: skip
    curve = document["curves"]["test_error"]
    assert [curve[0], curve[-1]] == pytest.approx([0.048482902, 0.032518208], abs=1e-8)
    assert document["facts"]["r"] == pytest.approx(1.13405551, abs=1e-8)
    assert document["not_converged"] == 0


def test_models_agree_where_they_describe_the_same(get):
    common = {"activation": "tanh", "target": "sin(z1)", "beta": 1.5, "ridge": 0.2, "noise": 0.1}
    features = get("curve/random-features", **common).document["curves"]["test_error"]
    unspiked = get("curve/spiked-random-features", r=0, c=1, gamma=0, **common).document["curves"][
        "test_error"
    ]
    no_step = get("curve/small-step", eta=0, **common).document["curves"]["risk_after"]
    assert unspiked == pytest.approx(features, rel=1e-8)
    assert no_step == pytest.approx(features, rel=1e-8)  # tanh is centred


def test_descent_on_samples_that_come_back(get):
    """He3 by tanh in two iterations (closed two-step formula), and not from fresh samples."""
    asked = {"activation": "tanh", "target": "He3(z1)", "alpha": 3, "eta": 0.2, "steps": 2}
    found = get("curve/dmft", **asked).document
    assert found["abscissa"] == {"name": "steps", "values": [0, 1, 2], "logarithmic": False}
    assert found["curves"]["overlap"] == pytest.approx([0, 0, -0.140956917], abs=1e-6)
    assert set(found["curves"]) == {"overlap"} and found["not_converged"] == 0 and found["note"] == ""
    fresh = get("curve/dmft", **asked, schedule="one-pass").document
    assert "--schedule one-pass:3" in fresh["exports"]["command"]
    assert fresh["curves"]["overlap"] == pytest.approx([0, 0, 0], abs=1e-6)


def test_descent_that_diverges_or_has_no_law(get):
    found = get("curve/dmft", activation="He3(z)", target="He3(z1)", eta=2, steps=3).document
    assert "leave all bounds" in found["note"] and found["not_converged"] > 0
    refused = get("curve/dmft", activation="tanh", target="He3(z1)", loss="logistic")
    assert refused.status == 400 and "labels 1 and -1" in refused.document["error"]
    half = get("curve/dmft", activation="tanh", target="z1", steps=2.5)
    assert half.status == 400 and half.document["field"] in (None, "steps")


def test_state_evolution_shows_its_jumps(get):
    document = get("curve/state-evolution", target="z1**2", alpha_from=0.4, alpha_to=2).document
    marks = {mark["label"]: mark["at"] for mark in document["marks"]}
    assert marks["weak recovery"] == pytest.approx(0.5, abs=1e-9)
    assert marks["AMP jumps"] == pytest.approx(1.128471, abs=1e-6)
    x, overlap = document["abscissa"]["values"], document["curves"]["overlap"]
    before = overlap[np.searchsorted(x, marks["AMP jumps"]) - 1]
    assert before < 0.9 and overlap[-1] == 1.0


def test_moving_an_end_keeps_the_points(get):
    curve = {"target": "z1**2", "alpha_from": 0.4}
    first, second = (get("curve/state-evolution", alpha_to=end, **curve).document for end in (2, 2.1))
    shared = set(first["abscissa"]["values"]) & set(second["abscissa"]["values"])
    assert len(shared) >= len(first["abscissa"]["values"]) - 2


def test_an_infinite_number_is_a_word(get):
    curve = {"activation": "tanh", "target": "sin(z1)", "ridge": 0, "alpha_from": 0.5, "alpha_to": 2}
    document = get("curve/random-features", **curve).document
    at = document["abscissa"]["values"].index(1.0)
    assert document["curves"]["test_error"][at] == "inf" and document["not_converged"] == 0


@pytest.mark.slow
def test_every_example_is_answered(get):
    for entry in EXAMPLES["target"]:
        assert get("target", target=entry["text"]).status == 200, entry
    for entry in EXAMPLES["activation"]:
        assert get("activation", activation=entry["text"]).status == 200, entry
        assert get("coefficients", activation=entry["text"]).status == 200, entry
    for entry in EXAMPLES["curve_target"]:
        assert get("curve/spiked-random-features", activation="tanh", target=entry["text"]).status == 200, (
            entry
        )
    assert START["model"] in MODELS


def test_words_are_those_of_the_library():
    for evidence in ha.Evidence:
        assert DEFINITIONS[str(evidence)] == evidence.help


def test_simulated_points_are_those_of_the_simulator(get):
    asked = {"activation": "tanh", "target": "sin(z1)", "beta": 1.0, "ridge": 0.1, "alpha": 2.0}
    reply = get("points/random-features", **asked, d=60, seeds=3)
    found = ha.numeric.simulate("random-features", **asked, noise=0.0, d=60, seeds=3).results["test_error"]
    assert reply.document["points"]["test_error"]["mean"] == pytest.approx(float(found.mean), rel=1e-9)
    assert reply.document["points"]["test_error"]["stderr"] == pytest.approx(float(found.stderr), rel=1e-9)


def test_points_of_a_curve_with_the_best_ridge_have_its_ridge(get):
    asked = {**INPUTS, "beta": 1.0, "noise": 1.0, "alpha": 2.0}
    for model, more in (("random-features", {}), ("small-step", {"eta": 1.0})):
        found = get(f"points/{model}", **asked, **more, d=60, seeds=3, ridge_choice="optimal").document
        solver = (RandomFeatures if model == "random-features" else SmallStep)("tanh", "sin(z1)")
        solved = solver.solve(alpha=2.0, beta=1.0, noise=1.0, ridge="optimal", **more)
        assert found["ridge"] == pytest.approx(float(solved.parameters["ridge"]), rel=1e-6)
        set_by_hand = get(f"points/{model}", **asked, **more, d=60, seeds=3, ridge=found["ridge"]).document
        assert found["points"] == set_by_hand["points"] and set_by_hand["ridge"] is None


def test_points_of_what_is_not_simulated_are_refused(get):
    reply = get("points/giant-step", **INPUTS, loss="hinge")
    assert reply.status == 400 and "loss square" in reply.document["error"]
    nothing = {"activation": "tanh", "target": "He2(z1)", "alpha": 1, "ridge_choice": "optimal"}
    reply = get("points/random-features", **nothing)
    assert reply.status == 400
    assert reply.document["error"].startswith("the best ridge at alpha = 1 is inf; networks are simulated")


def test_a_drawing_is_a_pdf(get):
    body = base64.b64decode(get("drawing/random-features", **INPUTS).document["pdf"])
    assert body.startswith(b"%PDF-") and b"%%EOF" in body[-16:]
