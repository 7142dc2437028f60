"""`analyze`: a target, with parameters or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermite_analytics.analysis.analysis import Analysis
from hermite_analytics.analysis.answers import DEFAULT_SECONDS
from hermite_analytics.errors import InputError
from hermite_analytics.language.parameters import parameter_names

if TYPE_CHECKING:
    from hermite_analytics.activation import Activation
    from hermite_analytics.analysis.parametric.result import ParametricAnalysis
    from hermite_analytics.target import Target

__all__ = ["analyze"]


def analyze(
    target: Target | str,
    *,
    where: str | None = None,
    activation: Activation | str | None = None,
    seconds: float = DEFAULT_SECONDS,
) -> Analysis | ParametricAnalysis:
    """Everything about a target: moments, exponents, staircases, thresholds, sample complexities.

    Of a text with parameters, such as "sin(a*z1) + b*He3(z1)", the exponents by cases.

    Parameters
    ----------
    target : Target or str
        Single letters (but x, y, e, i, j, I) and names of Greek letters are real parameters, and what
        `where` names.
    where : str, optional
        Comparisons of parameters with numbers, joined by commas or `and`: "a > 0, 0 < b <= 1, c != 1".
    activation : Activation or str, optional
        Then also whether a network of this activation learns each step.
    seconds : float > 0
        Of computing, shared by all parts; what does not end in its share is undecided, and says so.

    Returns
    -------
    Analysis or ParametricAnalysis
        The attributes of an `Analysis` are computed when they are first asked for.

    Raises
    ------
    InputError, ParseError, UndefinedQuantity
        For what is not a target, an activation or a time; for conditions that leave nothing.

    Examples
    --------
    >>> a = analyze("z1 + z2 + z1*z2")
    >>> print(a.leap_complexity, a.isotropic_leap, a.staircase.limit_dimension)
    1 2 1
    >>> print(analyze("z1**2*exp(-z1**2)").generative_exponent)
    4
    >>> for case in analyze("exp(a*z1) + b*z1**2", where="a >= 0").cases:
    ...     print(case.conditions, "|", case.information_exponent)
    a != 0 | 1
    a = 0, b != 0 | 2
    a = 0, b = 0 | inf
    """
    from hermite_analytics.analysis.parametric.result import parametric_analysis

    if isinstance(target, str) and (where is not None or parameter_names(target)):
        if activation is not None:
            raise InputError("activation is given for a target with parameters; accepted: none, or at(...)")
        return parametric_analysis(target, where=where, seconds=seconds)
    if where is not None:
        raise InputError("where is for the text of a target with parameters, as in sin(a*z1)")
    return Analysis(target, activation=activation, seconds=seconds)
