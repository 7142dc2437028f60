"""The bulk of a finite vocabulary: responses of J letters that share the directions of the input.

With S = V1hat, t = ridge + V2hat, P = diag(pi c rr) and rr the diagonal of the resolvent on each letter,

    rr_j = 1/(t_j + c_j E_jj),   E = S (1 + beta P S)^-1,   V2 = pi rr,   V1 = P (1 + beta S P)^-1

for rows of W that are independent and Gaussian. For orthogonal rows (W W^T = diag c, beta <= 1) E_jj is S_jj
and V1 is P; what the spike takes out of the rows is then of rank one and shows in zeta alone.

All arrays have a first axis of points. Source: docs/giant_step.md, "Finite vocabularies", after arXiv
2402.04980, App. D, eqs (133)-(164).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LetterBulk", "Vocabulary", "packed", "unpacked"]

Array = NDArray[Any]  # real, or complex for spectra
_INNER_STEPS = 200
_ROUNDING = 4e-16
_SMALL = 1e-13
_LONGEST_STEP = 12.0  # of log rr


@functools.cache
def _upper(letters: int) -> tuple[NDArray[np.int64], ...]:
    return np.triu_indices(letters)


def packed(matrix: Array, vector: Array) -> Array:
    """The J(J+1)/2 + J numbers of (symmetric matrix, vector), along the last axis."""
    upper = _upper(vector.shape[-1])
    return np.concatenate([matrix[..., upper[0], upper[1]], vector], axis=-1)


def unpacked(numbers: Array, letters: int) -> tuple[Array, Array]:
    """The inverse of `packed`."""
    upper = _upper(letters)
    pairs = upper[0].size
    matrix = np.empty((*numbers.shape[:-1], letters, letters), dtype=numbers.dtype)
    matrix[..., upper[0], upper[1]] = matrix[..., upper[1], upper[0]] = numbers[..., :pairs]
    return matrix, numbers[..., pairs:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Fractions pi and squared row norms c of the letters, both of shape (J,); the kind of bulk."""

    fraction: Array
    c: Array
    orthogonal: bool = False

    @property
    def letters(self) -> int:
        return self.c.size

    def bulk(self, s: Array, t: Array, beta: Array) -> LetterBulk:
        """Solve for rr at S (points, J, J), t (points, J), beta (points,)."""
        if self.orthogonal:
            rr = 1.0 / (t + self.c * np.diagonal(s, axis1=1, axis2=2))
            return LetterBulk(vocabulary=self, s=s, beta=beta, rr=rr, e=s)
        rr = self._resolvent(s, t, beta)
        return LetterBulk(vocabulary=self, s=s, beta=beta, rr=rr, e=self.screened(s, rr, beta))

    def screened(self, s: Array, rr: Array, beta: Array) -> Array:
        """E = (1 + beta S P)^-1 S."""
        matrix = np.eye(self.letters) + beta[:, None, None] * s * (self.fraction * self.c * rr)[:, None, :]
        return np.linalg.solve(matrix, s)

    def _alone(self, s: Array, t: Array, beta: Array) -> Array:
        """The rr of each letter as if there were no other: the root of a quadratic, exact for one letter."""
        own = self.c * np.diagonal(s, axis1=1, axis2=2)
        load = beta[:, None] * self.fraction
        square, linear = t * load * own, t + own * (1.0 - load)
        root = np.sqrt(linear * linear + 4.0 * square)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = np.where(linear >= 0.0, 2.0 / (linear + root), (root - linear) / (2.0 * square))
        return found

    def _resolvent(self, s: Array, t: Array, beta: Array) -> Array:
        """rr by Newton's method in log rr from that of the letters alone. Where a step gains little, the map
        rr -> 1/(t + c E), which contracts, goes on from the best place, for twice as many steps each time.
        """
        share = self.fraction * self.c
        rr = self._alone(s, t, beta)
        points = rr.shape[0]
        best, kept = np.full(points, np.inf), rr
        plain, burst = np.zeros(points, dtype=np.int64), np.ones(points, dtype=np.int64)
        for _ in range(_INNER_STEPS):
            e = self.screened(s, rr, beta)
            image = 1.0 / (t + self.c * np.diagonal(e, axis1=1, axis2=2))
            worst = np.max(np.abs(rr / image - 1.0), axis=1)
            # below _SMALL a step that does not halve the error is rounding
            going = (worst > _ROUNDING) & ((worst > _SMALL) | (worst < 0.5 * best)) & np.isfinite(worst)
            if not np.any(going):
                return rr
            failed = (plain == 0) & (worst > 0.7 * best) & (worst > _SMALL)
            burst = np.where(failed, 2 * burst, burst)
            plain = np.where(failed, burst, np.maximum(plain - 1, 0))
            matrix = (beta[:, None] * self.c * rr)[:, :, None] * e**2 * (share * rr)[:, None, :]
            change = np.linalg.solve(matrix - np.eye(self.letters), (rr / image - 1.0)[:, :, None])[:, :, 0]
            accepted = np.all(np.abs(change) < _LONGEST_STEP, axis=1) & (plain == 0)
            kept = np.where(failed[:, None], kept, image)
            best = np.where(failed, best, worst)
            proposed = np.where(
                accepted[:, None], rr * np.exp(np.where(accepted[:, None], change, 0.0)), kept
            )
            rr = np.where(going[:, None], proposed, rr)
        return rr


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterBulk:
    """The solved bulk of some points: rr (points, J), E (points, J, J), and what follows from them."""

    vocabulary: Vocabulary
    s: Array
    beta: Array
    rr: Array
    e: Array

    @property
    def power(self) -> Array:
        """The diagonal of P: pi c rr."""
        found: Array = self.vocabulary.fraction * self.vocabulary.c * self.rr
        return found

    @property
    def v1(self) -> Array:
        found: Array = _diagonal(self.power)
        if not self.vocabulary.orthogonal:
            found -= self.beta[:, None, None] * self.power[:, :, None] * self.e * self.power[:, None, :]
        return found

    @property
    def v2(self) -> Array:
        found: Array = self.vocabulary.fraction * self.rr
        return found

    def responses(self) -> Array:
        """Packed (V1, V2)."""
        return packed(self.v1, self.v2)

    def derivative(self, d_s: Array, d_t: Array) -> Array:
        """Packed change of (V1, V2) along k changes (d_s, d_t) of (S, t): (points, k, ...) in and out.

        The first axis of d_s (.., k, J, J) and d_t (.., k, J) may be 1.
        """
        fraction, c = self.vocabulary.fraction, self.vocabulary.c
        rr = self.rr[:, None, :]
        if self.vocabulary.orthogonal:
            d_rr = -(rr**2) * (d_t + c * np.diagonal(d_s, axis1=-2, axis2=-1))
            return packed(_diagonal(fraction * c * d_rr), fraction * d_rr)
        beta = self.beta[:, None, None]
        # N = (1 + beta P S)^-1 = 1 - beta P E
        n = np.eye(c.size) - beta * self.power[:, :, None] * self.e
        driven = n.transpose(0, 2, 1)[:, None] @ d_s @ n[:, None]
        matrix = -beta * c[:, None] * self.e**2 * (fraction * c * self.rr**2)[:, None, :] + np.eye(c.size)
        source = -(d_t + c * np.diagonal(driven, axis1=-2, axis2=-1))
        d_rr = np.linalg.solve(matrix, source.transpose(0, 2, 1)).transpose(0, 2, 1) * rr**2
        v1 = self.v1[:, None]
        d_v1 = (n[:, None] * (fraction * c * d_rr)[..., None, :]) @ n.transpose(0, 2, 1)[:, None]
        return packed(d_v1 - beta[..., None] * (v1 @ d_s @ v1), fraction * d_rr)

    def matrix(self) -> Array:
        """All derivatives of the packed (V1, V2) in the packed (S, t), shape (points, N, N)."""
        d_s, d_t = unpacked(np.eye(self.vocabulary.letters * (self.vocabulary.letters + 3) // 2),
                            self.vocabulary.letters)  # fmt: skip
        return self.derivative(d_s[None], d_t[None]).transpose(0, 2, 1)

    def spike_response(self, sources: Array) -> Array:
        """U (U^T resolvent U) in units of P: zeta / alpha for averages Z of shape (points, R, J)."""
        if not self.vocabulary.orthogonal:
            return self.power[:, None, :] * sources
        inverse = _diagonal(1.0 / self.power) - self.beta[:, None, None] * self.s
        return np.linalg.solve(inverse, sources.transpose(0, 2, 1)).transpose(0, 2, 1)

    def corner(self, alpha: Array) -> Array:
        """The inverse of `spike_response`, over alpha: what the means' linear system has in its corner."""
        found = _diagonal(1.0 / (alpha[:, None] * self.power))
        if self.vocabulary.orthogonal:
            found -= (self.beta / alpha)[:, None, None] * self.s
        return found

    def spike_share(self, zeta: Array) -> Array:
        """What zeta (points, R, J) adds to the packed (q1, q2) where rows are orthogonal: the spike takes
        part of them away.
        """
        fraction, c = self.vocabulary.fraction, self.vocabulary.c
        q2 = np.sum(zeta**2, axis=1) / (self.beta[:, None] * fraction * c)
        q1 = _diagonal(c * q2) - np.einsum("paj,pak->pjk", zeta, zeta)
        return packed(q1, q2)


def _diagonal(values: Any) -> Array:
    """Diagonal matrices of the last axis."""
    found: Array = values[..., :, None] * np.eye(values.shape[-1])
    return found
