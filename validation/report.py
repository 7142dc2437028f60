"""The HTML report of a validation run: one file, no request to anywhere, light and dark, fit for print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermite_analytics.validation.decision import (
    FAIL_LEVEL,
    MAX_LOOKS,
    PASS_LEVEL,
)
from hermite_analytics.validation.mutants import MUTANTS
from hermite_analytics.validation.outcomes import StudyOutcome
from hermite_analytics.validation.plots import claim_figure, curve_figure, overview_figure
from hermite_analytics.validation.results import ClaimResult, ValidationResult
from hermite_analytics.validation.study_run import first_seed

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["render_report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimSection:
    """A claim as the template shows it."""

    result: ClaimResult
    formula: Markup
    figure: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class _StudySection:
    """A study as the template shows it."""

    id: str
    title: str
    parameters: tuple[tuple[str, str], ...]
    curve: Markup | None
    claims: tuple[_ClaimSection, ...]
    code: str
    seconds: float


def render_report(
    title: str, result: ValidationResult, outcomes: Sequence[StudyOutcome], command: str
) -> str:
    """The report as HTML text.

    Parameters
    ----------
    title : str
        Of the suite.
    result : ValidationResult
        The decisions, in the order of `outcomes`.
    outcomes : sequence of StudyOutcome
        The data behind them.
    command : str
        Command line that repeats the run.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("hermite_analytics.validation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    environment.filters["p"] = _p_value
    results = iter(result.claims)
    studies = [_study_section(outcome, [next(results) for _ in outcome.claims]) for outcome in outcomes]
    return environment.get_template("report.html").render(
        title=title,
        result=result,
        studies=studies,
        overview=Markup(overview_figure(outcomes)),
        command=command,
        mutants=MUTANTS,
        levels={"passed": PASS_LEVEL, "failed": FAIL_LEVEL, "looks": MAX_LOOKS},
    )


def _study_section(outcome: StudyOutcome, results: Sequence[ClaimResult]) -> _StudySection:
    from markupsafe import Markup

    study = outcome.study
    curve_numbers = [claim.observable for claim in study.claims if claim.reduction == "mean-ratio"]
    curve = curve_figure(outcome, list(dict.fromkeys(curve_numbers)))
    largest = max(study.sizes)
    seeds = max(values.shape[0] for (_, size), values in outcome.samples.items() if size == largest)
    sections = [
        _ClaimSection(
            result=result,
            formula=Markup(_mathml(claim.claim.formula)),
            figure=Markup(claim_figure(result.id, claim)),
        )
        for claim, result in zip(outcome.claims, results, strict=True)
    ]
    return _StudySection(
        id=study.id,
        title=study.title,
        parameters=tuple(study.experiment.parameters()),
        curve=None if curve is None else Markup(curve),
        claims=tuple(sections),
        code=study.experiment.reproduce(largest, seeds, first_seed(study.experiment.identity, largest)),
        seconds=outcome.seconds,
    )


def _mathml(latex: str) -> str:
    """A formula as MathML, which browsers draw without a script; nothing for no formula."""
    if not latex:
        return ""
    from latex2mathml.converter import convert

    return str(convert(latex, display="block"))


def _number(value: float | None, digits: int = 4) -> str:
    """A number for reading; a dash where there is none."""
    if value is None or value != value:
        return "\N{EN DASH}"
    return f"{value:.{digits}g}".replace("-", "\N{MINUS SIGN}")


def _p_value(value: float) -> str:
    return "< 1e\N{MINUS SIGN}6" if value < 1e-6 else _number(value, 2)
