"""`ParametricAnalysis`: exponents of a target with parameters, by cases with exact conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.analysis.analysis import Analysis
from hermite_analytics.analysis.answers import DEFAULT_SECONDS
from hermite_analytics.analysis.parametric.answers import exponents
from hermite_analytics.analysis.parametric.cases import leaves
from hermite_analytics.analysis.parametric.coefficients import Coefficients
from hermite_analytics.analysis.parametric.examples import example
from hermite_analytics.analysis.parametric.region import Relation
from hermite_analytics.analysis.parametric.target import ParametricTarget
from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents import Exponent
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.foundation.json import Document
from hermite_analytics.language import display
from hermite_analytics.language.numbers import NumberLike, exact_number
from hermite_analytics.rendering import Column, Frame, Result, Role
from hermite_analytics.target import Target

__all__ = ["Case", "Conditions", "ParametricAnalysis", "parametric_analysis"]

LAST_DEGREE = 10
_EXPONENTS = ("information_exponent", "isotropic_leap", "generative_exponent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Relations between parameters that hold together; none: all parameters.

    Attributes
    ----------
    relations : tuple
        They are written as in the text of the conditions.
    letters : mapping of Symbol to Quantity
        Enclosed numbers without a closed form, by the names that relations have for them.

    Examples
    --------
    >>> from sympy import symbols
    >>> a, b = symbols("a b", real=True)
    >>> found = Conditions(relations=(Relation(left=a, sign="!="), Relation(left=b, sign="=", right=a**2)))
    >>> print(found, found.latex)
    a != 0, b = a**2 $a \\neq 0$, $b = a^{2}$
    """

    relations: tuple[Relation, ...] = ()
    letters: Mapping[Symbol, Quantity] = field(default_factory=dict, compare=False, repr=False)

    @property
    def text(self) -> str:
        """In one line."""
        return ", ".join(map(str, self.relations)) or "all parameters"

    @property
    def latex(self) -> str:
        """For a paper."""
        return ", ".join(f"${r.math().latex}$" for r in self.relations) or "all parameters"

    def __str__(self) -> str:
        return self.text

    def __iter__(self) -> Iterator[Relation]:
        return iter(self.relations)

    def hold(self, point: Mapping[Symbol, Expr]) -> bool:
        """Whether all hold at exact values of all parameters."""
        return all(relation.holds(point, self.letters) for relation in self.relations)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Case(Result):
    """The exponents on a set of parameters.

    Attributes
    ----------
    conditions : Conditions
        What holds there, beside `where`.
    example : mapping of str to exact number, or None
        Values of all parameters that show that the case is not empty; None where none were found: conditions
        that no rule solves may have no solution.
    expression : expression
        The target there, with the parameters put in that are functions of the others.
    information_exponent, isotropic_leap, generative_exponent : Exponent
        As those of a target without parameters.
    """

    conditions: Conditions
    example: Mapping[str, Expr] | None
    expression: Expr
    information_exponent: Exponent
    isotropic_leap: Exponent
    generative_exponent: Exponent

    def row(self) -> dict[str, object]:
        """The cells of a table."""
        return {
            "condition": self.conditions,
            "example": _shown(self.example),
            **{name: getattr(self, name).to_dict() for name in _EXPONENTS},
            "reason": self.information_exponent.reason,
        }

    def frame(self) -> Frame:
        """One row."""
        return Frame(title=f"case {shortened(str(self.conditions))}", rows=(self.row(),))

    def document(self) -> Document:
        """JSON-ready."""
        return {
            "conditions": [{"text": r.math().text, "latex": r.math().latex} for r in self.conditions],
            "example": self.example
            and [{"name": name, "value": display.text(x)} for name, x in self.example.items()],
            "target": display.text(self.expression),
            **{name: getattr(self, name).to_dict() for name in _EXPONENTS},
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ParametricAnalysis(Result):
    """The exponents of a target as functions of its parameters.

    Attributes
    ----------
    target : ParametricTarget
    cases : tuple of Case
        They do not overlap, and together they are all parameters that `where` allows; generic ones first.

    Examples
    --------
    >>> from hermite_analytics import analyze
    >>> family = analyze("a*sin(z1) + b*He3(z1)")
    >>> for case in family.cases:
    ...     print(case.conditions, "|", case.information_exponent)
    a != 0 | 1
    a = 0, b != 0 | 3
    a = 0, b = 0 | inf
    >>> print(family.at(a=0, b="1/2").information_exponent)
    3
    """

    target: ParametricTarget
    cases: tuple[Case, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(symbol.name for symbol in self.target.parameters)

    @property
    def where(self) -> tuple[str, ...]:
        """The conditions that were asked for, one comparison each."""
        return self.target.where

    def at(self, *, seconds: float = DEFAULT_SECONDS, **values: NumberLike) -> Analysis:
        """Everything about the target at exact values of all parameters; floats are the decimals they print.

        Raises
        ------
        InputError
            If a parameter is missing, unknown or outside of what `where` allows.
        """
        expression = self.target.expression.subs(self._point(values))
        return Analysis(Target(display.text(expression)), seconds=seconds)

    def case_at(self, **values: NumberLike) -> Case:
        """The case that holds at exact values of all parameters.

        Raises
        ------
        InputError
            As in `at`.
        UndefinedQuantity
            If it is not decided which one holds.
        """
        point = self._point(values)
        try:
            return next(case for case in self.cases if case.conditions.hold(point))
        except UnsupportedExpression as open_sign:
            raise UndefinedQuantity(f"which case holds is not decided: {open_sign}") from None

    def _point(self, values: Mapping[str, NumberLike]) -> dict[Symbol, Expr]:
        names = ", ".join(self.parameters)
        for name in values:
            if name not in self.parameters:
                raise InputError(f"{shortened(name)} is no parameter of the target; its parameters: {names}")
        missing = [name for name in self.parameters if name not in values]
        if missing:
            raise InputError(f"no value for {', '.join(missing)}; every parameter needs one")
        point = {}
        for symbol, domain in self.target.domains:
            number = exact_number(values[symbol.name], symbol.name)
            if not domain.contains(number):
                allowed_values = ", ".join(domain.texts(symbol.name))
                raise InputError(
                    f"{symbol.name} is {shortened(str(values[symbol.name]))}; accepted: {allowed_values}"
                )
            point[symbol] = number
        return point

    def frame(self) -> Frame:
        """One row a case."""
        rows = tuple(case.row() for case in self.cases)
        names = ", ".join(self.parameters)
        return Frame(
            title=f"{shortened(self.target.text)}, by its parameters {names}",
            rows=rows,
            columns={
                "condition": Column(name="condition", role=Role.PARAMETER),
                "example": Column(name="example", role=Role.PARAMETER),
            },
            fixed={"where": ", ".join(self.where)} if self.where else {},
        )

    def document(self) -> Document:
        """The document that `hermite-analytics analyze --json` prints of a target with parameters."""
        return {
            "target": self.target.text,
            "dimension": self.target.dimension,
            "parameters": list(self.parameters),
            "where": list(self.where),
            "cases": [case.document() for case in self.cases],
        }


def _shown(point: Mapping[str, Expr] | None) -> str:
    if point is None:
        return "none found: it may be empty"
    return ", ".join(f"{name} = {display.text(x)}" for name, x in point.items())


def parametric_analysis(
    text: str, *, where: str | None = None, seconds: float = DEFAULT_SECONDS, last: int = LAST_DEGREE
) -> ParametricAnalysis:
    """The cases of a target with parameters; see `analyze`.

    Parameters
    ----------
    text : str
    where : str, optional
    seconds : float > 0
    last : int
        The largest degree that is looked at, of functions that are no polynomials.
    """
    target = ParametricTarget.of(text, where)
    coefficients = Coefficients(target.dimension)
    with allowed(seconds):
        found = leaves(target.expression, target.region, coefficients, last=last)
        cases = []
        for leaf in found:
            order, leap, generative = exponents(leaf, coefficients.variables, coefficients.letters.keys())
            conditions = leaf.branch.region.conditions
            point = example(target.domains, conditions, coefficients.letters)
            cases.append(
                Case(
                    conditions=Conditions(relations=conditions, letters=coefficients.letters),
                    example=None if point is None else {p.name: x for p, x in point.items()},
                    expression=leaf.branch.f,
                    information_exponent=order,
                    isotropic_leap=leap,
                    generative_exponent=generative,
                )
            )
    return ParametricAnalysis(target=target, cases=tuple(cases))
