"""Random expressions, each with its value in mpmath: built side by side, neither from the other.

The value carries a first-order bound of the rounding errors that a computation in floating point may make, so
that a test tells cancellation from a wrong digit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import sympy
from sympy import Expr, Rational, Symbol

from hermite_analytics.language import functions as own

ROUNDING = mpmath.mpf(2) ** -52
SYMBOLS = tuple(Symbol(name, real=True) for name in ("x", "y", "kappa"))


@dataclass(frozen=True, slots=True)
class Rounded:
    """A number, and a bound on what rounding does to it."""

    value: Any
    error: Any


Evaluate = Callable[[Sequence[Any], Any], Rounded]


@dataclass(frozen=True, slots=True)
class Drawn:
    """`evaluate(point, unit)` is the value at a point if each operation errs by `unit` relative."""

    expression: Expr
    evaluate: Evaluate


def constant(number: Fraction) -> Drawn:
    value = mpmath.mpf(number.numerator) / number.denominator
    exact = number.denominator & (number.denominator - 1) == 0
    return Drawn(
        Rational(number.numerator, number.denominator),
        lambda point, unit: Rounded(value, 0 if exact else unit * abs(value)),
    )


def symbol(index: int) -> Drawn:
    return Drawn(SYMBOLS[index], lambda point, unit: Rounded(point[index], mpmath.mpf(0)))


def through(
    build: Callable[..., Expr],
    function: Callable[..., Any],
    *inner: Drawn,
    slopes: Sequence[float] = (),
    absolute: bool = False,
) -> Drawn:
    """A function of drawn expressions.

    Parameters
    ----------
    build, function
        In sympy and in mpmath.
    slopes
        Bounds on the partial derivatives; without them the function is evaluated at moved arguments.
    absolute
        Whether the function itself errs by 1e-15 and not by its last digit.
    """

    def evaluate(point: Sequence[Any], unit: Any) -> Rounded:
        arguments = [d.evaluate(point, unit) for d in inner]
        values = [a.value for a in arguments]
        value = function(*values)
        error = 8 * unit if absolute else unit * abs(value)
        for j, argument in enumerate(arguments):
            if argument.error == 0:
                continue
            if slopes:
                error += slopes[j] * argument.error
                continue
            moved = [
                function(*values[:j], values[j] + side * argument.error, *values[j + 1 :]) for side in (-1, 1)
            ]
            error += max(abs(m - value) for m in moved)
        return Rounded(value, error)

    return Drawn(build(*(d.expression for d in inner)), evaluate)


def plus(*terms: Drawn) -> Drawn:
    def evaluate(point: Sequence[Any], unit: Any) -> Rounded:
        found = [t.evaluate(point, unit) for t in terms]
        size = sum(abs(f.value) for f in found)
        return Rounded(mpmath.fsum(f.value for f in found), sum(f.error for f in found) + unit * size)

    return Drawn(sympy.Add(*(t.expression for t in terms)), evaluate)


def times(*factors: Drawn) -> Drawn:
    return through(sympy.Mul, lambda *v: mpmath.fprod(v), *factors)


def hermite(degree: int, x: Any) -> Any:
    """He_degree(x) from its explicit sum."""
    return mpmath.fsum(
        (-1) ** j
        * mpmath.factorial(degree)
        / (mpmath.factorial(j) * mpmath.factorial(degree - 2 * j) * mpmath.mpf(2) ** j)
        * x ** (degree - 2 * j)
        for j in range(degree // 2 + 1)
    )


def owen_t(h: Any, a: Any) -> Any:
    """Owen's T from its defining integral."""
    if a < 0:
        return -owen_t(h, -a)
    panels = mpmath.linspace(0, a, int(a) + 2)
    total = mpmath.quad(lambda t: mpmath.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), panels, maxdegree=6)
    return total / (2 * mpmath.pi)


def pair_cdf(h: Any, k: Any, rho: Any) -> Any:
    """P(X <= h, Y <= k) from Plackett's integral over the correlation, rho = sin t."""
    end = mpmath.asin(rho)
    integral = mpmath.quad(
        lambda t: mpmath.exp(-(h * h + k * k - 2 * h * k * mpmath.sin(t)) / (2 * mpmath.cos(t) ** 2)),
        [0, end / 2, end],
        maxdegree=6,
    )
    return mpmath.ncdf(h) * mpmath.ncdf(k) + integral / (2 * mpmath.pi)


def logistic(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def softplus(x: Any) -> Any:
    return max(x, 0) + mpmath.log1p(mpmath.exp(-abs(x)))


_PLAIN: dict[str, tuple[Callable[..., Expr], Callable[..., Any]]] = {
    "sin": (sympy.sin, mpmath.sin),
    "cos": (sympy.cos, mpmath.cos),
    "tanh": (sympy.tanh, mpmath.tanh),
    "erf": (sympy.erf, mpmath.erf),
    "erfc": (sympy.erfc, mpmath.erfc),
    "atan": (sympy.atan, mpmath.atan),
    "abs": (sympy.Abs, abs),
    "sign": (sympy.sign, mpmath.sign),
    "step": (own.step, lambda x: mpmath.mpf(x > 0)),
    "relu": (own.relu, lambda x: max(x, mpmath.mpf(0))),
    "leaky_relu": (lambda x: own.leaky_relu(x, Rational(1, 4)), lambda x: x if x > 0 else x / 4),
    "Phi": (own.Phi, mpmath.ncdf),
    "phi": (own.phi, mpmath.npdf),
    "sigmoid": (own.sigmoid, logistic),
    "softplus": (own.softplus, softplus),
    "silu": (own.silu, lambda x: x * logistic(x)),
    "gelu": (own.gelu, lambda x: x * mpmath.ncdf(x)),
}
_OF_A_BOUNDED_NUMBER: dict[str, tuple[Callable[..., Expr], Callable[..., Any]]] = {
    "exp": (sympy.exp, mpmath.exp),
    "sinh": (sympy.sinh, mpmath.sinh),
    "cosh": (sympy.cosh, mpmath.cosh),
    "asin": (sympy.asin, mpmath.asin),
    "acos": (sympy.acos, mpmath.acos),
}
_OF_A_POSITIVE_NUMBER: dict[str, tuple[Callable[..., Expr], Callable[..., Any]]] = {
    "log": (sympy.log, mpmath.log),
    "sqrt": (sympy.sqrt, mpmath.sqrt),
    "1/": (lambda u: 1 / u, lambda u: 1 / u),
    "**(-3/2)": (lambda u: u ** Rational(-3, 2), lambda u: u ** mpmath.mpf("-1.5")),
    "**(1/3)": (lambda u: u ** Rational(1, 3), mpmath.cbrt),
}
_RULES = ("plain", "plain", "plain", "bounded", "positive", "extreme", "cases", "series", "power", "pair")


class Draw:
    """Draws expressions in the first `symbols` of `SYMBOLS`."""

    def __init__(self, seed: int, symbols: int) -> None:
        self.random = random.Random(seed)
        self.symbols = symbols

    def number(self) -> Fraction:
        return Fraction(self.random.choice((-3, -2, -1, 1, 2, 3)), self.random.choice((1, 1, 2, 3, 4)))

    def form(self) -> Drawn:
        """A linear form with an offset."""
        pick = self.random
        used = pick.sample(range(self.symbols), pick.randint(1, self.symbols))
        terms = [times(constant(self.number()), symbol(i)) for i in used]
        terms += [constant(self.number())] * pick.randint(0, 1)
        return plus(*terms)

    def argument(self, depth: int) -> Drawn:
        return self.atom(depth - 1) if depth and self.random.random() < 0.4 else self.form()

    def atom(self, depth: int) -> Drawn:
        return getattr(self, self.random.choice(_RULES))(depth)  # type: ignore[no-any-return]

    def plain(self, depth: int) -> Drawn:
        return through(*self.random.choice(list(_PLAIN.values())), self.argument(depth))

    def bounded(self, depth: int) -> Drawn:
        build, function = self.random.choice(list(_OF_A_BOUNDED_NUMBER.values()))
        inner = through(sympy.sin, mpmath.sin, self.argument(depth))
        return through(build, function, times(constant(Fraction(3, 4)), inner))

    def positive(self, depth: int) -> Drawn:
        build, function = self.random.choice(list(_OF_A_POSITIVE_NUMBER.values()))
        square = through(lambda u: u**2, lambda u: u * u, self.argument(depth))
        return through(build, function, plus(constant(Fraction(self.random.randint(1, 3))), square))

    def extreme(self, depth: int) -> Drawn:
        build, function = self.random.choice(((sympy.Max, max), (sympy.Min, min)))
        return through(build, function, *(self.argument(depth) for _ in range(self.random.choice((2, 3)))))

    def cases(self, depth: int) -> Drawn:
        left, right, first, second = (self.argument(d) for d in (0, 0, depth, depth))
        strict = self.random.random() < 0.5

        def build(a: Expr, b: Expr, u: Expr, v: Expr) -> Expr:
            return sympy.Piecewise((u, a < b if strict else a >= b), (v, True))

        def function(a: Any, b: Any, u: Any, v: Any) -> Any:
            return u if (a < b if strict else a >= b) else v

        return through(build, function, left, right, first, second)

    def series(self, depth: int) -> Drawn:
        """A sum of Hermite polynomials of one argument."""
        x = through(sympy.sin, mpmath.sin, self.argument(depth)) if self.random.random() < 0.5 else symbol(0)
        degrees = self.random.sample(range(1, 9), self.random.randint(2, 4))
        terms = [
            times(
                constant(self.number()),
                through(lambda u, k=k: own.He(k, u), lambda u, k=k: hermite(k, u), x),
            )
            for k in degrees
        ]
        whole = plus(*terms)
        # the recurrence rounds at each of its steps, on the scale of the largest term of the polynomials
        size = plus(*(through(lambda u: u, lambda u, k=k: (2 + abs(u)) ** k, x) for k in degrees))

        def evaluate(point: Sequence[Any], unit: Any) -> Rounded:
            found = whole.evaluate(point, unit)
            return Rounded(found.value, found.error + unit * size.evaluate(point, 0).value)

        return Drawn(whole.expression, evaluate)

    def power(self, depth: int) -> Drawn:
        n = self.random.choice((2, 3, 5, 9))
        return through(lambda u: u**n, lambda u: u**n, self.argument(depth))

    def pair(self, depth: int) -> Drawn:
        if self.random.random() < 0.5:
            return through(own.OwenT, owen_t, self.form(), self.form(), slopes=(0.2, 0.2), absolute=True)
        rho = constant(Fraction(self.random.choice((-9, -5, 3, 8)), 10))
        return through(
            own.Phi2, pair_cdf, self.form(), self.form(), rho, slopes=(0.4, 0.4, 0.4), absolute=True
        )

    def expression(self, depth: int = 2) -> Drawn:
        """A sum of products, in at least one symbol."""
        pick = self.random
        while True:
            terms = [
                times(constant(self.number()), *(self.atom(depth) for _ in range(pick.choice((1, 1, 2)))))
                for _ in range(pick.choice((1, 2)))
            ]
            found = plus(*terms)
            if found.expression.free_symbols:
                return found


def batch(seed: int, symbols: int, count: int) -> dict[str, Drawn]:
    """Named expressions."""
    draw = Draw(seed, symbols)
    return {f"f{j}": draw.expression() for j in range(count)}
