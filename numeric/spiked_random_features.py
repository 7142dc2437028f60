"""Ridge regression on spiked random features at d -> infinity: errors and overlaps.

Source: arXiv 2402.04980, Result 3.3 (eqs 17-25), in the closed form of docs/theory.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import conditional_coefficients, target_data
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.giant_step import GiantStepSolution
from hermite_analytics.numeric.solution import ReadOnly, Solution, Status, frozen, statuses
from hermite_analytics.numeric.square_loss import COLUMNS, solve_points
from hermite_analytics.numeric.tables import tables
from hermite_analytics.target import Target

__all__ = ["SpikedRandomFeatures", "linear_floor"]

Array = NDArray[Any]
_CODES = (str(Status.CONVERGED), str(Status.MAX_STEPS_REACHED), str(Status.DIVERGED))
_ROUNDING = 1e-13
_RATIOS = ("alpha", "beta", "ridge", "r", "c", "gamma", "noise")


def linear_floor(target: Target) -> float:
    """E g^2 - (E g)^2 - (E z g)^2: the error of the best affine predictor of a single-index target."""
    mean, slope, second = target_data(target)
    return second - mean**2 - slope**2


@dataclass(frozen=True, slots=True)
class SpikedRandomFeatures:
    """Features sigma((W + r 1 v^T) x), rows of W of squared norm c, teacher of overlap gamma with v.

    Parameters
    ----------
    activation : Activation
        E sigma(z)^2 finite.
    target : Target
        One direction; additive label noise a*xi is added to `noise`.

    Examples
    --------
    >>> from hermite_analytics import Activation, Target
    >>> from hermite_analytics.numeric import GiantStep
    >>> s, f = Activation("tanh(z)"), Target("sin(z1)")
    >>> step = GiantStep(s, f).solve(alpha0=20, eta=3, beta=1)
    >>> solution = SpikedRandomFeatures(s, f).solve(step=step, alpha=3, ridge=0.1)
    >>> print(f"{solution.test_error:.8f} {solution.status}")
    0.03251821 converged
    """

    activation: Activation
    target: Target

    def __post_init__(self) -> None:
        conditional_coefficients(self.activation)  # refuses an infinite second moment
        self.target.single_index()

    def solve(
        self,
        *,
        alpha: Any,
        ridge: Any,
        step: GiantStepSolution | None = None,
        beta: Any = None,
        r: Any = None,
        c: Any = None,
        gamma: Any = None,
        noise: Any = None,
        tolerance: float = 1e-12,
        max_steps: int = 500,
        throw: bool = False,
    ) -> Solution:
        """Test error, training error and overlaps.

        Parameters
        ----------
        alpha : array_like > 0
            n/d of the readout's samples.
        ridge : array_like >= 0
            lambda of sum_i (y_i - a.phi_i/sqrt p)^2 + lambda |a|^2. At 0 the limit lambda -> 0 is taken,
            which exists for alpha != beta.
        step : GiantStepSolution, optional
            Gives r, c, gamma, beta and noise; otherwise these are given one by one.
        beta : array_like > 0
            p/d.
        r, c, gamma : array_like
            Spike strength, squared norm of a bulk row (> 0), overlap of spike and target (in [-1, 1]).
        noise : array_like >= 0
            Variance of the label noise (default 0, or that of `step`).
        tolerance : float
            On the relative undamped residual, and on the change of results when the quadrature is
            refined.
        max_steps : int
            Newton steps a point.
        throw : bool
            Raise `ConvergenceError` if a point does not converge.

        Returns
        -------
        Solution
            Arrays of the broadcast shape of all ratios.

        Raises
        ------
        InputError
            A ratio outside its range, contradictory arguments, ridge 0 where the limit does not exist.
        """
        given = self._parameters(alpha, ridge, step, beta, r, c, gamma, noise)
        if not (0.0 < tolerance < 1.0) or max_steps < 1:
            raise InputError("tolerance lies in (0, 1) and max_steps is at least 1")
        shape = next(iter(given.values())).shape
        flat = {name: np.ascontiguousarray(value.ravel()) for name, value in given.items()}
        self._check_ridgeless(flat)
        flat["noise"] = flat["noise"] + float(self.target.noise_variance)
        count = flat["alpha"].size
        results = _Results(count)
        keys = np.stack([flat["r"], flat["c"], flat["gamma"]], axis=1)
        unique, member = np.unique(keys, axis=0, return_inverse=True)
        for index, (r_, c_, gamma_) in enumerate(unique):
            chosen = np.flatnonzero(member.ravel() == index)
            part = {name: value[chosen] for name, value in flat.items()}
            self._solve_group(
                part, float(r_), float(c_), float(gamma_), tolerance, max_steps, results, chosen
            )
        solution = self._solution(given, step, results, shape)
        if throw:
            solution.raise_unless_converged()
        return solution

    def _parameters(
        self, alpha: Any, ridge: Any, step: GiantStepSolution | None, *separate: Any
    ) -> dict[str, Array]:
        beta, r, c, gamma, noise = separate
        if step is not None:
            if any(v is not None for v in (beta, r, c, gamma)):
                raise InputError("give either step or beta, r, c, gamma, not both")
            beta, r, c, gamma = step.parameters["beta"], step.r, step.c, step.gamma
            noise = step.parameters["noise"] if noise is None else noise
        missing = [n for n, v in (("beta", beta), ("r", r), ("c", c), ("gamma", gamma)) if v is None]
        if missing:
            raise InputError(f"{', '.join(missing)} not given; give step or all of beta, r, c, gamma")
        arrays = np.broadcast_arrays(
            checked("alpha", alpha, low=0.0, open_low=True),
            checked("beta", beta, low=0.0, open_low=True),
            checked("ridge", ridge, low=0.0),
            checked("r", r),
            checked("c", c, low=0.0, open_low=True),
            checked("gamma", gamma, low=-1.0, high=1.0),
            checked("noise", 0.0 if noise is None else noise, low=0.0),
        )
        return dict(zip(_RATIOS, arrays, strict=True))

    def _check_ridgeless(self, flat: dict[str, Array]) -> None:
        zero = flat["ridge"] == 0.0
        if not np.any(zero):
            return
        if conditional_coefficients(self.activation).mu2_squared == 0:
            raise InputError(
                f"ridge is 0 with the linear activation {self.activation.text}: the limit may not exist; "
                "give ridge > 0"
            )
        peak = zero & (flat["alpha"] == flat["beta"])
        if np.any(peak):
            raise InputError(
                f"ridge is 0 at alpha = beta = {flat['alpha'][peak][0]:g}, the interpolation peak, where the "
                "limit does not exist; give ridge > 0 or alpha different from beta"
            )

    def _solve_group(
        self,
        part: dict[str, Array],
        r: float,
        c: float,
        gamma: float,
        tolerance: float,
        max_steps: int,
        results: _Results,
        chosen: Array,
    ) -> None:
        """Refine the quadrature until no result of the group changes by more than the tolerance."""
        before: Array | None = None
        scale = target_data(self.target)[2]
        for table in tables(self.activation, self.target, r, c, gamma):
            columns = table.columns()
            count = chosen.size
            out = np.empty((count, len(COLUMNS)))
            residual, steps = np.empty(count), np.empty(count, dtype=np.int64)
            code = np.empty(count, dtype=np.int64)
            ratios = (part["alpha"], part["beta"], part["ridge"], part["noise"])
            solve_points(columns, c, *ratios, tolerance, max_steps, out, residual, steps, code)
            results.store(chosen, out, residual, steps, code)
            if before is not None:
                change = _relative_change(before, out, scale)
                results.numerical_error[chosen] = change
                if np.all((change <= max(tolerance, _ROUNDING)) | (code != 0)):
                    return
            before = out

    def _solution(
        self,
        given: dict[str, Array],
        step: GiantStepSolution | None,
        results: _Results,
        shape: tuple[int, ...],
    ) -> Solution:
        values = {name: results.values[:, j].reshape(shape) for j, name in enumerate(COLUMNS)}
        status = np.array(_CODES)[results.code].reshape(shape)
        parameters: dict[str, Any] = {
            "activation": self.activation.text,
            "target": self.target.text,
        }
        varied: list[str] = []
        if step is not None:
            for name in ("alpha0", "eta"):
                parameters[name] = frozen(np.broadcast_to(step.parameters[name], shape))
                varied.append(name)
            parameters["step_convention"] = step.parameters["step_convention"]
        parameters |= {name: frozen(given[name]) for name in _RATIOS}
        varied += list(_RATIOS)
        overlaps = {name: frozen(values[name]) for name in COLUMNS[2:]}
        return Solution(
            model="spiked-random-features",
            equations="arXiv 2402.04980, Result 3.3, eqs (17)-(25), closed d -> infinity form",
            parameters=ReadOnly(parameters),
            varied=tuple(varied),
            test_error=frozen(values["test_error"]),
            train_error=frozen(values["train_error"]),
            linear_floor=linear_floor(self.target),
            overlaps=ReadOnly(overlaps),
            status=statuses(status),
            residual=frozen(results.residual.reshape(shape)),
            iterations=frozen(results.steps.reshape(shape)),
            numerical_error=frozen(results.numerical_error.reshape(shape)),
        )


class _Results:
    """Flat results of all points, filled group by group."""

    def __init__(self, count: int) -> None:
        self.values = np.full((count, len(COLUMNS)), np.nan)
        self.residual = np.full(count, np.inf)
        self.steps = np.zeros(count, dtype=np.int64)
        self.code = np.zeros(count, dtype=np.int64)
        self.numerical_error = np.full(count, np.nan)

    def store(self, chosen: Array, out: Array, residual: Array, steps: Array, code: Array) -> None:
        self.values[chosen] = out
        self.residual[chosen] = residual
        self.steps[chosen] = steps
        self.code[chosen] = code


def _relative_change(before: Array, after: Array, scale: float) -> Array:
    """Largest change of a result of each point: errors relative to E g^2, overlaps to themselves or 1."""
    size = np.abs(after)
    floor = np.ones(len(COLUMNS))
    floor[:2] = scale if scale > 0 else 1.0
    floor[-2:] = 0.0  # responses are positive: their change is relative
    with np.errstate(invalid="ignore", divide="ignore"):
        change = np.abs(after - before) / np.maximum(size, floor)
    change[np.isinf(before) & np.isinf(after)] = 0.0
    worst: Array = np.max(change, axis=1)
    return worst
