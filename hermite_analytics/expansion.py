"""Hermite expansions: c_S = E[He_S(z) f(z)], with the evidence for every coefficient."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr, Integer, S, Symbol, factorial

from hermite_analytics.calculus.closed_form import closed_form
from hermite_analytics.calculus.coefficients import count, exact_coefficients, indices, split_exact
from hermite_analytics.calculus.reals import NoClosedForm
from hermite_analytics.enclosure import Budget, BudgetExhausted, enclose_coefficients
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.language.functions import He
from hermite_analytics.language.integrability import integrability
from hermite_analytics.quantities import (
    constant_quantity,
    expected_quantity,
    infinite_quantity,
    open_quantity,
    quantity_of_ball,
    total,
    weakest,
)
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target
from hermite_analytics.zero import symmetry_certificate

__all__ = ["HermiteExpansion", "hermite"]

Index = tuple[int, ...]
MOST_DEGREE = 200
MOST_COEFFICIENTS = 20_000
DEFAULT_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HermiteExpansion(Mapping[Index, Quantity]):
    """The un-normalised coefficients c_S = E[He_S(z) f(z)] of all indices |S| <= degree.

    A mapping from index tuples (one entry a variable) to `Quantity`.

    Attributes
    ----------
    expression : sympy expression
        f, label noise averaged out.
    variables : tuple of symbols
    degree : int
    coefficients : mapping of index to Quantity
        All of them; those that vanish have `zero` True.
    second_moment : Quantity
        E f^2; infinite where it is.
    """

    expression: Expr
    variables: tuple[Symbol, ...]
    degree: int
    coefficients: Mapping[Index, Quantity]
    second_moment: Quantity

    def __getitem__(self, index: int | Index) -> Quantity:
        return self.coefficients[(index,) if isinstance(index, int) else tuple(index)]

    def __iter__(self) -> Iterator[Index]:
        return iter(self.coefficients)

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def mean(self) -> Quantity:
        """E f."""
        return self.coefficients[(0,) * len(self.variables)]

    def norm_squared(self, degree: int) -> Quantity:
        """|C_k|^2/k! = sum over |S| = k of c_S^2/S!: the part of E f^2 in degree k."""
        chosen = [(s, q) for s, q in self.coefficients.items() if sum(s) == degree]
        exact = [q.exact**2 / _factorials(s) for s, q in chosen if q.exact is not None]
        if len(exact) == len(chosen):
            return constant_quantity(sympy.Add(*exact))
        value = sum(q.value**2 / float(_factorials(s)) for s, q in chosen)
        error = sum((2 * abs(q.value) + q.error) * q.error / float(_factorials(s)) for s, q in chosen)
        known = [q.zero for _, q in chosen]
        zero = True if all(known) else (False if False in known else None)
        return Quantity(
            exact=None,
            value=value,
            error=_up(error + 4e-16 * value),
            evidence=weakest(q for _, q in chosen),
            zero=zero,
            reason="the squares of the coefficients of this degree",
        )

    @property
    def tail(self) -> Quantity:
        """E f^2 minus the norms up to `degree`: what the expansion leaves out (0 by Parseval as it grows)."""
        if math.isinf(self.second_moment.value):
            return self.second_moment
        norms = [self.norm_squared(k) for k in range(self.degree + 1)]
        if self.second_moment.exact is not None and all(n.exact is not None for n in norms):
            return constant_quantity(self.second_moment.exact - sympy.Add(*(n.exact for n in norms)))
        value = self.second_moment.value - sum(n.value for n in norms)
        error = self.second_moment.error + sum(n.error for n in norms) + 4e-16 * abs(self.second_moment.value)
        return Quantity(
            exact=None,
            value=max(value, 0.0),
            error=_up(error + max(-value, 0.0)),
            evidence=weakest([self.second_moment, *norms]),
            zero=False if value > error else None,
            reason="E f^2 minus the norms of the coefficients",
        )

    def tensor(self, degree: int) -> NDArray[np.float64]:
        """C_k = E[He_k(z) f], the symmetric tensor of derivatives, as an array of shape (r,) * degree."""
        self._check_degree(degree)
        r = len(self.variables)
        tensor = np.zeros((r,) * degree)
        for axes in itertools.product(range(r), repeat=degree):
            tensor[axes] = self.coefficients[tuple(axes.count(i) for i in range(r))].value
        return tensor

    def contraction(self, degree: int, directions: Any) -> NDArray[np.float64]:
        """C_k with each slot contracted with the rows of `directions`, shape (m, r): shape (m,) * degree."""
        tensor = self.tensor(degree)
        rows = np.atleast_2d(np.asarray(directions, dtype=float))
        if rows.ndim != 2 or rows.shape[1] != len(self.variables):
            raise InputError(
                f"directions has shape {rows.shape}; rows of length {len(self.variables)} are accepted"
            )
        for _ in range(degree):
            tensor = np.tensordot(tensor, rows, axes=(0, 1))
        return tensor

    def reconstruction(self) -> Expr:
        """sum_S c_S He_S(z)/S!, with exact coefficients where there are closed forms."""
        terms = []
        for index, q in self.coefficients.items():
            if not q.zero:
                value = sympy.Float(q.value) if q.exact is None else q.exact
                terms.append(value / _factorials(index) * hermite_product(index, self.variables))
        return sympy.Add(*terms)

    def nonzero(self) -> dict[Index, Quantity]:
        """The coefficients that are not shown to be 0."""
        return {s: q for s, q in self.coefficients.items() if not q.zero}

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: coefficients not shown to be 0, second moment and tail."""
        return {
            "coefficients": [{"index": list(s), **q.to_dict()} for s, q in self.nonzero().items()],
            "second_moment": self.second_moment.to_dict(),
            "tail": self.tail.to_dict(),
        }

    def __str__(self) -> str:
        lines = [f"Hermite coefficients of {self.expression}, degree <= {self.degree}"]
        for index, q in self.nonzero().items():
            lines.append(f"  {_name(index)}: {_shown(q)}  [{q.evidence}]")
        if len(lines) == 1:
            lines.append("  all vanish")
        lines.append(f"  E f^2: {_shown(self.second_moment)}, tail {self.tail.value:.3g}")
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        terms = []
        for index, q in self.nonzero().items():
            number = f"{q.value:.12g}" if q.exact is None else sympy.latex(q.exact)
            terms.append(rf"c_{{{','.join(map(str, index))}}} &= {number}")
        return r"\begin{aligned}" + r" \\ ".join(terms) + r"\end{aligned}"

    def _check_degree(self, degree: int) -> None:
        if not 0 <= degree <= self.degree:
            raise InputError(f"degree is {degree}; this expansion has degrees 0 to {self.degree}")


def hermite(
    target: Target | str, degree: int, *, digits: int = 30, seconds: float = DEFAULT_SECONDS
) -> HermiteExpansion:
    """Hermite coefficients c_S = E[He_S(z) f(z)], |S| <= degree, each with its evidence.

    Exact where the rules give a closed form, else a symmetry that was verified or an enclosure of `digits`
    digits relative to sqrt(S!). Label noise is averaged out: the coefficients are those of E[y | z].

    Parameters
    ----------
    target : Target or str
    degree : int
        0 to 200 in one variable; at most 20000 coefficients in several.
    digits : int
        Of the enclosures.
    seconds : float > 0
        Budget of all enclosures together.

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
    budget = Budget(seconds=seconds)  # the clock starts here: closed forms and symmetries count too
    f = Target(target) if isinstance(target, str) else target
    variables = tuple(variable(j + 1) for j in range(f.dimension))
    size = count(len(variables), max(degree, 0))
    if not 0 <= degree <= MOST_DEGREE or size > MOST_COEFFICIENTS:
        raise InputError(
            f"degree is {degree}; accepted: 0 to {MOST_DEGREE}, and at most {MOST_COEFFICIENTS} coefficients "
            f"({len(variables)} variables give {size})"
        )
    expression = f.conditional_mean
    coefficients = _coefficients(expression, variables, degree, digits, budget)
    return HermiteExpansion(
        expression=expression,
        variables=variables,
        degree=degree,
        coefficients=coefficients,
        second_moment=second_moment(expression, variables, digits=digits, budget=budget),
    )


def second_moment(
    expression: Expr, variables: Sequence[Symbol], *, digits: int = 30, budget: Budget | None = None
) -> Quantity:
    """E f^2; infinite where that is shown."""
    decision = integrability(expression, tuple(variables), order=2)
    if decision.finite is False:
        return infinite_quantity(decision.reason)
    exact = closed_form(expression**2, variables)
    if exact is not None:
        return constant_quantity(exact)
    square = sympy.expand(expression**2) if expression.is_Add else expression**2
    return expected_quantity(square, variables, budget=budget or Budget(), digits=digits)


def _coefficients(
    expression: Expr, variables: tuple[Symbol, ...], degree: int, digits: int, budget: Budget
) -> dict[Index, Quantity]:
    closed, left = split_exact(expression, variables)
    try:
        exact = exact_coefficients(closed, variables, degree)
    except NoClosedForm:  # the mean has a closed form, a higher coefficient has none
        left, exact = expression, dict.fromkeys(indices(len(variables), degree), S.Zero)
    if left == 0:
        return {index: constant_quantity(value) for index, value in exact.items()}
    opened = _open_coefficients(left, variables, degree, digits, budget)
    return {index: total([constant_quantity(value), opened[index]]) for index, value in exact.items()}


def _open_coefficients(
    expression: Expr, variables: tuple[Symbol, ...], degree: int, digits: int, budget: Budget
) -> dict[Index, Quantity]:
    """Coefficients of what has no closed form, term by term."""
    tables = [
        _coefficients_of_part(part, variables, degree, digits, budget)
        for part in sympy.Add.make_args(expression)
    ]
    return {index: total([table[index] for table in tables]) for index in indices(len(variables), degree)}


def _coefficients_of_part(
    part: Expr, variables: tuple[Symbol, ...], degree: int, digits: int, budget: Budget
) -> dict[Index, Quantity]:
    used = [v for v in variables if part.has(v)]
    balls = _line_balls(part, used[0], degree, digits, budget) if len(used) == 1 else None
    found: dict[Index, Quantity] = {}
    for index in indices(len(variables), degree):
        if any(power and v not in used for power, v in zip(index, variables, strict=True)):
            found[index] = _independent(part, index)
        elif balls is not None:
            order = index[variables.index(used[0])]
            found[index] = _of_ball(part, used[0], order, balls[order])
        else:
            found[index] = open_quantity(
                part,
                variables,
                index=index,
                factor=hermite_product(index, variables),
                budget=budget,
                digits=digits,
            )
    return found


def _independent(expression: Expr, index: Index) -> Quantity:
    return Quantity(
        exact=S.Zero,
        value=0.0,
        error=0.0,
        evidence=Evidence.EXACT,
        zero=True,
        reason=f"{expression} does not depend on a variable of index {index}",
    )


def _line_balls(expression: Expr, z: Symbol, degree: int, digits: int, budget: Budget) -> list[Any] | None:
    try:
        return enclose_coefficients(expression, z, degree, digits=digits, budget=budget)
    except BudgetExhausted as stopped:
        return stopped.ball if isinstance(stopped.ball, list) else None
    except UnsupportedExpression:
        return None


def _of_ball(expression: Expr, z: Symbol, order: int, ball: Any) -> Quantity:
    if not ball.contains(0):
        return quantity_of_ball(ball)
    certificate = symmetry_certificate(expression, (z,), (order,))
    if certificate is None:
        return quantity_of_ball(ball)
    return Quantity(
        exact=S.Zero, value=0.0, error=0.0, evidence=Evidence.PROVED, zero=True, reason=certificate.text
    )


def hermite_product(index: Index, variables: Sequence[Symbol]) -> Expr:
    """He_S(z) = prod He_{s_i}(z_i), unexpanded."""
    return sympy.Mul(*(He(Integer(k), z) for k, z in zip(index, variables, strict=True) if k))


def _factorials(index: Index) -> Expr:
    return sympy.Mul(*(factorial(k) for k in index))


def _up(x: float) -> float:
    return math.nextafter(x, math.inf) if x else 0.0


def _name(index: Index) -> str:
    return "c_" + ("".join(map(str, index)) if max(index) < 10 else ",".join(map(str, index)))


def _shown(q: Quantity) -> str:
    if q.exact is not None and not q.exact.is_infinite:
        return f"{q.exact} = {q.value:.12g}" if not q.exact.is_Rational else str(q.exact)
    if math.isnan(q.value):
        return "unknown"
    return f"{q.value:.15g} ± {q.error:.1g}" if math.isfinite(q.value) else "infinite"
