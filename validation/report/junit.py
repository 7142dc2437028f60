"""The result of a run as JUnit XML, which build servers read."""

from __future__ import annotations

from xml.etree import ElementTree

from hermite_analytics.validation.campaign.results import ClaimResult, ValidationResult
from hermite_analytics.validation.statistics.decision import Status

__all__ = ["junit_text"]


def junit_text(result: ValidationResult) -> str:
    """One test case a claim: `failed` is a failure, `inconclusive` an error (it could not be decided).

    Both count against the run, as they do for the exit status.
    """
    suite = ElementTree.Element(
        "testsuite",
        name=f"hermite-analytics validate {result.suite}",
        tests=str(len(result.claims)),
        failures=str(result.failed),
        errors=str(result.inconclusive),
        skipped="0",
        time=f"{result.seconds:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in result.environment.items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for claim in result.claims:
        _add_case(suite, result.suite, claim)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_case(suite: ElementTree.Element, name: str, claim: ClaimResult) -> None:
    study, _, own = claim.id.partition("/")
    case = ElementTree.SubElement(suite, "testcase", classname=f"{name}.{study}", name=own)
    numbers = (
        f"theory {claim.theory:.6g}, simulation {claim.simulation:.6g} ± {claim.stderr:.2g}, "
        f"margin {claim.margin:.3g}"
    )
    if claim.status is not Status.PASSED:
        kind = "failure" if claim.status is Status.FAILED else "error"
        meaning = claim.status.meaning(claim.relation)
        fault = ElementTree.SubElement(case, kind, type=str(claim.status), message=f"{meaning}: {numbers}")
        fault.text = f"{claim.statement}\n{claim.source}"
    ElementTree.SubElement(case, "system-out").text = numbers
