"""The functions of kappa that every equation of the giant step uses, at quadrature nodes."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import conditional_coefficients, feature_points, teacher_averages
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule, product_rule
from hermite_analytics.numeric.models.spiked.letters import Letters
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["MOST_LEVELS", "Spike", "Tables", "conditional_values", "table", "tables"]

MOST_LEVELS = 6
_PRODUCT_LEVELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Spike:
    """Where the functions of kappa are taken; hashable.

    Attributes
    ----------
    r : tuple of R floats
        Strengths of the spikes.
    c : tuple of J floats
        Squared norm of a bulk row of each letter.
    gamma : tuple of R floats
        Overlaps of the target with the spikes.
    bias : float
        Of all neurons, beside the biases of the letters.
    step : tuple of 3 floats, optional
        alpha0, effective step and label noise of the giant step whose rows these are, where that matters.
    """

    r: tuple[float, ...]
    c: tuple[float, ...]
    gamma: tuple[float, ...]
    bias: float = 0.0
    step: tuple[float, float, float] | None = None

    @property
    def overlap(self) -> float:
        """Norm of the projection of the target on the spikes."""
        return abs(self.gamma[0]) if len(self.gamma) == 1 else min(float(np.linalg.norm(self.gamma)), 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Values at n nodes for J letters and R spikes.

    Attributes
    ----------
    weight : shape (n,), with the Gaussian density
    kappa : shape (R, n)
    mu0, mu1, mu2_squared : shape (J, n)
    h, h1, hh : shape (n,)
    """

    weight: Array
    kappa: Array
    mu0: Array
    mu1: Array
    mu2_squared: Array
    h: Array
    h1: Array
    hh: Array

    def columns(self) -> tuple[Array, ...]:
        """weight, kappa, mu0, mu1, mu2_squared, h, h1, hh of the one letter and the one spike."""
        return (
            self.weight, self.kappa[0], self.mu0[0], self.mu1[0], self.mu2_squared[0],
            self.h, self.h1, self.hh,
        )  # fmt: skip


def tables(
    activation: Activation,
    target: Target,
    spike: Spike,
    letters: Letters,
    layers: tuple[Feature, ...] = (),
) -> Iterator[Tables]:
    """Tables at refining levels of the rule: level 0, 1, ...; narrow at layers of one spike, too."""
    for level in range(MOST_LEVELS if len(spike.r) == 1 else _PRODUCT_LEVELS):
        yield table(activation, target, spike, letters, level, layers)


@functools.lru_cache(maxsize=64)
def table(
    activation: Activation,
    target: Target,
    spike: Spike,
    letters: Letters,
    level: int,
    layers: tuple[Feature, ...] = (),
) -> Tables:
    """The table of one level; the last ones made are kept, for further ratios of the same problem."""
    if len(spike.r) == 1:
        kappa, weight = gaussian_rule([*_features(activation, target, spike, letters), *layers], level)
        kappa = kappa[None, :]
    else:
        kappa, weight = product_rule(len(spike.r), level)
    arguments = _arguments(spike, letters, kappa)
    mu0, mu1, mu2_squared = conditional_values(activation, arguments, np.array(spike.c)[:, None])
    h, h1, hh = _teacher(target, spike, kappa)
    found = Tables(
        weight=weight,
        kappa=kappa,
        mu0=mu0,
        mu1=mu1,
        mu2_squared=mu2_squared,
        h=h,
        h1=h1,
        hh=hh,
    )
    for name in Tables.__slots__:
        getattr(found, name).flags.writeable = False
    return found


def conditional_values(activation: Activation, s: Array, c: Array) -> tuple[Array, Array, Array]:
    """mu0, mu1, mu2_squared at the arguments s = r kappa + bias, broadcast against c."""
    values = _coefficients_kernel(activation)(s, c, 1.0)
    shape = np.broadcast_shapes(np.shape(s), np.shape(c))
    found = (np.broadcast_to(x, shape) for x in (values.mu0, values.mu1, values.mu2_squared))
    return tuple(np.array(x, order="C") for x in found)  # type: ignore[return-value]


def _arguments(spike: Spike, letters: Letters, kappa: Array) -> Array:
    """s_j = sum_a r_a u_aj kappa_a + bias_j, shape (J, n)."""
    slopes = np.array(letters.values) * np.array(spike.r)
    arguments: Array = slopes @ kappa + (spike.bias + np.array(letters.biases))[:, None]
    return arguments


def _teacher(target: Target, spike: Spike, kappa: Array) -> tuple[Array, Array, Array]:
    """h, h1, hh: averages of the target over what the spikes do not see of it."""
    along, overlap = kappa[0], spike.gamma[0]
    if len(spike.gamma) > 1:
        overlap = spike.overlap
        along = np.array(spike.gamma) @ kappa / overlap if overlap > 0 else kappa[0]
    if abs(overlap) >= 1.0:  # no average is left: the closed forms would divide by zero
        h = np.ascontiguousarray(target.function("auto")(overlap * along))
        return h, np.zeros_like(h), h**2
    values = _teacher_kernel(target)(along, overlap)
    return tuple(np.ascontiguousarray(v) for v in (values.h, values.h1, values.hh))  # type: ignore[return-value]


def _features(activation: Activation, target: Target, spike: Spike, letters: Letters) -> list[Feature]:
    inner, outer = _points(activation, target)
    found = []
    for (value, *_), offset, c in zip(letters.values, letters.biases or (), spike.c, strict=True):
        r = spike.r[0] * value
        if r != 0.0:
            width = float(np.sqrt(c)) / abs(r)
            found += [Feature(center=(b - spike.bias - offset) / r, width=width) for b in (inner or (0.0,))]
    gamma = spike.gamma[0]
    if gamma != 0.0:
        width = float(np.sqrt(max(1.0 - gamma**2, 0.0))) / abs(gamma)
        found += [Feature(center=b / gamma, width=width) for b in outer]
    return found


@functools.lru_cache(maxsize=128)
def _points(activation: Activation, target: Target) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return feature_points(activation, target)


@functools.lru_cache(maxsize=128)
def _coefficients_kernel(activation: Activation) -> Kernel:
    """mu0, mu1, mu2_squared as functions of (kappa, c, r)."""
    from hermite_analytics.codegen import compile
    from hermite_analytics.codegen.recipes import remembered

    def build() -> Kernel:
        return compile(conditional_coefficients(activation), ("kappa", "c", "r"), backend="auto")

    return remembered(("conditional coefficients", activation.text), build)


@functools.lru_cache(maxsize=128)
def _teacher_kernel(target: Target) -> Kernel:
    """h, h1, hh as functions of (kappa, gamma)."""
    from hermite_analytics.codegen import compile
    from hermite_analytics.codegen.recipes import remembered

    def build() -> Kernel:
        return compile(teacher_averages(target), ("kappa", "gamma"), backend="auto")

    return remembered(("teacher averages", target.text, str(target.directions)), build)
