"""f(Rz) from f(z): a linear substitution carried through every generator of a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from hermite_analytics.gaussian.zero import elementary, normal, piecewise
from hermite_analytics.gaussian.zero.monomials import (
    VARIABLE,
    Form,
    Frozen,
    Generator,
    Monomial,
    thaw,
    variable_names,
)
from hermite_analytics.gaussian.zero.reader import even_generator, opaque_generator
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.language.functions import RECORDS

__all__ = ["substitute"]


def substitute(ring: Ring, form: Form, values: Mapping[str, Form]) -> Form:
    """The form with each variable replaced; every generator is built anew from its new arguments.

    Examples
    --------
    >>> from hermite_analytics.gaussian.zero.monomials import negated, variable_form
    >>> from hermite_analytics.gaussian.zero.reader import odd_generator
    >>> x = variable_form("x")
    >>> odd = odd_generator("tanh", x)
    >>> substitute(Ring(), odd, {"x": negated(x)}) == negated(odd)
    True
    """
    return _Substitution(ring, values).form(form)


class _Substitution:
    """One substitution, with the generators already replaced."""

    def __init__(self, ring: Ring, values: Mapping[str, Form]) -> None:
        self.ring = ring
        self.values = values
        self.known: dict[Generator, Form] = {}

    def form(self, form: Form) -> Form:
        return self.ring.add(self.monomial(m, c) for m, c in form.items())

    def frozen(self, frozen: Frozen) -> Form:
        return self.form(thaw(frozen))

    def monomial(self, monomial: Monomial, coefficient: Fraction) -> Form:
        ring = self.ring
        result: Form = {Monomial(monomial.radical, monomial.pi): coefficient}
        if monomial.exponent:
            result = ring.multiply(result, elementary.exponential(ring, self.frozen(monomial.exponent)))
        if monomial.wave:
            kind, inner = monomial.wave
            wave = elementary.cosine if kind == "cos" else elementary.sine
            result = ring.multiply(result, wave(ring, self.frozen(inner)))
        for generator, n in monomial.generators:
            result = ring.multiply(result, elementary.power(ring, self.generator(generator), Fraction(n)))
        return result

    def generator(self, generator: Generator) -> Form:
        found = self.known.get(generator)
        if found is None:
            found = self.known[generator] = self._built(generator)
        return found

    def _built(self, generator: Generator) -> Form:
        name, arguments = generator
        itself: Form = {Monomial(generators=((generator, 1),)): Fraction(1)}
        if not variable_names(itself):
            return itself
        if name.startswith(VARIABLE):
            return self.values.get(name[len(VARIABLE) :], itself)
        replaced = [self.frozen(a) for a in arguments]
        rule = _RULES.get(name)
        if rule is not None:
            return rule(self.ring, *replaced)
        return opaque_generator(name, _PARITY.get(name, 0), *replaced)


_PARITY = {
    name: r.parity for r in RECORDS if r.function for name in (r.value, f"function {r.function.__name__}")
}
_RULES: dict[str, Callable[..., Form]] = {
    "erf": normal.error_function,
    "erfi": normal.imaginary_error_function,
    "log": elementary.logarithm,
    "logcosh": lambda ring, x: even_generator("logcosh", x),
    "mid_floor": piecewise.mid_floor,
    "power": elementary.real_power,
    "sign": lambda ring, x: piecewise.sign(ring, x, factor=False),
    "sign of polynomial": lambda ring, x: piecewise.sign(ring, x, factor=False),
    "step": piecewise.heaviside,
}
