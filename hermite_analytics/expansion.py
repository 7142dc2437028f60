"""Hermite expansions: c_S = E[He_S(z) f(z)], with the evidence for every coefficient."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from sympy import Expr, Symbol, factorial

from hermite_analytics.activation import shortened
from hermite_analytics.coefficient_table import coefficient_table, hermite_product
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.coefficients import count
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.quantities import constant_quantity, total, unknown_quantity, weakest
from hermite_analytics.label_noise import averaged, conditional_second_moment, label_second_moment
from hermite_analytics.language import display
from hermite_analytics.language.affine import linear_part
from hermite_analytics.rendering import Column, Drawing, Frame, Result, Role
from hermite_analytics.rendering.text import cut
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["HermiteExpansion", "hermite"]

Index = tuple[int, ...]
MOST_DEGREE = 200
MOST_COEFFICIENTS = 20_000
DEFAULT_SECONDS = 30.0
_COEFFICIENTS_SHARE = 0.75  # of the time left; the rest is for the second moments


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HermiteExpansion(Result, Mapping[Index, Quantity]):
    """The un-normalised coefficients c_S = E[He_S(z) f(z)] of all indices |S| <= degree.

    A mapping from index tuples (one entry a variable) to `Quantity`.

    Attributes
    ----------
    expression : sympy expression
        f = E[y | z], label noise averaged out.
    variables : tuple of symbols
    degree : int
    coefficients : mapping of index to Quantity
        All of them; those that vanish have `zero` True.
    second_moment : Quantity
        E y^2, label noise included; infinite where it is.
    conditional_second_moment : Quantity
        E f^2 with f = E[y | z], what the norms of all degrees add up to; E y^2 where there is no noise.

    Examples
    --------
    >>> expansion = hermite("relu(z1)", degree=2)
    >>> [str(expansion[k]) for k in range(3)]
    ['sqrt(2/pi)/2', '1/2', 'sqrt(2/pi)/2']
    >>> str(expansion.norm_squared(2))
    '1/(4*pi)'
    """

    expression: Expr
    variables: tuple[Symbol, ...]
    degree: int
    coefficients: Mapping[Index, Quantity]
    second_moment: Quantity
    conditional_second_moment: Quantity

    def __getitem__(self, index: int | Index) -> Quantity:
        wanted = tuple(index) if isinstance(index, tuple | list) else (index,)
        if wanted in self.coefficients:
            return self.coefficients[wanted]
        size = len(self.variables)
        is_index = all(isinstance(i, Integral) and i >= 0 for i in wanted) and len(wanted) == size
        raise InputError(
            f"no coefficient {', '.join(map(str, wanted))} of degree {self.degree} at most in {size} "
            f"variable{'s' * (size != 1)}; "
            + (
                f"hermite(f, degree={sum(wanted)}) has it"
                if is_index
                else f"accepted: {size} degree{'s' * (size != 1)} >= 0, one a variable"
            )
        )

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
        known = [q.zero for _, q in chosen]
        zero = True if all(known) else (False if False in known else None)
        if any(math.isnan(q.value) for _, q in chosen):
            unknown = unknown_quantity("a coefficient of this degree is unknown")
            return dataclasses.replace(unknown, zero=zero)
        value = sum(q.value**2 / float(_factorials(s)) for s, q in chosen)
        error = sum((2 * abs(q.value) + q.error) * q.error / float(_factorials(s)) for s, q in chosen)
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
        """E[E[y|z]^2] minus the norms up to `degree`: what the expansion leaves out (0 as it grows)."""
        whole = self.conditional_second_moment
        if math.isinf(whole.value):
            return whole
        norms = [self.norm_squared(k) for k in range(self.degree + 1)]
        if whole.exact is not None and all(n.exact is not None for n in norms):
            return constant_quantity(whole.exact - sympy.Add(*(n.exact for n in norms)))
        if any(math.isnan(q.value) for q in (whole, *norms)):
            return unknown_quantity("E f^2 or the norm of a degree is unknown")
        value = whole.value - sum(n.value for n in norms)
        error = whole.error + sum(n.error for n in norms) + 4e-16 * abs(whole.value)
        return Quantity(
            exact=None,
            value=max(value, 0.0),
            error=_up(error + max(-value, 0.0)),
            evidence=weakest([whole, *norms]),
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

    def contraction(self, degree: int, directions: ArrayLike) -> NDArray[np.float64]:
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

    def frame(self) -> Frame:
        """One row a coefficient that is not shown to be 0."""
        rows = [
            {"index": ",".join(map(str, s)), "degree": sum(s), "coefficient": q}
            for s, q in self.nonzero().items()
        ]
        return Frame(
            title=f"Hermite coefficients of {display.text(self.expression)}",
            rows=tuple(rows or [{"index": "all", "coefficient": "0"}]),
            columns={
                "index": Column(name="index", role=Role.PARAMETER),
                "degree": Column(name="degree", role=Role.PARAMETER, symbol="k"),
                "coefficient": Column(name="coefficient", symbol="c_S"),
            },
            fixed={"degree up to": self.degree, "E y^2": str(self.second_moment)},
        )

    def drawing(self) -> Drawing:
        """The coefficients as points above their degrees."""
        frame = self.frame()
        known = {**frame.columns, "index": Column(name="index")}
        return Drawing(
            frame=replace(frame, columns=known), values=("coefficient",), against="degree", points=True
        )

    def document(self) -> Document:
        """JSON-ready: coefficients not shown to be 0, second moment and tail."""
        return {
            "coefficients": [{"index": list(s), **q.to_dict()} for s, q in self.nonzero().items()],
            "second_moment": self.second_moment.to_dict(),
            "tail": self.tail.to_dict(),
        }

    def __str__(self) -> str:
        lines = [f"Hermite coefficients of {display.text(self.expression)}, degree <= {self.degree}"]
        for index, q in self.nonzero().items():
            lines.append(f"  {_name(index)}: {_shown(q)}  [{q.evidence}]")
        if len(lines) == 1:
            lines.append("  all vanish")
        lines.append(f"  E y^2: {_shown(self.second_moment)}, tail {self.tail.value:.3g}")
        return cut("\n".join(lines))

    def _repr_latex_(self) -> str:
        terms = []
        for index, q in self.nonzero().items():
            closed = None if q.closed_text is None else q.exact
            number = f"{q.value:.12g}" if closed is None else display.latex(closed)
            terms.append(rf"c_{{{','.join(map(str, index))}}} &= {number}")
        return r"\begin{aligned}" + r" \\ ".join(terms) + r"\end{aligned}"

    def _check_degree(self, degree: int) -> None:
        if not 0 <= degree <= self.degree:
            raise InputError(f"degree is {degree}; this expansion has degrees 0 to {self.degree}")


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
    if not (isinstance(degree, Integral) and 0 <= degree <= MOST_DEGREE):
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


def _factorials(index: Index) -> Expr:
    return sympy.Mul(*(factorial(k) for k in index))


def _up(x: float) -> float:
    return math.nextafter(x, math.inf) if x else 0.0


def _name(index: Index) -> str:
    return "c_" + ("".join(map(str, index)) if max(index) < 10 else ",".join(map(str, index)))


def _shown(q: Quantity) -> str:
    closed = q.closed_text
    if q.exact is not None and closed is not None and not q.exact.is_infinite:
        return closed if q.exact.is_Rational else f"{closed} = {q.value:.12g}"
    if math.isnan(q.value):
        return "unknown"
    return f"{q.value:.15g} ± {q.error:.1g}" if math.isfinite(q.value) else "infinite"
