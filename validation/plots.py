"""Figures of a report, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from hermite_analytics.validation.decision import MAX_LOOKS, PASS_LEVEL, Relation
from hermite_analytics.validation.extrapolation import CellMean, extrapolate
from hermite_analytics.validation.outcomes import ClaimOutcome, StudyOutcome
from hermite_analytics.validation.svg import BAND, FIRST, INK, MUTED, SECOND, STATUS_COLOURS, svg_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["claim_figure", "curve_figure", "overview_figure"]

# Of the theory's curve.
_CURVE_POINTS = 60
# Margins that the overview shows on each side.
_REACH = 2.5


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
    last = claim.decision.looks[-1]
    if not np.isfinite(last.difference):
        return
    centre = last.difference / claim.margin
    half = float(stdtrit(last.fit.df, 1 - PASS_LEVEL / MAX_LOOKS)) * last.fit.stderr / claim.margin
    colour = STATUS_COLOURS[claim.decision.status]
    if abs(centre) >= _REACH:
        marker, centre = (">", 0.97 * _REACH) if centre > 0 else ("<", -0.97 * _REACH)
        axes.plot([centre], [row], marker, color=colour, markersize=5)
        return
    axes.plot([centre - half, centre + half], [row, row], color=colour, linewidth=2.2)
    axes.plot([centre], [row], "o", color=colour, markersize=4)


def _accepted(relation: Relation, margin: float, reach: float) -> tuple[float, float]:
    """Differences from the theory that a relation accepts, cut at `reach`."""
    return (
        -reach if relation == "at_most" else -margin,
        reach if relation == "at_least" else margin,
    )


def curve_figure(outcome: StudyOutcome, numbers: Sequence[str]) -> str | None:
    """Theory along the curve and the extrapolated simulation at its points; None where there is no curve."""
    abscissa = outcome.study.experiment.abscissa()
    if abscissa is None or not numbers:
        return None
    name, values = abscissa
    fine = np.geomspace(min(values) * 0.8, max(values) * 1.15, _CURVE_POINTS)
    theory = outcome.study.experiment.refined(tuple(fine)).predict()
    with svg_figure(7.4, 2.9, f"{outcome.study.id}: theory and simulation along {name}") as page:
        axes = page.figure.subplots()
        for number, colour, marker in zip(numbers, (FIRST, SECOND), "os", strict=False):
            label = number.replace("_", " ")
            axes.plot(fine, theory.values[number], color=colour, label=f"{label}, theory")
            centre, error = _extrapolated_curve(outcome, number)
            axes.errorbar(
                values,
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
        axes.set_xscale("log")
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.minorticks_off()
        axes.set_xlabel(f"{name} = n/d" if name == "alpha" else name)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=7.5)
    return page.svg


def claim_figure(name: str, outcome: ClaimOutcome) -> str:
    """Extrapolation to d = infinity, and how the estimate settled from look to look."""
    with svg_figure(7.4, 2.5, f"{name}: extrapolation in the dimension, and the looks") as page:
        left, right = page.figure.subplots(1, 2, width_ratios=(3, 2))
        _draw_extrapolation(left, outcome)
        _draw_looks(right, outcome)
    return page.svg


def _draw_extrapolation(axes: Axes, outcome: ClaimOutcome) -> None:
    fit = outcome.decision.looks[-1].fit
    q = fit.exponent
    sizes = np.array([cell.size for cell in outcome.cells], dtype=float)
    means = np.array([cell.mean for cell in outcome.cells])
    errors = np.array([np.sqrt(cell.variance / cell.count) for cell in outcome.cells])
    reach = 1.08 * float(np.max(sizes**-q))
    axes.axhline(outcome.theory, color=FIRST, label="theory, and its margin")
    line = np.array([0.0, reach])
    axes.plot(line, fit.intercept + fit.slope * line, color=MUTED, linewidth=0.9, linestyle="--")
    axes.errorbar(
        sizes**-q, means, yerr=2 * errors, fmt="o", color=INK, markersize=4, capsize=2.5, linewidth=1
    )
    axes.errorbar(
        [0],
        [fit.intercept],
        yerr=[2 * fit.stderr],
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
    axes.set_title("means over seeds, two standard errors")
    _draw_band(axes, outcome)
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
    axes.set_ylim(bottom, top)


def _draw_looks(axes: Axes, outcome: ClaimOutcome) -> None:
    axes.axhline(outcome.theory, color=FIRST)
    for index, look in enumerate(outcome.decision.looks):
        half = float(stdtrit(look.fit.df, 1 - PASS_LEVEL / MAX_LOOKS)) * look.fit.stderr
        last = index == len(outcome.decision.looks) - 1
        colour = STATUS_COLOURS[outcome.decision.status if last else look.status]
        axes.errorbar(
            [index + 1],
            [look.fit.intercept],
            yerr=[half],
            fmt="o",
            color=colour,
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
    return np.array([fit.intercept for fit in fits]), np.array([fit.stderr for fit in fits])
