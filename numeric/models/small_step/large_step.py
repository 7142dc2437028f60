"""`LargeStep`: what one gradient step of order sqrt(p) can reach, by the infimum tau*.

    tau* = inf over e of E (g(k) - E_x sigma(e k + x))^2,    k, x ~ N(0, 1).

After the step the risk of ridge regression is at most 16 tau* plus terms that vanish with many samples.
Source: arXiv 2205.01445 (Ba et al.), Theorem on large steps; docs/random_features.md, "The large step".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.codegen import compile
from hermite_analytics.conditional import conditional_coefficients, feature_points
from hermite_analytics.numeric.checks import read_texts, take_one_direction
from hermite_analytics.numeric.frozen import ReadOnly
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule
from hermite_analytics.numeric.models.random_features.constants import target_constants
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.symbols import c, kappa, r
from hermite_analytics.target import Target

__all__ = ["LargeStep", "LargeStepSolution"]

_FACTOR = 16.0
_LARGEST = 1e4
_GRID = np.concatenate([[0.0], np.geomspace(1e-2, _LARGEST, 97)])
_FAR = (1e3, 1e5, 1e8)
_SAME = 1e-13
_MOST_LEVELS = 5
_SETTLED, _NOTHING = 1e-9, 1e-20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LargeStepSolution(Solution):
    """tau* and what it bounds.

    Attributes
    ----------
    tau : float
    scale : float
        The e that attains it; infinite if the infimum is a limit that no e attains. Where an activation that
        oscillates has such a limit, an e at which it is reached to rounding.
    upper_bound : float
        16 tau*, of the risk after the step with many samples.
    kernel_lower_bound : float
        |P_{>1} f|^2: what no rotationally invariant kernel beats with n of order d samples.
    numerical_error : float
        Change of tau with a finer quadrature; twice that where it has not settled.
    """

    tau: float
    scale: float
    upper_bound: float
    kernel_lower_bound: float
    numerical_error: float
    model: str = "large-step"

    columns: ClassVar[tuple[str, ...]] = (
        *("tau", "scale", "upper_bound", "kernel_lower_bound", "numerical_error"),
        *("status", "residual", "iterations"),
    )
    shaped: ClassVar[str] = "tau"

    @property
    def beats_kernels(self) -> bool:
        """Whether 16 tau* is below what kernels reach."""
        return self.upper_bound < self.kernel_lower_bound


@dataclass(frozen=True, slots=True)
class LargeStep:
    """One gradient step of order sqrt(p), then ridge regression.

    The theorem takes bounded activations and centred targets with a linear part; tau* is defined for all.

    Parameters
    ----------
    activation : Activation or str
        E sigma(z)^2 finite.
    target : Target or str
        One direction. No scale or sign in front of the activation is optimised.

    Examples
    --------
    >>> solution = LargeStep("tanh(z)", "erf(z1)").solve()
    >>> print(f"{solution.tau:.9f} {solution.scale:.5f} {solution.beats_kernels}")
    0.000006417 1.87929 True
    """

    activation: Activation
    target: Target

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target)
        self.activation.require_second_moment()
        take_one_direction(self)

    def solve(self) -> LargeStepSolution:
        """tau*, from a local search around every minimum on a grid of e of both signs, and its limits."""
        of_scale = _Distance.of(self.activation, self.target)

        def distance(e: float, allowed: float) -> tuple[float, float]:
            if np.isinf(e):
                return _settled(lambda level: of_scale.at_limit(np.sign(e), level), allowed)
            return _settled(lambda level: of_scale.at(e, level), allowed)

        size, change = distance(0.0, np.inf)
        allowed = max(_SETTLED * size, change) + _NOTHING  # what is left of a rough target stays at all e
        scales = [s * _place_of_minimum(lambda e, s=s: distance(s * e, allowed)[0]) for s in (1.0, -1.0)]
        found = [(*distance(e, allowed), e) for e in (*scales, np.inf, -np.inf)]
        best, error, where = min(found, key=lambda one: one[0])
        return LargeStepSolution(
            tau=best,
            scale=where,
            upper_bound=_FACTOR * best,
            kernel_lower_bound=target_constants(self.target, 1).above,
            numerical_error=error,
            parameters=ReadOnly(
                {"activation": self.activation.text, "target": self.target.text, **self.target.origin}
            ),
        )


@dataclass(frozen=True, slots=True)
class _Distance:
    """E (g(k) - E sigma(e k + x))^2, and what goes into it at all e.

    Parameters
    ----------
    activation : Activation
    label : callable
        g at an array of numbers.
    averaged : callable
        The kernel of E sigma(e k + x).
    inner, outer : tuple of float
        Kinks and jumps of the activation and of the target.
    """

    activation: Activation
    label: Any
    averaged: Any
    inner: tuple[float, ...]
    outer: tuple[float, ...]

    @classmethod
    def of(cls, activation: Activation, target: Target) -> _Distance:
        """Compile them."""
        averaged = compile({"mean": conditional_coefficients(activation).mu0}, (kappa, c, r), backend="auto")
        return cls(activation, target.function("auto"), averaged, *feature_points(activation, target))

    def at(self, e: float, level: int) -> float:
        """At a finite e, by the rule of a level."""
        bends = [Feature(center=b / e, width=1.0 / abs(e)) for b in (*self.inner, 0.0)] if e != 0.0 else []
        nodes, weight = gaussian_rule([*bends, *(Feature(center=b, width=0.0) for b in self.outer)], level)
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(weight @ (self.label(nodes) - self.averaged(nodes, 1.0, e).mean) ** 2)
        return value if np.isfinite(value) else np.inf

    def at_limit(self, sign: float, level: int) -> float:
        """The same as e -> sign * infinity; infinite where the activation has no limits."""
        sigma = self.activation.function(backend="python")
        with np.errstate(over="ignore", invalid="ignore"):
            right = np.array([float(sigma(x)) for x in _FAR])
            left = np.array([float(sigma(-x)) for x in _FAR])
        for side in (left, right):
            if not np.all(np.isfinite(side)) or np.ptp(side) > _SAME * max(1.0, abs(side[-1])):
                return np.inf
        nodes, weight = gaussian_rule([Feature(center=b, width=0.0) for b in (*self.outer, 0.0)], level)
        reached = np.where(sign * nodes > 0.0, right[-1], left[-1])
        return float(weight @ (self.label(nodes) - reached) ** 2)


def _settled(distance: Callable[[int], float], allowed: float) -> tuple[float, float]:
    """(by a rule fine enough, a bound on what is left); infinite where more than `allowed` changes.

    Rules converge like 1/nodes at a singular target: of changes that are halved as much is left as the last.
    """
    value = distance(0)
    for level in range(1, _MOST_LEVELS):
        before, value = value, distance(level)
        change = abs(value - before) if np.isfinite(value) else np.inf
        if change <= min(_SETTLED * value + _NOTHING, allowed):
            return value, change
    return (value, 2 * change) if change <= allowed else (np.inf, np.inf)


def _place_of_minimum(function: Callable[..., float]) -> float:
    """Where the least value over e >= 0 is."""
    from scipy.optimize import minimize_scalar

    values = np.full(_GRID.size, np.inf)
    for j, e in enumerate(_GRID):
        values[j] = function(e)
        if not np.isfinite(values[j]):  # nor are those farther out
            break
    least, place = float(values.min()), float(_GRID[int(np.argmin(values))])
    for j in range(1, _GRID.size - 1):
        if values[j] <= values[j - 1] and values[j] <= values[j + 1] < np.inf:
            local = minimize_scalar(
                function, bounds=(_GRID[j - 1], _GRID[j + 1]), method="bounded", options={"xatol": 1e-10}
            )
            if local.fun < least:
                least, place = float(local.fun), float(local.x)
    return place
