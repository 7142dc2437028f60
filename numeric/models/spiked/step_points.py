"""Ridge regression after a giant step with the rows that the step makes: square loss, all readouts 1.

The unknowns are g = V2 and tau = beta s g, for which the equations of docs/giant_step.md are explicit,

    beta g (alpha/beta) E[mu1^2 w] = tau,   g (ridge + (alpha/beta) E[mu2^2 w]) + tau E0(tau)/beta = 1,

with V1 = g E0(tau) and w = 1/(1 + mu1^2 V1 + mu2^2 V2). Without a ridge the second one is
alpha E[w] = alpha - beta, which sets the scale of V beside the interpolation threshold (`square_loss`). All
that follows from them is linear. Beside kappa mu1 along the spike, the fluctuating norms of the rows give the
mean map the direction d mu0/dc.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import norm_response_kernel
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.spiked.step_rows import StepRows, Trace
from hermite_analytics.numeric.models.spiked.tables import Spike, Tables

__all__ = ["Functions", "functions_of", "norm_response", "solve_step_point"]

_CONVERGED, _MAX_STEPS_REACHED, _DIVERGED = 0, 1, 2
_LONGEST_STEP = 1.5  # of log tau and log g
_HALVINGS = 30
_VANISHING = 1e-28  # mu0 counts as identically zero below this share of E[mu0^2 + mu1^2 + mu2^2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """Functions of kappa at the nodes, each of shape (n,): those of a table, and d mu0/dc."""

    weight: Array
    kappa: Array
    mu0: Array
    mu1: Array
    mu2_squared: Array
    h: Array
    h1: Array
    hh: Array
    norms: Array

    def mean(self, values: Array) -> float:
        return float(self.weight @ values)

    @property
    def is_blind(self) -> bool:
        """Whether the features see nothing of x beside the spike: mu1 vanishes everywhere."""
        return self.mean(self.mu1**2) <= _VANISHING * self.mean(self.mu0**2 + self.mu1**2 + self.mu2_squared)

    @property
    def moving(self) -> tuple[Array, Array]:
        """The functions of what fluctuates between neurons: the part along the spike, and the norm."""
        return self.kappa * self.mu1, self.norms


def functions_of(activation: Activation, spike: Spike, table: Tables) -> Functions:
    """The functions of a table of one letter and one spike, with d mu0/dc."""
    weight, kappa, mu0, mu1, mu2_squared, h, h1, hh = table.columns()
    return Functions(
        weight=weight,
        kappa=kappa,
        mu0=mu0,
        mu1=mu1,
        mu2_squared=mu2_squared,
        h=h,
        h1=h1,
        hh=hh,
        norms=norm_response(activation, spike.r[0] * kappa + spike.bias, spike.c[0]),
    )


def norm_response(activation: Activation, s: Array, c: float) -> Array:
    """d mu0/dc at the arguments s."""
    return np.broadcast_to(norm_response_kernel(activation)(s, c, 1.0).change, s.shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A point (tau, g) with the averages of the equations there, and their logarithmic errors."""

    tau: float
    g: float
    trace: Trace
    w: Array
    first: float
    second: float
    error: Array

    @property
    def residual(self) -> float:
        return float(np.max(np.abs(self.error)))

    @property
    def v1(self) -> float:
        return self.g * self.trace.value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ratios:
    """alpha, beta, label noise; `one` and `ridge` are 1 and lambda, or 0 and 1 for the limit lambda -> 0."""

    alpha: float
    beta: float
    one: float
    ridge: float
    noise: float

    @property
    def ratio(self) -> float:
        return self.alpha / self.beta

    @property
    def excess(self) -> float:
        return (self.alpha - self.beta) / self.beta

    @property
    def is_ridgeless(self) -> bool:
        return self.one == 0.0 or self.ridge == 0.0


def solve_step_point(
    functions: Functions,
    rows: StepRows,
    ratios: tuple[float, float, float, float],
    start: tuple[float, float],
    *,
    tolerance: float,
    max_steps: int,
) -> tuple[Array, float, int, int]:
    """Errors and overlaps at one point.

    Parameters
    ----------
    functions : Functions
    rows : StepRows
    ratios : alpha, beta, ridge, noise
        A ridge of 0 is the limit from above, for alpha != beta.
    start : (V1, V2)
        Of the isotropic model, as a first guess.

    Returns
    -------
    values : ndarray, shape (10,)
        test_error, train_error, m, zeta, psi, q1, q2, V1, V2, and the overlap with the rows' norms.
    residual, steps, code
    """
    alpha, beta, ridge, noise = ratios
    limit = ridge == 0.0 and alpha < beta
    at = _Ratios(
        alpha=alpha, beta=beta, noise=noise, one=0.0 if limit else 1.0, ridge=1.0 if limit else ridge
    )
    v1, v2 = start
    w = 1.0 / (at.one + functions.mu1**2 * v1 + functions.mu2_squared * v2)
    tau = beta * v2 * at.ratio * functions.mean(functions.mu1**2 * w)
    place, steps = _fixed_point(functions, rows, at, (tau, v2), tolerance, max_steps)
    if not np.isfinite(place.residual):
        return np.full(10, np.nan), np.inf, steps, _DIVERGED
    if place.residual > tolerance:
        return np.full(10, np.nan), place.residual, steps, _MAX_STEPS_REACHED
    return _observables(functions, rows, at, place), place.residual, steps, _CONVERGED


def _place(
    functions: Functions, rows: StepRows, at: _Ratios, tau: float, g: float, start: Trace | None = None
) -> _Place:
    trace = rows.trace(tau, start)
    w = 1.0 / (at.one + functions.mu1**2 * (g * trace.value) + functions.mu2_squared * g)
    first = at.ratio * functions.mean(functions.mu1**2 * w)
    second = at.ridge + at.ratio * functions.mean(functions.mu2_squared * w)
    if not at.is_ridgeless:
        scale = g * second + tau * trace.value / at.beta
    elif at.one == 0.0:
        scale = g / -at.excess
    else:
        scale = at.ratio * functions.mean(w) / at.excess
    error = np.log([at.beta * g * first / tau, scale])
    return _Place(tau=tau, g=g, trace=trace, w=w, first=first, second=second, error=error)


def _fixed_point(
    functions: Functions,
    rows: StepRows,
    at: _Ratios,
    start: tuple[float, float],
    tolerance: float,
    max_steps: int,
) -> tuple[_Place, int]:
    """Newton's method in log tau and log g, with steps that are halved until the error falls."""
    place = _place(functions, rows, at, *start)
    for step in range(1, max_steps + 1):
        if place.residual <= tolerance or not np.isfinite(place.residual):
            return place, step
        move = -np.linalg.solve(_jacobian(functions, at, place), place.error)
        move *= min(1.0, _LONGEST_STEP / float(np.max(np.abs(move))))
        for _ in range(_HALVINGS):
            tau, g = np.exp(move) * (place.tau, place.g)
            tried = _place(functions, rows, at, float(tau), float(g), place.trace)
            if tried.residual < place.residual:
                break
            move *= 0.5
        else:
            return place, step  # rounding: the caller compares the residual with the tolerance
        place = tried
    return place, max_steps


def _spreads(functions: Functions, w: Array) -> tuple[float, float, float]:
    """E mu1^4 w^2, E mu1^2 mu2^2 w^2, E mu2^4 w^2."""
    a, b = functions.mu1**2 * w, functions.mu2_squared * w
    return functions.mean(a * a), functions.mean(a * b), functions.mean(b * b)


def _squares(functions: Functions, w: Array) -> tuple[float, float]:
    """E mu1^2 w^2, E mu2^2 w^2."""
    return functions.mean(functions.mu1**2 * w**2), functions.mean(functions.mu2_squared * w**2)


def _jacobian(functions: Functions, at: _Ratios, place: _Place) -> Array:
    s11, s12, s22 = (at.ratio * s for s in _spreads(functions, place.w))
    e0, slope, g, v1 = place.trace.value, place.trace.slope, place.g, place.v1
    moved = g * slope * place.tau  # of V1 with log tau
    first = [-s11 * moved / place.first - 1.0, 1.0 - (s11 * v1 + s12 * g) / place.first]
    if not at.is_ridgeless:
        total = g * place.second + place.tau * e0 / at.beta
        along = place.tau * (e0 + place.tau * slope) / at.beta - g * s12 * moved
        return np.array([first, [along / total, g * (place.second - s12 * v1 - s22 * g) / total]])
    if at.one == 0.0:
        return np.array([first, [0.0, 1.0]])
    s1, s2, mean = *_squares(functions, place.w), functions.mean(place.w)
    return np.array([first, [-s1 * moved / mean, -(s1 * v1 + s2 * g) / mean]])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bulk:
    """S^T R S of (spike, norms, rest of the target), the spike's direction taken out of R, and all slopes.

    Attributes
    ----------
    response : shape (3, 3)
    in_s, in_t : its slopes
    a0, a1, a2 : minus the slopes of (V1, V2) in (s, t): <D^k/(t + s D)^2>.
    """

    response: Array
    in_s: Array
    in_t: Array
    a0: float
    a1: float
    a2: float


def _bulk(rows: StepRows, at: _Ratios, place: _Place) -> _Bulk:
    s, t, tau, g, beta = place.first, place.second, place.tau, place.g, at.beta
    forms, slope = rows.forms(place.trace)
    along, along_slope, rest = forms[:, 0], slope[:, 0], 1.0 - forms[0, 0]
    kept = forms + np.outer(along, along) / rest
    kept_slope = slope + (np.outer(along_slope, along) + np.outer(along, along_slope)) / rest
    kept_slope += np.outer(along, along) * slope[0, 0] / rest**2
    e0 = place.trace.value
    steepness = t + s * (e0 + tau * place.trace.slope)
    tau_t, tau_s = -tau / steepness, (beta - tau * e0) / steepness
    g_t, g_s = tau_t / (beta * s), (tau_s - tau / s) / (beta * s)
    return _Bulk(
        response=kept / s,
        in_s=kept_slope * tau_s / s - kept / s**2,
        in_t=kept_slope * tau_t / s,
        a0=-g_t,
        a1=-g_s,
        a2=-(g_s * e0 + g * place.trace.slope * tau_s),
    )


def _means(
    functions: Functions, at: _Ratios, place: _Place, bulk: _Bulk
) -> tuple[float, Array, float, Array]:
    """m, the overlaps of the fluctuations, psi, and the averages that drive them."""
    f, w, ratio = functions, place.w, at.ratio
    across = f.mean(f.mu1 * f.h1 * w)
    basis = np.array([f.mu0, *f.moving])
    gram, aimed = (basis * (f.weight * w)) @ basis.T, (basis * (f.weight * w)) @ f.h
    response = ratio * bulk.response
    system, right = np.zeros((3, 3)), np.zeros(3)
    system[1:] = response[:2, :2] @ gram[1:]
    system[1:, 1:] += np.eye(2)
    right[1:] = response[:2, :2] @ aimed[1:] + response[:2, 2] * across
    size = f.mean((f.mu1**2 + f.mu2_squared) * w)
    if gram[0, 0] <= _VANISHING * (gram[0, 0] + size):
        system[0, 0] = 1.0  # no mean map, no mean
        system[1:, 0] = 0.0
    else:
        system[0], right[0] = gram[0], aimed[0]
    found = np.asarray(np.linalg.solve(system, right), dtype=np.float64)
    driven: Array = np.append(aimed[1:] - gram[1:] @ found, across)
    return float(found[0]), found[1:], float(response[2] @ driven), driven


def _observables(functions: Functions, rows: StepRows, at: _Ratios, place: _Place) -> Array:
    f, w, ratio = functions, place.w, at.ratio
    bulk = _bulk(rows, at, place)
    m, moved, psi, driven = _means(f, at, place, bulk)
    cc = m * f.mu0 + moved @ np.array(f.moving)
    base = f.hh - 2.0 * cc * f.h + cc**2 - 2.0 * f.mu1 * psi * f.h1
    noisy = (base + at.noise) * w**2
    sources = ratio * np.array([f.mean(f.mu1**2 * noisy), f.mean(f.mu2_squared * noisy)])
    s11, s12, s22 = (ratio * s for s in _spreads(f, w))
    bulk_moments = np.array([[bulk.a2, bulk.a1], [bulk.a1, bulk.a0]])
    made = -(ratio**2) * np.array([driven @ bulk.in_s @ driven, driven @ bulk.in_t @ driven])
    v1, v2 = place.v1, place.g
    # what the matrix, nearly singular beside the threshold, makes of (V1, V2), in place of its last column
    matrix = np.eye(2) - bulk_moments @ np.array([[s11, s12], [s12, s22]])
    matrix[:, 1] = bulk_moments @ (at.one * ratio * np.array(_squares(f, w)) + [0.0, at.ridge])
    q1, share = np.linalg.solve(matrix, bulk_moments @ sources + made)
    q1, q2 = q1 + share * v1, share * v2
    spread = f.mu1**2 * q1 + f.mu2_squared * q2
    test, train = f.mean(base + spread), f.mean(noisy + spread * w**2)
    if at.one == 0.0:  # the ridgeless limit interpolates
        train, v1, v2 = 0.0, np.inf, np.inf
    return np.array([test, train, m, moved[0], psi, q1, q2, v1, v2, moved[1]])
