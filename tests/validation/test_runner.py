"""`run_suite`: files, strict JSON by the schema, and what makes a stored cell valid."""

import json
import pickle
import warnings

import jsonschema
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.schemas import schema
from hermite_analytics.validation import validate
from hermite_analytics.validation.campaign.provenance import code_version
from hermite_analytics.validation.runner import run_suite
from tests.validation.synthetic import SyntheticExperiment, study, suite

SUITE = suite(
    study(),
    study("wrong", SyntheticExperiment(theory=(1.5,), noise=0.2)),
    study("nothing", SyntheticExperiment(noise=float("nan")), looks=1),
)


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


def read(folder):
    return json.loads((folder / "results.json").read_text(), parse_constant=refuse)


@pytest.mark.slow
def test_files_and_document(tmp_path):
    out = tmp_path / "out"
    result = run_suite(SUITE, out, workers=1)
    assert {path.name for path in out.iterdir()} == {
        ".lock",
        "junit.xml",
        "report.html",
        "results.json",
        "results.sqlite",
    }
    document = read(out)
    jsonschema.validate(document, schema("validate"))
    assert document["schema_version"] == 1 and document == result.to_dict()
    assert (document["passed"], document["failed"], document["inconclusive"]) == (1, 1, 1)
    first, wrong, nothing = document["claims"]
    assert (first["id"], first["status"], first["source"]) == ("first/error", "passed", "a synthetic law")
    assert first["theory"] == 2.0 and first["margin"] == pytest.approx(0.1)
    assert abs(first["simulation"] - 2) < first["margin"] and first["stderr"] > 0
    assert first["seeds"] == first["looks"][-1]["seeds"] and first["sizes"] == [50, 80, 120]
    assert first["mutants"] == [{"name": "wrong", "theory": 3.0, "status": "failed"}]
    assert wrong["status"] == "failed" and wrong["p_fail"] < 0.01
    assert nothing["simulation"] is None and nothing["curvature"] is None and nothing["p_pass"] == 1.0
    assert document["report"] == str(out / "report.html") == str(result.report)


def without_clock(document):
    environment = {k: v for k, v in document["environment"].items() if k != "workers"}
    return {**document, "seconds": 0, "environment": environment, "report": ""}


@pytest.mark.slow
def test_result_depends_on_neither_workers_nor_resumption(tmp_path):
    one = run_suite(SUITE, tmp_path / "one", workers=1)
    two = run_suite(SUITE, tmp_path / "two", workers=2)
    again = run_suite(SUITE, tmp_path / "two", workers=1, resume=True)
    over = run_suite(SUITE, tmp_path / "one", workers=1, overwrite=True)
    documents = [without_clock(result.to_dict()) for result in (one, two, again, over)]
    assert documents[1:] == documents[:1] * 3
    assert pickle.loads(pickle.dumps(one.claims[:2])) == one.claims[:2]


def test_code_version_is_that_of_the_simulator():
    version, digest = code_version().split("+")
    assert len(digest) == 12 and version and code_version() == code_version()


def test_validate_refuses_before_it_touches_the_folder(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(InputError, match=r"^'nightly' is not a suite; accepted are quick"):
        validate("nightly", out=out)
    with pytest.raises(InputError, match=r"^workers is 0; an integer >= 1 is accepted$"):
        validate("quick", out=out, workers=0)
    assert not out.exists()


@pytest.mark.slow
def test_no_warning_is_left_over(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_suite(SUITE, tmp_path / "out", workers=1)
