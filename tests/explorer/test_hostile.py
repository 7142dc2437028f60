"""Hostile input: one line or an answer, never a crash, never code that runs, no growth."""

from __future__ import annotations

import multiprocessing
import random
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.parameters import Number

HOSTILE = [
    "__import__('os').system('touch {path}')",
    "z1.__class__.__mro__[1].__subclasses__()",
    "(lambda: open('{path}', 'w'))()",
    "exec(\"open('{path}', 'w')\")",
    "[x for x in (1).__class__.__base__.__subclasses__()]",
    'f\'{{open("{path}", "w")}}\'',
    "z1 if open('{path}', 'w') else z2",
    "sympy.S('z1')",
    "z1\x00",
    "\x00",
    "z1" + "\u202e",
    "ｚ１",
    "z١",
    "(" * 3000 + "z1" + ")" * 900,
    "-" * 3999 + "z",
    "sin(" * 500 + "z1" + ")" * 500,
    "z1" + "+z1" * 1300,
    "z1**" * 900 + "2",
    "9" * 3900,
    "1e999999999*z1",
    "1e-999999999*z1",
    "z1**99999999999",
    "9**9**9**9",
    "2**(2**(2**(2**(2**2))))*z1",
    "He(999999999, z1)",
    "He(64, z1)*He(64, z2)*He(64, z3)",
    "exp(exp(exp(z1)))",
    "exp(99999999*z1)",
    "cos(1e300*z1)",
    "(z1+z2+z3+z4+z5+z6+z7+z8+z9)**60",
    "*".join(f"(1+z{k})" for k in range(1, 65)),
    "+".join(f"relu(z{k}-{k})" for k in range(1, 30)),
    "max(" + ",".join(f"z{k}" for k in range(1, 64)) + ")",
    "sign(" * 50 + "z1" + ")" * 50,
    "tanh(z1*z2*z3*z4*z5*z6)",
    "<script>alert(1)</script>",
    "';DROP TABLE targets;--",
    "../../../../etc/passwd",
    "{{7*7}}",
    "%s%n%x",
    "\ud7ff",
    "🂡" * 900,
    "\r\nX-Injected: yes",
]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A worker with little time: what takes longer is ended."""
    from starlette.testclient import TestClient

    from hermite_analytics.explorer import create_app

    with TestClient(create_app(seconds=1.0, workers=1), base_url="http://localhost") as found:
        found.get("/api/target", params={"target": "z1"})  # until it is warm
        yield found


def check(reply):
    assert reply.status_code in (200, 400, 503), reply.text[:500]
    document = reply.json()
    assert document["schema_version"] == 1
    if reply.status_code != 200:
        assert document["error"] and "\n" not in document["error"] and "Traceback" not in reply.text
        assert len(document["error"]) < 1500


@pytest.mark.slow
@pytest.mark.parametrize("path", ["target", "activation", "curve/random-features"])
def test_a_list_of_hostile_texts(quick, path, tmp_path):
    """Also that nothing ran: each text that could would make a file."""
    made = tmp_path / "made"
    asked = {p.name: "tanh(z)" for p in ENDPOINTS[path].parameters if p.name in ("target", "activation")}
    for text in HOSTILE:
        filled = text.replace("{path}", str(made)).replace("{{", "{").replace("}}", "}")
        name = "activation" if path == "activation" else "target"
        reply = quick.get(f"/api/{path}", params={**asked, name: filled[:4000]})
        check(reply)
        assert not made.exists(), text
        assert "x-injected" not in reply.headers


@pytest.mark.slow
@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_answered(client, text):
    for path, name in (("target", "target"), ("activation", "activation")):
        check(client.get(f"/api/{path}", params={name: text}))


@pytest.mark.slow
@given(st.sampled_from(sorted(ENDPOINTS)), st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_query_is_answered(client, path, name, value):
    check(client.get(f"/api/{path}", params={name: value}))


@given(st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_numbers_in_range_are_answered(client, data):
    """Every slider of every model at any accepted number."""
    path = data.draw(
        st.sampled_from([p for p in sorted(ENDPOINTS) if p.startswith("curve/") and "state" not in p])
    )
    asked = {"target": "sin(z1)", "activation": "tanh"}
    given_numbers = {}
    for parameter in ENDPOINTS[path].parameters:
        if isinstance(parameter, Number) and parameter.name != "points":
            ends = st.sampled_from([parameter.least, parameter.low, parameter.default, parameter.high])
            given_numbers[parameter.name] = data.draw(ends | st.floats(parameter.low, parameter.high))
    names = {p.name for p in ENDPOINTS[path].parameters}
    texts = {name: text for name, text in {**asked, "points": "9"}.items() if name in names}
    check(client.get(f"/api/{path}", params={**texts, **given_numbers}))


@pytest.mark.parametrize(
    "query", ["target=%ff%fe", "target=%00", "target=z1&&&=&", "%=%", "target=z1;target=z2", "target"]
)
def test_queries_that_are_none(client, query):
    check(client.get(f"/api/target?{query}"))


def grammar(rng):
    """A text of tokens of the language, mostly wrong."""
    words = [
        "z1",
        "z2",
        "z",
        "xi",
        "He2",
        "He(3,z1)",
        "sign",
        "tanh",
        "exp",
        "(",
        ")",
        "(",
        ")",
        "+",
        "-",
        "*",
        "**",
        "/",
        ",",
    ]
    words += ["1", "2", "0.5", "1e3", "pi", " ", "__import__", "lambda", "[", "]", "'", "\x00", "é", "\n"]
    return "".join(rng.choice(words) for _ in range(rng.randint(1, 14)))


@pytest.mark.slow
def test_two_thousand_random_texts_leave_the_worker_as_it_was(client):
    """The worker answers all, and its memory does not grow by more than its caches: 40 kB a text are seen."""
    rng = random.Random(20240229)
    letters = string.printable + "λ√∞π\u200b"
    sizes = []
    for number in range(2000):
        random_letters = "".join(rng.choice(letters) for _ in range(rng.randint(1, 40)))
        text = grammar(rng) if number % 2 else random_letters
        check(
            client.get(
                "/api/curve/random-features", params={"activation": "tanh", "target": text, "points": 2}
            )
        )
        if number % 500 == 499:
            sizes.append(memory_of_workers())
    if all(sizes):
        assert sizes[-1] - sizes[0] < 60 * 2**20, sizes


def memory_of_workers():
    """Bytes that the workers hold, or 0 where the system does not tell."""
    total = 0
    for process in multiprocessing.active_children():
        status = Path(f"/proc/{process.pid}/statm")
        if status.exists():
            total += int(status.read_text().split()[1]) * 4096
    return total
