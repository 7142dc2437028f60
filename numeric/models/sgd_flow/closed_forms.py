"""Gaussian integrals of committees in closed form: erf(x/sqrt(2)) and quadratic functions.

Source: D. Saad and S. Solla, Phys. Rev. E 52, 4225 (1995); docs/flows.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.language.kinks import BREAKS
from hermite_analytics.numeric.models.sgd_flow.averages import Averages
from hermite_analytics.numeric.models.sgd_flow.gradient import Gradient
from hermite_analytics.symbols import variable, z
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.symbols import Expr, Symbol

__all__ = ["ErfNetwork", "QuadraticNetwork", "closed_network", "i2", "i2_slope", "i3", "i4"]


def i2(c: Array) -> Array:
    """E[s(a) s(b)], s(x) = erf(x/sqrt(2)), for covariances c of shape (..., 2, 2)."""
    return (2 / np.pi) * np.arcsin(c[..., 0, 1] / np.sqrt((1 + c[..., 0, 0]) * (1 + c[..., 1, 1])))


def i2_slope(c: Array) -> Array:
    """E[s'(a) s'(b)]."""
    return (2 / np.pi) / np.sqrt((1 + c[..., 0, 0]) * (1 + c[..., 1, 1]) - c[..., 0, 1] ** 2)


def i3(c: Array) -> Array:
    """E[s'(a) b s(c)] for covariances of (a, b, c), shape (..., 3, 3)."""
    one = 1 + c[..., 0, 0]
    root = np.sqrt(one * (1 + c[..., 2, 2]) - c[..., 0, 2] ** 2)
    return (2 / np.pi) * (c[..., 1, 2] * one - c[..., 0, 1] * c[..., 0, 2]) / (one * root)


def i4(c: Array) -> Array:
    """E[s'(a) s'(b) s(c) s(d)] for covariances of (a, b, c, d), shape (..., 4, 4)."""
    one, two = 1 + c[..., 0, 0], 1 + c[..., 1, 1]
    ab = c[..., 0, 1]
    det = one * two - ab**2

    def schur(i: int, j: int) -> Array:
        cross = ab * (c[..., 0, i] * c[..., 1, j] + c[..., 0, j] * c[..., 1, i])
        return (
            det * c[..., i, j] - c[..., 1, i] * c[..., 1, j] * one - c[..., 0, i] * c[..., 0, j] * two + cross
        )

    norm = np.sqrt((det + schur(2, 2)) * (det + schur(3, 3)))
    return (4 / np.pi**2) / np.sqrt(det) * np.arcsin(np.clip(schur(2, 3) / norm, -1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErfNetwork:
    """Target sum_s c_s erf(v_s.z/sqrt(2)), student of erf(h/sqrt(2)).

    Attributes
    ----------
    weights : ndarray, shape (k,)
        c_s.
    directions : ndarray, shape (k, r)
        v_s.
    """

    weights: Array
    directions: Array

    def averages(self, gradient: Gradient, overlaps: Array, correlations: Array, noise: float) -> Averages:
        """All averages, for any number of neurons and directions."""
        p, r = overlaps.shape
        student = slice(r, r + p)
        rows = np.zeros((r + p + self.weights.size, r + p))  # (z, h, teacher fields) from (z, h)
        rows[: r + p] = np.eye(r + p)
        rows[r + p :, :r] = self.directions
        joint = np.block([[np.eye(r), overlaps.T], [overlaps, correlations]])
        cov = rows @ joint @ rows.T
        terms, share = list(range(r + p, cov.shape[0])), list(self.weights)
        if gradient.loss == "square":
            terms += list(range(r, r + p))
            share += list(-gradient.readout / p)
        e, w, a = np.array(terms), np.array(share), gradient.readout
        j = np.arange(r, r + p)
        linear = _blocks(cov, j[:, None, None], np.arange(r + p)[None, :, None], e[None, None, :])
        first = a[:, None] * (i3(linear) @ w)
        first_two = (j[:, None, None, None], j[None, :, None, None])
        pairs = _blocks(cov, *first_two, e[None, None, :, None], e[None, None, None, :])
        second = np.einsum("jlef,e,f->jl", i4(pairs), w, w)
        if noise > 0.0:
            second = second + noise * i2_slope(_blocks(cov, j[:, None], j[None, :]))
        return Averages(signal=first[:, :r], field=first[:, student], product=np.outer(a, a) * second)


def _blocks(cov: Array, *index: NDArray[np.int64]) -> Array:
    """Covariances of the chosen variables, in the last two axes."""
    chosen = np.stack(np.broadcast_arrays(*index), axis=-1)
    return np.asarray(cov[chosen[..., :, None], chosen[..., None, :]])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuadraticNetwork:
    """Target z^T C z + c, student of s h^2 + b.

    Attributes
    ----------
    form : ndarray, shape (r, r)
        C.
    constant : float
        c.
    curvature, bias : float
        s, b.
    """

    form: Array
    constant: float
    curvature: float
    bias: float

    def averages(self, gradient: Gradient, overlaps: Array, correlations: Array, noise: float) -> Averages:
        """All averages, for any number of neurons and directions, by Wick's theorem."""
        p, r = overlaps.shape
        a = gradient.readout
        cov = np.block([[np.eye(r), overlaps.T], [overlaps, correlations]])
        form, constant = np.zeros((r + p, r + p)), self.constant  # residual v^T form v + constant
        form[:r, :r] = self.form
        if gradient.loss == "square":
            form[r:, r:] = -np.diag(a) * self.curvature / p
            constant = self.constant - self.bias * float(a.mean())
        inner = cov @ form @ cov
        mean = float(np.trace(form @ cov))
        twice = 2.0 * float(np.sum((form @ cov) * (form @ cov).T)) + mean**2
        once = mean * cov + 2.0 * inner
        first = once + constant * cov  # E[residual v v^T]
        second = twice * cov + 4.0 * mean * inner + 8.0 * inner @ form @ cov
        second = second + 2.0 * constant * once + (constant**2 + noise) * cov
        slope = 2.0 * self.curvature * a
        return Averages(
            signal=slope[:, None] * first[r:, :r],
            field=slope[:, None] * first[r:, r:],
            product=np.outer(slope, slope) * second[r:, r:],
        )


def closed_network(activation: Activation, target: Target) -> ErfNetwork | QuadraticNetwork | None:
    """The closed form of a pair, if it has one of the two."""
    symbols = tuple(variable(j + 1) for j in range(target.dimension))
    g = target.noiseless
    if activation.expression == _erf():
        return _erf_network(g, symbols)
    if g.has(*BREAKS) or activation.expression.has(*BREAKS):  # step has no slope, and is no constant
        return None
    second = activation.expression.diff(z).diff(z).expand()
    if second.is_number and second != 0 and activation.expression.diff(z).subs(z, 0) == 0:
        return _quadratic_network(activation, g, symbols)
    return None


def _erf() -> Expr:
    return Activation("erf(z/sqrt(2))").expression


def _erf_network(g: Expr, symbols: tuple[Symbol, ...]) -> ErfNetwork | None:
    weights, directions = [], []
    for term in g.as_ordered_terms():
        weight, rest = term.as_independent(*symbols, as_Add=False)
        form = affine_form(rest.args[0], symbols) if rest.func == _erf().func else None
        if form is None or form[0] != 0 or not weight.is_number:
            return None
        weights.append(float(weight))
        directions.append([float(2**0.5 * float(a)) for a in form[1]])
    return ErfNetwork(weights=np.array(weights), directions=np.array(directions))


def _quadratic_network(
    activation: Activation, g: Expr, symbols: tuple[Symbol, ...]
) -> QuadraticNetwork | None:
    origin = dict.fromkeys(symbols, 0)
    second = [[g.diff(a).diff(b).expand() for b in symbols] for a in symbols]
    if not all(entry.is_number for row in second for entry in row):
        return None
    if any(g.diff(a).subs(origin) != 0 for a in symbols):
        return None
    curvature = float(activation.expression.diff(z).diff(z).expand()) / 2.0
    return QuadraticNetwork(
        form=np.array([[float(entry) / 2.0 for entry in row] for row in second]),
        constant=float(g.subs(origin)),
        curvature=curvature,
        bias=float(activation.expression.subs(z, 0)),
    )
