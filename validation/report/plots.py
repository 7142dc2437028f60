"""Figures of a report, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.sizes.extrapolation import CellMean, Extrapolation, extrapolate
from hermite_analytics.validation.campaign.outcomes import ClaimOutcome, StudyOutcome
from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.report.svg import (
    BAND,
    FIRST,
    INK,
    MUTED,
    SECOND,
    STATUS_COLOURS,
    svg_figure,
)
from hermite_analytics.validation.statistics.decision import MAX_LOOKS, Comparison, Relation
from hermite_analytics.validation.statistics.rules import Limit
from hermite_analytics.validation.statistics.rules.slope import PowerLaw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["claim_figure", "curve_figure", "overview_figure"]

# Of the theory's curve.
_CURVE_POINTS = 60
# Margins that the overview shows on each side.
_REACH = 2.5
# Room for the labels of a claim's figure, as fractions of it.
_MARGINS = {"left": 0.085, "right": 0.995, "bottom": 0.19, "top": 0.9, "wspace": 0.2}


def overview_figure(outcomes: Sequence[StudyOutcome]) -> str:
    """Every claim in units of its margin: difference from the theory and the interval that decides."""
    rows = [(study.study.claim_id(claim.claim), claim) for study in outcomes for claim in study.claims]
    with svg_figure(
        7.4, 0.8 + 0.2 * len(rows), "all claims: difference from the theory over the margin"
    ) as page:
        axes = page.figure.subplots()
        axes.axvline(0, color=MUTED, linewidth=0.8)
        for row, (_, claim) in enumerate(rows):
            _draw_row(axes, row, claim)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=7.5)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(-_REACH, _REACH)
        axes.set_xlabel("(simulation \N{MINUS SIGN} theory) / margin")
        axes.grid(axis="y", visible=False)
    return page.svg


def _draw_row(axes: Axes, row: int, claim: ClaimOutcome) -> None:
    """The accepted band, the estimate with its interval, and an arrow where it lies beyond the edge."""
    low, high = _accepted(claim.claim.relation, 1.0, _REACH)
    axes.barh(row, high - low, left=low, height=1.0, color=BAND, alpha=0.35, linewidth=0)
    if not claim.decision.looks or not np.isfinite(claim.decision.looks[-1].difference):
        return
    last = claim.decision.looks[-1]
    centre = last.difference / claim.margin
    ends = (np.array([last.low, last.high]) - last.theory) / claim.margin
    colour = STATUS_COLOURS[claim.decision.status]
    if abs(centre) >= _REACH:
        marker, centre = (">", 0.97 * _REACH) if centre > 0 else ("<", -0.97 * _REACH)
        axes.plot([centre], [row], marker, color=colour, markersize=5)
        return
    axes.plot(np.clip(ends, -_REACH, _REACH), [row, row], color=colour, linewidth=2.2)
    axes.plot([centre], [row], "o", color=colour, markersize=4)


def _accepted(relation: Relation, margin: float, reach: float) -> tuple[float, float]:
    """Differences from the theory that a relation accepts, cut at `reach`."""
    return (
        -reach if relation == "at_most" else -margin,
        reach if relation == "at_least" else margin,
    )


def curve_figure(outcome: StudyOutcome) -> str | None:
    """Theory along the curve and the extrapolated simulation at its points; None where there is no curve."""
    abscissa = outcome.study.experiment.abscissa()
    numbers = [claim.observable for claim in outcome.study.claims if claim.reduction != "value"]
    if abscissa is None or not numbers or not _enough_seeds(outcome):
        return None
    name, values = abscissa
    fine = np.geomspace(min(values) * 0.8, max(values) * 1.15, _CURVE_POINTS)
    theory = outcome.study.experiment.refined(tuple(fine)).predict()
    with svg_figure(7.4, 2.9, f"{outcome.study.id}: theory and simulation along {name}") as page:
        axes = page.figure.subplots()
        colours = zip(dict.fromkeys(numbers), (FIRST, SECOND), "os", strict=False)
        for number, colour, marker in colours:
            _draw_curve(axes, outcome, number, fine, theory, colour, marker)
        axes.set_xscale("log")
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.minorticks_off()
        axes.set_xlabel(f"{name} = n/d" if name == "alpha" else name)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.legend(fontsize=7.5)
    return page.svg


def _draw_curve(
    axes: Axes,
    outcome: StudyOutcome,
    number: str,
    fine: NDArray[np.float64],
    theory: Prediction,
    colour: str,
    marker: str,
) -> None:
    """One number along the curve."""
    abscissa = outcome.study.experiment.abscissa()
    assert abscissa is not None
    label = number.replace("_", " ")
    if number in theory.values:
        axes.plot(
            fine,
            np.broadcast_to(theory.values[number], fine.shape),
            color=colour,
            label=f"{label}, theory",
        )
    centre, error = _extrapolated_curve(outcome, number)
    axes.errorbar(
        abscissa[1],
        centre,
        yerr=2 * error,
        fmt=marker,
        color=colour,
        markersize=4.5,
        markerfacecolor="none",
        capsize=2.5,
        linewidth=1,
        label=f"{label}, simulation (2 standard errors)",
    )


def _enough_seeds(outcome: StudyOutcome) -> bool:
    """Whether every size has the two seeds that a standard error needs."""
    sizes = {size for (_, size), values in outcome.samples.items() if len(values) > 1}
    return sizes == set(outcome.study.sizes)


def claim_figure(name: str, outcome: ClaimOutcome) -> str | None:
    """The sizes one by one with what the rule makes of them, and how the estimate settled from look to look.

    None where no look is complete, or nothing is finite.
    """
    looks = outcome.decision.looks
    if not looks or not looks[-1].points:
        return None
    kind = outcome.claim.rule.kind
    with svg_figure(7.4, 2.6, f"{name}: the sizes and the looks", fitted=False) as page:
        page.figure.subplots_adjust(**_MARGINS)
        if kind == "direction":
            _draw_signal(page.figure.subplots(), looks[-1])
        else:
            left, right = page.figure.subplots(1, 2, width_ratios=(3, 2))
            if kind == "limit":
                _draw_extrapolation(left, outcome)
            elif kind == "slope":
                _draw_power_law(left, outcome)
            else:
                _draw_sizes(left, outcome)
            _draw_looks(right, outcome)
    return page.svg


def _draw_points(axes: Axes, comparison: Comparison, abscissa: NDArray[np.float64]) -> None:
    """What the seeds of each size say."""
    values = np.array([point.value for point in comparison.points])
    errors = [
        values - [point.low for point in comparison.points],
        np.array([point.high for point in comparison.points]) - values,
    ]
    axes.errorbar(abscissa, values, yerr=errors, fmt="o", color=INK, markersize=4, capsize=2.5, linewidth=1)


def _draw_extrapolation(axes: Axes, outcome: ClaimOutcome) -> None:
    last = outcome.decision.looks[-1]
    fit = last.fits[0]
    assert isinstance(fit, Extrapolation)
    q = fit.exponent
    sizes = np.array([point.size for point in last.points], dtype=float)
    reach = 1.08 * float(np.max(sizes**-q))
    axes.axhline(outcome.theory, color=FIRST, label="theory, and its margin")
    line = np.linspace(0.0, reach, 40)
    values = fit.value + fit.slope * line
    axes.plot(
        line, values if _is_linear(outcome) else np.exp(values), color=MUTED, linewidth=0.9, linestyle="--"
    )
    _draw_points(axes, last, sizes**-q)
    axes.errorbar(
        [0],
        [last.value],
        yerr=[2 * last.stderr],
        fmt="D",
        color=SECOND,
        markersize=4.5,
        capsize=3,
        linewidth=1.4,
        label="extrapolated",
        clip_on=False,
        zorder=5,
    )
    axes.set_xlim(-0.04 * reach, reach)
    power = "" if q == 1 else f"^{q:g}"
    order = np.argsort(-sizes)
    axes.set_xticks([0, *(sizes**-q)[order]], ["d = \N{INFINITY}", *(f"{size:.0f}" for size in sizes[order])])
    axes.set_xlabel(f"d (scale 1/d{power})")
    axes.set_title(f"{'' if _is_linear(outcome) else 'geometric '}means over seeds, two standard errors")
    _draw_band(axes, outcome)
    axes.legend(fontsize=7.5)


def _is_linear(outcome: ClaimOutcome) -> bool:
    rule = outcome.claim.rule
    return not (isinstance(rule, Limit) and rule.scale == "log")


def _draw_power_law(axes: Axes, outcome: ClaimOutcome) -> None:
    """The sizes in logarithmic scales, with the fitted and the predicted power."""
    last = outcome.decision.looks[-1]
    fit = last.fits[0]
    assert isinstance(fit, PowerLaw)
    sizes = np.array([point.size for point in last.points], dtype=float)
    line = np.geomspace(sizes.min() / 1.1, sizes.max() * 1.1, 30)
    middle = float(np.exp(np.mean(np.log(sizes))))
    height = fit.prefactor * middle**fit.value
    for slope, colour, style, label in (
        (outcome.theory, FIRST, "-", f"theory: exponent {outcome.theory:g}"),
        (fit.value, MUTED, "--", f"fit: exponent {fit.value:.3f}"),
    ):
        axes.plot(line, height * (line / middle) ** slope, color=colour, linestyle=style, label=label)
    _draw_points(axes, last, sizes)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [f"{size:.0f}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("d")
    axes.set_title("geometric means over seeds, two standard errors")
    axes.legend(fontsize=7.5)


def _draw_sizes(axes: Axes, outcome: ClaimOutcome) -> None:
    """An estimate at each size beside the prediction: nothing is extrapolated."""
    last = outcome.decision.looks[-1]
    sizes = [point.size for point in last.points]
    places = np.arange(len(sizes), dtype=float)
    axes.axhline(outcome.theory, color=FIRST, label="theory, and its margin")
    _draw_points(axes, last, places)
    axes.set_xticks(places, [f"{size}" for size in sizes])
    axes.set_xlim(-0.6, len(sizes) - 0.4)
    axes.set_xlabel("d")
    axes.set_title(f"{outcome.claim.rule.kind.replace('-', ' ')} at each size, with one-sided 99 % bounds")
    _draw_band(axes, outcome)
    axes.legend(fontsize=7.5)


def _draw_signal(axes: Axes, comparison: Comparison) -> None:
    """d S at each size between the bounds of learned and unlearned directions."""
    sizes = np.array([point.size for point in comparison.points], dtype=float)
    for bound, label in ((10.0, "learned"), (5.0, "not learned")):
        axes.axhline(bound, color=MUTED, linewidth=0.8, linestyle=":")
        axes.annotate(
            f"{label} {'above' if bound == 10 else 'below'} {bound:g}",
            (1.0, bound),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom" if bound == 10 else "top",
            color=MUTED,
            fontsize=7.5,
        )
    line = np.geomspace(sizes.min() / 1.15, sizes.max() * 1.15, 30)
    mean = comparison.points[0].value
    axes.plot(line, mean * line / sizes[0], color=FIRST, label="if S stays: learned")
    axes.plot(line, np.full_like(line, mean), color=SECOND, label="if S falls like 1/d: not learned")
    _draw_points(axes, comparison, sizes)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [f"{size:.0f}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("d")
    axes.set_ylabel("d S")
    axes.set_title("signal of the direction times d, with one-sided 99 % bounds")
    axes.legend(fontsize=7.5)


def _draw_band(axes: Axes, outcome: ClaimOutcome) -> None:
    """What the claim accepts, drawn last: it reaches to the edge of the axes for a one-sided claim."""
    margin = (outcome.theory - outcome.margin, outcome.theory + outcome.margin)
    if np.all(np.isfinite(margin)):
        axes.update_datalim([(0, margin[0]), (0, margin[1])], updatex=False)
        axes.autoscale_view(scalex=False)
    bottom, top = axes.get_ylim()
    reach = top - bottom
    low, high = _accepted(outcome.claim.relation, outcome.margin, reach)
    axes.axhspan(outcome.theory + low, outcome.theory + high, color=BAND, alpha=0.35, linewidth=0)
    if outcome.claim.rule.kind == "success-rate":
        bottom, top = max(bottom, -0.03), min(top, 1.03)
    axes.set_ylim(bottom, top)


def _draw_looks(axes: Axes, outcome: ClaimOutcome) -> None:
    axes.axhline(outcome.theory, color=FIRST)
    for index, look in enumerate(outcome.decision.looks):
        if not (np.isfinite(look.low) and np.isfinite(look.high)):
            continue
        last = index == len(outcome.decision.looks) - 1
        axes.errorbar(
            [index + 1],
            [look.value],
            yerr=[[max(0.0, look.value - look.low)], [max(0.0, look.high - look.value)]],
            fmt="o",
            color=STATUS_COLOURS[outcome.decision.status if last else look.status],
            markersize=4.5,
            capsize=3,
            linewidth=1.4,
        )
    axes.set_xticks(range(1, MAX_LOOKS + 1))
    axes.set_xlim(0.4, MAX_LOOKS + 0.6)
    axes.set_xlabel("look (seeds double)")
    axes.set_title("interval that decides")
    _draw_band(axes, outcome)


def _extrapolated_curve(
    outcome: StudyOutcome, number: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limit and standard error at each point of the curve, all seeds of the study."""
    samples = {size: outcome.samples[number, size] for size in outcome.study.sizes}
    points = next(iter(samples.values())).shape[1]
    fits = [
        extrapolate([CellMean.of(size, values[:, point]) for size, values in samples.items()])
        for point in range(points)
    ]
    return np.array([fit.value for fit in fits]), np.array([fit.stderr for fit in fits])
