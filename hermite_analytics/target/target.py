"""Targets: functions of independent Gaussian inputs z1, z2, ..., with optional label noise xi."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, Any, cast

import sympy
from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.gaussian.integrability import integrability, moment_is_finite, verdict
from hermite_analytics.gaussian.order import sign_of
from hermite_analytics.gaussian.zero.finite_values import by_values
from hermite_analytics.gaussian.zero.flat_kinks import with_exact_zeros
from hermite_analytics.language import display
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.numbers import NumberLike, RowsLike, exact_number
from hermite_analytics.language.one_direction import along_one_direction
from hermite_analytics.language.parser import parse, target_names
from hermite_analytics.language.rows import Rows
from hermite_analytics.language.shape import has_jumps
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target.directions import (
    along,
    combination,
    given_rows,
    largest_index,
    orthogonal_rows,
    widened,
)
from hermite_analytics.target.given import TargetText, text_of

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """The function that a network is to learn.

    Parameters
    ----------
    text : str, sympy expression or numpy array
        An expression in z1, z2, ... (independent N(0, 1); z alone means z1) and xi (independent N(0, 1)
        label noise), for example "sin(z1)", "He3(z1) + 0.1*xi". A sympy expression is read through its text.
        An array holds Hermite coefficients c_k = E[f He_k], one axis a coordinate: it stands for the
        polynomial sum c_k He_k(z)/k!, its floats as the decimals that they print.
    directions : matrix of exact numbers, optional
        Row i is a direction, not necessarily of norm 1 or orthogonal to the others: z_i in the text then
        stands for (row i).z, and the target is a function of as many variables as there are columns. There
        is a row for each index up to the largest in the text.
    exact : bool
        Whether floats in the directions stand for the fractions or square roots of fractions that they are
        near. Otherwise they are the decimals that they print; long ones warn (`RoundedNumbers`).

    Attributes
    ----------
    expression : sympy expression
        With the label noise in it, in the z of the columns.
    dimension : int
        The largest index used, or the number of columns.
    origin : mapping of str to str
        Of what `in_one_coordinate` made: "given_target" and "direction", what z1 is in its z; else empty.

    Raises
    ------
    ParseError
        If the text is not an expression of the language.
    InputError
        If the directions do not fit, a sympy expression holds floats, an array something else than finite
        numbers, or the text is a Python function.
    UndefinedQuantity
        If E|f| is infinite, or cannot be shown to be finite.

    Examples
    --------
    >>> f = Target("sin(z1) + xi/2")
    >>> f.noiseless, f.noise_variance
    (sin(z1), 1/4)
    >>> Target("relu(z1)", directions=[[3, 4]]).expression
    relu(3*z1 + 4*z2)
    """

    text: str
    directions: Any = field(default=None, kw_only=True)
    exact: InitVar[bool] = field(default=False, kw_only=True)
    origin: Mapping[str, str] = field(init=False, repr=False, compare=False, default_factory=dict)
    expression: Expr = field(init=False, repr=False, compare=False)
    dimension: int = field(init=False, repr=False, compare=False)

    @classmethod
    def of(cls, given: Target | TargetText) -> Target:
        """The target itself, or that of a text, a sympy expression or an array of Hermite coefficients."""
        return given if isinstance(given, Target) else cls(cast(str, given))

    def __post_init__(self, exact: bool) -> None:
        object.__setattr__(self, "text", text_of(self.text))
        expression = parse(self.text, target_names, accepted="z1, z2, ..., xi")
        dimension = largest_index(expression)
        if self.directions is not None:
            rows = given_rows(self.directions, "directions", exact)
            named = max([dimension, *map(int, re.findall(r"\bz(\d+)\b", self.text))])
            if not dimension <= len(rows) <= named:  # a term such as 0*z2 names an index
                raise InputError(
                    f"directions has shape ({len(rows)}, {len(rows[0])}); {shortened(self.text)} has indices "
                    f"up to {named}, and as many rows are accepted"
                )
            object.__setattr__(self, "directions", rows)
            expression, dimension = along(expression, rows), len(rows[0])
        expression = with_exact_zeros(by_values(expression))
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "dimension", dimension)
        additive = linear_part(expression, xi)  # additive noise has every moment
        signal = expression if additive is None else additive[0]
        decision = integrability(signal, sorted(signal.free_symbols, key=lambda s: s.name))
        if decision.finite is not True:
            why = "" if decision.finite is False else f" ({decision.reason})"
            raise UndefinedQuantity(
                f"the target {shortened(self.text)} has no mean: E|f| {verdict(decision.finite)} "
                f"against a Gaussian{why}"
            )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        rows = [f"[{', '.join(str(display.plain_text(x)) for x in row)}]" for row in self.directions or ()]
        return f"Target(text={self.text!r}, directions={'[{}]'.format(', '.join(rows)) if rows else None})"

    def _repr_latex_(self) -> str:
        return f"$y = {display.latex(self.expression)}$"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.text, self.directions, dict(self.origin))

    @property
    def noise_variance(self) -> Expr:
        """Variance of an additive label noise a*xi.

        Raises
        ------
        UnsupportedExpression
            If xi enters in any other way.
        """
        return self._signal_and_noise[1] ** 2

    @property
    def noiseless(self) -> Expr:
        """The target without its additive label noise: E[y | z]."""
        return self._signal_and_noise[0]

    @property
    def _signal_and_noise(self) -> tuple[Expr, Expr]:
        """(g, a) of y = g(z) + a*xi."""
        found = linear_part(self.expression, xi)
        if found is None:
            raise UnsupportedExpression(
                f"the label noise of {shortened(self.text)} is not additive; "
                "solvers accept a*xi with a constant a"
            )
        return found

    @property
    def conditional_mean(self) -> Expr:
        """E[y | z]: the label noise averaged out, in closed form or as an unevaluated expectation."""
        from hermite_analytics.gaussian.node import GaussianExpectation
        from hermite_analytics.label_noise import averaged

        closed, left = averaged(self.expression)
        return closed if left == 0 else closed + GaussianExpectation(left, xi)

    @property
    def has_jumps(self) -> bool | None:
        """Whether g is discontinuous somewhere; None if that is not decided."""
        return has_jumps(self.expression, variable(1))

    def rotate(self, rotation: RowsLike, *, exact: bool = False) -> Target:
        """The target f(Rz) of an orthogonal matrix R.

        Parameters
        ----------
        rotation : matrix of exact numbers, shape (m, m), m >= dimension
            R; z_i becomes (row i of R).z, and rows of `directions` become rows times R.
        exact : bool
            As of a target: what floats stand for.

        Raises
        ------
        InputError
            If R is not square, too small, or not shown to be orthogonal.

        Examples
        --------
        >>> Target("relu(z1) + z2").rotate([["3/5", "4/5"], ["-4/5", "3/5"]]).expression
        -4*z1/5 + 3*z2/5 + relu(3*z1/5 + 4*z2/5)
        """
        matrix = sympy.Matrix(orthogonal_rows(rotation, self.dimension, exact))
        rows = widened(_rows_of(self), matrix.rows) * matrix
        return Target(self.text, directions=rows.tolist())

    def with_noise(self, variance: NumberLike) -> Target:
        """The target y + sqrt(variance)*xi: independent Gaussian label noise is added.

        Variances of independent noises add up: where the label has a noise a*xi already, it becomes one of
        variance a**2 + variance.

        Parameters
        ----------
        variance : exact number >= 0

        Raises
        ------
        InputError
            If the variance is not a finite number >= 0.
        UnsupportedExpression
            If the label noise that is there is not additive.

        Examples
        --------
        >>> print(Target("sin(z1)").with_noise("1/4"))
        sin(z1) + xi/2
        """
        number = exact_number(variance, "the variance of the noise")
        if sign_of(number) < 0:
            raise InputError(
                f"the variance of the noise is {shortened(str(variance))}; a number >= 0 is accepted"
            )
        if number == 0:
            return self
        more = sympy.sqrt(self.noise_variance + number) - self._signal_and_noise[1]
        return Target(f"{self.text} + {more * xi}", directions=self.directions)

    def __add__(self, other: Target) -> Target:
        """f + g as functions of the same z and of the same label noise xi."""
        if not isinstance(other, Target):
            return NotImplemented
        if self.directions == other.directions:
            return _along_first(f"{self.text} + {other.text}", self.directions)
        return _stacked(self, other)

    def in_one_coordinate(self) -> Target:
        """The same function with its one direction as z1, which `origin` then names.

        Inputs are Gaussian and have no preferred axes: a target that depends on v.z alone, v of norm 1, is
        one of a single N(0, 1) coordinate.

        Raises
        ------
        InputError
            If the target has more directions, or is not shown to have one only.

        Examples
        --------
        >>> g = Target("sin(z1 + z2) + xi/2").in_one_coordinate()
        >>> print(g, g.origin["direction"])
        xi/2 + sin(sqrt(2)*z1) (z1 + z2)/sqrt(2)
        """
        found = self.along_its_direction()
        if found is None:
            raise InputError(
                f"the target {shortened(self.text)} uses {_names(self._used())}; this solver takes a target "
                "of z1 alone, or one that is shown to depend on one direction, as sin(z1 + z2)"
            )
        return found

    def along_its_direction(self) -> Target | None:
        """As `in_one_coordinate`; None where that refuses."""
        z = self._used()
        if z in ([], [variable(1)]):
            return self
        found = along_one_direction(self.expression.xreplace({z[0]: variable(1)}), (variable(1), *z[1:]))
        if found is None:
            return None
        row, g = found
        return _rebuilt(
            display.text(g),
            None,
            {
                "given_target": str(self) if self.directions is None else display.text(self.expression),
                "direction": combination(row, z),
            },
        )

    def _used(self) -> list[Symbol]:
        return sorted(self.noiseless.free_symbols, key=lambda s: int(s.name[1:]))

    def single_index(self) -> tuple[Expr, Symbol]:
        """(g, z1) for a target g(z1) of one direction with E g^2 < infinity.

        Raises
        ------
        InputError
            If the target has more directions.
        UndefinedQuantity
            If E g^2 is infinite, or cannot be shown to be finite.
        """
        z1 = variable(1)
        g = self.noiseless
        if g.free_symbols - {z1}:
            used = f"uses {_names(self._used())}; this solver takes a target of z1 alone"
            raise InputError(f"the target {shortened(self.text)} {used}")
        finite = moment_is_finite(g, z1, 2)
        if finite is not True:
            raise UndefinedQuantity(
                f"the target {shortened(self.text)} has no second moment: E f^2 {verdict(finite)} "
                "against a Gaussian"
            )
        return g, z1

    def function(self, backend: str = "numba") -> Kernel:
        """g(z1, ..., zr), without label noise, as a compiled kernel."""
        from hermite_analytics.codegen import compile

        return compile(self.noiseless, tuple(variable(j + 1) for j in range(self.dimension)), backend=backend)


def _names(symbols: Sequence[Symbol]) -> str:
    return ", ".join(s.name for s in symbols)


def _rebuilt(text: str, directions: Rows | None, origin: Mapping[str, str]) -> Target:
    target = Target(text, directions=directions)
    object.__setattr__(target, "origin", origin)
    return target


def _stacked(f: Target, g: Target) -> Target:
    """f + g of different directions: the rows of f, then those of g, whose variables are renumbered."""
    width = max(f.dimension, g.dimension)
    rows = [widened(_rows_of(one), width) for one in (f, g)]
    shifted = re.sub(r"\bz(\d*)\b", lambda m: f"z{int(m[1] or 1) + rows[0].rows}", g.text)
    return _along_first(f"{f.text} + {shifted}", rows[0].col_join(rows[1]).tolist())


def _along_first(text: str, rows: Sequence[Sequence[Expr]] | None) -> Target:
    """The target along as many of the rows as it still uses: terms of a sum may cancel."""
    used = largest_index(parse(text, target_names, accepted="z1, z2, ..., xi"))
    return Target(text, directions=None if rows is None else rows[:used])


def _rows_of(f: Target) -> Sequence[Sequence[Expr]]:
    """The directions, also where they are the axes."""
    axes: Sequence[Sequence[Expr]] = sympy.eye(f.dimension).tolist()
    return axes if f.directions is None else f.directions
