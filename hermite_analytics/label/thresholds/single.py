"""Labels of one coordinate, of the radius, and finite mixtures of such, also for values of what is known."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.line.coordinate import GAUSSIAN, Coordinate, radius
from hermite_analytics.label.cases.line.functions import Along, along, pieces_between
from hermite_analytics.label.cases.line.noisy import sources_of_noise
from hermite_analytics.label.cases.line.preimages import label_quadrature
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet, PanelRule
from hermite_analytics.label.cases.values.latent import BesideValues, averages, beside_values
from hermite_analytics.label.cases.values.noisy import under_noise
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.exact import radial_form
from hermite_analytics.symbols import xi

__all__ = ["SingleLabel", "single_label"]

_RULES = tuple(
    PanelRule(nodes=n, widest=2.5, narrow=1.25, negligible=1e-18, coarser=1e-6) for n in (40, 56)
)  # by level


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleLabel:
    """A label along one coordinate, for each value of a discrete variable and of the known coordinates.

    Attributes
    ----------
    coordinate : Coordinate
    parts : tuple of (label along the coordinate, probability, E[v], E[v v^T - I])
        With the averages of the discrete coordinates v.
    directions : int
        Of which moments are asked: the first ones of (w, v), or all of which the radius is the norm.
    description : str
    noise : float
        Standard deviation of an additive label noise, or 0.
    """

    coordinate: Coordinate
    parts: tuple[tuple[Along, float, Array, Array], ...]
    directions: int
    description: str
    noise: float = 0.0

    def sheets(self, *known: float) -> list[LabelSheet]:
        """At values of the known coordinates."""
        result = []
        for function, probability, first, second in self.parts:
            here = function.at(*known)
            pieces = pieces_between(here, self.coordinate.low, self.coordinate.high)
            result.append(LabelSheet.of(here, pieces, probability, first, second))
        return result

    def quadrature(self, *known: float, level: int) -> tuple[LabelQuadrature, float]:
        """E over labels at values of the known coordinates, and its defect."""
        sheets = self.sheets(*known)
        if self.noise:
            sources = sources_of_noise(sheets, self.coordinate, self.noise, level=level)
            found = under_noise(*sources, self.noise, level=level)
            defect = found.mass_defect
        else:
            found, defect = label_quadrature(sheets, _RULES[level], self.coordinate)
        return found.of_first(self.directions), defect


def single_label(problem: Problem) -> SingleLabel | None:
    """The label along its only continuous coordinate, or along the radius; None where it has more.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> label = single_label(Problem(signal=w1**2 + sign(w1) * sign(w2), unknown=(w1, w2), known=()))
    >>> label.description
    'a mixture of 2 labels of one coordinate'
    """
    if problem.noise not in (0, None):
        plain = single_label(problem.with_signal(problem.signal.subs(xi, 0)))
        noise = abs(float(problem.noise))
        return plain and dataclasses.replace(
            plain, noise=noise, description=f"{plain.description} with noise"
        )
    candidates = [*problem.unknown, *((xi,) if problem.signal.has(xi) else ())]
    found = beside_values(problem.signal, candidates)
    if found is not None and found.main != xi:
        return _of_coordinate(problem, found)
    if xi not in candidates and (form := radial_form(problem)) is not None:
        q = len(problem.unknown)
        function = along(*form, problem.known)
        return SingleLabel(
            coordinate=radius(q),
            parts=((function, 1.0, np.zeros(0), np.zeros((0, 0))),),
            directions=q,
            description=f"a label of the norm of {q} coordinates",
        )
    return None


def _of_coordinate(problem: Problem, found: BesideValues) -> SingleLabel:
    labels = found.groups.items()
    parts = tuple((along(g, found.main, problem.known), *averages(cells)) for g, cells in labels)
    many = (
        f"a mixture of {len(parts)} labels of one coordinate"
        if len(parts) > 1
        else "a label of one coordinate"
    )
    return SingleLabel(
        coordinate=GAUSSIAN, parts=parts, directions=len(problem.unknown), description=many
    )  # noise inside is the last one of v
