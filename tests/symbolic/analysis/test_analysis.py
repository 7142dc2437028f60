"""`analyze`: every field of 66 known targets, what does not exist, laziness, time, interruption."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from pathlib import Path

import jsonschema
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.analysis import answers as module
from hermite_analytics.schemas import schema

RECORDS = {r["id"]: r for r in json.loads((Path(__file__).parent / "known_targets.json").read_text("utf-8"))}
DECIDED = ("exact", "proved")
KEYS = [
    "target",
    "dimension",
    "intrinsic_dimension",
    "mean",
    "second_moment",
    "first_subspace",
    "information_exponent",
    "leap_index",
    "leap_complexity",
    "isotropic_leap",
    "generative_exponent",
    "staircase",
    "leap_decomposition",
    "grand_staircase",
    "weak_recovery",
    "arguments",
]
VALIDATOR = jsonschema.Draft202012Validator(schema("analyze"))


def valid(document: dict) -> dict:
    """The whole answer, which survives JSON and satisfies the schema."""
    VALIDATOR.validate(json.loads(json.dumps(document, allow_nan=False)))
    return document


def echelon(rows: list[list[str]]) -> list[list[str]]:
    if not rows:
        return []
    reduced, pivots = sympy.Matrix([[sympy.Rational(x) for x in row] for row in rows]).rref()
    return [[str(x) for x in reduced.row(i)] for i in range(len(pivots))]


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDS)
def test_known_target(name):
    record = RECORDS[name]
    seconds = 6 if None in record["alpha_c"] else 60  # that threshold takes long, and is not compared
    found = valid(ha.analyze(record["target"], seconds=seconds).to_dict())
    assert list(found) == ["schema_version", "versions", *KEYS]
    assert found["dimension"] == record["dimension"]
    assert found["intrinsic_dimension"] == record["intrinsic_dimension"]
    for moment in ("mean", "second_moment"):
        assert math.isclose(found[moment]["value"], record[moment], rel_tol=1e-12, abs_tol=1e-12)
        assert found[moment]["evidence"] in DECIDED
    assert found["information_exponent"] == found["leap_index"] == found["first_subspace"]["order"]
    for exponent in ("leap_index", "leap_complexity", "isotropic_leap", "generative_exponent"):
        assert found[exponent]["value"] == found[exponent]["at_least"] == record[exponent]
        assert found[exponent]["evidence"] in DECIDED
    check_staircases(found, record)
    check_thresholds(found["weak_recovery"], record)


def check_staircases(found: dict, record: dict) -> None:
    learned: list[list[str]] = []
    bases: list[list[list[str]]] = [[]]
    for new in record["staircase_new_directions"]:
        learned = learned + new
        bases.append(echelon(learned))
    assert found["staircase"]["bases"] == bases
    assert found["staircase"]["limit_dimension"] == record["staircase_limit_dimension"]
    grand = found["grand_staircase"]
    new = [b - a for a, b in itertools.pairwise(grand["dimensions"])]
    steps = [list(step) for step in zip(grand["orders"], new, strict=True)]
    assert steps == record["generative_steps"]
    assert found["leap_decomposition"]["limit_dimension"] == record["intrinsic_dimension"]
    assert max(found["leap_decomposition"]["orders"], default="inf") == record["isotropic_leap"]


def check_thresholds(found: dict, record: dict) -> None:
    steps = record["generative_steps"]
    all_first = bool(steps) and all(order == 1 for order, _ in steps)
    dimensions = [sum(new for _, new in steps)] if all_first or not steps else [new for _, new in steps]
    assert [stage["dimension"] for stage in found["stages"]] == dimensions
    for stage, alpha in zip(found["stages"], record["alpha_c"], strict=False):
        if alpha is None:
            continue
        value = stage["alpha_c"]["value"]
        assert value == "inf" if alpha == "inf" else math.isclose(value, alpha, rel_tol=1e-7, abs_tol=1e-12)
    assert found["alpha_c"] == found["stages"][0]["alpha_c"]
    trivial = steps[0][1] if steps and steps[0][0] == 1 else 0
    easy = sum(new for order, new in steps if order <= 2) - trivial
    hard_from = next((i for i, (order, _) in enumerate(steps) if order >= 3), len(steps))
    hard = sum(new for _, new in steps[hard_from:])
    assert found["trivial_dimension"] == trivial
    assert found["hard_dimension"] == hard
    assert found["easy_dimension"] == easy - sum(new for order, new in steps[hard_from:] if order <= 2)


def test_document_of_an_easy_target():
    found = valid(ha.analyze("z1 + z2 + z1*z2").to_dict())
    assert list(found) == ["schema_version", "versions", *KEYS]
    assert found["leap_complexity"]["value"] == 1 and found["isotropic_leap"]["value"] == 2
    assert found["staircase"]["dimensions"] == [0, 1] and found["staircase"]["limit_dimension"] == 1
    assert found["first_subspace"]["basis"] == [["1", "1"]]
    assert found["weak_recovery"]["trivial_dimension"] == 1
    assert found["weak_recovery"]["easy_dimension"] == 1
    assert [s["alpha_c"]["exact"] for s in found["weak_recovery"]["stages"]] == ["0", "1/2"]


def test_infinite_variance():
    a = ha.analyze("exp(z1**2/4)")
    for name in ("leap_index", "leap_complexity", "isotropic_leap", "leap_decomposition", "staircase"):
        assert getattr(a, name) == getattr(ha, name)("exp(z1**2/4)"), name
    assert a.generative_exponent.value == 2 and a.intrinsic_dimension.value == 1
    found = valid(a.to_dict())
    assert found["second_moment"]["value"] == "inf" and found["second_moment"]["exact"] is None
    assert found["mean"]["exact"] == "sqrt(2)"
    # c_2 = E[(z^2 - 1) exp(z^2/4)] = sqrt(2) (2 - 1): every coefficient is finite, though E y^2 is not
    assert found["leap_index"]["value"] == 2 and found["leap_index"]["reason"].endswith("c_(2) = sqrt(2)")
    assert found["staircase"]["dimensions"] == [0] and found["staircase"]["limit_dimension"] == 0
    assert found["generative_exponent"]["value"] == 2
    assert found["grand_staircase"]["dimensions"] == [0, 1]
    assert "E y^2 = infinity" in a.explain().text


def test_a_finite_mean_square_given_z_is_enough():
    a = ha.analyze("z1*exp(xi**2/4)")
    assert math.isinf(a.second_moment.value)
    assert a.leap_index.value == 1  # of E[y | z] = sqrt(2)*z1


def test_constant():
    found = valid(ha.analyze("3").to_dict())
    assert found["intrinsic_dimension"] == 0 and found["first_subspace"]["basis"] == []
    for exponent in ("leap_index", "leap_complexity", "isotropic_leap", "generative_exponent"):
        assert found[exponent]["value"] == "inf"
    assert found["staircase"]["limit_dimension"] == found["grand_staircase"]["limit_dimension"] == 0
    (stage,) = found["weak_recovery"]["stages"]
    assert stage["dimension"] == 0
    assert stage["alpha_c"]["value"] == found["weak_recovery"]["alpha_c"]["value"] == "inf"


def test_an_index_that_is_not_used():
    a = ha.analyze(ha.Target("relu(z1)", directions=[[1, 0, 0]]))
    found = valid(a.to_dict())
    assert found["dimension"] == 3 and found["intrinsic_dimension"] == 1
    assert found["first_subspace"]["basis"] == [["1", "0", "0"]]
    assert found["staircase"]["limit_dimension"] == 1
    skipped = valid(ha.analyze("z3").to_dict())
    assert skipped["dimension"] == 3 and skipped["first_subspace"]["basis"] == [["0", "0", "1"]]


def test_directions_are_put_in():
    a = ha.analyze(ha.Target("z1*z2", directions=[[1, 1], [1, -1]]))
    assert a.name == "(z1 - z2)*(z1 + z2)"
    assert a.leap_index.value == 2


def test_noise_in_the_label_only():
    a = ha.analyze("z1*xi")  # E[y | z] = 0, and yet the label says something about z1
    assert a.leap_index.value == "inf" and a.generative_exponent.value == 2
    assert a.second_moment.exact == 1


def test_nothing_is_computed_before_it_is_asked_for(monkeypatch):
    from hermite_analytics import exponents

    calls = []
    monkeypatch.setattr(exponents, "staircase", lambda target, seconds: calls.append(target) or "stairs")
    a = ha.analyze("z1*z2")
    assert calls == []
    assert a.staircase == a.staircase == "stairs"
    assert len(calls) == 1


def test_a_refusal_is_kept_and_an_interruption_is_not(monkeypatch):
    from hermite_analytics import exponents

    answers = iter([KeyboardInterrupt, ha.UnsupportedExpression])

    def refuse(target, seconds):
        raise next(answers)("not today")

    monkeypatch.setattr(exponents, "isotropic_leap", refuse)
    a = ha.analyze("z1")
    with pytest.raises(KeyboardInterrupt):
        _ = a.isotropic_leap
    for _ in range(2):
        with pytest.raises(ha.UnsupportedExpression, match="not today"):
            _ = a.isotropic_leap
    found = valid(a.to_dict())
    assert found["isotropic_leap"] == {
        "value": None,
        "at_least": 1,
        "evidence": "undecided",
        "degree": None,
        "reason": "not today",
    }


def test_the_parts_share_the_time(monkeypatch):
    from hermite_analytics import exponents

    granted = []

    def compute(target, seconds):
        granted.append(seconds)
        return exponents.leaps.leap_complexity(target, seconds=seconds)

    monkeypatch.setattr(exponents, "leap_complexity", compute)
    a = ha.analyze("z1", seconds=12)
    _ = a.leap_complexity
    assert 0 < granted[0] < 6
    assert 0 < a.seconds_left < 12


def test_without_time_answers_are_undecided_and_valid():
    found = valid(ha.analyze("tanh(z1*z2*z3) + sin(z2*z3)*z4", seconds=1e-6).to_dict())
    assert found["leap_complexity"]["evidence"] == "undecided"


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "10"])
def test_no_time(seconds):
    with pytest.raises(ha.InputError, match=r"seconds is .*; a finite number > 0 is accepted"):
        ha.analyze("z1", seconds=seconds)


def test_activation():
    a = ha.analyze("z1 + He2(z1)*z2", activation="tanh")
    found = valid(a.to_dict())
    assert list(found)[2:] == [*KEYS[:-1], "activation", "learns", "learns_full_batch", "arguments"]
    assert found["activation"] == "tanh" and found["learns"] == a.learns.document()
    assert found["learns_full_batch"] == a.learns_full_batch.document()
    assert "Network with activation tanh" in a.explain().text
    assert str(a.learns_full_batch).splitlines()[0] in a.explain().text
    with pytest.raises(ha.UndefinedQuantity, match="no activation was given"):
        _ = ha.analyze("z1").learns


def test_bad_input():
    with pytest.raises(ha.ParseError):
        ha.analyze("z1 +")
    with pytest.raises(ha.UndefinedQuantity, match="has no mean"):
        ha.analyze("exp(z1**2)")
    with pytest.raises(ha.ParseError):
        ha.analyze("z1", activation="tanh(x)")


def test_it_pickles_with_what_it_found():
    a = ha.analyze("z1*z2")
    _ = a.leap_index
    again = pickle.loads(pickle.dumps(a))
    assert again.leap_index == a.leap_index and again.name == a.name
    assert repr(again) == "analyze('z1*z2')"


def test_hermite_expansion():
    assert ha.analyze("z1").hermite.degree == module._MOST_DEGREE - 1
    assert ha.analyze("z9").hermite.degree == 2
    assert ha.analyze("sin(z1)").hermite[3].exact == -sympy.exp(-sympy.Rational(1, 2))


@pytest.mark.parametrize(
    ("text", "exact", "shown"),
    [("1e300*z1", "(10**600)", "(10**600)"), ("z1**200", None, "5.052733644e+433")],
)
def test_numbers_beyond_floating_point_are_no_infinities(text, exact, shown):
    found = ha.analyze(text)
    moment = found.to_dict()["second_moment"]
    assert moment["value"] is None and moment["error"] is None and moment["evidence"] == "exact"
    assert exact in (None, moment["exact"])
    line = next(line for line in str(found).splitlines() if line.startswith("  E y^2"))
    assert line.split() == ["E", "y^2", shown, "[exact]"]
    assert "infin" not in found.explain().text.split("E y^2")[1][:300]
