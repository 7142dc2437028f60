"""Independent numbers for Hermite coefficients: the trapezoidal rule in the plane, and a polar rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy
from numpy.polynomial.hermite_e import hermeval
from scipy import special

FUNCTIONS = {
    "Abs": np.abs,
    "sign": np.sign,
    "Phi": special.ndtr,
    "erf": special.erf,
    "gelu": lambda x: x * special.ndtr(x),
    "phi": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": special.expit,
    "silu": lambda x: x * special.expit(x),
    "softplus": lambda x: np.logaddexp(0, x),
    "leaky_relu": lambda x, slope: np.where(x > 0, x, slope * x),
    "step": lambda x: np.heaviside(x, 0.5),  # the mean of both sides: equal almost everywhere
    "He": lambda k, x: hermeval(x, [0] * int(k) + [1]),
}


def compiled(expr: sympy.Expr, variables: Sequence[sympy.Symbol]) -> Any:
    return sympy.lambdify(list(variables), expr, modules=[FUNCTIONS, "numpy"])


def _hermite(index: Sequence[int], points: Sequence[np.ndarray]) -> np.ndarray:
    weights = [hermeval(x, [0] * k + [1]) for k, x in zip(index, points, strict=True)]
    return np.prod(np.broadcast_arrays(*weights), axis=0)


def grid_coefficient(
    expr: sympy.Expr,
    variables: Sequence[sympy.Symbol],
    index: Sequence[int],
    step: float = 0.12,
    reach: float = 9.0,
) -> tuple[float, float]:
    """(c_S, E|f He_S|) by the trapezoidal rule at odd multiples of step/2, which signed permutations keep."""
    line = (np.arange(-int(reach / step), int(reach / step)) + 0.5) * step
    points = np.meshgrid(*[line] * len(variables), indexing="ij")
    density = np.exp(-sum(x * x for x in points) / 2) * (step / np.sqrt(2 * np.pi)) ** len(variables)
    values = compiled(expr, variables)(*points) * _hermite(index, points) * density
    return float(np.sum(values)), float(np.sum(np.abs(values)))


def polar_coefficient(
    expr: sympy.Expr, variables: Sequence[sympy.Symbol], index: Sequence[int], angles: int = 240
) -> tuple[float, float]:
    """(c_S, E|f He_S|) in the plane; the rule is symmetric under rotations by 2 pi/angles."""
    radii, weights = special.roots_genlaguerre(60, 0)
    r = np.sqrt(2 * radii)[:, None]
    theta = ((np.arange(angles) + 0.5) * 2 * np.pi / angles)[None, :]
    points = [r * np.cos(theta), r * np.sin(theta)]
    values = compiled(expr, variables)(*points) * _hermite(index, points) * weights[:, None] / angles
    return float(np.sum(values)), float(np.sum(np.abs(values)))
