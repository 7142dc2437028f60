"""The functions with kinks or jumps: their branches, and expressions with a letter in place of each sign.

This is the one place that knows how a kink opens into signs. A kink of one argument is the two sides that its
record has; max and min are taken two arguments at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.language.functions import functions_where, record_of

__all__ = [
    "BREAKS",
    "JUMPS",
    "KINKS",
    "STAIRS",
    "branch",
    "by_sign",
    "differences",
    "differences_in_turn",
    "extreme_by_sign",
    "on_cell",
    "opened",
    "slopes",
]

KINKS = functions_where(lambda r: r.is_kink)
JUMPS = functions_where(lambda r: r.kink is not None and r.kink.is_jump)
STAIRS = functions_where(lambda r: r.stairs is not None)  # infinitely many jumps: these open into no signs
BREAKS = (*KINKS, *STAIRS)  # whatever is not analytic
_EXTREMES = (sympy.Max, sympy.Min)


def differences(kink: Expr) -> list[Expr]:
    """The expressions whose sign changes are the kinks or jumps of a node.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> differences(sympy.Abs(x)), differences(sympy.Max(x, y))
    ([x], [x - y])
    """
    if isinstance(kink, _EXTREMES):
        return [a - b for a, b in itertools.combinations(kink.args, 2)]
    return [kink.args[0]]


def differences_in_turn(expr: Expr) -> list[Expr]:
    """The arguments of the kinks of an expression, inner kinks left as they stand.

    Of max and min each argument is held against the extreme of those before it.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> differences_in_turn(sympy.Max(sympy.Abs(x), x, y))
    [x - y, -Abs(x) + Max(x, y), x]
    """
    found: list[Expr] = []
    for node in sympy.preorder_traversal(expr):
        if isinstance(node, _EXTREMES):
            found += [node.func(*node.args[:k]) - node.args[k] for k in range(1, len(node.args))]
        elif isinstance(node, KINKS):
            found.append(node.args[0])
    return found


def slopes(kink: Expr, arguments: Sequence[Expr] | None = None) -> tuple[Expr, Expr]:
    """(right, left) of 0: the two values of a jump, or the two factors of the argument."""
    found = record_of(kink).kink
    assert found is not None
    right, left = found.sides(1, *(arguments or kink.args)[1:])
    return S.Zero + right, S.Zero + left


def branch(kink: Expr, side: int) -> Expr:
    """The node where its argument, or the difference of its first two arguments, has the sign `side`.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> branch(sympy.Abs(x), -1), branch(sympy.Max(x, y), -1)
    (-x, y)
    """
    if isinstance(kink, _EXTREMES):
        first, second, *rest = kink.args
        larger = (side == 1) == isinstance(kink, sympy.Max)
        return kink.func(first if larger else second, *rest)
    if side == 0:
        return S.Zero
    slope = slopes(kink)[0 if side > 0 else 1]
    return slope if isinstance(kink, JUMPS) else slope * kink.args[0]


def on_cell(kink: Expr, sign: Callable[[Expr, Expr], int], arguments: Sequence[Expr] | None = None) -> Expr:
    """The node without its kink on a cell where the signs are known.

    Parameters
    ----------
    kink : sympy expression
    sign : callable
        (a, b) -> the sign of a - b on the cell; b is 0 for the kinks of one argument.
    arguments : sequence of expressions
        What stands for the arguments of the node in the result.
    """
    found = kink.args if arguments is None else arguments
    if isinstance(kink, _EXTREMES):
        wanted, best = (1 if isinstance(kink, sympy.Max) else -1), 0
        for j in range(1, len(found)):
            if sign(kink.args[j], kink.args[best]) == wanted:
                best = j
        return found[best]
    side = sign(kink.args[0], S.Zero)
    if side == 0:
        return S.Zero
    inner = record_of(kink).kink
    assert inner is not None
    return S.Zero + inner.sides(*found)[0 if side > 0 else 1]


def by_sign(kink: Expr, side: Expr, *, seen: Expr = S.One, arguments: Sequence[Expr] | None = None) -> Expr:
    """A kink of one argument by the sign of its argument.

    Parameters
    ----------
    kink : sympy expression
    side : sympy expression
        The sign of the argument.
    seen : sympy expression
        Its square, where it may be 0 on an open set: at 0 every kink is 0.
    arguments : sequence of expressions
        What stands for the arguments of the node in the result.

    Examples
    --------
    >>> from hermite_analytics.language.functions import step
    >>> x, s = sympy.symbols("x s", real=True)
    >>> by_sign(sympy.Abs(x), s), by_sign(step(x), s), by_sign(step(x), s, seen=s**2)
    (s*x, s/2 + 1/2, s**2/2 + s/2)
    """
    found = kink.args if arguments is None else arguments
    right, left = slopes(kink, found)
    factor = ((right + left) * seen + (right - left) * side) / 2
    return factor if isinstance(kink, JUMPS) else found[0] * factor


def extreme_by_sign(kink: Expr, a: Expr, b: Expr, side: Expr) -> Expr:
    """The max or min of two by the sign of a - b."""
    direction = 1 if isinstance(kink, sympy.Max) else -1
    return (a + b + direction * (a - b) * side) / 2


def opened(expr: Expr, known: dict[Symbol, Expr] | None = None) -> tuple[Expr, dict[Symbol, Expr]]:
    """(the expression with a letter for each sign, the arguments of the signs): smooth where none vanishes.

    Equal to the expression everywhere, each letter being the sign of its argument: 1, 0 or -1. Letters of
    inner kinks stand in the arguments of outer ones, which come later. Letters that are known are used again.

    Examples
    --------
    >>> from hermite_analytics.language.functions import relu
    >>> w = Symbol("w", real=True)
    >>> plain, signs = opened(relu(w - 1))
    >>> list(signs.values()), sympy.expand(2 * plain).subs({s: 1 for s in signs})
    ([w - 1], 2*w - 2)
    """
    signs = dict(known or {})
    return _opened(expr, signs), signs


def _opened(expr: Expr, signs: dict[Symbol, Expr]) -> Expr:
    if not expr.args:
        return expr
    a = [_opened(argument, signs) for argument in expr.args]
    if isinstance(expr, _EXTREMES):
        best = a[0]
        for other in a[1:]:
            best = extreme_by_sign(expr, best, other, _letter(best - other, signs))
        return best
    if isinstance(expr, KINKS):
        letter = _letter(a[0], signs)
        # the 0 of a jump matters where a function of kinks is 0 on an open set
        may_be_zero = isinstance(expr, JUMPS) and expr.args[0].has(*KINKS)
        return by_sign(expr, letter, seen=letter**2 if may_be_zero else S.One, arguments=a)
    return expr.func(*a)


def _letter(argument: Expr, signs: dict[Symbol, Expr]) -> Expr:
    if argument.is_number:
        return sympy.sign(argument)
    for letter, known in signs.items():
        if known == argument:
            return letter
        if known == -argument:
            return -letter
    letter = Dummy(f"s{len(signs)}", real=True)
    signs[letter] = argument
    return letter
