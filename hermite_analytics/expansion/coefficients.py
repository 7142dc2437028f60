"""The coefficients c_S = E[He_S(z) f(z)] of a target, label noise averaged out."""

from __future__ import annotations

from numbers import Integral

from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.coefficient_table import coefficient_table
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.expansion.expansion import HermiteExpansion, Index
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.gaussian.coefficients import count
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.quantities import total
from hermite_analytics.label_noise import averaged, conditional_second_moment, label_second_moment
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["hermite"]

MOST_DEGREE = 200
MOST_COEFFICIENTS = 20_000
DEFAULT_SECONDS = 30.0
_COEFFICIENTS_SHARE = 0.75  # of the time left; the rest is for the second moments


def hermite(
    target: Target | str, degree: int = 4, *, digits: int = 30, seconds: float = DEFAULT_SECONDS
) -> HermiteExpansion:
    """Hermite coefficients c_S = E[He_S(z) f(z)], |S| <= degree, each with its evidence.

    Exact where the rules give a closed form, else a symmetry that was verified or an enclosure of `digits`
    digits relative to sqrt(S!). Label noise is averaged out: the coefficients are those of E[y | z], while
    the second moment is that of y.

    Parameters
    ----------
    target : Target or str
    degree : int
        Largest one asked for, 0 to 200 in one variable; at most 20000 coefficients in several.
    digits : int
        Of the enclosures.
    seconds : float > 0
        Time allowed, of closed forms and symmetries too; what is not found in it is estimated or unknown.

    Returns
    -------
    HermiteExpansion

    Raises
    ------
    InputError
        If the degree is out of range.
    UndefinedQuantity
        If E|f| is infinite.

    Examples
    --------
    >>> expansion = hermite("sin(z1)", 3)
    >>> [str(expansion[k]) for k in range(4)]
    ['0', 'exp(-1/2)', '0', '-exp(-1/2)']
    >>> expansion[2].zero
    True
    """
    with allowed(seconds):
        return _hermite(target, degree, digits)


def _hermite(target: Target | str, degree: int, digits: int) -> HermiteExpansion:
    f = Target.of(target)
    variables = tuple(variable(j + 1) for j in range(f.dimension))
    if not (isinstance(degree, Integral) and not isinstance(degree, bool) and 0 <= degree <= MOST_DEGREE):
        raise InputError(f"degree is {shortened(repr(degree))}; accepted: an integer from 0 to {MOST_DEGREE}")
    size = count(len(variables), degree)
    if size > MOST_COEFFICIENTS:
        raise InputError(
            f"degree is {degree}, which gives {size} coefficients in {len(variables)} variables; "
            f"accepted: at most {MOST_COEFFICIENTS} coefficients"
        )
    closed, left = averaged(f.expression)
    with allowed(share(_COEFFICIENTS_SHARE)):
        coefficients = _coefficients(f.expression, closed, left, variables, degree, digits)
    moment = label_second_moment(f.expression, variables, digits=digits)
    conditional = moment
    if f.expression.has(xi):
        conditional = conditional_second_moment(f.expression, closed, left, variables, digits=digits)
    return HermiteExpansion(
        expression=closed if left == 0 else closed + GaussianExpectation(left, xi),
        variables=variables,
        degree=degree,
        coefficients=coefficients,
        second_moment=moment,
        conditional_second_moment=conditional,
    )


def _coefficients(
    expression: Expr,
    closed: Expr,
    left: Expr,
    variables: tuple[Symbol, ...],
    degree: int,
    digits: int,
) -> dict[Index, Quantity]:
    """Those of closed(z) + E[left(z, xi) | z], or of expression(z, xi) where its average is too hard."""
    found = coefficient_table(closed, variables, degree, digits=digits)
    if not expression.has(xi) or linear_part(expression, xi) is not None:
        return found
    if left != 0:
        other = coefficient_table(left, variables, degree, noise=(xi,), digits=digits)
        return {index: total([q, other[index]]) for index, q in found.items()}
    if all(_is_rigorous(q) for q in found.values()):
        return found
    other = coefficient_table(expression, variables, degree, noise=(xi,), digits=digits)
    return {index: _better(q, other[index]) for index, q in found.items()}


def _better(q: Quantity, other: Quantity) -> Quantity:
    """The first where it is rigorous or the other is not known, else the other."""
    return q if _is_rigorous(q) or other.evidence is Evidence.UNDECIDED else other


def _is_rigorous(q: Quantity) -> bool:
    return q.evidence in (Evidence.EXACT, Evidence.PROVED)
