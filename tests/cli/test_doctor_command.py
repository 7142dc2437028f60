"""`doctor`: its document, text for people, and what it finds wrong."""

from __future__ import annotations

import sys

import jsonschema
import pytest

from hermite_analytics import __version__
from hermite_analytics.cli import doctor
from hermite_analytics.schemas import schema


@pytest.fixture(autouse=True)
def no_devices(monkeypatch):
    """Libraries for devices are slow to load, and not there everywhere."""
    monkeypatch.setattr(doctor, "_DEVICE_LIBRARIES", ())


def test_document(run):
    outcome = run("doctor", "--json")
    assert outcome.status == 0, outcome.out
    jsonschema.Draft202012Validator(schema("doctor")).validate(outcome.document)
    assert outcome.document["hermite_analytics"] == __version__
    assert outcome.document["python"] == ".".join(map(str, sys.version_info[:3]))
    packages = {entry["name"]: entry for entry in outcome.document["packages"]}
    assert packages["sympy"]["version"] is not None and packages["sympy"]["extras"] == []
    assert packages["sympy"]["wanted"].startswith(">=")
    assert "test" in packages["pytest"]["extras"]
    assert outcome.document["devices"][0]["device"] == "cpu"
    assert outcome.document["problems"] == []


def test_text_for_people(run, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    outcome = run("doctor")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"hermite-analytics {__version__}, Python ")
    for words in (
        "threads: ",
        "OMP_NUM_THREADS=1",
        "  sympy ",
        "devices:\n  numpy ",
        "cache: ",
        " kernels\n",
    ):
        assert words in outcome.out
    assert "{" not in outcome.out and "problem" not in outcome.out


def test_a_package_that_is_missing_is_a_problem(run, monkeypatch):
    found = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in ("mpmath", "ruff") else found(name))
    outcome = run("doctor", "--json")
    assert outcome.status == 1
    jsonschema.validate(outcome.document, schema("doctor"))
    assert outcome.document["problems"] == [
        "mpmath is missing: pip install 'mpmath>=1.3'"
    ]  # ruff is an extra


def test_a_cache_that_cannot_be_read_is_a_problem(run, monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("in the way")
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE", str(tmp_path / "a file"))
    outcome = run("doctor", "--json")
    assert outcome.status == 1
    jsonschema.validate(outcome.document, schema("doctor"))
    (problem,) = outcome.document["problems"]
    assert problem.startswith("the cache cannot be used: ") and "a file" in problem
    assert run("doctor").out.endswith(f"problem: {problem}\n")


def test_a_device_library_that_fails_says_how(run, monkeypatch):
    def broken():
        raise RuntimeError("the driver\nis too old")

    monkeypatch.setattr(doctor, "_DEVICE_LIBRARIES", ("json",))
    monkeypatch.setattr(doctor, "_DEVICE_NAMES", {"json": broken})
    outcome = run("doctor", "--json")
    assert outcome.status == 0  # a computer without a graphics processor is in order
    assert outcome.document["devices"][1] == {
        "library": "json", "device": None, "name": None, "error": "the driver is too old",
    }  # fmt: skip
    assert "  json                   -  fails: the driver is too old" in run("doctor").out


def test_devices_are_numbered(run, monkeypatch):
    monkeypatch.setattr(doctor, "_DEVICE_LIBRARIES", ("json",))
    monkeypatch.setattr(doctor, "_DEVICE_NAMES", {"json": lambda: ["one", "two"]})
    devices = run("doctor", "--json").document["devices"][1:]
    assert [(d["device"], d["name"]) for d in devices] == [("cuda:0", "one"), ("cuda:1", "two")]
