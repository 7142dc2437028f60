"""What is asked wrongly gets one line that says so."""

from __future__ import annotations

import functools

import jsonschema
import pytest

from hermite_analytics.explorer import app
from hermite_analytics.explorer.pool import Pool
from hermite_analytics.schemas import schema
from tests.explorer.stubborn import stubborn


@pytest.mark.parametrize(
    ("path", "parameters", "field", "position", "expected"),
    [
        ("target", {"target": "z1 + log(z2)"}, "target", 5, "log is accepted where its"),
        ("target", {"target": "__import__('os')"}, "target", 0, "unknown function '__import__'; accepted"),
        ("target", {"target": "exp(z1**2)"}, "target", None, "the target exp(z1**2) has no mean"),
        ("target", {}, None, None, "the parameter target is not given; needed: a target"),
        ("target", {"target": " "}, None, None, "target is empty; an expression is"),
        ("target", {"target": "z" * 5000}, None, None, "has 5000 characters; accepted: at most 4000"),
        ("target", {"target": "z1", "seconds": 3}, None, None, "unknown parameter 'seconds'; accepted"),
        ("activation", {"activation": "tanh(y)"}, "activation", 5, "unknown name 'y'; accepted here: z"),
        ("learns", {"activation": "sin(q)", "target": "z1"}, "activation", 4, "unknown name 'q'"),
        ("coefficients", {"activation": "tanh", "c": -1}, None, None, "c is '-1'; accepted: numbers from"),
        ("coefficients", {"activation": "tanh", "r": "nan"}, None, None, "r is 'nan'; accepted: numbers"),
        ("coefficients", {"activation": "tanh", "r": "1e999"}, None, None, "r is '1e999'; accepted: numbers"),
        ("curve/giant-step", {"activation": "sign", "target": "z1"}, None, None, "not square integrable"),
        ("curve/giant-step", {"activation": "tanh", "target": "z1*z2"}, None, None, "one"),
        (
            "curve/random-features",
            {"activation": "tanh", "target": "z1", "alpha_from": 3, "alpha_to": 2},
            None, None, "the range is from 3 to 2; accepted: a first number below the second",
        ),
        (
            "curve/random-features",
            {"activation": "tanh", "target": "z1", "spacing": "cubic"},
            None, None, "spacing is 'cubic'; accepted: log, linear",
        ),
        (
            "curve/random-features",
            {"activation": "tanh", "target": "z1", "points": "1000000"},
            None, None, "points is '1000000'; accepted: integers from 2 to 241",
        ),
        (
            "curve/random-features",
            {"activation": "tanh", "target": "z1", "points": "9.5"},
            None, None, "points is '9.5'; accepted: integers from",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_400_and_one_line(get, path, parameters, field, position, expected):
    reply = get(path, **parameters)
    assert reply.status == 400
    jsonschema.Draft202012Validator(schema("explore-error")).validate(reply.document)
    assert expected in reply.document["error"] and "\n" not in reply.document["error"]
    assert (reply.document["field"], reply.document["position"]) == (field, position)


def test_a_parameter_given_twice(client):
    reply = client.get("/api/target?target=z1&target=z2")
    assert reply.status_code == 400
    assert reply.json()["error"] == "the parameter target is given twice; accepted: once"


@pytest.mark.parametrize("path", ["/api/nothing", "/api/", "/nothing", "/static/../app.py", "/static/app.py"])
def test_unknown_paths(client, path):
    reply = client.get(path)
    assert reply.status_code == 404
    assert reply.json()["error"].startswith("there is no such page; accepted: /, /api/about, /api/target")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_only_get(client, method):
    reply = client.request(method, "/api/target?target=z1")
    assert reply.status_code == 405 and reply.json()["error"] == "the method is not accepted; use GET"


@pytest.fixture
def stubborn_client(monkeypatch):
    """The application with a worker that does what its target says."""
    from starlette.testclient import TestClient

    monkeypatch.setattr(app, "Pool", functools.partial(Pool, serve=stubborn))
    with TestClient(app.create_app(seconds=1.0, workers=1), base_url="http://localhost") as found:
        yield found


def test_an_answer_past_its_budget_says_what_is_known(stubborn_client):
    reply = stubborn_client.get("/api/target?target=hangs")
    assert reply.status_code == 503
    jsonschema.Draft202012Validator(schema("explore-error")).validate(reply.json())
    assert reply.json()["error"] == (
        "the answer takes more than 1 s, its time budget; a simpler input may be answered"
    )
    assert (reply.json()["kind"], reply.json()["known"]) == ("time", {"so": "far"})


def test_a_process_that_dies_is_an_error_of_one_line(stubborn_client):
    reply = stubborn_client.get("/api/target?target=dies")
    assert (reply.status_code, reply.json()["kind"]) == (503, "process")
    assert reply.json()["error"] == "the process of the answer ended, perhaps for want of memory"


def test_a_failure_of_the_library_is_500_and_no_traceback():
    from hermite_analytics.explorer.messages import Kind, Turn, answered

    def broken(parameters, turn):
        raise KeyError("secret")

    reply = answered(broken, {}, Turn(seconds=1, report=lambda known: None))
    assert reply.kind == Kind.FAILED and b"KeyError" in reply.body and b"secret" not in reply.body
