"""Quadratic forms of two unknown coordinates whose coefficients depend on a known one.

Given x the law of the label is that of `quadratic.planar_form` in the eigenaxes at x. It changes its nature
where an eigenvalue passes through 0, with a logarithm in x: there the panels in x end, and where A breaks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy
from numpy.polynomial.hermite_e import hermegauss
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.breakpoints import real_breakpoints
from hermite_analytics.label.cases.line.numeric_pieces import distinct
from hermite_analytics.label.cases.plane.quadratic import form_matrix, planar_form
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.outer import outer_nodes, over_known, segments

__all__ = ["conditional_form", "law_of_form"]

Law = Callable[[int], tuple[LabelQuadrature, float]]  # with its defect of mass

_NODES = (36, 54)  # of a segment of x, by level
_END = 7.0
_NOTHING = 1e-14  # of an eigenvalue, relative to the other
_SQUARES = 3  # nodes, exact for (u^2 - 1)^2
_IMAGINARY = 1e-7  # of a root that counts as real: one cut too many does no harm


def conditional_form(problem: Problem) -> Law | None:
    """The law of w^T A(x) w + const(x), two unknown coordinates beside a known one; None of another label."""
    if len(problem.known) != 1 or len(problem.unknown) != 2 or problem.noise != 0:
        return None
    [x] = problem.known
    matrix = form_matrix(problem.signal, problem.unknown)
    if matrix is None or matrix.det() == 0:
        return None
    entries = (matrix[0, 0], matrix[0, 1], matrix[1, 1])
    compiled = [compile(entry, (x,), backend="array") for entry in entries]

    def at(value: float) -> Array:
        a, b, c = (float(entry(value)) for entry in compiled)
        return np.array([[a, b], [b, c]])

    def signature(value: float) -> tuple[bool, ...]:
        return tuple(bool(v > 0) for v in np.linalg.eigvalsh(at(value)))

    breaks = [float(b) for entry in entries for b in real_breakpoints(entry, x) if abs(b) < _END]
    ends = distinct([*segments(signature), *breaks, *_real_roots(matrix.det(), x)])

    def law(level: int) -> tuple[LabelQuadrature, float]:
        nodes = outer_nodes(ends, nodes=_NODES[level])
        return over_known(lambda value: (law_of_form(at(value), level=level), 0.0), *nodes)

    return law


def law_of_form(matrix: Array, *, level: int) -> LabelQuadrature:
    """The law of w^T A w, A of shape (2, 2)."""
    values, axes = np.linalg.eigh(matrix)
    values, axes = values[::-1], axes[:, ::-1]  # the positive one first, as in the law of the form
    size = float(np.abs(values).max())
    if np.abs(values).min() <= _NOTHING * size:
        own = _of_rank(values, size)
    else:
        own = planar_form(values / size, level=level)
    return own.turned(axes)


def _of_rank(values: Array, size: float) -> LabelQuadrature:
    """One eigenvalue is 0: the label tells the square of the other coordinate; both: it tells nothing."""
    u, weights = hermegauss(_SQUARES) if size else (np.ones(1), np.ones(1))
    second = np.zeros((len(u), 2, 2))
    place = int(np.abs(values).argmax())
    second[:, place, place] = u * u - 1
    return LabelQuadrature(weights=weights / weights.sum(), first=np.zeros((len(u), 2)), second=second)


def _real_roots(expr: Expr, x: Symbol) -> list[float]:
    """Of a polynomial in x, inside the range of the rule; none are looked for in another function."""
    if not expr.is_polynomial(x):
        return []
    coefficients = [float(a) for a in sympy.Poly(expr, x).all_coeffs()]
    roots = np.roots(coefficients)
    return [float(r.real) for r in roots if abs(r.imag) < _IMAGINARY and abs(r.real) < _END]
