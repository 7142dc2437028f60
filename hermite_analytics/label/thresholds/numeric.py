"""Thresholds by quadrature where the label has structure: each method gives None where it does not apply."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import sympy
from numpy.polynomial.hermite_e import hermegauss
from sympy import Symbol

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, share
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.label.cases.plane.quadratic import form_matrix, planar_form
from hermite_analytics.label.cases.values.latent import latent_coordinates
from hermite_analytics.label.cases.values.noisy import noisy_density, under_noise
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.shape import PointCase
from hermite_analytics.label.thresholds.conditional_form import conditional_form
from hermite_analytics.label.thresholds.discrete import cell_moments
from hermite_analytics.label.thresholds.even_parts import even_parts
from hermite_analytics.label.thresholds.outer import outer_nodes, over_known, segments, structure
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.label.thresholds.scale_identity import fisher_information, product_of_coordinates
from hermite_analytics.label.thresholds.single import single_label
from hermite_analytics.symbols import xi

if TYPE_CHECKING:
    from hermite_analytics.label.cases.parts.case import Law

__all__ = [
    "FLOOR",
    "by_points",
    "coordinate_product",
    "independent_parts",
    "noisy_finite",
    "one_coordinate",
    "quadratic_form",
    "refined",
]

_ROUNDING = 1e-10  # probability that rounding may lose
FLOOR = 1e-12  # relative error that rounding leaves
_BEYOND = 2e-17  # E[G^2] from coordinates beyond the rules
_UNSPLIT = 8.0  # factor of safety of a rule over known coordinates that is not split where the label breaks
_SHARE = 0.6  # of the time left, for exact moments of cells
_TRIED = 4  # values of what is known, from which the time of all is told
_PARTS = 0.5  # for independent parts at values of what is known; other methods are left
_NOTHING = 1e-9  # relative size of an eigenvalue that counts as 0
_SEGMENT = (18, 26)  # nodes of a segment of a known coordinate, by level
_TENSOR = (14, 20)  # nodes in each of several known coordinates


def noisy_finite(problem: Problem) -> Threshold | None:
    """Finitely many values and additive noise."""
    if problem.known or problem.noise in (0, None):
        return None
    with allowed(share(_SHARE)):
        cells = cell_moments(problem)
    if cells is None:
        return None
    cells = [cell for cell in cells if float(cell.probability) > 0]
    masses = np.array([float(cell.probability) for cell in cells])
    second = np.array([[[float(q) for q in row] for row in cell.second] for cell in cells])
    law = LabelQuadrature(
        weights=masses, first=np.zeros(second.shape[:2]), second=second / masses[:, None, None]
    )
    values = np.array([float(cell.label) for cell in cells])
    noise = abs(float(problem.noise))
    return refined(
        lambda level: (under_noise(values, law, noise, level=level), 0.0),
        remark(f"a label of {len(cells)} values with noise: a mixture of normal laws"),
    )


def one_coordinate(problem: Problem) -> Threshold | None:
    """One continuous coordinate, with discrete ones beside it; or the radius."""
    label = single_label(problem)
    if label is None:
        return None
    known = len(problem.known)
    if known == 0:
        method = remark(f"{label.description}: its preimages")
        return refined(lambda level: label.quadrature(level=level), method)
    method = remark(f"{label.description} for each value of {known} known: their preimages")
    if known == 1:
        ends = segments(lambda x: structure(label.sheets(x)))
        return refined(
            lambda level: over_known(
                lambda x: label.quadrature(x, level=0), *outer_nodes(ends, nodes=_SEGMENT[level])
            ),
            method,
        )
    return refined(
        lambda level: _over_several(lambda *x: label.quadrature(*x, level=0), problem, level),
        method,
        safety=_UNSPLIT,
    )


def _over_several(
    quadrature: Callable[..., tuple[LabelQuadrature, float]], problem: Problem, level: int
) -> tuple[LabelQuadrature, float]:
    """A product over the known coordinates: cells where finitely many values enter, else Gauss rules."""
    cells = latent_coordinates(problem.signal, problem.known)
    x, w = hermegauss(_TENSOR[level])
    rules = [
        (np.array([float(c.point) for c in cells[v]]), np.array([c.probability for c in cells[v]]))
        if v in cells
        else (x, w / w.sum())
        for v in problem.known
    ]
    known = len(rules)
    points = np.stack(np.meshgrid(*(p for p, _ in rules), indexing="ij"), -1).reshape(-1, known)
    weights = np.prod(np.stack(np.meshgrid(*(q for _, q in rules), indexing="ij"), -1).reshape(-1, known), 1)
    keep = weights > 1e-14
    return over_known(quadrature, points[keep], weights[keep])


def quadratic_form(problem: Problem) -> Threshold | None:
    """A quadratic form: of two coordinates by Bessel functions, else in its eigenaxes."""
    if problem.known:
        form = conditional_form(problem)
        method = remark("a quadratic form of two coordinates for each value of one known: Bessel functions")
        return None if form is None else refined(form, method)
    if problem.noise is None or len(problem.unknown) < 2:
        return None
    matrix = form_matrix(problem.signal.subs(xi, 0), problem.unknown)
    if matrix is None:
        return None
    values = np.linalg.eigvalsh(np.array(matrix.tolist(), dtype=np.float64))
    if len(values) == 2 and problem.noise == 0 and min(abs(values)) > _NOTHING * max(abs(values)):
        method = remark("a quadratic form of two coordinates: integrals of Bessel functions")
        return refined(lambda level: (planar_form(values, level=level), 0.0), method)
    squares = [sympy.Rational(float(v)) * w**2 for v, w in zip(values, problem.unknown, strict=True)]
    kept = [a for a, v in zip(squares, values, strict=True) if abs(v) > _NOTHING * max(abs(values))]
    rotated = problem.with_signal(sympy.Add(*kept, problem.noise * xi), "in its eigenaxes")
    by_transforms = even_parts(rotated)
    if by_transforms is not None and not by_transforms.is_rough:
        return by_transforms
    try:
        convolved = independent_parts(rotated)
    except TimeEnded:
        if by_transforms is None:
            raise
        convolved = None
    answers = [found for found in (by_transforms, convolved) if found is not None]
    return min(answers, key=lambda found: found.alpha.error, default=None)


def coordinate_product(problem: Problem) -> Threshold | None:
    """A product of three or more coordinates, or the absolute value of one of two."""
    if problem.known or problem.noise != 0:
        return None
    r = product_of_coordinates(problem.signal, problem.unknown)
    if not r:
        return None
    (coarse, _), (fine, defect) = (fisher_information(r, level=level) for level in (0, 1))
    method = remark(f"a product of {r} coordinates: Fisher information of ", Math("log|y|", r"\log |y|"))
    return estimated(fine, abs(fine - coarse) + fine * (defect + FLOOR), method)


def independent_parts(problem: Problem) -> Threshold | None:
    """Independent parts in sums, products and extremes; homogeneous labels."""
    from hermite_analytics.label.cases.parts.case import structured_law

    if problem.known:
        return _parts_given(problem)
    left_out = [_untracked(problem), ()]  # parts of several coordinates are tracked as a whole
    laws = (structured_law(problem.signal, problem.unknown, untracked=names) for names in left_out)
    law = next((law for law in laws if law is not None), None)
    if law is None:
        return None
    method = remark("independent parts: convolution of their laws")
    return refined(partial(_finer, law), method)


def _untracked(problem: Problem) -> tuple[Symbol, ...]:
    """Coordinates of which nothing has to be asked.

    Where the label is even in every coordinate, G = E[w w^T - I | y] is diagonal, and so is a leading M: then
    1/alpha_c is the largest E[G_ii^2], and one coordinate of each class of equal ones is enough.
    """
    used = tuple(w for w in problem.unknown if problem.signal.has(w))
    symmetries = coordinate_symmetries(problem.signal, used)
    if any(parity != 1 for parity in symmetries.parities):
        return ()
    return tuple(used[i] for same in symmetries.classes for i in same[1:])


def _parts_given(problem: Problem) -> Threshold | None:
    """For each value of what is known; None where that takes too long."""
    from hermite_analytics.label.cases.parts.case import structured_law

    noise = abs(float(problem.noise or 0))
    signal = problem.signal.subs(xi, 0) if noise else problem.signal
    law = structured_law(signal, problem.unknown, problem.known)
    if law is None:
        return None

    wanted, begun, done = sum(n ** len(problem.known) for n in _TENSOR), share(_PARTS), 0

    def quadrature(*x: float) -> tuple[LabelQuadrature, float]:
        nonlocal done
        if done == _TRIED and part.used() / done * wanted > begun:
            raise TimeEnded
        done += 1
        if noise:
            return noisy_density(lambda finer: law(finer, *x), noise, level=0)
        return _of_law(law, 1, *x)

    method = remark("independent parts for each value of what is known: convolution of their laws")
    with attempted(begun) as part:
        return refined(lambda level: _over_several(quadrature, problem, level), method, safety=_UNSPLIT)
    return None


def _finer(law: Law, level: int) -> tuple[LabelQuadrature, float]:
    return _of_law(law, level + 1)


def _of_law(law: Law, level: int, *x: float) -> tuple[LabelQuadrature, float]:
    found = law(level, *x).quadrature()
    return found, found.mass_defect


def by_points(case: PointCase, method: Facts, *, size: float = 1.0, safety: float = 1.0) -> Threshold:
    """From the points of each label, close enough for N(omega, V) of a width `size`."""

    def quadrature(level: int) -> tuple[LabelQuadrature, float]:
        nodes = case.label_nodes(level, size)
        return LabelQuadrature.of_nodes(nodes).of_first(case.dimension), nodes.defect

    return refined(quadrature, method, safety=safety)


def refined(
    quadrature: Callable[[int], tuple[LabelQuadrature, float]], method: Facts, *, safety: float = 1.0
) -> Threshold:
    """From two levels of a rule: their difference, with a factor of safety, and the defect of the finer."""
    coarse = top_eigenvalue(quadrature(0)[0])
    check_time()
    found, defect = quadrature(1)
    fine = top_eigenvalue(found)
    lost = max(defect, found.mass_defect)
    if lost > _ROUNDING:
        lost = max(lost, found.loss)
    error = safety * abs(fine - coarse) + fine * (lost + FLOOR) + _BEYOND
    return estimated(fine, error, method)
