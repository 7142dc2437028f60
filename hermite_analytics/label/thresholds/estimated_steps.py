"""Steps beyond those that are proved: their bounds proved, what fills the bounds estimated from samples.

A step of order k from U learns at most what the certificates of `law.limits` leave. Where no moment of a
transformed label proves that it learns all of that, the matrix E[zeta zeta^T] of zeta = E[He_k(w) | y, z_U],
contracted to one slot, is estimated by sampling on the bound. Where all of its eigenvalues are many
standard errors above 0 the bound is taken for the step: an estimate, never a proof. Where one of them is not,
nothing is said of it: a number near 0 is no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.argument import Facts
from hermite_analytics.argument.steps import EstimatedDirections
from hermite_analytics.codegen import compile
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, extended
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.sampled.estimates import sampled_slots
from hermite_analytics.label.orders.limits import Limits
from hermite_analytics.label.reduction.essential import essential_label
from hermite_analytics.label.reduction.settled import is_settled
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["EstimatedStep", "estimated_steps"]

_SAMPLES = 16  # binary logarithm, of each replicate
_CLEAR = 8.0  # standard errors above 0
_ORDERS = (1, 2)
_PARALLEL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedStep:
    """A step whose directions are estimated.

    Attributes
    ----------
    order : int
    before, after : Span
        U, and U with the bound that the estimates fill.
    facts : facts
        The proved bound and the estimates.
    """

    order: int
    before: Span
    after: Span
    facts: Facts


def estimated_steps(target: Target, learned: Sequence[Row], *, seconds: float) -> list[EstimatedStep]:
    """The steps from a learned subspace, until one is not clear.

    Parameters
    ----------
    target : Target
    learned : rows of exact numbers
        A basis of U.
    seconds : float > 0

    Examples
    --------
    >>> [step] = estimated_steps(Target("z1**2 + z2**2 + z1*z2"), [], seconds=20)
    >>> step.order, step.after.text()
    (2, [['1', '0'], ['0', '1']])
    """
    found: list[EstimatedStep] = []
    label = essential_label(target)
    signal = (linear_part(label.expression, xi) or (label.expression,))[0]
    variables = tuple(variable(j + 1) for j in range(target.dimension))
    numbers = Numbers()
    try:
        with limited(seconds):
            span, _ = extended(numbers, Span(width=target.dimension), learned)
            noise = (xi,) if signal.has(xi) else ()
            limits = Limits(signal, variables, noise, numbers, None)
            if span.dimension < limits.reachable.dimension and not _is_settled(signal, (*variables, *noise)):
                return []
            while span.dimension < limits.reachable.dimension:
                step = _next(signal, variables, limits, span)
                if step is None:
                    break
                found.append(step)
                span = step.after
    except (TimeEnded, UnsupportedExpression):
        check_time()  # a limit around this one; else the steps before stand
    return found


def _is_settled(signal: Expr, coordinates: tuple[Symbol, ...]) -> bool:
    """Whether samples are those of the label, and not of its rounding."""
    kernel = compile(signal, coordinates, backend="array")

    def value(points: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(kernel(*points.T), dtype=np.float64), len(points))

    return is_settled(signal, coordinates, value)


def _next(signal: Expr, variables: tuple[Symbol, ...], limits: Limits, span: Span) -> EstimatedStep | None:
    """The step of the least order that is not proved to be empty; None where it is not clear."""
    for order in _ORDERS:
        limit = limits.at(span, order)
        if limit is None:
            return None
        if limit.span.dimension == span.dimension:
            continue
        if not limit.span.is_exact:
            return None
        values, errors = _estimates(signal, variables, (span, limit.span), order)
        if not np.all(values > _CLEAR * errors):
            return None
        sizes = tuple((float(v), float(e)) for v, e in zip(values, errors, strict=True))
        facts = (EstimatedDirections(because=limit.facts, eigenvalues=sizes),)
        return EstimatedStep(order=order, before=span, after=limit.span, facts=facts)
    return None


def _estimates(
    signal: Expr, variables: tuple[Symbol, ...], spans: tuple[Span, Span], order: int
) -> tuple[Array, Array]:
    """(eigenvalues of E[zeta zeta^T] on the bound beyond U, their standard errors)."""
    known, new, rest = _axes(*spans)
    kernel = compile(signal, (*variables, *((xi,) if signal.has(xi) else ())), backend="array")
    hidden = len(rest) + int(signal.has(xi))

    def value(points: Array) -> Array:
        check_time()
        w, other, x = np.split(points, [len(new), len(new) + hidden], axis=1)
        z = w @ new + other[:, : len(rest)] @ rest + x @ known
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(*z.T, *other[:, len(rest) :].T), dtype=np.float64)
        return np.broadcast_to(found, len(points))

    return sampled_slots(value, len(new), order=order, hidden=hidden, known=len(known), samples=_SAMPLES)


def _axes(span: Span, bound: Span) -> tuple[Array, Array, Array]:
    """Orthonormal rows of U, of the bound beyond it, and of all else."""
    width, inner, outer = span.width, span.dimension, bound.dimension
    rows = [[float(x) for x in row] for row in (*span.rows, *bound.rows)]
    columns = np.column_stack([np.array(rows).reshape(-1, width).T, np.eye(width)])
    basis: list[Array] = []
    for column in columns.T:
        left = column - sum((b * (b @ column) for b in basis), np.zeros(width))
        left -= sum((b * (b @ left) for b in basis), np.zeros(width))
        if np.linalg.norm(left) > _PARALLEL * np.linalg.norm(column):
            basis.append(left / np.linalg.norm(left))
    axes = np.array(basis).reshape(-1, width)
    return axes[:inner], axes[inner:outer], axes[outer:]
