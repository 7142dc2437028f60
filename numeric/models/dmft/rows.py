"""The law of one training row, step by step: its features, its gradients, and their orthonormal versions.

The weights stand in an orthonormal basis of R^d: p directions of the start, the r of the target, and p new
ones a step. A row's features are its coordinates x in that basis, its fields h_t = D_t x. The coordinate
along the newest directions is b_t = xi_t + gamma_t/sqrt(alpha): fresh noise, and the row's own gradient after
those of earlier steps were projected out. That is all the memory there is.

Source: conditioning of Gaussian matrices (Bolthausen 2014); arXiv 2006.08098, 2112.07572; docs/dmft.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.network import Answer
from hermite_analytics.numeric.models.dmft.place import Place

__all__ = ["Increment", "Moments", "TrainingRows", "increment_of", "joint_root", "symmetric_root"]

Masks = NDArray[np.bool_]
There = Any
"""An array of the namespace of the rows."""
_SINGULAR = 1e-14  # of the trace of E[g g^T]: directions below are rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """Averages over the training rows at step t.

    Attributes
    ----------
    signal : ndarray, shape (p, q)
        E[g_t x^T] of the q features known before the step.
    projection : ndarray, shape (p, p t)
        E[g_t gamma^T].
    residual : ndarray, shape (p, p)
        E[res res^T], res = g_t - E[g_t gamma^T] gamma.
    pull : ndarray, shape (p,)
        E[s_t l' sigma(h_t)], the gradient of the readout.
    error, loss : float
        E (y - f)^2 and E l(f, y), label noise included.
    """

    signal: Array
    projection: Array
    residual: Array
    pull: Array
    error: float
    loss: float

    @property
    def vector(self) -> Array:
        """All numbers in a row."""
        parts = (self.signal, self.projection, self.residual, self.pull, [self.error, self.loss])
        return np.concatenate([np.ravel(p) for p in parts])

    @classmethod
    def of_averages(cls, averages: Array, p: int, features: int) -> Moments:
        """From those of `TrainingRows.averages`, the gamma orthonormal."""
        earlier = (averages.size - p * (features + p + 1) - 2) // p
        ends = np.cumsum([p * features, p * earlier, p * p, p])
        signal, projection, second, pull, errors = np.split(averages, ends)
        known = projection.reshape(p, earlier)
        return cls(
            signal=signal.reshape(p, features),
            projection=known,
            residual=second.reshape(p, p) - known @ known.T,
            pull=pull,
            error=float(errors[0]),
            loss=float(errors[1]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Increment:
    """What a row needs to know of a step to go on: gamma_t = inverse (g_t - projection gamma).

    Attributes
    ----------
    projection : ndarray, shape (p, p t)
    root, inverse : ndarray, shape (p, p)
        S_t with S_t S_t^T = E[res res^T], and its pseudo-inverse.
    factor : ndarray, shape (p, p)
        I in the limit; at finite d the triangular factor of the new directions.
    """

    projection: Array
    root: Array
    inverse: Array
    factor: Array


class TrainingRows:
    """Weighted rows that go through the steps together.

    Parameters
    ----------
    place : Place
        With the network; start, label, weights and all that a row knows are arrays there.
    alpha : float > 0
    start : array, shape (p + r, n)
        (h0~, z) of each row, N(0, 1) in law.
    label : array, shape (n,)
        With its noise.
    weights : array, shape (n,)
        E is the weighted sum.
    masks : ndarray of bool, shape (steps, n)
        s_t of each row.
    """

    __slots__ = (
        *("_alpha", "_features", "_gammas", "_gradient", "_network", "_place", "_steps"),
        *("label", "masks", "weights"),
    )
    keeps_gradients: ClassVar[bool] = True

    def __init__(
        self, place: Place, alpha: float, start: There, label: There, weights: There, masks: Masks
    ) -> None:
        network, rows = place.network, label.shape[0]
        network.loss.check_labels(label)
        self._place, self._network, self._alpha = place, network, alpha
        self._gradient = place.empty(network.readout.size, rows)
        self.label, self.weights, self.masks = label, weights, masks
        self._steps = 0
        new = network.readout.size * masks.shape[0]
        self._gammas = place.empty(new if self.keeps_gradients else 0, rows)
        self._features = place.empty(start.shape[0] + new, rows)
        self._features[: start.shape[0]] = start

    @property
    def steps(self) -> int:
        """How many steps the rows have gone."""
        return self._steps

    @property
    def gammas(self) -> There:
        """All gamma_s so far, shape (p t, n)."""
        return self._gammas[: self._network.readout.size * self._steps]

    @property
    def features(self) -> There:
        """x, shape (q, n)."""
        new = self._network.readout.size * (self.masks.shape[0] - self._steps)
        return self._features[: self._features.shape[0] - new]

    def measure(self, coordinates: Array, readout: Array) -> Moments:
        """The averages of this step, at the weights D_t of shape (p, q) and the readout a_t."""
        x, known, p, place = self.features, self.gammas, coordinates.shape[0], self._place
        signal, projection = place.zeros(p, x.shape[0]), place.zeros(p, known.shape[0])
        error = loss = 0.0
        pull = place.zeros(p)
        for part, answer, its in self._answers(coordinates, readout):
            weighted = answer.gradient * self.weights[part]
            signal += weighted @ x[:, part].T
            projection += weighted @ known[:, part].T
            error, loss, pull = error + its[0], loss + its[1], pull + answer.pull(self.weights[part])
        again, second = place.zeros(p, known.shape[0]), place.zeros(p, p)
        for part in self._parts:
            residual = self._gradient[:, part] - projection @ known[:, part]
            weighted = residual * self.weights[part]
            again += weighted @ known[:, part].T  # Gram-Schmidt twice, against rounding
            second += weighted @ residual.T
        return Moments(
            signal=place.here(signal),
            projection=place.here(projection + again),
            residual=place.here(second - again @ again.T),
            pull=place.here(pull),
            error=error,
            loss=loss,
        )

    def averages(
        self, coordinates: Array, readout: Array, row: NDArray[np.int64], fresh: Array, weights: Array
    ) -> Array:
        """E[g x^T], E[g gamma^T], E[g g^T], E[l' sigma] and the two errors: sums over nodes, linear in E.

        A node is a row whose newest coordinates are `fresh` more, of p variables; the rows have them at 0,
        and stand in the memory of the processor.

        Parameters
        ----------
        coordinates : ndarray, shape (p, q)
        readout : ndarray, shape (p,)
        row : ndarray of int, shape (nodes,)
            The row of each node, in order and each at least once.
        fresh : ndarray, shape (p, nodes)
        weights : ndarray, shape (nodes,)
            Of the nodes.
        """
        p, features = self._network.readout.size, self.features
        newest = slice(0, p) if not self.steps else slice(features.shape[0] - p, features.shape[0])
        fields = (coordinates @ features)[:, row] + coordinates[:, newest] @ fresh
        label, mask = self.label[row], self._mask
        answer = self._network.answer(readout, fields, label, None if mask is None else mask[row])
        errors = (
            weights @ np.square(label - answer.prediction),
            weights @ self._network.loss.value(label, answer.prediction),
        )
        gradient = answer.gradient
        weighted = gradient * weights
        totals = np.add.reduceat(weighted, np.searchsorted(row, np.arange(features.shape[1])), axis=1)
        signal = totals @ features.T
        signal[:, newest] += weighted @ fresh.T
        parts = (signal, totals @ self.gammas.T, weighted @ gradient.T, answer.pull(weights), errors)
        return np.concatenate([np.ravel(part) for part in parts])

    def errors(self, coordinates: Array, readout: Array) -> tuple[float, float]:
        """E (y - f)^2 and E l(f, y) at the weights; the gradients are kept for the step."""
        found = [its for *_, its in self._answers(coordinates, readout)]
        error, loss = np.sum(found, axis=0)
        return float(error), float(loss)

    def _answers(
        self, coordinates: Array, readout: Array
    ) -> Iterator[tuple[slice, Answer, tuple[float, float]]]:
        """Part by part what the network says at the weights, with its share of the two errors.

        Gradients are kept.
        """
        x, mask, value = self.features, self._mask, self._network.loss.value
        coordinates, readout = self._place.there(coordinates), self._place.there(readout)
        for part in self._parts:
            label, weights, seen = self.label[part], self.weights[part], None if mask is None else mask[part]
            answer = self._network.answer(readout, coordinates @ x[:, part], label, seen)
            self._gradient[:, part] = answer.gradient
            error = float(weights @ (label - answer.prediction) ** 2)
            yield part, answer, (error, float(weights @ value(label, answer.prediction)))

    @property
    def _parts(self) -> list[slice]:
        return self._place.parts(self.label.shape[0])

    @property
    def _mask(self) -> There | None:
        """Who is seen at this step, None for everybody; after the last one everybody is."""
        if self.steps == self.masks.shape[0]:
            return None
        mask = self.masks[self.steps]
        is_one_value = mask.strides == (0,)
        return None if bool(mask[0] if is_one_value else mask.all()) else self._place.mask(mask)

    def absorb(self, step: Increment, fresh: There, *, finite: bool = False) -> None:
        """Go over a step, with the gradients that were last measured.

        Parameters
        ----------
        step : Increment
        fresh : array, shape (p, n)
            xi_t.
        finite : bool
            Whether the rows are all there are: xi_t is then made orthogonal to all gradients.
        """
        known, p, there = self.gammas, step.root.shape[0], self._place.there
        self._steps += 1
        gammas, new = self.gammas, self.features[-p:]
        inverse, earlier = there(step.inverse), there(step.inverse @ step.projection)
        factor = there(step.factor / np.sqrt(self._alpha))
        overlap = self._place.zeros(p, gammas.shape[0])
        for part in self._parts:
            gamma = inverse @ self._gradient[:, part] - earlier @ known[:, part]
            gammas[-p:, part] = gamma
            new[:, part] = factor @ gamma + fresh[:, part]
            if finite:
                overlap += (fresh[:, part] * self.weights[part]) @ gammas[:, part].T
        if finite:
            for part in self._parts:
                new[:, part] -= overlap @ gammas[:, part]


def symmetric_root(matrix: Array, least: float) -> tuple[Array, Array]:
    """The symmetric square root of a psd matrix and its pseudo-inverse without eigenvalues up to `least`."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > least
    roots = np.sqrt(np.where(kept, values, 0.0))
    inverse = np.where(kept, 1.0 / np.where(kept, roots, 1.0), 0.0)
    return (vectors * roots) @ vectors.T, (vectors * inverse) @ vectors.T


def increment_of(moments: Moments, factor: Array | None = None) -> Increment:
    """The step that these averages make; paired neurons and linear networks have a singular root."""
    size = float(np.trace(moments.residual) + np.sum(moments.projection**2))
    root, inverse = symmetric_root(moments.residual, _SINGULAR * size)
    return Increment(
        projection=moments.projection,
        root=root,
        inverse=inverse,
        factor=np.eye(root.shape[0]) if factor is None else factor,
    )


def joint_root(overlap: Array, norm: Array) -> Array:
    """D = [(Q - M M^T)^{1/2}, M], shape (p, p + r): fields D (h0~, z) of a fresh sample."""
    rest = norm - overlap @ overlap.T
    root, _ = symmetric_root(0.5 * (rest + rest.T), 1e-15 * max(float(np.trace(norm)), 0.0))
    return np.concatenate([root, overlap], axis=1)
