"""The rows that one giant step makes, as d -> infinity: their covariance and their norms.

With F_i the residual labels, M = (1/n0) sum F_i x_i x_i^T, Q = (1/n0) sum F_i^2 x_i x_i^T and e the effective
step, the rows beside the spike have the covariance Sigma/d given the data,

    Sigma = (1 + b M)^2 + k Q,    b = e E sigma'',    k = (e^2/alpha0) (Var sigma' - (E sigma'')^2)

and norms that fluctuate. What a readout needs of them are functions of one number tau: (1/d) tr Sigma T and
forms of T = (1 + tau Sigma)^-1, a corner of the inverse of a matrix that is linear in x_i x_i^T,

    [[1 + tau k Q, 1 + b M], [-tau (1 + b M), 1]]  =  K + (1/n0) sum_i L_i x_i x_i^T,

so that all of it follows from one fixed point of 2 x 2 matrices. Source: docs/giant_step.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.errors import ConvergenceError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.spiked.step_moments import (
    LabelNodes,
    SlopeMoments,
    label_nodes,
    slope_moments,
)
from hermite_analytics.target import Target

__all__ = ["StepRows", "Trace", "step_rows"]

_STEPS = 400
_ROUNDING = 1e-13
_NEAR = 0.1  # of the solution, where Newton's method takes over


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """(1/d) tr Sigma T at one tau.

    Attributes
    ----------
    value, slope : the trace, and its derivative in tau.
    bulk : ndarray, shape (4, 4)
        The fixed point G with its slope in tau.
    """

    tau: float
    value: float
    slope: float
    bulk: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRows:
    """The rows after a step of effective size `step` on alpha0 d samples.

    Parameters
    ----------
    slopes : SlopeMoments
    labels : LabelNodes
    alpha0 : float > 0
        May be infinite.
    step : float
    """

    slopes: SlopeMoments
    labels: LabelNodes
    alpha0: float
    step: float

    @property
    def _mean_factor(self) -> float:
        """a = 1 + b E F: what a row keeps of itself on average."""
        return 1.0 + self._pull * self.labels.mean(self.labels.residual)

    @property
    def _pull(self) -> float:
        return self.step * self.slopes.curvature

    @property
    def _rest(self) -> float:
        """k: the part of the noise that is not linear in the row."""
        return self.step**2 * max(self.slopes.variance - self.slopes.curvature**2, 0.0) / self.alpha0

    @property
    def spike_length(self) -> float:
        """|u| of u = (1/n0) sum F_i x_i."""
        mean, residual = self.labels.mean, self.labels.residual
        return float(np.hypot(mean(self.labels.z * residual), np.sqrt(mean(residual**2) / self.alpha0)))

    @property
    def gamma(self) -> float:
        """u.theta/|u|; 0 without a spike."""
        length = self.spike_length
        return self.labels.mean(self.labels.z * self.labels.residual) / length if length > 0.0 else 0.0

    @property
    def c(self) -> float:
        """(1/d) tr Sigma, the squared norm of a row."""
        power = self.labels.mean(self.labels.residual**2)
        return self._mean_factor**2 + self.step**2 * power * self.slopes.variance / self.alpha0

    @property
    def c_target(self) -> float:
        """theta^T Sigma theta: the variance along the target, times d."""
        z2, residual = self.labels.z**2, self.labels.residual
        pulled = 1.0 + self._pull * self.labels.mean(z2 * residual)
        noise = self.step**2 * self.slopes.variance / self.alpha0
        return pulled**2 + noise * self.labels.mean(z2 * residual**2)

    @property
    def c_spike(self) -> float:
        """v^T Sigma v along the spike v, or c where there is none.

        With A = F/alpha0 + E[zF] z + sqrt(E F^2/alpha0) eta, what u sees of a sample of its own,
        u.M u = E F A^2, u.Q u = E F^2 A^2, |M u|^2 = E[F^2 A^2]/alpha0 + E[zFA]^2 + E[F]^2 E[F^2]/alpha0
        + 2 E[F] E[F^2 A]/alpha0.
        """
        if self.spike_length == 0.0:
            return self.c
        mean, z, residual, alpha0 = self.labels.mean, self.labels.z, self.labels.residual, self.alpha0
        along = residual / alpha0 + mean(z * residual) * z
        spread, average = mean(residual**2) / alpha0, mean(residual)
        squares = mean(residual**2 * along**2) + mean(residual**2) * spread
        once = mean(residual * along**2) + average * spread
        twice = squares / alpha0 + mean(z * residual * along) ** 2
        twice += average**2 * spread + 2.0 * average * mean(residual**2 * along) / alpha0
        pulled = 2.0 * self._pull * once + self._pull**2 * twice + self._rest * squares
        return 1.0 + pulled / self.spike_length**2

    @property
    def norm_variance(self) -> float:
        """d Var |row|^2 over rows, given the data."""
        mean, z, residual, alpha0 = self.labels.mean, self.labels.z, self.labels.residual, self.alpha0
        e, a, s = self.step, self._mean_factor, self.slopes
        slope, square = mean(z * residual), mean(z * residual**2)
        once = mean(residual**2) * s.h_variance / alpha0 + (s.third * slope) ** 2
        mixed = mean(residual**3) * s.h_square / alpha0 + s.third * s.skew * slope * square
        twice = mean(residual**4) * s.square_variance / alpha0 + (s.skew * square) ** 2
        pairs = 2.0 * (s.variance * mean(residual**2)) ** 2
        sums = 4.0 * (a * e) ** 2 * once + 4.0 * a * e**3 * mixed / alpha0
        return sums + e**4 * (twice + pairs) / alpha0**2

    def trace(self, tau: float, start: Trace | None = None) -> Trace:
        """The trace at tau >= 0; `start` is one at a tau nearby, from which it is found sooner."""
        fixed, moving = _pencil(self, tau)
        guess = None if start is None else start.bulk[:2, :2]
        bulk = _doubled(*_fixed_point(self, fixed, moving, guess))
        if tau == 0.0:
            # the slope of the trace at 0 is -(1/d) tr Sigma^2, which no solver asks for
            return Trace(tau=tau, value=-float(bulk[0, 2]), slope=np.nan, bulk=bulk)
        value = (1.0 - float(bulk[0, 0])) / tau
        return Trace(tau=tau, value=value, slope=(-float(bulk[0, 2]) - value) / tau, bulk=bulk)

    def forms(self, trace: Trace) -> tuple[Array, Array]:
        """s S^T R S and its slope in tau, shape (3, 3).

        R is the resolvent of all rows (the spike's direction not taken out), and the columns of S are the
        rows along the spike, the norms' fluctuations, and the rows along the rest of the target.
        """
        resolvent, tau = _Resolvent.of(self, trace), trace.tau
        mean, residual, length = self.labels.mean, self.labels.residual, self.spike_length
        e, a, s, alpha0 = self.step, self._mean_factor, self.slopes, self.alpha0
        # E[fluctuation of |row|^2 times row] = ((1 + b M) linear + rest)/d, both sums over samples of F^j x
        linear = 2.0 * a * e * s.third * residual + e**2 * s.skew / alpha0 * residual**2
        rest = 2.0 * a * e**2 * s.h_rest / alpha0 * residual**2
        rest = rest + e**3 * s.square_rest / alpha0**2 * residual**3
        target = resolvent.target
        if length > 0.0:
            spike = resolvent.of_sums(residual, residual) / length**2
            mixed = resolvent.of_target(residual) / length
            spike_rest = resolvent.of_sums(residual, rest) / length
            spike_linear = resolvent.of_sums(residual, linear) / length
        else:  # any direction that the data do not know
            spike, mixed = resolvent.bulk, np.zeros((4, 4))
            spike_rest = spike_linear = np.zeros((4, 4))
        target_rest, target_linear = resolvent.of_target(rest), resolvent.of_target(linear)
        gamma = self.gamma
        across = np.sqrt(max(1.0 - gamma**2, 0.0))
        turn = np.array([[1.0, 0.0], [0.0, 0.0]])  # no rest of the target: |gamma| = 1
        if across > 0.0:
            turn[1] = -gamma / across, 1.0 / across
        size = mean(linear**2) / alpha0 + mean(self.labels.z * linear) ** 2
        norms = [resolvent.of_sums(*pair) for pair in ((rest, rest), (rest, linear), (linear, linear))]

        def found(i: int) -> tuple[Array, float, Array]:
            """T on (spike, rest), its form with the norms, and tau times the norms' own; i = 2 for slopes."""
            square = turn @ np.array([[spike[0, i], mixed[0, i]], [mixed[0, i], target[0, i]]]) @ turn.T
            vector = turn @ np.array([spike_rest[0, i] - spike_linear[0, 1 + i],
                                      target_rest[0, i] - target_linear[0, 1 + i]])  # fmt: skip
            own = norms[0][0, i] - 2.0 * norms[1][0, 1 + i]
            return square, own, vector

        square, own, vector = found(0)
        square_slope, own_slope, vector_slope = found(2)
        kept = np.array([0, 2])
        forms, slopes = np.zeros((3, 3)), np.zeros((3, 3))
        forms[np.ix_(kept, kept)] = np.where(turn.any(axis=1), np.eye(2), 0.0) - square
        slopes[np.ix_(kept, kept)] = -square_slope
        forms[1, kept] = forms[kept, 1] = tau * vector
        slopes[1, kept] = slopes[kept, 1] = vector + tau * vector_slope
        inner = self.norm_variance - tau * own - (size - norms[2][1, 1])
        forms[1, 1] = tau * inner
        slopes[1, 1] = inner - tau * (own + tau * own_slope - norms[2][1, 3])
        return forms, slopes


def step_rows(
    activation: Activation, target: Target, step: tuple[float, float, float], level: int
) -> StepRows:
    """The rows after a step (alpha0, effective step, label noise), with averages at a level of the rule."""
    alpha0, size, noise = step
    return StepRows(
        slopes=slope_moments(activation, level),
        labels=label_nodes(activation, target, noise, level),
        alpha0=alpha0,
        step=size,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolvent:
    """Blocks [[X, X'], [0, X]] of 2 x 2 matrices X and their slopes in tau: products and inverses keep them.

    Attributes
    ----------
    bulk : the deterministic equivalent of a diagonal entry of the inverse, G.
    target : the same along theta.
    left, right : (1 + g L)^-1 and (1 + L g)^-1 at the labels, g = G/alpha0, shape (nodes, 4, 4).
    """

    labels: LabelNodes
    bulk: Array
    target: Array
    scaled: Array
    left: Array
    right: Array

    @classmethod
    def of(cls, rows: StepRows, trace: Trace) -> _Resolvent:
        fixed, moving = _pencil(rows, trace.tau)
        bulk = trace.bulk
        scaled = bulk / rows.alpha0
        constant, samples = _doubled(*fixed), _doubled(*moving)
        identity = np.eye(4)
        right = _inverse_of_doubled(identity + samples @ scaled)
        left = _inverse_of_doubled(identity + scaled @ samples)
        weight = rows.labels.weight * rows.labels.z**2
        target = _inverse_of_doubled(constant + np.tensordot(weight, right @ samples, 1))
        return cls(labels=rows.labels, bulk=bulk, target=target, scaled=scaled, left=left, right=right)

    def of_target(self, f: Array) -> Array:
        """theta^T (.)^-1 u_f with u_f = (1/n0) sum f_i x_i."""
        found: Array = self.target @ np.tensordot(self.labels.weight * self.labels.z * f, self.right, 1)
        return found

    def of_sums(self, f: Array, h: Array) -> Array:
        """u_f^T (.)^-1 u_h."""
        weight, z = self.labels.weight, self.labels.z
        own = self.scaled @ np.tensordot(weight * f * h, self.right, 1)
        found: Array = own + np.tensordot(weight * z * f, self.left, 1) @ self.of_target(h)
        return found


def _pencil(rows: StepRows, tau: float) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """K and L_i, each with its slope in tau."""
    residual = rows.labels.residual
    constant = np.array([[1.0, 1.0], [-tau, 1.0]])
    samples = np.zeros((2, residual.size, 2, 2))
    pulled, noise = rows._pull * residual, rows._rest * residual**2
    samples[0, :, 0, 0], samples[1, :, 0, 0] = tau * noise, noise
    samples[0, :, 0, 1] = pulled
    samples[0, :, 1, 0], samples[1, :, 1, 0] = -tau * pulled, -pulled
    return (constant, np.array([[0.0, 0.0], [-1.0, 0.0]])), (samples[0], samples[1])


def _inverse(matrix: Array) -> Array:
    """Of 2 x 2 matrices in the last axes."""
    a, b, c, d = matrix[..., 0, 0], matrix[..., 0, 1], matrix[..., 1, 0], matrix[..., 1, 1]
    adjugate = np.stack([np.stack([d, -b], axis=-1), np.stack([-c, a], axis=-1)], axis=-2)
    found: Array = adjugate / (a * d - b * c)[..., None, None]
    return found


def _inverse_of_doubled(matrix: Array) -> Array:
    """Of blocks [[X, X'], [0, X]]."""
    value = _inverse(matrix[..., :2, :2])
    return _doubled(value, -value @ matrix[..., :2, 2:] @ value)


def _doubled(value: Array, slope: Array) -> Array:
    zero = np.zeros_like(value)
    return np.concatenate(
        [np.concatenate([value, slope], axis=-1), np.concatenate([zero, value], axis=-1)], axis=-2
    )


def _fixed_point(
    rows: StepRows, fixed: tuple[Array, Array], moving: tuple[Array, Array], guess: Array | None
) -> tuple[Array, Array]:
    """G = (K + E[L (1 + G L/alpha0)^-1])^-1 and its slope: damped steps, then Newton's method."""
    weight, alpha0 = rows.labels.weight, rows.alpha0
    (constant, constant_slope), (samples, samples_slope) = fixed, moving
    bulk = _inverse(constant) if guess is None else guess
    identity = np.eye(2)
    for _ in range(_STEPS):
        right = _inverse(identity + samples @ bulk / alpha0)
        dressed = right @ samples
        inverse = _inverse(bulk)
        error = constant + np.tensordot(weight, dressed, 1) - inverse
        image = _inverse(inverse + error)
        change = float(np.max(np.abs(image - bulk)) / np.max(np.abs(bulk)))
        operator = _sandwich(inverse, inverse) - _sandwiches(weight, dressed) / alpha0
        if change < _ROUNDING:
            break
        if change > _NEAR:
            bulk = 0.5 * (bulk + image)
        else:
            bulk = bulk - np.linalg.solve(operator, error.ravel()).reshape(2, 2)
    else:
        raise ConvergenceError(
            f"the rows of the step at alpha0 = {alpha0:g}, effective step {rows.step:g} did not converge"
        )
    left = _inverse(identity + bulk @ samples / alpha0)
    drift = constant_slope + np.tensordot(weight, right @ samples_slope @ left, 1)
    slope = np.asarray(-np.linalg.solve(operator, drift.ravel()).reshape(2, 2), dtype=np.float64)
    return bulk, slope


def _sandwich(first: Array, second: Array) -> Array:
    """The matrix of X -> first X second on row-major entries."""
    return np.asarray(np.kron(first, second.T), dtype=np.float64)


def _sandwiches(weight: Array, dressed: Array) -> Array:
    """The mean of X -> N X N."""
    found: Array = np.einsum("i,iab,idc->acbd", weight, dressed, dressed).reshape(4, 4)
    return found
