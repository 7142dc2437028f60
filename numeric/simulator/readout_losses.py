"""Readouts by a loss other than the square: a = argmin sum_i l(y_i, a.phi_i) + (lambda/2) |a|^2, to rounding.

The logistic loss and smooth texts take Newton's method with step halving on the side (features or samples)
that is smaller.
A loss with a `Dual` takes it, a quadratic problem in a box, by an interior-point method. Both stop on the
gradient or the duality gap, never on the step.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.losses.record import Dual
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.simulator.backend import Array, Backend, solve_positive

__all__ = ["fit_in_box", "fit_logistic", "fit_smooth"]

_NEWTON_STEPS = 100
_HALVINGS = 40
_INTERIOR_STEPS = 100
_GRADIENT = 1e-10  # relative to sqrt(n), the size of the gradient of the sum at a = 0
_GAP = 1e-9  # relative to n, the size of the objective
_SHORTEN = 0.99  # of the step to the walls of the box


def fit_logistic(backend: Backend, features: Array, labels: Array, ridge: float) -> Array:
    """argmin over a of sum_i log(1 + exp(-y_i a.phi_i)) + (ridge/2) |a|^2.

    Parameters
    ----------
    backend : Backend
    features : array of float64, shape (n, width)
    labels : array of float64, shape (n,)
        1 and -1.
    ridge : float > 0

    Returns
    -------
    array of float64, shape (width,)
        With a gradient below 1e-10 sqrt(n).

    Raises
    ------
    ConvergenceError
        If 100 Newton steps do not suffice.
    """
    xp = backend.xp
    n, width = features.shape
    signed = labels[:, None] * features
    coefficients = backend.zeros(width)
    margins = backend.zeros(n)
    value = _logistic_objective(backend, margins, coefficients, ridge)
    for _ in range(_NEWTON_STEPS):
        wrong = 1 / (1 + xp.exp(xp.clip(margins, None, 700.0)))  # P(-y | x) of the model
        gradient = ridge * coefficients - signed.T @ wrong
        if math.sqrt(float(gradient @ gradient)) <= _GRADIENT * math.sqrt(n):
            return coefficients
        direction = -_weighted_solve(backend, signed, wrong * (1 - wrong), ridge, gradient)
        change = signed @ direction
        slope = float(gradient @ direction)
        step = 1.0
        for _ in range(_HALVINGS):
            trial = _logistic_objective(
                backend, margins + step * change, coefficients + step * direction, ridge
            )
            if trial <= value + 1e-4 * step * slope or abs(step * slope) <= 1e-14 * abs(value):
                break
            step /= 2
        coefficients = coefficients + step * direction
        margins = margins + step * change
        value = trial
    raise ConvergenceError(f"the logistic readout did not converge in {_NEWTON_STEPS} Newton steps")


def fit_smooth(backend: Backend, features: Array, labels: Array, ridge: float, *, loss: Loss) -> Array:
    """argmin over a of sum_i l(y_i, a.phi_i) + (ridge/2) |a|^2, for a smooth convex loss.

    Newton's method with step halving; the loss is evaluated by its own compiled functions, on the host.

    Raises
    ------
    ConvergenceError
        If 100 Newton steps do not suffice.
    """
    n, width = features.shape
    y = backend.host(labels)

    def objective(guess: Array, a: Array) -> float:
        return float(np.sum(loss.value(y, backend.host(guess)))) + 0.5 * ridge * float(a @ a)

    coefficients, guess = backend.zeros(width), backend.zeros(n)
    value = objective(guess, coefficients)
    for _ in range(_NEWTON_STEPS):
        slopes, curvatures = (
            backend.xp.asarray(np.array(x), device=backend.place)
            for x in loss.derivatives(y, backend.host(guess))
        )
        gradient = ridge * coefficients + features.T @ slopes
        if math.sqrt(float(gradient @ gradient)) <= _GRADIENT * math.sqrt(n):
            return coefficients
        direction = -_weighted_solve(backend, features, curvatures, ridge, gradient)
        change, slope = features @ direction, float(gradient @ direction)
        step = 1.0
        for _ in range(_HALVINGS):
            trial = objective(guess + step * change, coefficients + step * direction)
            if trial <= value + 1e-4 * step * slope or abs(step * slope) <= 1e-14 * abs(value):
                break
            step /= 2
        coefficients, guess, value = coefficients + step * direction, guess + step * change, trial
    raise ConvergenceError(f"the readout of {loss} did not converge in {_NEWTON_STEPS} Newton steps")


def fit_in_box(
    backend: Backend, features: Array, labels: Array, ridge: float, *, dual: Dual, of_margin: bool
) -> Array:
    """argmin over a of sum_i max over low <= u <= high of (u g_i - bend u^2/2), + (ridge/2) |a|^2.

    g_i = 1 - y_i a.phi_i, or y_i - a.phi_i: in both t_i - a.s_i. The dual is the minimum over the box of
    |sum_i u_i s_i|^2/(2 ridge) + bend |u|^2/2 - t.u, with a = sum_i u_i s_i/ridge; a primal-dual
    interior-point method solves it.

    Parameters
    ----------
    backend : Backend
    features : array of float64, shape (n, width)
    labels : array of float64, shape (n,)
        1 and -1 for a loss of the margin.
    ridge : float > 0
    dual : Dual
        Of a finite box.
    of_margin : bool
        Whether g = 1 - y a.phi.

    Returns
    -------
    array of float64, shape (width,)
        With a duality gap below 1e-9 n.

    Raises
    ------
    ConvergenceError
        If 100 steps do not suffice.
    """
    xp = backend.xp
    n = features.shape[0]
    rows = labels[:, None] * features if of_margin else features
    goal = xp.ones_like(labels) if of_margin else labels
    u = xp.full(n, (dual.low + dual.high) / 2, dtype=xp.float64, device=backend.place)
    low, high = xp.ones_like(u), xp.ones_like(u)  # multipliers of the two walls
    for _ in range(_INTERIOR_STEPS):
        coefficients = rows.T @ u / ridge
        gap = goal - rows @ coefficients
        depth, room = u - dual.low, dual.high - u
        slack = dual.bend * u - gap - low + high
        complementarity = float(depth @ low + room @ high)
        if (
            max(complementarity, float(xp.max(xp.abs(slack)))) <= _GAP * n
            and _duality_gap(backend, gap, u, dual) <= _GAP * n
        ):
            return coefficients
        target = 0.1 * complementarity / (2 * n)
        weight = low / depth + high / room + dual.bend
        right = -slack + (target / depth - low) - (target / room - high)
        move = _box_solve(backend, rows, weight, ridge, right)
        low_move = target / depth - low - low / depth * move
        high_move = target / room - high + high / room * move
        step = min(
            1.0,
            *(
                _SHORTEN * _longest(backend, value, change)
                for value, change in ((depth, move), (room, -move), (low, low_move), (high, high_move))
            ),
        )
        u, low, high = u + step * move, low + step * low_move, high + step * high_move
    raise ConvergenceError(f"the readout did not converge in {_INTERIOR_STEPS} interior-point steps")


def _logistic_objective(backend: Backend, margins: Array, coefficients: Array, ridge: float) -> float:
    xp = backend.xp
    losses = xp.log1p(xp.exp(-xp.abs(margins))) + xp.clip(-margins, 0.0, None)
    return float(xp.sum(losses)) + 0.5 * ridge * float(coefficients @ coefficients)


def _weighted_solve(backend: Backend, rows: Array, weights: Array, ridge: float, right: Array) -> Array:
    """(ridge + rows^T diag(weights) rows)^(-1) right, by the smaller of the two systems."""
    xp = backend.xp
    n, width = rows.shape
    scaled = xp.sqrt(weights)[:, None] * rows
    size = min(n, width)
    identity = xp.eye(size, dtype=xp.float64, device=backend.place)
    if width <= n:
        return solve_positive(xp, scaled.T @ scaled + ridge * identity, right)
    inner = solve_positive(xp, scaled @ scaled.T + ridge * identity, scaled @ right)
    return (right - scaled.T @ inner) / ridge


def _box_solve(backend: Backend, rows: Array, weights: Array, ridge: float, right: Array) -> Array:
    """(diag(weights) + rows rows^T/ridge)^(-1) right, by the smaller of the two systems."""
    xp = backend.xp
    n, width = rows.shape
    root = 1 / xp.sqrt(weights)
    scaled = root[:, None] * rows
    plain = root * right
    if n <= width:
        identity = xp.eye(n, dtype=xp.float64, device=backend.place)
        return root * solve_positive(xp, scaled @ scaled.T / ridge + identity, plain)
    identity = xp.eye(width, dtype=xp.float64, device=backend.place)
    inner = solve_positive(xp, scaled.T @ scaled + ridge * identity, scaled.T @ plain)
    return root * (plain - scaled @ inner)


def _duality_gap(backend: Backend, gap: Array, u: Array, dual: Dual) -> float:
    """Primal minus dual objective: what each u_i loses against the best one of its g_i."""
    xp = backend.xp
    if dual.bend > 0:
        best = xp.clip(gap / dual.bend, dual.low, dual.high)
    else:
        best = xp.where(gap > 0, dual.high, dual.low)
    return float(xp.sum((best - u) * gap - 0.5 * dual.bend * (best * best - u * u)))


def _longest(backend: Backend, value: Array, change: Array) -> float:
    """The largest step that keeps value + step change >= 0."""
    xp = backend.xp
    falling = change < 0
    if not bool(xp.any(falling)):
        return math.inf
    return float(xp.min(xp.where(falling, -value / xp.where(falling, change, -1.0), math.inf)))
