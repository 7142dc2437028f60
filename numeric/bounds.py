"""Bounds on the test error over all ridges and sample ratios after one giant step.

Upper bound: the best multiple of mu0(kappa), reached as the ridge grows after d -> infinity. Lower
bound: the best combination of mu0, kappa mu1 and (for gamma < 1) mu1 z.

Source: arXiv 2402.04980, eqs (26)-(28), (165)-(172); gamma < 1 derived in docs/theory.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import conditional_coefficients
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.giant_step import GiantStepSolution
from hermite_analytics.numeric.solution import ReadOnly, Status, frozen
from hermite_analytics.numeric.spiked_random_features import linear_floor
from hermite_analytics.numeric.tables import Tables, tables
from hermite_analytics.target import Target

__all__ = ["Bounds", "BoundsSolution"]

_SETTLED = 1e-13
_RANK = 1e-12
_LARGEST_STRENGTH = 12.0
_GRID = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsSolution:
    """lower <= inf over the ridge of the test error <= upper.

    Attributes
    ----------
    upper, lower : float or ndarray
    linear_floor : float
        Error of the best affine predictor.
    r_upper, r_lower : float or None
        With an optimised step: the spike strengths at which the bounds are attained.
    numerical_error : float or ndarray
        Change when the quadrature was refined last.
    """

    upper: Any
    lower: Any
    linear_floor: float
    numerical_error: Any
    parameters: Mapping[str, Any]
    r_upper: float | None = None
    r_lower: float | None = None
    status: Status = Status.CONVERGED
    model: str = "bounds"

    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary a point."""
        names = [n for n in ("r", "c", "gamma") if n in self.parameters]
        columns = [np.ravel(np.broadcast_to(self.parameters[n], np.shape(self.upper))) for n in names]
        values = [np.ravel(v) for v in (self.upper, self.lower, self.numerical_error)]
        rows = []
        for point in zip(*columns, *values, strict=True):
            row: dict[str, Any] = dict(zip(names, map(float, point[: len(names)]), strict=True))
            upper, lower, error = (float(x) for x in point[len(names) :])
            row |= {"upper": upper, "lower": lower, "linear_floor": self.linear_floor}
            if self.r_upper is not None:
                row |= {"r_upper": self.r_upper, "r_lower": self.r_lower}
            rows.append(
                row | {"status": str(self.status), "residual": 0.0, "iterations": 0, "numerical_error": error}
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        fixed = {k: v for k, v in self.parameters.items() if isinstance(v, str)}
        return {"model": self.model, "parameters": fixed, "results": self.records()}

    def cite(self) -> str:
        return "arXiv 2402.04980, eqs (26)-(28), (165)-(172)"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper and lower bounds of the test error for an activation and a target of one direction.

    Examples
    --------
    >>> from hermite_analytics import Activation, Target
    >>> found = Bounds(Activation("tanh(z)"), Target("sin(z1)")).solve(r=0.9)
    >>> print(f"{found.upper:.10f} {found.lower:.10f}")
    0.0291049006 0.0016690533
    """

    activation: Activation
    target: Target

    def __post_init__(self) -> None:
        conditional_coefficients(self.activation)
        self.target.single_index()

    def solve(
        self,
        *,
        r: Any = None,
        c: Any = 1.0,
        gamma: Any = 1.0,
        step: GiantStepSolution | None = None,
        optimise_step: bool = False,
    ) -> BoundsSolution:
        """Bounds at given spike parameters, or at the best spike strength.

        Parameters
        ----------
        r, c, gamma : array_like
            Spike strength, squared norm of a bulk row (> 0), overlap of spike and target.
        step : GiantStepSolution, optional
            Gives r, c, gamma instead.
        optimise_step : bool
            Minimise each bound over r in (0, 12] at fixed c, gamma (eq 28): a grid, then a local
            search from each of its minima, of which there may be several.

        Raises
        ------
        InputError
            Missing, contradictory or out-of-range parameters.
        """
        if step is not None:
            if r is not None:
                raise InputError("give either step or r, c, gamma, not both")
            r, c, gamma = step.r, step.c, step.gamma
        if optimise_step:
            if r is not None:
                raise InputError("optimise_step looks for r: give c and gamma only")
            return self._optimised(c, gamma)
        if r is None:
            raise InputError("r not given; give r (and c, gamma), a step, or optimise_step")
        r, c, gamma = np.broadcast_arrays(
            checked("r", r),
            checked("c", c, low=0.0, open_low=True),
            checked("gamma", gamma, low=-1.0, high=1.0),
        )
        found = [self._at(*map(float, point)) for point in zip(r.flat, c.flat, gamma.flat, strict=True)]
        upper, lower, error = (np.array(x).reshape(r.shape) for x in zip(*found, strict=True))
        return BoundsSolution(
            upper=frozen(upper),
            lower=frozen(lower),
            linear_floor=linear_floor(self.target),
            numerical_error=frozen(error),
            parameters=self._parameters(r, c, gamma),
        )

    def _parameters(self, r: Any, c: Any, gamma: Any) -> Mapping[str, Any]:
        names = {"activation": self.activation.text, "target": self.target.text}
        spike = {"c": frozen(c), "gamma": frozen(gamma)} | ({} if r is None else {"r": frozen(r)})
        return ReadOnly(names | spike)

    def _at(self, r: float, c: float, gamma: float) -> tuple[float, float, float]:
        """(upper, lower, change at the last refinement)."""
        before: tuple[float, float] | None = None
        change = np.nan
        for table in tables(self.activation, self.target, r, c, gamma):
            after = _bounds(table)
            if before is not None:
                change = max(abs(a - b) for a, b in zip(after, before, strict=True))
                if change <= _SETTLED:
                    break
            before = after
        return *after, change

    def _optimised(self, c: Any, gamma: Any) -> BoundsSolution:
        c_, gamma_ = (
            float(checked("c", c, low=0.0, open_low=True)),
            float(checked("gamma", gamma, low=-1.0, high=1.0)),
        )
        grid = np.geomspace(0.02, _LARGEST_STRENGTH, _GRID)
        r_upper, upper = _global_minimum(lambda r: self._at(r, c_, gamma_)[0], grid)
        r_lower, lower = _global_minimum(lambda r: self._at(r, c_, gamma_)[1], grid)
        error = max(self._at(r, c_, gamma_)[2] for r in (r_upper, r_lower))
        return BoundsSolution(
            upper=upper,
            lower=lower,
            linear_floor=linear_floor(self.target),
            numerical_error=error,
            parameters=self._parameters(None, c_, gamma_),
            r_upper=r_upper,
            r_lower=r_lower,
        )


def _bounds(table: Tables) -> tuple[float, float]:
    """Residuals of least squares on the functions of (kappa, z), at the nodes of a Gaussian rule."""
    root = np.sqrt(table.weight)
    total = float(table.weight @ table.hh)
    goal = root * table.h
    slope_power = float(table.weight @ table.mu1**2)
    across = float(table.weight @ (table.mu1 * table.h1)) ** 2 / slope_power if slope_power > 0 else 0.0
    first = (root * table.mu0)[:, None]
    both = np.stack([root * table.mu0, root * table.kappa * table.mu1], axis=1)
    upper = total - _projected(first, goal)
    lower = total - _projected(both, goal) - across
    return max(upper, 0.0), max(lower, 0.0)


def _projected(basis: NDArray[np.float64], goal: NDArray[np.float64]) -> float:
    """Squared norm of the projection of `goal` on the columns, which may be dependent or zero."""
    norms = np.linalg.norm(basis, axis=0)
    kept = norms > _RANK * max(float(norms.max()), 1e-2)
    if not np.any(kept):
        return 0.0
    left, sizes, _ = np.linalg.svd(basis[:, kept] / norms[kept], full_matrices=False)
    components = left[:, sizes > _RANK].T @ goal
    return float(components @ components)


def _global_minimum(function: Callable[[float], float], grid: NDArray[np.float64]) -> tuple[float, float]:
    """Minimum over the range of the grid, from a local search around each minimum of the grid."""
    from scipy.optimize import minimize_scalar

    values = np.array([function(float(x)) for x in grid])
    best = (float(grid[int(np.argmin(values))]), float(values.min()))
    for j in range(1, grid.size - 1):
        if values[j] <= values[j - 1] and values[j] <= values[j + 1]:
            found = minimize_scalar(
                function, bounds=(grid[j - 1], grid[j + 1]), method="bounded", options={"xatol": 1e-9}
            )
            if found.fun < best[1]:
                best = (float(found.x), float(found.fun))
    return best
