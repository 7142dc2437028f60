"""The HTML report of a validation run: one file, no request to anywhere, light and dark, fit for print."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hermite_analytics.validation.campaign.outcomes import StudyOutcome
from hermite_analytics.validation.campaign.results import ClaimResult, ValidationResult
from hermite_analytics.validation.experiments.mutants import MUTANTS
from hermite_analytics.validation.report.command_line import run_command
from hermite_analytics.validation.report.compact import compact
from hermite_analytics.validation.report.plots import claim_figure, curve_figure, overview_figure
from hermite_analytics.validation.statistics.decision import FAIL_LEVEL, MAX_LOOKS, PASS_LEVEL
from hermite_analytics.validation.suites.study import Suite

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["render_report"]

# Claims that the first screen of a report names.
_FIRST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimSection:
    """A claim as the template shows it."""

    result: ClaimResult
    formula: Markup
    figure: Markup | None
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _StudySection:
    """A study as the template shows it."""

    id: str
    family: str
    title: str
    parameters: tuple[tuple[str, str], ...]
    curve: Markup | None
    claims: tuple[_ClaimSection, ...]
    code: str
    seconds: float


def render_report(
    suite: Suite, result: ValidationResult, outcomes: Sequence[StudyOutcome], command: str
) -> str:
    """The report as HTML text.

    Parameters
    ----------
    suite : Suite
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
        loader=PackageLoader("hermite_analytics.validation.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=_number, estimate=_estimate)
    environment.filters.update(p=_p_value, percent=_percent, duration=_duration, sentence=_sentence)
    environment.filters["learned"] = _learned
    results = iter(result.claims)
    folder = result.report.parent
    studies = [
        _study_section(suite, outcome, [next(results) for _ in outcome.claims], folder)
        for outcome in outcomes
    ]
    page = environment.get_template("report.html").render(
        title=suite.title,
        families=sorted({study.family for study in studies}),
        worst=_worst(result.claims),
        result=result,
        studies=studies,
        overview=Markup(overview_figure(outcomes)),
        command=command,
        mutants=MUTANTS,
        levels={"passed": PASS_LEVEL, "failed": FAIL_LEVEL, "looks": MAX_LOOKS},
    )
    return compact(page)


def _worst(claims: Sequence[ClaimResult]) -> list[ClaimResult]:
    """What a reader looks at first: all that did not pass, then those farthest from the theory."""
    open_claims = [claim for claim in claims if claim.status != "passed"]
    passed = [claim for claim in claims if claim.status == "passed" and claim.rule != "direction"]
    return (
        open_claims + sorted(passed, key=lambda claim: -claim.distance)[: max(0, _FIRST - len(open_claims))]
    )


def _study_section(
    suite: Suite, outcome: StudyOutcome, results: Sequence[ClaimResult], folder: Path
) -> _StudySection:
    study = outcome.study
    sections = []
    for claim, result in zip(outcome.claims, results, strict=True):
        sections.append(
            _ClaimSection(
                result=result,
                formula=_markup(_mathml(claim.claim.formula)),
                figure=_optional(claim_figure(result.id, claim)),
                command=run_command(suite.name, folder, only=[result.id]),
            )
        )
    largest = max(study.sizes)
    seeds = max(result.seeds[study.sizes.index(largest)] for result in results)
    return _StudySection(
        id=study.id,
        family=study.id.split("-")[0],
        title=study.title,
        parameters=tuple(study.experiment.parameters()),
        curve=_optional(curve_figure(outcome)),
        claims=tuple(sections),
        code=study.experiment.reproduce(largest, max(1, seeds), outcome.starts[largest]),
        seconds=outcome.seconds,
    )


def _markup(text: str) -> Markup:
    """Text that is markup of our own making."""
    from markupsafe import Markup

    return Markup(text)


def _optional(svg: str | None) -> Markup | None:
    return None if svg is None else _markup(svg)


def _mathml(latex: str) -> str:
    """A formula as MathML, which browsers draw without a script; nothing for no formula."""
    if not latex:
        return ""
    from latex2mathml.converter import convert

    text = str(convert(latex, display="block")).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    return re.sub(r"&#x([0-9A-F]+);", _character, text)


def _character(match: re.Match[str]) -> str:
    """A character as itself, where that is no sign of the markup."""
    found = chr(int(match[1], 16))
    return match[0] if found in "<>&\"'" else found


def _number(value: float | None, digits: int = 4) -> str:
    """A number for reading; a dash where there is none."""
    if value is None or value != value:
        return "\N{EN DASH}"
    return f"{value:.{digits}g}".replace("-", "\N{MINUS SIGN}")


def _estimate(value: float, stderr: float) -> str:
    """A number with its standard error, to two digits of the latter."""
    if not (math.isfinite(value) and math.isfinite(stderr) and stderr > 0):
        return _number(value)
    digits = 1 - math.floor(math.log10(stderr))
    if not 0 <= digits <= 12:
        return f"{_number(value)} ± {_number(stderr, 2)}"
    return f"{value:.{digits}f} ± {stderr:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _p_value(value: float) -> str:
    return "< 1e\N{MINUS SIGN}6" if value < 1e-6 else _number(value, 2)


def _percent(value: float) -> str:
    """A probability for reading; a dash where there is none."""
    return "\N{EN DASH}" if value != value else f"{100 * value:.0f} %"


def _duration(seconds: float) -> str:
    """A time for reading."""
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _sentence(text: str) -> str:
    """The text as the beginning of a sentence, unless it begins with a symbol."""
    first = text.split(" ", 1)[0]
    return text if "_" in first or len(first) == 1 or not first.isalpha() else text[0].upper() + text[1:]


def _learned(value: float) -> str:
    """A verdict of the rule `direction` in words."""
    if value != value:
        return "neither"
    return "learned" if value else "not learned"
