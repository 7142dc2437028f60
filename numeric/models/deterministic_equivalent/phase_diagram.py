"""The phase diagram of random-feature ridge regression in (ridge exponent, features exponent)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.foundation.json import JSON, Document
from hermite_analytics.numeric.frozen import json_number
from hermite_analytics.rendering import Column, Drawing, Frame, Result, Role

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hermite_analytics.numeric.models.deterministic_equivalent.scaling_law import ScalingLaw

__all__ = ["PhaseDiagram", "draw", "phase_diagram"]

Point = tuple[Fraction | float, Fraction | float]
Line = tuple[Point, ...]
_HALF = Fraction(1, 2)
_NAMES = {
    "ridge_features": "ridge = features",
    "ridge_samples": "ridge = samples",
    "features_samples": "features = samples",
    "bias_variance": "bias = variance",
    "kernel_features": "bias of kernel = of features",
}
_GRID = 161


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PhaseDiagram(Result):
    """Polygonal lines of points (ridge exponent, features exponent); infinite ends are rays along the axes.

    Attributes
    ----------
    ridge_features : between the ridge-limited and the features-limited region.
    ridge_samples : between the ridge-limited and the interpolating region.
    features_samples : between the features-limited and the interpolating region: p = n, the peak.
    bias_variance : where bias and variance fall alike. Above and to the right of it the noise dominates.
    kernel_features : below it the bias is due to the randomness of the features; None for source <= 1/2.
    optimum : the point of the best test error with the fewest features.
    """

    ridge_features: Line
    ridge_samples: Line
    features_samples: Line
    bias_variance: Line
    kernel_features: Line | None
    optimum: Point

    def lines(self) -> dict[str, Line]:
        """Those that exist, by name."""
        named = {name: getattr(self, name) for name in _NAMES}
        return {name: line for name, line in named.items() if line is not None}

    def frame(self) -> Frame:
        """A row a point of each line, in its order; the optimum last."""
        lines = {_NAMES[name]: line for name, line in self.lines().items()} | {"optimum": (self.optimum,)}
        return Frame(
            title="phase diagram of ridge regression",
            rows=tuple(
                {"line": name, "ridge_exponent": float(x), "features_exponent": float(y)}
                for name, line in lines.items()
                for x, y in line
            ),
            columns={
                "line": Column(name="line", role=Role.PARAMETER),
                "ridge_exponent": Column(name="ridge_exponent", role=Role.PARAMETER, symbol="l"),
                "features_exponent": Column(name="features_exponent", symbol="q"),
            },
            sources="arXiv 2405.15699; docs/deterministic_equivalents.md",
        )

    def drawing(self) -> Drawing:
        """Rays end at one and a half times the largest finite exponent."""
        base = self.frame()
        names = ("ridge_exponent", "features_exponent")
        ends = {
            name: 1.5 * max(x for row in base.rows if (x := float(str(row[name]))) < math.inf)
            for name in names
        }
        rows = tuple(
            dict(row) | {name: min(float(str(row[name])), ends[name]) for name in names} for row in base.rows
        )
        lines = replace(base, rows=tuple(row for row in rows if row["line"] != "optimum"))
        return Drawing(
            frame=lines, table=base, values=("features_exponent",), against="ridge_exponent", sorts=False
        )

    def document(self) -> Document:
        """JSON-ready; infinite ends are "inf"."""
        lines = {name: [_exponents(point) for point in line] for name, line in self.lines().items()}
        return {"lines": lines, "optimum": _exponents(self.optimum)}


def _exponents(point: Point) -> list[JSON]:
    return [json_number(float(exponent)) for exponent in point]


def phase_diagram(alpha: Fraction, r: Fraction) -> PhaseDiagram:
    """The lines for capacity alpha and source r.

    Source: docs/deterministic_equivalents.md, from the exponents.
    """
    one, zero, far = Fraction(1), Fraction(0), math.inf
    r1 = min(r, one)
    whole = 2 * alpha * r1 + 1
    ridge = alpha / whole
    least = 1 / whole if r1 <= _HALF else 1 - ridge
    crossing: Line = ((ridge, far), (ridge, least))
    kernel_features: Line | None = None
    if r1 > _HALF:
        level = 1 + alpha * (2 * r1 - 1)
        kernel_features = ((zero, zero), (alpha, level), (far, level))
        crossing += ((alpha / (alpha + 1), 1 / (alpha + 1)), (far, 1 / (alpha + 1)))
    else:
        crossing += ((far, least),)
    return PhaseDiagram(
        ridge_features=((zero, zero), (alpha, one)),
        ridge_samples=((alpha, one), (alpha, far)),
        features_samples=((alpha, one), (far, one)),
        bias_variance=crossing,
        kernel_features=kernel_features,
        optimum=(ridge, least),
    )


def draw(law: ScalingLaw, axes: Axes | None, ridge_limit: float | None, features_limit: float | None) -> Axes:
    """Lines and optimum over the exponent of the test error."""
    import matplotlib.pyplot as plt

    diagram = law.phase_diagram()
    width = float(ridge_limit or 1.5 * law.eigenvalue_power)
    highest = max(float(y) for line in diagram.lines().values() for _, y in line if y != math.inf)
    height = float(features_limit or 1.25 * highest)
    if axes is None:
        axes = plt.subplots()[1]
    # cell centres: the lines themselves, such as the peak at q = 1, are drawn as lines
    ridges, features = ((np.arange(_GRID) + 0.5) / _GRID * end for end in (width, height))
    found = law.solve(ridge_exponent=ridges, features_exponent=features[:, None])
    shown = np.where(found.region == "interpolation-peak", np.nan, found.exponent)
    mesh = axes.pcolormesh(ridges, features, shown, shading="nearest", cmap="viridis")
    axes.figure.colorbar(mesh, ax=axes, label="exponent of the test error")
    for (name, line), style in zip(diagram.lines().items(), ("-", "--", ":", "-", "-."), strict=False):
        x, y = ([min(float(c), 2.0 * end) for c in column] for column, end in
                zip(zip(*line, strict=True), (width, height), strict=True))  # fmt: skip
        colour = "red" if name == "bias_variance" else "white"
        axes.plot(x, y, style, color=colour, linewidth=1.4, label=_NAMES[name])
    axes.plot(*map(float, diagram.optimum), "o", color="red", label="optimum")
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set(xlabel=r"ridge exponent $l$ ($\lambda = n^{1 - l}$)", ylabel="features exponent $q$ ($p = n^q$)")
    axes.legend(fontsize="small", facecolor="0.6")
    return axes
