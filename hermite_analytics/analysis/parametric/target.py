"""The text of a target with parameters, read; where its parameters lie."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.analysis.parametric.coefficients import is_integrable
from hermite_analytics.analysis.parametric.domains import Domain, domains_of
from hermite_analytics.analysis.parametric.region import Region
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.gaussian.integrability import verdict
from hermite_analytics.gaussian.zero.flat_kinks import with_exact_zeros
from hermite_analytics.language import display
from hermite_analytics.language.comparisons import comparisons
from hermite_analytics.language.parameters import demands, parameter_names
from hermite_analytics.language.parser import parse, target_names
from hermite_analytics.symbols import variable, xi

__all__ = ["ParametricTarget"]

_INPUT = re.compile(r"z\d*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParametricTarget:
    """A target whose text names parameters.

    Attributes
    ----------
    text : str
    expression : expression
    dimension : int
        The largest index used.
    domains : tuple of (Symbol, Domain)
        Of the parameters.

    Examples
    --------
    >>> f = ParametricTarget.of("sin(a*z1) + b*He3(z1)", "0 < a < 1")
    >>> f.expression, f.where, f.has_parameters
    (b*He(3, z1) + sin(a*z1), ('0 < a < 1',), True)
    """

    text: str
    expression: Expr
    dimension: int
    domains: tuple[tuple[Symbol, Domain], ...]

    @classmethod
    def of(cls, text: str, where: str | None) -> ParametricTarget:
        """The target of a text, its parameters as `where` has them.

        Raises
        ------
        InputError
            If `where` cannot be read, names no parameter of the text, leaves nothing or too much.
        ParseError
            If the text is not an expression of the language.
        UndefinedQuantity
            If E|f| is not shown to be finite for all parameters.
        """
        given = () if where is None else comparisons(where)
        names = list(parameter_names(text, [c.name for c in given]))
        domains = domains_of(given, names)
        symbols = {name: domains[name].symbol(name) for name in names}
        expression = parse(
            text,
            lambda name: symbols.get(name) or target_names(name),
            accepted="z1, z2, ..., xi and parameters, one letter each or named by where",
            is_constant=lambda symbol: symbol in symbols.values(),
        )
        inputs = [s for s in expression.free_symbols if _INPUT.fullmatch(s.name)]
        if not inputs:
            raise InputError(f"the target {shortened(text)} has no input; accepted: z1, z2, ...")
        found = cls(
            text=text,
            expression=with_exact_zeros(expression),
            dimension=max(int(s.name[1:]) for s in inputs),
            domains=tuple((symbols[name], domains[name]) for name in names),
        )
        found._check()
        return found

    @property
    def region(self) -> Region:
        """All values of the parameters."""
        return Region(domains=dict(self.domains))

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """In the order of their names."""
        return tuple(symbol for symbol, _ in self.domains)

    @property
    def has_parameters(self) -> bool:
        """Whether there are any."""
        return bool(self.domains)

    @property
    def where(self) -> tuple[str, ...]:
        """The conditions on the parameters, one comparison each."""
        return tuple(text for symbol, domain in self.domains for text in domain.texts(symbol.name))

    def _check(self) -> None:
        """Refuse what is not defined for all parameters."""
        region = self.region
        for x, wanted in demands(self.expression, self.parameters):
            shown = region.is_nonzero(x) if wanted == "nonzero" else False
            shown = shown or region.is_positive(x, or_zero=wanted == "nonnegative")
            if not shown:
                raise InputError(
                    f"{shortened(display.text(x))} is not shown to be {wanted} for all parameters of the "
                    'target; restrict them by where, as in "a > 0, b != 1"'
                )
        variables = tuple(variable(j + 1) for j in range(self.dimension))
        finite, why = is_integrable(self.expression, [*variables, xi], region)
        if finite is not True:
            raise UndefinedQuantity(
                f"the target {shortened(self.text)} has no mean for all parameters: E|f| {verdict(finite)} "
                f'against a Gaussian ({why}); restrict them by where, as in "a < 1/2"'
            )
