"""Random features with a loss other than the square: from the ratios to the saddle point and its errors."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from hermite_analytics.conditional import target_data
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.channels import (
    channel_for_labels,
    sign_channel,
    square_channel,
)
from hermite_analytics.numeric.models.random_features.constants import target_constants
from hermite_analytics.numeric.models.random_features.labels import has_signs, label_nodes, sign_cells
from hermite_analytics.numeric.models.random_features.refinement import Grid, refined
from hermite_analytics.numeric.models.random_features.saddle import COLUMNS
from hermite_analytics.numeric.models.random_features.two_directions import changes_sign, require_pulled
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.numeric.models.random_features.model import RandomFeatures

__all__ = ["check_label", "convex_results", "saddle_points"]


def convex_results(
    model: RandomFeatures, flat: dict[str, Array], tolerance: float, max_steps: int
) -> dict[str, Array]:
    """Flat arrays: errors, overlaps, code, residual, steps, numerical error."""
    features, norms = model.features, model.norms
    grid = saddle_points(
        model.loss,
        model.label,
        (flat["alpha"], flat["beta"], flat["ridge"], flat["noise"]),
        intercept=features.present[0],
        features=(np.empty(0), np.empty(0)),
        constants=(features.slope**2, features.residual),
        flips=model.flips,
        tolerance=tolerance,
        max_steps=max_steps,
    )
    found = {name: grid.values[:, j] for j, name in enumerate(COLUMNS)}
    size = abs(features.slope)
    found["psi"] = found["M"] / size if size > 0.0 else np.zeros_like(found["M"])
    kept = 1.0 - 2.0 * model.flips
    mean, slope = (kept * value for value in moments_of(model.label)[:2])
    power = norms.above + (slope - found["M"]) ** 2 + (found["Q"] - found["M"] ** 2)
    found["square_error"] = power + (mean - found["intercept"]) ** 2
    if model.label.dimension > 1:
        law = require_pulled(model.label, odd=model.loss.of_margin)
        found["wrong"] = law.wrong_share(found["intercept"], found["Q"], found["M"])
    found["test_error"] = found["wrong"] if model.loss.of_margin else found["square_error"]
    return found | outcome(model.loss, grid)


def outcome(loss: Loss, grid: Grid) -> dict[str, Array]:
    """What every model reports of a grid beside its own overlaps."""
    return {
        "train_error": loss.scaling * grid.values[:, COLUMNS.index("loss")],
        "code": grid.code,
        "residual": grid.residual,
        "steps": grid.steps,
        "numerical_error": grid.numerical_error,
    }


def saddle_points(
    loss: Loss,
    target: Target,
    ratios: tuple[Array, Array, Array, Array],
    *,
    intercept: bool,
    features: tuple[Array, Array],
    constants: tuple[float, float],
    flips: float,
    tolerance: float,
    max_steps: int,
) -> Grid:
    """The saddle points of all (alpha, beta, ridge, noise), a share `flips` of the labels +-1 being flipped.

    Raises
    ------
    InputError
        Ridge 0; label noise for a loss of the margin.
    """
    alpha, beta, ridge, noise = ratios
    if np.any(ridge == 0.0):
        raise InputError(f"ridge is 0; the loss {loss} takes ridge > 0")
    knobs: dict[str, Any] = {
        "intercept": intercept, "features": features, "constants": constants,
        "tolerance": tolerance, "max_steps": max_steps,
    }  # fmt: skip
    if loss.of_margin and np.any(noise > 0.0):
        raise InputError(f"noise is {noise.max():g}; the loss {loss} takes labels 1 and -1 without noise")
    if target.dimension > 1:
        return _of_directions(loss, target, ratios, knobs)
    # labels 1 and -1 take one integral a label, whatever the loss
    if loss.of_margin or (not loss.is_square and not np.any(noise > 0.0) and has_signs(target)):
        return _of_classes(loss, target, (alpha, beta, ridge), flips, knobs)
    if loss.is_square:
        kept = 1.0 - 2.0 * flips
        mean, slope, second = target_data(target)
        moments = np.array([kept * mean]), np.array([kept * slope]), np.array([second])
        return refined(loss, lambda level: moments, ratios, channel=square_channel, **knobs)
    if loss.of_residual:  # the noise of y - x is as good as a part of x
        return refined(
            loss,
            lambda level: label_nodes(target, 0.0, level, flips=flips),
            ratios,
            channel=channel_for_labels(loss),
            **knobs,
        )
    whole = Grid(count=alpha.size)
    for value in np.unique(noise):
        chosen = np.flatnonzero(noise == value)
        part = (alpha[chosen], beta[chosen], ridge[chosen], np.zeros(chosen.size))
        nodes = functools.partial(label_nodes, target, float(value), flips=flips)
        grid = refined(loss, nodes, part, channel=channel_for_labels(loss), **knobs)
        for name in ("values", "residual", "steps", "code", "numerical_error"):
            getattr(whole, name)[chosen] = getattr(grid, name)
    return whole


def moments_of(target: Target) -> tuple[float, float, float]:
    """E f, the size of the linear part (with its sign, of one direction), E f^2."""
    if target.dimension <= 1:
        return target_data(target)
    norms = target_constants(target, 1)
    return norms.mean, norms.level**0.5, norms.second_moment


def check_label(target: Target, loss: Loss) -> None:
    """Refuse a target whose labels a loss other than the square does not take.

    Raises
    ------
    InputError
        Other values than 1 and -1 for a loss of the margin, or several directions that are not covered.
    """
    if target.dimension > 1:
        require_pulled(target, odd=loss.of_margin)
        return
    target.single_index()
    if loss.of_margin:
        sign_cells(target)


def _of_directions(
    loss: Loss, target: Target, ratios: tuple[Array, Array, Array, Array], knobs: dict[str, Any]
) -> Grid:
    """Labels 1 and -1 of several directions: their law given the projection on the linear part."""
    law = require_pulled(target, odd=loss.of_margin)
    if loss.of_margin and changes_sign(target):
        knobs = knobs | {"intercept": False}
    if np.any(ratios[3] > 0.0) and not loss.of_residual:
        raise InputError(
            f"noise is {ratios[3].max():g}; the loss {loss} takes labels of several directions without noise"
        )
    return refined(loss, law.teacher, ratios, channel=channel_for_labels(loss), **knobs)


def _of_classes(
    loss: Loss, target: Target, ratios: tuple[Array, Array, Array], flips: float, knobs: dict[str, Any]
) -> Grid:
    """A loss of the margin; of a hinge, points that fail are solved again from the kink of the majority."""

    edges, labels, _ = sign_cells(target)
    cells = edges, labels, np.array([flips])
    if loss.of_margin and np.array_equal(edges, -edges[::-1]) and np.array_equal(labels, -labels[::-1]):
        knobs = knobs | {"intercept": False}  # (y, z, x) -> -(y, z, x) keeps the one minimum: its mean is 0

    def solved(chosen: Integers, base: float) -> Grid:
        part = ratios[0][chosen], ratios[1][chosen], ratios[2][chosen], np.full(chosen.size, base)
        return refined(loss, lambda level: cells, part, channel=sign_channel, base=base, **knobs)

    grid = solved(np.arange(ratios[0].size), 0.0)
    left = np.flatnonzero(grid.code != 0)
    majority = float(np.sign(target_data(target)[0]))
    counts_from = loss.record is not None and loss.record.counts_from
    if not counts_from or majority == 0.0 or left.size == 0 or not knobs["intercept"]:
        return grid
    again = solved(left, majority)
    again.values[:, COLUMNS.index("intercept")] += majority
    good = again.code == 0
    for name in ("values", "residual", "code", "numerical_error"):
        getattr(grid, name)[left[good]] = getattr(again, name)[good]
    grid.steps[left] += again.steps
    return grid
