"""What is known of a function of the language: one record, which everyone who needs a fact asks.

A record holds facts of f(x, p, ...) as a function of its first argument x, the others being constants. A fact
that is left out is not known; a function of two equal arguments (max) has few of them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sympy import Expr, Max, Min, S

if TYPE_CHECKING:
    import mpmath
    from flint import arb

__all__ = ["Arithmetic", "Domain", "Growth", "Kink", "Record"]

Arithmetic: TypeAlias = "Expr | mpmath.mpf | arb | float"
"""What can be added and multiplied: expressions, numbers of any precision, balls."""


class Growth(enum.Enum):
    """How fast |f(x)| may grow."""

    BOUNDED = "|f| <= C"
    LINEAR = "|f| <= C + the sum of the sizes of the arguments, each times a constant"
    EXPONENTIAL = "|f| <= C exp|x|"
    OTHER = "not one of these on the whole line"


class Domain(enum.Enum):
    """Which values of the first argument are accepted."""

    REAL = "every real number"
    NONNEGATIVE = "numbers that are shown to be nonnegative"
    POSITIVE = "numbers that are shown to be positive, almost surely"


@dataclass(frozen=True, slots=True)
class Kink:
    """A function made of two: one where its argument is positive, one where it is negative; 0 at 0.

    Attributes
    ----------
    sides : callable
        (x, p, ...) -> (f for x > 0, f for x < 0), by arithmetic alone, for expressions as for numbers.
    is_jump : bool
        Whether it jumps at 0, between two constants. It is piecewise linear otherwise.
    """

    sides: Callable[..., tuple[Arithmetic, Arithmetic]]
    is_jump: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The facts of one function.

    Attributes
    ----------
    function : type or None
        Of its nodes in expressions, which know their derivative, their value to any precision (for a function
        of sympy's: `value`) and their LaTeX. None for names that `build` writes in other functions: what is
        known of those is known of these.
    names : tuple of str
        What a text may call it, its own name first; empty for functions that occur in answers alone.
    elsewhere : tuple of str
        What other notations call it.
    arity : (int, int or None)
        Least and largest number of arguments in a text.
    build : callable or None
        The expression that a call in a text becomes, where that is not a node of `function`.
    refuses : callable or None
        What a text is told about arguments that are not accepted, None for those that are.
    is_listed : bool
        Whether messages name it among what is accepted.
    domain : Domain
    constants : tuple of str
        Names of the arguments after the first, where these are to be constants.
    example : str
        A call, for messages about those that need constants.
    code : str or None
        Its name in programs, that of a function of Python (`codegen.spellings`); None where kernels need no
        name, having a definition.
    value : str or None
        Its name in mpmath, for functions of sympy's.
    ball : str or None
        Its name as a method of balls (python-flint).
    definition : callable or None
        The function in more elementary ones, accurate in floating point. Whoever has no rule of his own for
        it takes this.
    in_programs : callable or None
        What programs compute where they have no name for it: equal in floating point, as accurate, and finite
        at every argument. Without it they compute the definition.
    by_parity : callable or None
        The function as a sum of products of functions of known parity.
    elementary : callable or None
        The function in functions of which sympy knows the limits.
    of_sum : callable or None
        (a, b) -> f(a + b) in functions of a and of b, by the addition theorem.
    in_exponentials : callable or None
        The function in exponentials of multiples of x, as sums.
    phase : exact number or None
        The p of a function cos(x + p).
    inverse : callable or None
        The x at which it takes a value strictly between `low` and `high`: for strictly increasing functions
        that take all of these.
    parity : int
        1 for even functions, -1 for odd ones, 0 for others.
    low, high : exact numbers, possibly infinite
        low <= f <= high.
    is_positive : bool
        f > 0 everywhere, though `low` may be 0.
    has_sign_of_argument : bool
        sign f(x) = sign x.
    vanishes_at_zero_alone : bool
        f(x) = 0 exactly for x = 0.
    is_increasing, is_strictly_increasing, is_convex : bool
    increases_with_size : bool
        An even function that increases strictly with |x|.
    growth : Growth
    asymptotes : (callable, callable) or None
        What it approaches as x -> -oo and as x -> oo: constants or multiples of x.
    kink : Kink or None
        Functions that are not analytic, of one argument.
    stairs : exact number or None
        Of functions that jump at every integer: between two of them they are the lower one plus this.
    strip : exact number or None
        Distance of the nearest singularity from the real line, oo for entire functions; None where it is not
        known, or where there is one on the line.
    on_strip : callable or None
        y -> (bound of |f|, least and largest Re f, bound of |Im f|) for |Im x| <= y < `strip`, as balls.
    is_many_valued : bool
        Whether analytic continuation around a singularity leads to another branch.
    is_wave : bool
        A mean of sin(t x), or of cos(t x), over 0 <= t <= 1: of the size exp|Im x| off the real line.
    gaussian_growth : exact number
        The b of the size exp(b (Im x)^2) off the real line.
    """

    function: type[Expr] | None = None
    names: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    arity: tuple[int, int | None] = (1, 1)
    build: Callable[..., Expr] | None = None
    refuses: Callable[..., str | None] | None = None
    is_listed: bool = True
    domain: Domain = Domain.REAL
    constants: tuple[str, ...] = ()
    example: str = ""
    code: str | None = None
    value: str | None = None
    ball: str | None = None
    definition: Callable[..., Expr] | None = None
    in_programs: Callable[..., Expr] | None = None
    by_parity: Callable[..., Expr] | None = None
    elementary: Callable[..., Expr] | None = None
    of_sum: Callable[[Expr, Expr], Expr] | None = None
    in_exponentials: Callable[[Expr], Expr] | None = None
    phase: Expr | None = None
    inverse: Callable[[Expr], Expr] | None = None
    parity: int = 0
    low: Expr = S.NegativeInfinity
    high: Expr = S.Infinity
    is_positive: bool = False
    has_sign_of_argument: bool = False
    vanishes_at_zero_alone: bool = False
    is_increasing: bool = False
    is_strictly_increasing: bool = False
    is_convex: bool = False
    increases_with_size: bool = False
    growth: Growth = Growth.OTHER
    asymptotes: tuple[Callable[..., Expr | int], Callable[..., Expr | int]] | None = None
    kink: Kink | None = None
    stairs: Expr | None = None
    strip: Expr | None = None
    on_strip: Callable[[arb], tuple[arb, arb, arb, arb]] | None = None
    is_many_valued: bool = False
    is_wave: bool = False
    gaussian_growth: Expr = S.Zero

    @property
    def is_kink(self) -> bool:
        """Whether it opens into signs: `language.kinks`."""
        return self.kink is not None or self.function in (Max, Min)
