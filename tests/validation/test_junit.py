"""JUnit XML: one case a claim, failures and errors as build servers count them."""

from xml.etree import ElementTree

import pytest

from hermite_analytics.validation.runner import run_suite
from tests.validation.synthetic import SyntheticExperiment, study, suite

SUITE = suite(
    study(),
    study("wrong", SyntheticExperiment(theory=(1.5,), noise=0.2)),
    study("nothing", SyntheticExperiment(noise=float("nan")), looks=1),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("junit") / "out"
    run_suite(SUITE, folder, workers=1)
    return ElementTree.parse(folder / "junit.xml").getroot()


@pytest.mark.slow
def test_counts(root):
    (one,) = root
    assert root.tag == "testsuites" and one.tag == "testsuite"
    assert one.get("name") == "hermite-analytics validate synthetic"
    assert [one.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "1", "1", "0"]
    assert float(one.get("time")) >= 0


@pytest.mark.slow
def test_cases(root):
    right, wrong, nothing = root.iter("testcase")
    assert (right.get("classname"), right.get("name")) == ("synthetic.first", "error")
    assert [child.tag for child in right] == ["system-out"]
    (failure, _) = wrong
    assert failure.tag == "failure" and failure.get("type") == "failed"
    assert failure.get("message").startswith(
        "theory and simulation differ by more than the margin: theory 1.5, simulation 1.9"
    )
    assert "a synthetic law" in failure.text
    assert nothing[0].tag == "error" and nothing[0].get("type") == "inconclusive"


def test_versions_are_properties(root):
    names = {entry.get("name") for entry in root.iter("property")}
    assert {"hermite_analytics", "Python", "numpy", "system", "processor", "workers"} <= names
