"""The saddle point of ridge regression with letters: any letters and spikes, many points at once.

The responses (V1, V2) are a closed fixed point in J(J+1)/2 + J unknowns, solved by Newton's method on the
undamped residual with the plain iteration as its safeguard; m and zeta then solve one linear system, psi is
explicit, and (q1, q2) solve a linear system with the matrix of Newton's method. The ridge enters through the
pair (one, ridge) of `square_loss`.

Source: docs/giant_step.md, "Finite vocabularies", after arXiv 2402.04980, App. D, eqs (133)-(164).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Integers
from hermite_analytics.numeric.models.spiked.letter_bulk import LetterBulk, Vocabulary, packed, unpacked
from hermite_analytics.numeric.models.spiked.tables import Tables
from hermite_analytics.numeric.square_loss import BESIDE, SCALED

__all__ = ["LetterPoints", "Products", "kept_inverse", "only_the_mean", "solve_letters"]

Array = NDArray[Any]
CONVERGED, MAX_STEPS_REACHED, DIVERGED = 0, 1, 2
_CUTOFF = 1e-13  # directions of (m, zeta) that no average sees, of letters with dependent mean maps
_VANISHING = 1e-28
_SHARED = 4_000_000  # numbers in the table of products of products; beyond it they are made point by point


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterPoints:
    """Ratios of some points, shape (points,).

    Below the threshold small ridges are those of responses times the ridge: (one, ridge) is (ridge, 1).
    """

    alpha: Array
    beta: Array
    ridge: Array
    noise: Array
    one: Array

    @classmethod
    def of(cls, alpha: Array, beta: Array, ridge: Array, noise: Array) -> LetterPoints:
        small = (ridge < 1.0) & (alpha < beta)
        one = np.where(small, ridge, 1.0)
        return cls(alpha=alpha, beta=beta, ridge=np.where(small, 1.0, ridge), noise=noise, one=one)

    @property
    def ratio(self) -> Array:
        return self.alpha / self.beta

    @property
    def excess(self) -> Array:
        return (self.alpha - self.beta) / self.beta

    def part(self, chosen: Array | Integers) -> LetterPoints:
        return LetterPoints(**{name: getattr(self, name)[chosen] for name in LetterPoints.__slots__})


class Products:
    """mu1_j mu1_k (j <= k) and mu2_j^2 at the nodes, (N, n), and how often each stands in V."""

    def __init__(self, table: Tables) -> None:
        letters = table.mu1.shape[0]
        upper = np.triu_indices(letters)
        self.values = np.concatenate([table.mu1[upper[0]] * table.mu1[upper[1]], table.mu2_squared])
        self.copies = packed(np.where(np.eye(letters) > 0, 1.0, 2.0), np.ones(letters))
        size, nodes = self.values.shape
        self._squares = None
        if size * size * nodes <= _SHARED:
            self._squares = (self.values[:, None] * self.values[None]).reshape(size * size, nodes)

    def spread(self, packed_numbers: Array) -> Array:
        """mu1^T X1 mu1 + sum_j mu2_j^2 X2_j at the nodes, (points, n)."""
        found: Array = (self.copies * packed_numbers) @ self.values
        return found

    def averages(self, weights: Array) -> Array:
        """Averages of the products with weights (points, n): (points, N)."""
        found: Array = weights @ self.values.T
        return found

    def slopes(self, weights: Array) -> Array:
        """Averages of products of two products, times the copies of the second: (points, N, N)."""
        size = self.values.shape[0]
        if self._squares is not None:
            found = (weights @ self._squares.T).reshape(-1, size, size)
        else:
            found = np.stack([(self.values * w) @ self.values.T for w in weights])
        scaled: Array = found * self.copies
        return scaled


def kept_inverse(matrix: Array, goal: Array) -> Array:
    """Least-squares solutions of smallest norm of symmetric systems (.., n, n) that may be singular."""
    diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
    top = np.max(diagonal, axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        scale = np.where(diagonal > _VANISHING * top, 1.0 / np.sqrt(np.abs(diagonal)), 0.0)
    values, vectors = np.linalg.eigh(scale[..., :, None] * matrix * scale[..., None, :])
    components = np.einsum("...ij,...i->...j", vectors, scale * goal)
    kept = values > _CUTOFF * np.max(values, axis=-1, keepdims=True)
    components = np.where(kept, components / np.where(kept, values, 1.0), 0.0)
    found: Array = scale * np.einsum("...ij,...j->...i", vectors, components)
    return found


def solve_letters(
    table: Tables,
    vocabulary: Vocabulary,
    points: LetterPoints,
    start: Array,
    *,
    tolerance: float,
    max_steps: int,
) -> tuple[Array, Array, Integers, Integers]:
    """Solve some points of one table.

    Parameters
    ----------
    start : shape (points, N)
        Packed (V1, V2) to start from, NaN where unknown; on return those found.

    Returns
    -------
    out : shape (points, size)
        In the order of `Layout.blocks`; NaN where not converged.
    residual, steps, code : shape (points,)
    """
    products = Products(table)
    unknown = np.isnan(start[:, 0])
    power = vocabulary.fraction @ ((vocabulary.c[:, None] * table.mu1**2 + table.mu2_squared) @ table.weight)
    size = points.ridge + np.maximum(points.excess, 0.0) * power
    limit = points.one == 0.0  # of which V2 is known; with a ridge the iteration starts from above
    size[limit] = -1.0 / points.excess[limit]
    first = packed(np.diag(vocabulary.fraction * vocabulary.c), vocabulary.fraction) / size[:, None]
    responses = np.where(unknown[:, None], first, start)
    residual, steps, code = _fixed_points(
        table, products, vocabulary, points, responses, tolerance, max_steps
    )
    done = code == CONVERGED
    letters, spikes = table.mu0.shape[0], table.kappa.shape[0]
    out = np.full((points.alpha.size, 2 + letters * (2 + spikes) + 2 * start.shape[1]), np.nan)
    start[:] = np.where(done[:, None], responses, np.nan)
    if np.any(done):
        out[done] = _observables(table, products, vocabulary, points.part(done), responses[done])
    return out, residual, steps, code


def _hats(
    products: Products, table: Tables, vocabulary: Vocabulary, points: LetterPoints, responses: Array
) -> tuple[Array, LetterBulk]:
    """w at the nodes, and the bulk at the hats of the responses."""
    w = 1.0 / (points.one[:, None] + products.spread(responses))
    s, t = unpacked(points.ratio[:, None] * products.averages(table.weight * w), vocabulary.letters)
    return w, vocabulary.bulk(s, t + points.ridge[:, None], points.beta)


def _fixed_points(
    table: Tables, products: Products, vocabulary: Vocabulary, points: LetterPoints, responses: Array,
    tolerance: float, max_steps: int,
) -> tuple[Array, Integers, Integers]:  # fmt: skip
    """Newton's method for all points at once; fills `responses`; returns (residual, steps, code)."""
    count, letters = points.alpha.size, vocabulary.letters
    residual, best = np.full(count, np.inf), np.full(count, np.inf)
    stalled, steps = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    code = np.full(count, MAX_STEPS_REACHED, dtype=np.int64)
    active = np.arange(count)
    for step in range(1, max_steps + 1):
        some, x = points.part(active), responses[active]
        w, bulk = _hats(products, table, vocabulary, some, x)
        image = bulk.responses()
        steps[active] = step
        sane = np.all(np.isfinite(image), axis=1) & np.all(image[:, -letters:] > 0.0, axis=1)
        now = np.where(sane, _distance(x, image, letters), np.inf)
        residual[active] = now
        close = now <= tolerance
        scale = np.ones(len(x))
        if close.any():
            scale = _scale(table, products, some, w, x[:, -letters:].sum(1))
        done = close & ((np.abs(some.excess) > BESIDE) | (np.abs(scale - 1.0) <= max(tolerance, SCALED)))
        code[active[done]], code[active[~sane]] = CONVERGED, DIVERGED
        responses[active[done]] = image[done]
        left = sane & ~done
        if not np.any(left):
            break
        improved = now < 0.5 * best[active]
        stalled[active] = np.where(improved, 0, stalled[active] + 1)
        best[active] = np.minimum(best[active], now)
        change = _answers(table, products, some, w, bulk, x, x - image, image - x, left)
        proposed = x + np.where(left[:, None], change, 0.0)
        newton = (stalled[active] < 4) & _allowed(proposed, x, letters)
        newton &= np.min(some.one[:, None] + products.spread(proposed), axis=1) > 0.0
        proposed = np.where(newton[:, None], proposed, image)
        responses[active[left]] = np.where(close[:, None], scale[:, None] * image, proposed)[left]
        stalled[active] = np.where(stalled[active] >= 8, 0, stalled[active])
        active = active[left]
    return residual, steps, code


def _scale(table: Tables, products: Products, points: LetterPoints, w: Array, second: Array) -> Array:
    """By what V is multiplied to fulfil ratio E[one w] = excess + ridge sum_j V2_j, see `square_loss`."""
    weights = points.ratio[:, None] * points.one[:, None] * table.weight * w
    slope = np.sum(weights * (1.0 - points.one[:, None] * w), axis=1) + points.ridge * second
    wanted = np.sum(weights, axis=1) - points.excess - points.ridge * second
    with np.errstate(invalid="ignore"):
        return np.asarray(np.clip(1.0 + wanted / slope, 0.1, 10.0))


def _answers(
    table: Tables, products: Products, points: LetterPoints, w: Array, bulk: LetterBulk, x: Array,
    off: Array, right: Array, usable: Array,
) -> Array:  # fmt: skip
    """y with (1 - d image/dV) y = right at V = x, (points, N), of usable points; `off` is V less its image.

    Beside the threshold this matrix is nearly singular along V. What it makes of V is known to all digits
    (`square_loss`) and takes the place of its last column, the part of y along V that of the last unknown.
    """
    squares = table.weight * w**2
    s, t = unpacked((points.ratio * points.one)[:, None] * products.averages(squares), table.mu0.shape[0])
    along = off - bulk.derivative(s[:, None], (t + points.ridge[:, None])[:, None])[:, 0]
    matrix = bulk.matrix() @ (points.ratio[:, None, None] * products.slopes(squares)) + np.eye(x.shape[1])
    matrix[:, :, -1] = along
    matrix[~usable] = np.eye(x.shape[1])
    found = np.linalg.solve(matrix, right[:, :, None])[:, :, 0]
    share = found[:, -1:].copy()
    found[:, -1] = 0.0
    return np.asarray(found + share * x)


def _distance(x: Array, image: Array, letters: int) -> Array:
    """Relative undamped residual: of V1 to its largest entry, of V2 to each."""
    first, second = np.abs(image - x)[:, :-letters], np.abs(image - x)[:, -letters:]
    top = np.max(np.abs(image[:, :-letters]), axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = np.maximum(
            np.max(first, axis=1) / top, np.max(second / np.abs(image[:, -letters:]), axis=1)
        )
    return found


def _allowed(proposed: Array, x: Array, letters: int) -> Array:
    """Whether Newton's step keeps all diagonal responses within a factor of 10."""
    new_matrix, new = unpacked(proposed, letters)
    old_matrix, old = unpacked(x, letters)
    diagonal = np.diagonal(new_matrix, axis1=1, axis2=2) / np.diagonal(old_matrix, axis1=1, axis2=2)
    shares = np.concatenate([new / old, diagonal], axis=1)
    found: Array = np.all((shares > 0.1) & (shares < 10.0), axis=1)
    return found


def _means(table: Tables, w: Array, corner: Array) -> tuple[Array, Array]:
    """m (points, J) and zeta (points, R, J) from one symmetric linear system."""
    letters, spikes = table.mu0.shape[0], table.kappa.shape[0]
    slopes = (table.kappa[:, None, :] * table.mu1[None]).reshape(spikes * letters, -1)
    basis = np.concatenate([table.mu0, slopes])
    weights = table.weight * w
    matrix = (weights[:, None, :] * basis) @ basis.T
    for a in range(spikes):
        place = slice(letters * (1 + a), letters * (2 + a))
        matrix[:, place, place] += corner
    found = kept_inverse(matrix, (weights * table.h) @ basis.T)
    return found[:, :letters], found[:, letters:].reshape(-1, spikes, letters)


def _observables(
    table: Tables, products: Products, vocabulary: Vocabulary, points: LetterPoints, responses: Array
) -> Array:
    """Rows of results from the responses."""
    w, bulk = _hats(products, table, vocabulary, points, responses)
    weights, noise = table.weight * w, points.noise[:, None]
    m, zeta = _means(table, w, bulk.corner(points.alpha))
    cc = m @ table.mu0 + np.sum(table.kappa * (zeta @ table.mu1), axis=1)
    p_hat = (weights * table.h1) @ table.mu1.T
    psi = points.alpha[:, None] * np.einsum("pjk,pk->pj", bulk.v1, p_hat)
    z_hat = ((weights * (table.h - cc))[:, None, :] * table.kappa) @ table.mu1.T
    error = table.hh - 2.0 * cc * table.h + cc**2 - 2.0 * (psi @ table.mu1) * table.h1
    squares = weights * w
    q1_hat, q2_hat = unpacked(
        points.ratio[:, None] * products.averages(squares * (error + noise)), m.shape[1]
    )
    factor = (points.alpha**2 / points.beta)[:, None]
    q1_hat += factor[..., None] * p_hat[:, :, None] * p_hat[:, None, :]
    if not vocabulary.orthogonal:
        q2_hat = q2_hat + factor * vocabulary.c * np.sum(z_hat**2, axis=1)
    driven = -bulk.derivative(q1_hat[:, None], q2_hat[:, None])[:, 0]
    if vocabulary.orthogonal:
        driven += bulk.spike_share(zeta)
    none, everywhere = np.zeros_like(driven), np.ones(len(driven), dtype=bool)
    q = _answers(table, products, points, w, bulk, responses, none, driven, everywhere)
    error = error + products.spread(q)
    train = np.sum(squares * (error + noise), axis=1)
    shown = bulk.responses()
    with np.errstate(divide="ignore", invalid="ignore"):  # the ridgeless limit interpolates
        shown = np.where(shown == 0.0, 0.0, shown / points.one[:, None])
    errors = np.stack([error @ table.weight, points.one**2 * train], axis=1)
    return np.concatenate([errors, m, zeta.reshape(m.shape[0], -1), psi, q, shown], axis=1)


def only_the_mean(table: Tables, noise: Array) -> Array:
    """Rows of the limit of an infinite ridge after d -> infinity: the best combination of the mu0."""
    letters, spikes = table.mu0.shape[0], table.kappa.shape[0]
    weighted = table.mu0 * table.weight
    m = kept_inverse(weighted @ table.mu0.T, weighted @ table.h)
    cc = m @ table.mu0
    out = np.zeros((noise.size, 2 + letters * (2 + spikes) + letters * (letters + 3)))
    out[:, 0] = table.weight @ (table.hh - 2.0 * cc * table.h + cc**2)
    out[:, 1] = out[:, 0] + noise
    out[:, 2 : 2 + letters] = m
    return out
