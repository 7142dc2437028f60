"""Labels of one coordinate, of the radius, and finite mixtures of such: sheets for `one_index`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from hermite_analytics.label.cases.line.functions import Along, along, pieces_between
from hermite_analytics.label.cases.line.noisy import noisy_quadrature
from hermite_analytics.label.cases.line.one_index import GAUSSIAN, Coordinate, Sheet, label_quadrature, radius
from hermite_analytics.label.cases.values.latent import Branch, branches, latent_coordinates
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.exact import radial_form
from hermite_analytics.symbols import xi

__all__ = ["SingleLabel", "single_label"]

Array = NDArray[np.float64]
Moments = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleLabel:
    """A label along one coordinate, for each value of a discrete variable and of the known coordinates.

    Attributes
    ----------
    coordinate : Coordinate
    parts : tuple of (probability, label along the coordinate, moments of w there)
    description : str
    noise : float
        Standard deviation of an additive label noise, or 0.
    """

    coordinate: Coordinate
    parts: tuple[tuple[float, Along, Moments], ...]
    description: str
    noise: float = 0.0

    def sheets(self, *known: float) -> list[Sheet]:
        """At values of the known coordinates."""
        result = []
        for probability, function, moments in self.parts:
            here = function.at(*known)
            pieces = pieces_between(here, self.coordinate.low, self.coordinate.high)
            result.append(
                Sheet(
                    probability=probability,
                    value=_full(here.value),
                    derivative=_full(here.slope),
                    pieces=pieces,
                    moments=moments,
                )
            )
        return result

    def quadrature(self, *known: float, level: int) -> tuple[LabelQuadrature, float]:
        """E over labels at values of the known coordinates, and its defect."""
        if self.noise:
            return noisy_quadrature(self.sheets(*known), self.coordinate, self.noise, level=level)
        return label_quadrature(self.sheets(*known), self.coordinate, level=level)


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
    latent = latent_coordinates(problem.signal, candidates) if len(candidates) > 1 else {}
    rest = [v for v in candidates if v not in latent]
    if len(rest) == 1 and rest[0] != xi:
        return _of_coordinate(problem, rest[0], branches(problem.signal, latent), tuple(latent))
    if not latent and xi not in candidates and (form := radial_form(problem)) is not None:
        q = len(problem.unknown)
        function = along(*form, problem.known)
        return SingleLabel(
            coordinate=radius(q),
            parts=((1.0, function, _radial_moments(q)),),
            description=f"a label of the norm of {q} coordinates",
        )
    return None


def _of_coordinate(
    problem: Problem, coordinate: Symbol, mixture: list[Branch] | None, latent: tuple[Symbol, ...]
) -> SingleLabel | None:
    if mixture is None:
        return None
    order = {v: i for i, v in enumerate(problem.unknown)}
    parts = tuple(
        (b.probability, _along(b.signal, coordinate, problem.known), _moments(b, coordinate, latent, order))
        for b in mixture
    )
    many = (
        f"a mixture of {len(parts)} labels of one coordinate"
        if len(parts) > 1
        else "a label of one coordinate"
    )
    return SingleLabel(coordinate=GAUSSIAN, parts=parts, description=many)


def _along(signal: Expr, coordinate: Symbol, known: Sequence[Symbol]) -> Along:
    return along(signal, coordinate, known)


def _moments(
    branch: Branch, coordinate: Symbol, latent: Sequence[Symbol], order: dict[Symbol, int]
) -> Moments:
    """Of all unknown coordinates, given the branch and the value of the continuous one."""
    q = len(order)
    fixed = np.zeros(q)
    second = np.zeros((q, q))
    for v, cell in zip(latent, branch.cells, strict=True):
        if v in order:
            fixed[order[v]] = cell.first
            second[order[v], order[v]] = cell.second
    off = np.outer(fixed, fixed)
    np.fill_diagonal(off, np.diag(second))
    at = order[coordinate]

    def moments(z: Array) -> tuple[Array, Array]:
        first = np.tile(fixed, (len(z), 1))
        first[:, at] = z
        both = np.tile(off, (len(z), 1, 1))
        both[:, at, :] = z[:, None] * fixed
        both[:, :, at] = z[:, None] * fixed
        both[:, at, at] = z * z - 1
        return first, both

    return moments


def _radial_moments(q: int) -> Moments:
    def moments(r: Array) -> tuple[Array, Array]:
        return np.zeros((len(r), q)), (r * r / q - 1)[:, None, None] * np.eye(q)

    return moments


def _full(function: Callable[..., Array]) -> Callable[[Array], Array]:
    """Constants as arrays too."""

    def values(z: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(function(z), dtype=np.float64), z.shape)

    return values
