"""The saddle point of any convex loss on spiked random features, any letters and spikes.

At a node kappa the field of a fresh sample is cc + psi.mu1 z + noise, of variance q, and the channel of the
loss averages over it: a = E[-G'], b = E G^2, c = E[z G] - psi.mu1 E G', e = E G for G = (prox - field)/V. The
equations of the bulk are those of the square loss, where a = 1/(1 + V). Each step solves the equations that
the square loss with these averages would have, which is Newton's method for the square loss itself;
Anderson's acceleration does the rest. It stops on the undamped residual. The minimisation is convex and the
fixed point one.

Source: arXiv 2402.04980, eqs (97)-(105), (118)-(120); docs/giant_step.md, "Any convex loss".
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.losses.record import Corners, Proximal
from hermite_analytics.numeric.losses.interface import CORNERS_TYPE, PROXIMAL_TYPE, compiled_as
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.channels import CHANNEL_TYPE, Channel
from hermite_analytics.numeric.models.spiked.general_iteration import CONVERGED, MAX_STEPS_REACHED, solved
from hermite_analytics.numeric.models.spiked.letter_bulk import Vocabulary, unpacked
from hermite_analytics.numeric.models.spiked.letter_loss import Products, kept_inverse
from hermite_analytics.numeric.models.spiked.tables import Tables
from hermite_analytics.numeric.models.spiked.teacher import Teacher

__all__ = ["general_point"]

_MATRIX = "float64[:, ::1]"
_SMALLEST = 1e-21
_SMALL = 1e-6
_BALANCED = 1e-6
_ROUNDING = 1e-10


@compiled_as(
    f"void({PROXIMAL_TYPE}, {CORNERS_TYPE}, float64, {CHANNEL_TYPE}, UniTuple({_MATRIX}, 3), float64[::1], "
    f"float64, {_MATRIX}, int64, {_MATRIX})"
)
def _averages(
    proximal: Proximal, corners: Corners, parameter: float, channel: Channel,
    teacher: tuple[Array, Array, Array], weight: Array, extra: float, states: Array, level: int, out: Array,
) -> None:  # fmt: skip
    """a, b, c, e, loss, wrong at each node; states are rows (V, Q, M, mean)."""
    places, labels, weights = teacher
    for k in range(weight.size):
        out[k] = 0.0
        if weight[k] > _SMALLEST:
            state = (states[k, 0], states[k, 1], states[k, 2], states[k, 3])
            row = (places[k], labels[k], weights[k])
            channel(proximal, corners, parameter, row, extra, state, level, out[k])


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """The overlaps of one point."""

    responses: Array
    q: Array
    m: Array
    zeta: Array
    psi: Array

    def flat(self) -> Array:
        return np.concatenate([self.responses, self.q, self.m, self.zeta.ravel(), self.psi])

    def like(self, flat: Array) -> _State:
        """The state with these numbers."""
        sizes = np.cumsum([self.responses.size, self.q.size, self.m.size, self.zeta.size])
        responses, q, m, zeta, psi = np.split(flat, sizes)
        return _State(responses=responses, q=q, m=m, zeta=zeta.reshape(self.zeta.shape), psi=psi)

    def units(self) -> Array:
        """The largest of each kind; overlaps against the size of the readout."""
        parts = (self.responses, self.q, self.m, self.zeta, self.psi)
        readout = np.sqrt(np.max(np.abs(self.q)))
        least = (0.0, 0.0, readout, readout, readout)
        sizes = [max(float(np.max(np.abs(p), initial=x)), 1e-300) for p, x in zip(parts, least, strict=True)]
        return np.repeat(sizes, [p.size for p in parts])

    def sound(self) -> bool:
        """Whether all responses and variances are positive."""
        letters = self.m.size
        matrix, vector = unpacked(self.responses, letters)
        variances = unpacked(self.q, letters)[1]
        return bool(np.all(vector > 0.0) and np.all(np.diagonal(matrix) > 0.0) and np.all(variances > 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Terms:
    """What the equations are made of at a state.

    `field` is (V, Q, M, mean) at the nodes, `averages` has the columns a, b, c, e, loss, wrong; `slope` and
    `matrix` are those of Newton's method for the responses.
    """

    field: tuple[Array, Array, Array, Array]
    averages: Array
    bulk: Any
    slope: Array
    matrix: Array
    p_hat: Array


class _Point:
    """The equations of one point on one table."""

    def __init__(
        self,
        loss: Loss,
        table: Tables,
        products: Products,
        teacher: Teacher,
        vocabulary: Vocabulary,
        ratios: Any,
    ) -> None:
        self.loss, self.table, self.teacher, self.vocabulary = loss, table, teacher, vocabulary
        self.products = products
        self.alpha, self.beta, self.ridge, self.noise = map(float, ratios)
        spikes = table.kappa.shape[0]
        slopes = (table.kappa[:, None, :] * table.mu1[None]).reshape(spikes * vocabulary.letters, -1)
        self.basis = np.concatenate([table.mu0, slopes])
        self._last: tuple[_State, _Terms] | None = None

    def fields(self, state: _State) -> tuple[Array, Array, Array, Array]:
        """V, Q, M and the mean of the field at the nodes."""
        cc = np.concatenate([state.m, state.zeta.ravel()]) @ self.basis
        spread = self.products.spread(np.stack([state.responses, state.q]))
        overlap = state.psi @ self.table.mu1
        return spread[0], np.maximum(spread[1], overlap**2 * (1.0 + 1e-14)), overlap, cc

    def terms(self, state: _State) -> _Terms:
        """The averages over a sample, and the resolvent of the bulk that they make; the last are kept."""
        if self._last is None or self._last[0] is not state:
            self._last = state, self._terms(state)
        return self._last[1]

    def _terms(self, state: _State) -> _Terms:
        table, vocabulary = self.table, self.vocabulary
        field = self.fields(state)
        averages = self._averages(field)
        a, _, c = averages.T[:3]
        ratio = self.alpha / self.beta
        s, t = unpacked(ratio * self.products.averages((table.weight * a)[None]), vocabulary.letters)
        bulk = vocabulary.bulk(s, t + self.ridge, np.array([self.beta]))
        slope = ratio * self.products.slopes((table.weight * a**2)[None])
        matrix = (np.eye(state.responses.size) + bulk.matrix() @ slope)[0]
        return _Terms(
            field=field,
            averages=averages,
            bulk=bulk,
            slope=slope,
            matrix=matrix,
            p_hat=table.mu1 @ (table.weight * c),
        )

    def _averages(self, field: tuple[Array, Array, Array, Array]) -> Array:
        teacher, (v, q, overlap, mean) = self.teacher, field
        states = np.ascontiguousarray(np.stack([v, np.maximum(q, 1e-300), overlap, mean], axis=1))
        out = np.empty((v.size, 6))
        _averages(
            self.loss.proximal, self.loss.corners, self.loss.parameter, teacher.channel,
            (teacher.places, teacher.labels, teacher.weights), np.array(self.table.weight), self.noise,
            states, teacher.level, out,
        )  # fmt: skip
        return out

    def with_ridge(self, ridge: float) -> _Point:
        """The same point at another ridge."""
        moved = copy.copy(self)
        moved.ridge, moved._last = ridge, None
        return moved

    def small(self, like: _State) -> _State:
        """A state with nearly no readout: the responses of a bulk that sees no data."""
        letters = self.vocabulary.letters
        none = np.zeros((1, letters, letters)), np.full((1, letters), self.ridge)
        responses = self.vocabulary.bulk(*none, np.array([self.beta])).responses()[0]
        nothing = like.like(np.zeros(like.flat().size))
        return replace(nothing, responses=responses, q=_SMALL * responses**2)

    def step(self, state: _State) -> tuple[_State, float]:
        """(next state, undamped relative residual)."""
        weight, letters = self.table.weight, self.vocabulary.letters
        at = self.terms(state)
        a, b, _, e = at.averages.T[:4]
        _, q_now, _, cc = at.field
        image = at.bulk.responses()[0]
        responses = state.responses + np.linalg.solve(at.matrix, image - state.responses)
        if not np.all(responses[-letters:] > 0.1 * state.responses[-letters:]):
            responses = image
        # means: e is linearised in cc, with slope -a
        weighted = self.basis * (weight * a)
        system = weighted @ self.basis.T
        corner = at.bulk.corner(np.array([self.alpha]))[0]
        for place in range(letters, system.shape[0], letters):
            system[place : place + letters, place : place + letters] += corner
        means = kept_inverse(system, self.basis @ (weight * (e + a * cc)))
        m, zeta = means[:letters], means[letters:].reshape(state.zeta.shape)
        psi = self.alpha * (at.bulk.v1[0] @ at.p_hat)
        q, plain_q = self._variances(at, weight * b, weight * a**2 * q_now, zeta)
        found = _State(responses=responses, q=q, m=m, zeta=zeta, psi=psi)
        plain = _State(responses=image, q=plain_q, m=m, zeta=zeta, psi=psi)
        return found, self._residual(state, plain, cc)

    def defect(self, state: _State) -> Array:
        """Image minus state of responses, variances and psi; the equations of the means, E[mu0 e] = 0 and
        E[kappa mu1 e] = corner zeta, against E[|basis| |G|]; each in units of its kind.
        """
        weight, letters = self.table.weight, self.vocabulary.letters
        at = self.terms(state)
        a, b, _, e = at.averages.T[:4]
        image = at.bulk.responses()[0]
        _, plain_q = self._variances(at, weight * b, weight * a**2 * at.field[1], state.zeta)
        psi = self.alpha * (at.bulk.v1[0] @ at.p_hat)
        means = self.basis @ (weight * e)
        means[letters:] -= (state.zeta @ at.bulk.corner(np.array([self.alpha]))[0]).ravel()
        force = float(np.sqrt(weight @ b))
        sizes = np.maximum(np.sqrt(self.basis**2 @ weight), 1e-300) * max(force, 1e-300)
        readout = float(np.sqrt(np.max(np.abs(plain_q))))
        return np.concatenate(
            [
                (image - state.responses) / np.max(np.abs(image)),
                (plain_q - state.q) / np.max(np.abs(plain_q)),
                means / sizes,
                (psi - state.psi) / readout,
            ]
        )

    def unbalanced(self, state: _State) -> float:
        """|E[mu0 e]| against what it may be: where a hinge bends nowhere, no step sees it."""
        weight, mu0 = self.table.weight, self.table.mu0
        _, b, _, e = self.terms(state).averages.T[:4]
        size = np.maximum(np.sqrt(mu0**2 @ weight), _ROUNDING)  # of an odd activation without spike
        return float(np.max(np.abs(mu0 @ (weight * e)) / (size * max(float(np.sqrt(weight @ b)), 1e-300))))

    def _variances(self, at: _Terms, b: Array, own: Array, zeta: Array) -> tuple[Array, Array]:
        """(q with its own part in b solved for, the plain image of q)."""
        letters, vocabulary, bulk = self.vocabulary.letters, self.vocabulary, at.bulk
        factor = self.alpha**2 / self.beta
        extra1 = factor * np.outer(at.p_hat, at.p_hat)
        extra2 = np.zeros(letters)
        if not vocabulary.orthogonal:  # zeta = alpha P Z
            z_hat = zeta / (self.alpha * bulk.power[0])
            extra2 = factor * vocabulary.c * np.sum(z_hat**2, axis=0)
        found = []
        for weights in (b - own, b):
            first, second = unpacked(self.alpha / self.beta * self.products.averages(weights[None]), letters)
            driven = -bulk.derivative(first + extra1, second + extra2)[0]
            found.append(driven.reshape(-1))
        share = bulk.spike_share(zeta[None])[0] if vocabulary.orthogonal else 0.0
        return np.linalg.solve(at.matrix, found[0] + share), found[1] + share

    def _residual(self, state: _State, plain: _State, cc: Array) -> float:
        """Largest relative change under the plain map; of (m, zeta) through the field that they make."""
        worst = 0.0
        for name in ("responses", "q"):
            old, new = getattr(state, name), getattr(plain, name)
            worst = max(worst, float(np.max(np.abs(new - old)) / np.max(np.abs(new))))
        moved = np.concatenate([plain.m, plain.zeta.ravel()]) @ self.basis - cc
        moved = moved**2 + ((plain.psi - state.psi) @ self.table.mu1) ** 2
        size = float(np.sum(self.table.weight * self.products.spread(plain.q[None])[0]))
        size += float(np.sum(self.table.weight * cc**2))
        return max(worst, float(np.sqrt(self.table.weight @ moved / max(size, 1e-300))))


def general_point(
    loss: Loss, table: Tables, products: Products, teacher: Teacher, vocabulary: Vocabulary, ratios: Any,
    start: Array, *, kept: float, tolerance: float, max_steps: int,
) -> tuple[Array, float, int, int]:  # fmt: skip
    """Solve one point from a row of numbers as `Layout.blocks` has them; E[y|x] is `kept` times the target.

    Returns
    -------
    (row, residual, steps, code); the row is that of `Layout.blocks`, train_error the mean loss, test_error
    the share of wrong signs for a loss of the margin, else the mean squared error.
    """
    if loss.of_margin and ratios[3] > 0.0:
        raise InputError(f"noise is {ratios[3]:g}; the loss {loss} takes labels 1 and -1 without noise")
    point = _Point(loss, table, products, teacher, vocabulary, ratios)
    letters, spikes = vocabulary.letters, table.kappa.shape[0]
    packed_size = letters * (letters + 3) // 2
    m, zeta, psi, q, responses = np.split(
        start[2:], np.cumsum([letters, letters * spikes, letters, packed_size])
    )
    state = _State(responses=responses, q=q, m=m, zeta=zeta.reshape(spikes, letters), psi=psi)
    found = solved(point, state, tolerance=tolerance, max_steps=max_steps)
    state, at = found.state, point.terms(found.state)
    row = np.concatenate([[0.0, 0.0], state.m, state.zeta.ravel(), state.psi, state.q, state.responses])
    _, spread, overlap, cc = at.field
    weight = table.weight
    row[1] = weight @ at.averages[:, 4]
    if loss.of_margin:
        row[0] = weight @ at.averages[:, 5]
    else:
        shared = cc * table.h + overlap * table.h1
        row[0] = weight @ (kept**2 * table.hh - 2.0 * kept * shared + cc**2 + spread)
    if found.code == CONVERGED and point.unbalanced(state) > _BALANCED:
        return row, found.residual, found.steps, MAX_STEPS_REACHED
    return row, found.residual, found.steps, found.code
