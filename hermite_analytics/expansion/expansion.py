"""An expansion: its coefficients with their evidence, norms, tail, tensors, and how it is shown."""

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

from hermite_analytics.coefficient_table import hermite_product
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Quantity
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.quantities import constant_quantity, unknown_quantity, weakest
from hermite_analytics.language import display
from hermite_analytics.rendering import Column, Drawing, Frame, Result, Role
from hermite_analytics.rendering.text import cut

__all__ = ["HermiteExpansion", "Index"]

Index = tuple[int, ...]


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
    >>> from hermite_analytics import hermite
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
        if whole.is_infinite:
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
        tail = self.tail.decimal if math.isinf(self.tail.value) else f"{self.tail.value:.3g}"
        lines.append(f"  E y^2: {_shown(self.second_moment)}, tail {tail}")
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
