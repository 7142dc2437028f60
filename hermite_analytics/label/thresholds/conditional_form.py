"""Quadratic forms of two unknown coordinates whose coefficients depend on a known one.

Given x the law of the label is that of `quadratic.planar_form` in the eigenaxes at x. It changes its nature
where an eigenvalue passes through 0, with a logarithm in x: there the panels in x end, and where A breaks.
"""

from __future__ import annotations

import numpy as np
import sympy
from numpy.polynomial.hermite_e import hermegauss
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.breakpoints import real_breakpoints
from hermite_analytics.label.cases.plane.quadratic import planar_form
from hermite_analytics.label.exact.zeros import in_elementary_functions
from hermite_analytics.label.quadrature import LabelQuadrature, mixture
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.outer import outer_nodes, segments

__all__ = ["ConditionalForm", "conditional_form"]

_NODES = (36, 54)  # of a segment of x, by level
_END = 7.0
_SAME = 1e-9
_NOTHING = 1e-14  # of an eigenvalue, relative to the other
_SQUARES = 3  # nodes, exact for (u^2 - 1)^2
_IMAGINARY = 1e-7  # of a root that counts as real: one cut too many does no harm


class ConditionalForm:
    """The label w^T A(x) w + const(x).

    Parameters
    ----------
    entries : three expressions
        A_11, A_12, A_22 in x.
    x : Symbol
    """

    def __init__(self, entries: tuple[Expr, Expr, Expr], x: Symbol) -> None:
        self._entries = [compile(entry, (x,), backend="array") for entry in entries]
        determinant = entries[0] * entries[2] - entries[1] ** 2
        breaks = [float(b) for entry in entries for b in real_breakpoints(entry, x) if abs(b) < _END]
        self.ends = _apart([*segments(self._signature), *breaks, *_real_roots(determinant, x)])

    def matrix(self, x: float) -> Array:
        """A at a value of x."""
        a, b, c = (float(entry(x)) for entry in self._entries)
        return np.array([[a, b], [b, c]])

    def quadrature(self, *, level: int) -> tuple[LabelQuadrature, float]:
        """E over x of the law given x, and its defect of mass."""
        nodes, weights = outer_nodes(self.ends, nodes=_NODES[level])
        parts = []
        for x in nodes:
            check_time()
            parts.append(self.given(float(x), level=level))
        found = mixture(parts, weights)
        return found, found.mass_defect

    def given(self, x: float, *, level: int) -> LabelQuadrature:
        """The law of the label at a value of x."""
        values, axes = np.linalg.eigh(self.matrix(x))
        values, axes = values[::-1], axes[:, ::-1]  # the positive one first, as in the law of the form
        size = float(np.abs(values).max())
        if np.abs(values).min() <= _NOTHING * size:
            own = _of_rank(values, size)
        else:
            own = planar_form(values / size, level=level)
        second = np.einsum("ia,nab,jb->nij", axes, own.second, axes)
        return LabelQuadrature(weights=own.weights, first=own.first, second=second)

    def _signature(self, x: float) -> tuple[bool, ...]:
        return tuple(bool(v > 0) for v in np.linalg.eigvalsh(self.matrix(x)))


def _of_rank(values: Array, size: float) -> LabelQuadrature:
    """One eigenvalue is 0: the label tells the square of the other coordinate; both: it tells nothing."""
    u, weights = hermegauss(_SQUARES) if size else (np.ones(1), np.ones(1))
    second = np.zeros((len(u), 2, 2))
    place = int(np.abs(values).argmax())
    second[:, place, place] = u * u - 1
    return LabelQuadrature(weights=weights / weights.sum(), first=np.zeros((len(u), 2)), second=second)


def conditional_form(problem: Problem) -> ConditionalForm | None:
    """The form of two unknown coordinates beside one known, or None for another label."""
    if len(problem.known) != 1 or len(problem.unknown) != 2 or problem.noise != 0:
        return None
    signal = in_elementary_functions(problem.signal)
    if not signal.is_polynomial(*problem.unknown):
        return None
    poly = sympy.Poly(signal, *problem.unknown)
    if any(sum(monomial) not in (0, 2) for monomial in poly.monoms()):
        return None
    [x] = problem.known
    u, v = problem.unknown
    entries = (poly.coeff_monomial(u**2), poly.coeff_monomial(u * v) / 2, poly.coeff_monomial(v**2))
    if entries[0] * entries[2] - entries[1] ** 2 == 0:
        return None
    return ConditionalForm(entries, x)


def _apart(cuts: list[float]) -> list[float]:
    """In increasing order, equal ones once."""
    ends: list[float] = []
    for cut in sorted(cuts):
        if not ends or cut - ends[-1] > _SAME:
            ends.append(cut)
    return ends


def _real_roots(expr: Expr, x: Symbol) -> list[float]:
    """Of a polynomial in x, inside the range of the rule; none are looked for in another function."""
    if not expr.is_polynomial(x):
        return []
    coefficients = [float(a) for a in sympy.Poly(expr, x).all_coeffs()]
    roots = np.roots(coefficients)
    return [float(r.real) for r in roots if abs(r.imag) < _IMAGINARY and abs(r.real) < _END]
