"""Equivalence of an estimate and a prediction by two one-sided t-tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import stdtr, stdtrit

from hermite_analytics.validation.statistics.decision import Comparison, Fit, SizePoint, Status
from hermite_analytics.validation.statistics.question import Question, undecided

__all__ = ["combine", "compare", "pass_probability", "seeds_factor"]


def compare(fit: Fit, question: Question, *, points: tuple[SizePoint, ...] = ()) -> Comparison:
    """Compare one estimate with one prediction.

    Passed if |D| + t_{1-pass_level} se < m, failed if |D| - t_{1-fail_level/2} se > m, else inconclusive,
    where D = simulation - theory: two one-sided tests.

    Parameters
    ----------
    fit : Fit
        The estimate.
    question : Question
        Theory, margin m and levels.
    points : tuple of SizePoint
        The sizes behind the estimate, for reports.

    Returns
    -------
    Comparison
        Inconclusive with p-values 1 if a number is not finite.
    """
    if not all(map(math.isfinite, (fit.value, fit.stderr, question.theory, question.numerical_error))):
        return replace(undecided(question, fit.value), points=points, fits=(fit,))
    excess = question.excess(fit.value)
    inner, outer = question.margin - question.numerical_error, question.margin + question.numerical_error
    half = float(stdtrit(fit.df, 1 - question.pass_level)) * fit.stderr
    if excess + half < inner:
        status = Status.PASSED
    elif excess - float(stdtrit(fit.df, 1 - question.fail_level / question.sides)) * fit.stderr > outer:
        status = Status.FAILED
    else:
        status = Status.INCONCLUSIVE
    return Comparison(
        status=status,
        value=fit.value,
        stderr=fit.stderr,
        low=fit.value - half,
        high=fit.value + half,
        theory=question.theory,
        margin=question.margin,
        p_pass=_upper_tail(inner - excess, fit),
        p_fail=min(1.0, question.sides * _upper_tail(excess - outer, fit)),
        power=pass_probability(fit, question),
        points=points,
        fits=(fit,),
    )


def pass_probability(fit: Fit, question: Question) -> float:
    """Probability that an estimate as precise as this one passes if the theory is exact; nan for bounds.

    Examples
    --------
    >>> from hermite_analytics.numeric.sizes.extrapolation import Extrapolation
    >>> fit = Extrapolation(value=0, stderr=0.25, df=1e9, slope=0, exponent=1, chi2=0, inflation=1,
    ...                     curvature=0, pooled=True, sizes=(1, 2))
    >>> round(pass_probability(fit, Question(theory=0.0, margin=1.0, pass_level=0.01)), 2)
    0.91
    """
    if question.relation != "equal":
        return float("nan")  # what a bound leaves room for is not the theory's business
    if fit.stderr == 0:
        return 1.0
    room = (question.margin - question.numerical_error) / fit.stderr
    inside = float(stdtr(fit.df, room - float(stdtrit(fit.df, 1 - question.pass_level))))
    return max(0.0, 2 * inside - 1)


def seeds_factor(comparison: Comparison, *, power: float = 0.9) -> float:
    """How many times the seeds would pass an exact theory with this probability; nan without a fit.

    The standard error shrinks like 1/sqrt(seeds); the quantiles are kept as they are.
    """
    if not comparison.fits or not comparison.stderr > 0 or math.isnan(comparison.power):
        return float("nan")
    df = comparison.fits[0].df
    half = (comparison.high - comparison.low) / 2
    needed = half + float(stdtrit(df, (1 + power) / 2)) * comparison.stderr
    return (needed / comparison.margin) ** 2


def _upper_tail(distance: float, fit: Fit) -> float:
    """P(t > distance/se); without noise 0, 1/2 or 1 by the sign."""
    if fit.stderr == 0:
        return 0.5 * (1.0 - float(np.sign(distance)))
    return float(stdtr(fit.df, -distance / fit.stderr))


def combine(comparisons: Sequence[Comparison]) -> Comparison:
    """Ask several fits for the same verdict: any disagreement is inconclusive.

    An observable whose leading finite-size term may be d^-1/2 must pass, or fail, under q = 1 and q = 1/2
    both: under the wrong exponent alone a wrong theory passes most of the time. The numbers reported are
    those of the first fit, the p-values the largest, the power the smallest.
    """
    agreed = {comparison.status for comparison in comparisons}
    return replace(
        comparisons[0],
        status=agreed.pop() if len(agreed) == 1 else Status.INCONCLUSIVE,
        p_pass=max(comparison.p_pass for comparison in comparisons),
        p_fail=max(comparison.p_fail for comparison in comparisons),
        power=min(comparison.power for comparison in comparisons),
        fits=tuple(fit for comparison in comparisons for fit in comparison.fits),
    )
