"""The threshold of a product of independent coordinates from the law of its logarithm alone.

For g homogeneous of degree a, E[(|w|^2 - r) T(Y)] = a E[Y T'(Y)], so tr G(y) = -a (y p)'/p. Where symmetry
gives G = a(y) I, alpha_c = (r/a)^2 / J with J the Fisher information of log |Y|. A product of r >= 3
coordinates has a = r, and reflections and permutations give G = a(y) I: alpha_c = 1/J.
"""

from __future__ import annotations

import math

import numpy as np
import sympy
from sympy import Expr, Symbol

__all__ = ["fisher_information", "product_of_coordinates"]

_STEPS = (0.1, 0.06)
_LEFT, _RIGHT = 38.0, 8.0
_FREQUENCY = 60.0
_SMALL = 1e-14
_NOTHING = 1e-22  # of a transform


def product_of_coordinates(signal: Expr, unknown: tuple[Symbol, ...]) -> int:
    """r where the label is w1 * ... * wr or its absolute value up to a factor, all of w, r >= 3; else 0.

    Examples
    --------
    >>> from sympy import symbols
    >>> w = symbols("w1:4", real=True)
    >>> product_of_coordinates(2 * w[0] * w[1] * w[2], w), product_of_coordinates(w[0] * w[1], w)
    (3, 0)
    """
    factors = [_inner(a) for a in sympy.Mul.make_args(signal) if a.free_symbols]
    exact = len(unknown) >= 3 and sorted(map(str, factors)) == sorted(map(str, unknown))
    return len(unknown) if exact else 0


def _inner(factor: Expr) -> Expr:
    return factor.args[0] if isinstance(factor, sympy.Abs) else factor


def fisher_information(r: int, *, level: int = 1) -> tuple[float, float]:
    """(J of sum_i log|z_i|, |mass - 1|): the density is the Fourier integral of E|z|^(i t), a Gamma function.

    Examples
    --------
    >>> j, _ = fisher_information(3)
    >>> round(1 / j, 8)
    2.5651804
    """
    from scipy.special import loggamma

    step = _STEPS[level]
    t = np.arange(0, _FREQUENCY, step / 4)
    transform = np.exp(r * (0.5j * t * math.log(2) + loggamma(0.5 + 0.5j * t)) - 0.5 * r * math.log(math.pi))
    large = np.abs(transform) > _NOTHING
    t, transform = t[large], transform[large] * step / (4 * math.pi)
    transform[0] /= 2  # negative frequencies are the conjugates
    x = np.arange(-_LEFT, _RIGHT, step)
    waves = np.exp(-1j * np.outer(x, t))
    p, slope = (waves @ transform).real, (waves @ (-1j * t * transform)).real
    keep = p > _SMALL
    return float(step * np.sum(slope[keep] ** 2 / p[keep])), abs(float(step * p.sum()) - 1)
