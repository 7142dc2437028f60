"""Errors of a readout of classes, at solved points: of squares, of signs, and of its probabilities."""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.classes import Cells, cells_of, wrong_share
from hermite_analytics.numeric.models.spiked.calibration import spiked_calibration
from hermite_analytics.numeric.models.spiked.letter_loss import Products
from hermite_analytics.numeric.models.spiked.points import MEASURES, Problem
from hermite_analytics.numeric.models.spiked.step_points import functions_of
from hermite_analytics.numeric.models.spiked.tables import Spike, Tables

__all__ = ["fields_of", "measures"]

_AT_ONCE = 200_000  # points times nodes
_NEGLIGIBLE = 1e-12  # of the probability 1: what is said of it does not matter


def measures(
    problem: Problem, spike: Spike, table: Tables, values: Array, *, calibrates: bool = True
) -> Array:
    """Square error, share of wrong signs and error of calibration, shape (points, 3).

    The last two are NaN for a target that is not shown to have the values 1 and -1 alone, and the last for a
    loss without probabilities.

    Parameters
    ----------
    values : array of shape (points, size of the layout)
        Rows of numbers as `Layout.blocks` has them.
    calibrates : bool
        Whether the last is asked for, which takes longest.
    """
    found = np.full((values.shape[0], len(MEASURES)), np.nan)
    cells = cells_of(problem.target)
    if cells is None:  # no loss of the margin takes such a target
        found[:, 0] = values[:, 0]
        return found
    products, count = Products(table), max(1, _AT_ONCE // table.weight.size)
    for first in range(0, values.shape[0], count):
        rows = values[first : first + count]
        here, (mean, power, overlap) = fields_of(problem, spike, table, rows, products=products)
        found[first : first + count, 1] = _averaged(wrong_share(here, mean, power, overlap), table.weight)
        kept = problem.kept
        squares = kept**2 * table.hh - 2.0 * kept * (mean * table.h + overlap * table.h1) + mean**2 + power
        found[first : first + count, 0] = squares @ table.weight
        if calibrates and not problem.is_square and problem.loss.has_probabilities:
            for j, fields in enumerate(zip(mean, power, overlap, strict=True), start=first):
                found[j, 2] = spiked_calibration(
                    problem.loss, here, table.weight, fields, flips=problem.flips
                )
    if not problem.is_of_margin:
        found[:, 0] = values[:, 0]
    return found


def _averaged(shares: Array, weight: Array) -> Array:
    """Averages over kappa; where no prediction is left in doubles half of the signs are wrong.

    As long as that is so for few inputs: for more (relu with r > 5.3 sqrt c) the share is NaN.
    """
    without = np.isnan(shares) @ weight
    found: Array = np.where(without < _NEGLIGIBLE, np.nan_to_num(shares, nan=0.5) @ weight, np.nan)
    return found


def fields_of(
    problem: Problem, spike: Spike, table: Tables, rows: Array, *, products: Products | None = None
) -> tuple[Cells, tuple[Array, Array, Array]]:
    """The classes at the nodes; mean, variance and overlap of the prediction there, shape (points, n)."""
    cells = cells_of(problem.target)
    assert cells is not None
    here = Cells(edges=_edges(cells, spike, table), labels=cells.labels)
    products = Products(table) if products is None else products
    blocks = problem.layout.blocks()
    spikes, letters = table.kappa.shape[0], problem.layout.letters
    mean = rows[:, blocks["m"]] @ table.mu0
    zeta = rows[:, blocks["zeta"]].reshape(-1, spikes, letters)
    mean = mean + np.einsum("prj,rn,jn->pn", zeta, table.kappa, table.mu1, optimize=True)
    if problem.bulk == "step":  # the norms of the rows move the mean as well
        mean = mean + rows[:, blocks["norm"]] * functions_of(problem.activation, spike, table).norms
    overlap = rows[:, blocks["psi"]] @ table.mu1
    packed = np.concatenate([rows[:, blocks["q1"]], rows[:, blocks["q2"]]], axis=1)
    return here, (mean, np.maximum(products.spread(packed), overlap**2), overlap)


def _edges(cells: Cells, spike: Spike, table: Tables) -> Array:
    """Edges of the classes in the part of the target that the spikes do not see, shape (n, k)."""
    overlap, along = spike.gamma[0], table.kappa[0]
    if len(spike.gamma) > 1:
        overlap = spike.overlap
        along = np.array(spike.gamma) @ table.kappa / overlap if overlap > 0 else table.kappa[0]
    across = np.sqrt(max(1.0 - overlap**2, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Array = (cells.edges[None] - overlap * along[:, None]) / across
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)
