"""Digits of a one-dimensional Gaussian expectation without free parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import sympy
from sympy import Expr, Symbol

from hermite_analytics.calculus.breakpoints import real_breakpoints
from hermite_analytics.errors import ConvergenceError, UndefinedQuantity, UnsupportedExpression

__all__ = ["expectation_digits"]


def expectation_digits(integrand: Expr, variables: Sequence[Symbol], prec: int) -> tuple[Any, Any]:
    """(value, error estimate) of E[integrand] as mpmath numbers, to `prec` bits.

    Tanh-sinh and Gauss-Legendre panels between the breakpoints of the integrand; the error is the
    disagreement of two meshes, an estimate and not a proof.

    Raises
    ------
    UnsupportedExpression
        More than one variable.
    ConvergenceError
        If the two meshes do not agree to half of the asked precision.
    """
    used = [v for v in variables if integrand.has(v)]
    if not used:
        return integrand._eval_evalf(prec)._to_mpmath(prec), mpmath.mpf(0)
    if len(used) > 1:
        raise UnsupportedExpression("digits of an expectation over several variables are not available yet")
    (z,) = used
    with mpmath.workprec(prec + 30):
        half_width = mpmath.sqrt(2 * (prec + 30) * mpmath.log(2)) + 4
        evaluate = _evaluator(integrand, z)
        kinks = [b for b in real_breakpoints(integrand, z) if abs(b) < half_width]
        ends = [-half_width, *kinks, half_width]

        def weighted(x: Any) -> Any:
            return evaluate(x) * mpmath.npdf(x)

        coarse = _panels(weighted, ends, mpmath.mpf(1))
        fine = _panels(weighted, ends, mpmath.mpf(1) / 2)
        error = abs(fine - coarse)
        if not mpmath.isfinite(fine):
            raise UndefinedQuantity(f"the expectation of {integrand} is not finite")
        if error > mpmath.mpf(2) ** (-prec // 2) * (1 + abs(fine)):
            raise ConvergenceError(
                f"the quadrature of {integrand} did not settle (error {mpmath.nstr(error, 3)})"
            )
        return +fine, error


def _panels(function: Any, ends: list[Any], width: Any) -> Any:
    total = mpmath.mpf(0)
    for low, high in zip(ends[:-1], ends[1:], strict=True):
        if high - low <= 0:
            continue
        count = int(mpmath.ceil((high - low) / width))
        edges = [low + (high - low) * j / count for j in range(count + 1)]
        total += mpmath.quad(function, edges, method="gauss-legendre", maxdegree=6)
    return total


def _evaluator(integrand: Expr, z: Symbol) -> Any:
    """A function of an mpmath number; constants are converted once at the working precision."""
    from hermite_analytics.codegen.python_backend.printer import reference_function

    return reference_function(integrand, (z,), mpmath)


def number(expr: Expr, prec: int = 53) -> float:
    """A float of a closed or unevaluated expression without free symbols."""
    return float(sympy.N(expr, max(17, prec // 3)))
