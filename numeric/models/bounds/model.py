"""Bounds on the test error over all ridges and sample ratios after one giant step.

Upper bound: the best combination of the mean maps mu0(kappa) of the letters, reached as the ridge grows after
d -> infinity. Lower bound: the best combination of mu0, kappa mu1 and (for gamma < 1) mu1 z.

Source: arXiv 2402.04980, eqs (26)-(28), (132), (158)-(172); letters, biases and gamma < 1 derived in
docs/giant_step.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import conditional_coefficients, feature_points
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.checks import checked, grid_shape, on_one_grid, read_texts, take_one_direction
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.minima import local_minima
from hermite_analytics.numeric.models.bounds.record import BOUNDS
from hermite_analytics.numeric.models.bounds.solution import BoundsSolution
from hermite_analytics.numeric.models.giant_step.model import GiantStepSolution
from hermite_analytics.numeric.models.spiked.curve import linear_floor
from hermite_analytics.numeric.models.spiked.least_squares import Fit, least_squares
from hermite_analytics.numeric.models.spiked.letters import ReadoutLaw, letters_of
from hermite_analytics.numeric.models.spiked.ratios import read_spike, spike_list
from hermite_analytics.numeric.models.spiked.tables import Spike, conditional_values, tables
from hermite_analytics.target import Target

__all__ = ["Bounds", "BoundsSolution"]

_SETTLED = 1e-13
_LARGEST_STRENGTH = 12.0
_GRID = 72
_BIASES = 81


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper and lower bounds of the test error for an activation and a target of one direction.

    Parameters
    ----------
    activation, target, letters
        As in `SpikedRandomFeatures`.
    bias : float or "learned"
        "learned": each bound is minimised over it.

    Examples
    --------
    >>> from hermite_analytics import Activation, Target
    >>> found = Bounds(Activation("tanh(z)"), Target("sin(z1)")).solve(r=0.9)
    >>> print(f"{found.upper:.10f} {found.lower:.10f}")
    0.0291049006 0.0016690533
    """

    activation: Activation
    target: Target
    letters: Any = None
    bias: Any = 0.0

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target)
        conditional_coefficients(self.activation)
        take_one_direction(self)
        letters = letters_of(self.letters)
        object.__setattr__(
            self, "letters", letters.letters(letters.nodes) if isinstance(letters, ReadoutLaw) else letters
        )
        if self.bias != "learned":
            object.__setattr__(self, "bias", float(BOUNDS["bias"].checked(self.bias)))

    def solve(
        self,
        *,
        r: ArrayLike | None = None,
        c: ArrayLike = 1.0,
        gamma: ArrayLike = 1.0,
        step: GiantStepSolution | None = None,
        optimise_step: bool = False,
    ) -> BoundsSolution:
        """Bounds at given spike parameters, or at the best spike strength.

        Parameters
        ----------
        r, c, gamma : array_like
            Spike strength, squared norm of a bulk row (> 0), overlap of spike and target; their axes for
            letters and several spikes are those of `SpikedRandomFeatures.solve`.
        step : GiantStepSolution, optional
            Gives r, c, gamma instead.
        optimise_step : bool
            Minimise each bound over |r| in (0, 12] (eq 28): a grid, then a local search from each of its
            minima, of which there may be several. With c and gamma, these are fixed and r is positive; with
            a step, its size is what varies: gamma is fixed, and c - 1 moves like r^2.

        Raises
        ------
        InputError
            Missing, contradictory or out-of-range parameters.
        """
        if step is not None:
            if r is not None:
                raise InputError("give either step or r, c, gamma, not both")
            if not step.is_isotropic:
                raise InputError(
                    f"the rows that a step of {self.activation.text} makes have directions, which the bounds "
                    "do not know; give r, c, gamma instead"
                )
            if optimise_step:
                return self._optimised_size(step)
            r, c, gamma = step.r, step.c_of(self.letters), step.gamma
        if optimise_step:
            if r is not None:
                raise InputError("optimise_step looks for r: give c and gamma only")
            return self._optimised(c, gamma)
        if r is None:
            raise InputError("r not given; give r (and c, gamma), a step, or optimise_step")
        r, c, gamma = read_spike(r, c, gamma, self.letters)
        shape = grid_shape(r=r.shape[:-1], c=c.shape[:-1], gamma=gamma.shape[:-1])
        spikes, member = spike_list(r, c, gamma, shape, 0.0 if self.bias == "learned" else self.bias)
        if self.bias == "learned":
            return self._learned(spikes, member, shape, (r, c, gamma))
        found = [self._at(spike) for spike in spikes]
        values = np.array([[f.upper, f.lower, f.change] for f in found])[member]
        return BoundsSolution(
            upper=frozen(values[:, 0].reshape(shape)),
            lower=frozen(values[:, 1].reshape(shape)),
            linear_floor=linear_floor(self.target),
            numerical_error=frozen(values[:, 2].reshape(shape)),
            parameters=self._parameters(r, c, gamma, shape),
            coefficients=_coefficients([found[index] for index in member], shape),
        )

    def best_function(
        self,
        solution: BoundsSolution,
        kappa: ArrayLike,
        z: ArrayLike = 0.0,
        *,
        bound: str = "upper",
        index: int | tuple[int, ...] = (),
    ) -> Array:
        """The function of (kappa, z) that attains a bound: what a network after the step can fit at best.

        Parameters
        ----------
        solution : BoundsSolution
            Of this model.
        kappa : array_like
            Projection on the (one) spike.
        z : array_like
            The part of the target's direction across the spike; the upper bound does not depend on it.
        bound : {"upper", "lower"}
        index : tuple of int
            The point of the solution, where it has several.
        """
        if bound not in ("upper", "lower"):
            raise InputError(f"bound is {bound!r}; accepted: upper, lower")
        if self.letters.rank > 1:
            raise InputError("the best function is drawn along one spike")
        shape = np.shape(solution.upper)
        optimised = getattr(solution, f"r_{bound}")
        r = optimised if optimised is not None else np.broadcast_to(solution.parameters["r"], shape)[index]
        moved = getattr(solution, f"c_{bound}")
        c = np.asarray(solution.parameters["c"] if moved is None else moved)
        c = c[index] if c.ndim > (self.letters.count > 1) else c
        bias = getattr(solution, f"bias_{bound}")
        offset = self.bias if bias is None else np.asarray(bias)[index]
        at, across = on_one_grid(kappa=checked("kappa", kappa), z=checked("z", z)).values()
        slopes = float(r) * np.array(self.letters.values)[:, 0]
        s = slopes[:, None] * at.ravel() + (offset + np.array(self.letters.biases))[:, None]
        mu0, mu1, _ = conditional_values(
            self.activation, s, np.broadcast_to(c, (self.letters.count,))[:, None]
        )
        basis = [mu0] if bound == "upper" else [mu0, at.ravel() * mu1, across.ravel() * mu1]
        found: Array = np.asarray(solution.coefficients[bound])[index] @ np.concatenate(basis)
        return found.reshape(at.shape)

    def _parameters(
        self, r: Array | None, c: Array | None, gamma: Array, shape: tuple[int, ...]
    ) -> Mapping[str, object]:
        names = {"activation": self.activation.text, "target": self.target.text, **self.target.origin}
        if not self.letters.is_uniform:
            names["letters"] = self.letters.text()
        if self.bias != 0.0:
            names["bias"] = str(self.bias)
        spike = {}
        for name, value in (("c", c), ("gamma", gamma), ("r", r)):
            if value is not None:
                full = np.broadcast_to(value, (*shape, value.shape[-1]))
                spike[name] = frozen(full[..., 0] if value.shape[-1] == 1 else full)
        return ReadOnly(names | spike)

    def _at(self, spike: Spike) -> Fit:
        """The bounds at one point, on a rule fine enough."""
        before: Fit | None = None
        found = Fit()
        for table in tables(self.activation, self.target, spike, self.letters):
            found = least_squares(table)
            if before is not None:
                change = max(abs(found.upper - before.upper), abs(found.lower - before.lower))
                found = replace(found, change=change)
                if change <= _SETTLED:
                    break
            before = found
        return found

    def _optimised_size(self, step: GiantStepSolution) -> BoundsSolution:
        """Over the size of a step: r and the root of c - 1 are proportional to it."""
        if np.ndim(step.r) > 0 or step.r == 0.0:
            raise InputError("optimise_step takes a single step, of a size that is not 0")
        return self._optimised(step.c_of(self.letters), step.gamma, float(step.r))

    def _one_spike(self, c: ArrayLike, gamma: ArrayLike) -> tuple[Array, Array]:
        if self.bias == "learned" or self.letters.rank > 1:
            raise InputError("optimise_step takes a fixed bias and one spike")
        _, c_, gamma_ = read_spike(1.0, c, gamma, self.letters)
        if c_.ndim > 1 or gamma_.ndim > 1:
            raise InputError("optimise_step takes one c (or one a letter) and one gamma")
        return c_, gamma_

    def _optimised(self, c: ArrayLike, gamma: ArrayLike, size: float | None = None) -> BoundsSolution:
        c_, gamma_ = self._one_spike(c, gamma)
        sign = -1.0 if size is not None and size < 0.0 else 1.0

        def norms(r: float) -> Array:
            return c_ if size is None else 1.0 + (c_ - 1.0) * (r / size) ** 2

        def at(r: float) -> Fit:
            return self._at(Spike(r=(sign * r,), c=tuple(norms(r)), gamma=tuple(gamma_), bias=self.bias))

        grid = np.geomspace(0.02, _LARGEST_STRENGTH, _GRID)
        minima = {
            "upper": _local_minima(lambda r: at(r).upper, grid),
            "lower": _local_minima(lambda r: at(r).lower, grid),
        }
        best = {name: at(found[0][0]) for name, found in minima.items()}
        moved: dict[str, Any] = {}
        if size is not None:
            at_best = {name: norms(found[0][0]) for name, found in minima.items()}
            moved = {f"c_{n}": frozen(c[0] if c.size == 1 else c) for n, c in at_best.items()}
        return BoundsSolution(
            upper=minima["upper"][0][1],
            lower=minima["lower"][0][1],
            linear_floor=linear_floor(self.target),
            numerical_error=max(found.change for found in best.values()),
            parameters=self._parameters(None, c_ if size is None else None, gamma_, ()),
            coefficients=ReadOnly(
                {"upper": best["upper"].upper_coefficients, "lower": best["lower"].lower_coefficients}
            ),
            r_upper=sign * minima["upper"][0][0],
            r_lower=sign * minima["lower"][0][0],
            **moved,
            minima=ReadOnly(
                {n: tuple((sign * r, value) for r, value in found) for n, found in minima.items()}
            ),
        )

    def _learned(
        self,
        spikes: list[Spike],
        member: NDArray[np.int64],
        shape: tuple[int, ...],
        given: tuple[Array | None, Array | None, Array],
    ) -> BoundsSolution:
        """Each bound at its own best bias (eq 132)."""
        inner, _ = feature_points(self.activation, self.target)
        found: dict[str, list[tuple[float, Fit]]] = {"upper": [], "lower": []}
        all_minima: dict[str, tuple[tuple[float, float], ...]] = {}
        for spike in spikes:
            rows = np.array(self.letters.values) * np.array(spike.r)
            widest = float(np.sqrt(np.max(np.sum(rows**2, axis=1)) + max(spike.c)))
            end = 4.0 * widest + max((abs(b) for b in inner), default=0.0)
            grid = np.linspace(-end, end, _BIASES)
            for name, places in found.items():

                def value(bias: float, spike: Spike = spike, name: str = name) -> float:
                    return float(getattr(self._at(replace(spike, bias=bias)), name))

                minima = _local_minima(value, grid)
                places.append((minima[0][0], self._at(replace(spike, bias=minima[0][0]))))
                all_minima[name] = minima
        at = {name: [places[index] for index in member] for name, places in found.items()}
        biases = {n: frozen(np.array([b for b, _ in at[n]]).reshape(shape)) for n in at}
        return BoundsSolution(
            upper=frozen(np.array([f.upper for _, f in at["upper"]]).reshape(shape)),
            lower=frozen(np.array([f.lower for _, f in at["lower"]]).reshape(shape)),
            linear_floor=linear_floor(self.target),
            numerical_error=frozen(np.array([f.change for _, f in at["lower"]]).reshape(shape)),
            parameters=self._parameters(*given, shape),
            coefficients=ReadOnly(
                {n: _coefficients([f for _, f in at[n]], shape)[n] for n in ("upper", "lower")}
            ),
            bias_upper=biases["upper"],
            bias_lower=biases["lower"],
            minima=ReadOnly(all_minima if len(spikes) == 1 else {}),
        )


def _coefficients(found: list[Fit], shape: tuple[int, ...]) -> Mapping[str, Array]:
    def stacked(name: str) -> Array:
        rows = np.stack([getattr(f, f"{name}_coefficients") for f in found])
        shaped: Array = frozen(rows.reshape((*shape, rows.shape[1])))
        return shaped

    return ReadOnly({name: stacked(name) for name in ("upper", "lower")})


def _local_minima(function: Callable[[float], float], grid: Array) -> tuple[tuple[float, float], ...]:
    """(place, value) of all minima over the range of the grid, the lowest first."""

    def values(_: Any, places: Array) -> Array:
        return np.array([function(float(x)) for x in places])

    minima = local_minima(values, grid, values(None, grid)[None])
    order = np.argsort(minima.value, kind="stable")
    return tuple((float(minima.place[k]), float(minima.value[k])) for k in order)
