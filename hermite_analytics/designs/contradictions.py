"""Requests that no target can meet, each with the theorem that forbids it.

The designs are deterministic: y = f(z), without label noise. For these the relevant subspace of the label is
that of f, so that a step of the staircase is also one of the grand staircase.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import sympy
from sympy import Expr, S, oo

from hermite_analytics.designs.request import Request
from hermite_analytics.errors import InputError
from hermite_analytics.gaussian.order import compare

__all__ = ["contradiction", "refuse"]

_LEAPS = "a leap starts with the first nonzero tensor, and rotations only raise it (arXiv:2302.11055)"
_GENERATIVE = "the label itself is one of its transformations (arXiv:2403.05529, arXiv:2506.05500)"
_GREEDY = "the largest order of the greedy steps is the isotropic leap"
_VECTOR = "C_1 is one vector, so the first step learns one direction (arXiv:2305.18270)"
_UNBOUNDED = (
    "a large |f| forces a large |z|, so E[|z|^2 | y] varies with y and each step has order 1 or 2 "
    "(for one index arXiv:2406.01581)"
)
_JENSEN = "1/alpha_c <= max over |M| = 1 of (tr M)^2 + 1 = dimension + 1, by Jensen's inequality"
_GRAND = "the grand staircase of a deterministic label ends with all directions (arXiv:2506.05500)"


def refuse(request: Request) -> None:
    """Raise InputError, in one line, for a request that contradicts a theorem."""
    found = contradiction(request)
    if found is not None:
        raise InputError(f"no target has {found}")


def contradiction(request: Request) -> str | None:
    """The contradiction and its reason, or None where none is known."""
    for rule in _RULES:
        found = rule(request)
        if found is not None:
            return found
    return None


def _leaps(q: Request) -> str | None:
    chain = [("information exponent", q.information_exponent), ("leap complexity", q.leap_complexity)]
    chain.append(("isotropic leap", q.isotropic_leap))
    known = [(name, k) for name, k in chain if k is not None]
    for (name, k), (other, m) in itertools.pairwise(known):
        if k > m:
            return f"{name} {k} > {other} {m}: {_LEAPS}"
        if q.dimension == 1 and k != m:
            return f"{name} {k} and {other} {m} in dimension 1: with one index they are equal"
    return None


def _generative(q: Request) -> str | None:
    k = q.generative_exponent or max(q.grand_orders or (0,))
    if q.isotropic_leap is not None and k > q.isotropic_leap:
        return f"generative exponent {k} > isotropic leap {q.isotropic_leap}: {_GENERATIVE}"
    leap = q.leap_complexity or q.information_exponent
    if q.dimension == 1 and leap is not None and k > leap:
        return f"generative exponent {k} > information exponent {leap} with one index: {_GENERATIVE}"
    first = (q.grand_orders or (0,))[0]
    if q.information_exponent is not None and first > q.information_exponent:
        return f"a first grand order {first} > information exponent {q.information_exponent}: {_GENERATIVE}"
    return None


def _polynomial(q: Request) -> str | None:
    k = q.generative_exponent or max(q.grand_orders or (0,))
    if q.polynomial and k > 2:
        return f"generative exponent {k} for a polynomial: {_UNBOUNDED}"
    if q.polynomial and q.discrete:
        return "finitely many labels for a polynomial that is not constant: its values are an interval"
    if q.polynomial and q.alpha_c is not None and q.alpha_c[0] == oo:
        return f"alpha_c inf for a polynomial: {_UNBOUNDED}"
    return None


def _leap_orders(q: Request) -> str | None:
    steps = q.leap_orders
    if steps is None:
        return None
    if q.information_exponent is not None and steps[0] != q.information_exponent:
        return f"first leap {steps[0]} and information exponent {q.information_exponent}: they are equal"
    if q.isotropic_leap is not None and max(steps) != q.isotropic_leap:
        return f"a largest leap of order {max(steps)} and isotropic leap {q.isotropic_leap}: {_GREEDY}"
    if q.dimension is not None and len(steps) > q.dimension:
        return f"{len(steps)} leaps in dimension {q.dimension}: each learns a new direction"
    if q.dimension is not None and q.dimension > 1 and steps == (1,):
        return f"the only leap of order 1 and dimension {q.dimension}: {_VECTOR}"
    return None


def _staircase(q: Request) -> str | None:
    dims = q.staircase
    if dims is None:
        return None
    if len(dims) > 1 and dims[1] != 1:
        return f"a staircase 0 -> {dims[1]}: {_VECTOR}"
    first = q.leap_orders[0] if q.leap_orders else q.information_exponent
    if first is not None and (first == 1) != (len(dims) > 1):
        steps = len(dims) - 1
        return f"information exponent {first} and {steps} staircase steps: they start if and only if C_1 != 0"
    if q.dimension is not None and dims[-1] > q.dimension:
        return f"a staircase up to {dims[-1]} in dimension {q.dimension}: it stays in the relevant subspace"
    if (
        q.isotropic_leap is not None
        and q.dimension is not None
        and (q.isotropic_leap == 1) != (dims[-1] == q.dimension)
    ):
        return (
            f"isotropic leap {q.isotropic_leap} and a staircase that ends at {dims[-1]} of {q.dimension}: "
            "it reaches everything if and only if the isotropic leap is 1"
        )
    return _against_leaps(q, dims)


def _against_leaps(q: Request, dims: tuple[int, ...]) -> str | None:
    if q.leap_orders is None:
        return None
    ones = next((i for i, k in enumerate(q.leap_orders) if k > 1), len(q.leap_orders))
    if ones != len(dims) - 1:
        return (
            f"{len(dims) - 1} staircase steps and {ones} first leaps of order 1: "
            "the staircase is the part of order 1 of the leaps"
        )
    if q.dimension is not None and ones == len(q.leap_orders) and dims[-1] != q.dimension:
        return (
            f"leaps of order 1 that end at {dims[-1]} of {q.dimension} directions: leaps reach all directions"
        )
    return None


def _grand(q: Request) -> str | None:
    dims, steps = q.grand_staircase, q.grand_orders
    if dims is not None and q.dimension is not None and dims[-1] != q.dimension:
        return f"a grand staircase up to {dims[-1]} in dimension {q.dimension}: {_GRAND}"
    if dims is not None and dims == (0,):
        return "an empty grand staircase unless it is a constant, which has nothing to be learned"
    if dims is not None and steps is not None and len(steps) != len(dims) - 1:
        return f"{len(steps)} grand orders and {len(dims) - 1} grand steps: there is one order a step"
    if steps is not None and q.dimension is not None and len(steps) > q.dimension:
        return f"{len(steps)} grand steps in dimension {q.dimension}: each learns a new direction"
    k = q.generative_exponent
    if steps is not None and k is not None and max(steps) != k:
        return (
            f"grand orders up to {max(steps)} and generative exponent {k}: the largest order is the exponent"
        )
    return None


def _threshold(q: Request) -> str | None:
    if q.alpha_c is None:
        return None
    low, high = q.alpha_c
    first, wanted = _first_grand_order(q), q.wanted("alpha_c")
    if first == 1 and low != 0:
        return f"alpha_c {wanted} and a first grand step of order 1: its threshold is 0 (arXiv:2405.15480)"
    if first == 2 and (low == oo or high == 0):
        return f"alpha_c {wanted} and a first grand step of order 2: its threshold is finite and not 0"
    if first is not None and first > 2 and high != oo:
        return f"alpha_c {wanted} and a first grand step of order {first}: its threshold is inf"
    if q.information_exponent == 2 and low == oo:
        return "alpha_c inf and information exponent 2: the first grand step then has order 1 or 2"
    return _below_jensen(q, high) if low != 0 or first == 2 else None


def _below_jensen(q: Request, high: Expr) -> str | None:
    """A threshold that is positive, and at most `high`."""
    dimension = q.dimension or (q.grand_staircase[-1] if q.grand_staircase else None)
    if dimension and high != oo and compare(high, S.One / (dimension + 1)) < 0:
        return f"0 < alpha_c <= {high} in dimension {dimension}: {_JENSEN}"
    return None


def _first_grand_order(q: Request) -> int | None:
    """Where the other properties fix it."""
    if q.grand_orders:
        return q.grand_orders[0]
    if q.generative_exponent == 1 or q.information_exponent == 1:
        return 1
    one_step = q.dimension == 1 or (q.grand_staircase is not None and len(q.grand_staircase) == 2)
    return q.generative_exponent if one_step else None


def _activation(q: Request) -> str | None:
    if q.activation is None:
        return None
    level = int(sympy.floor(q.samples_power))
    leap = q.isotropic_leap or max(q.leap_orders or (0,)) or q.leap_complexity or q.information_exponent
    if leap is not None and leap > level:
        return (
            f"a leap of order {leap} that steps with n ~ d^({q.samples_power}) learn: "
            "n ~ d^k shows tensors of order k at most (arXiv:2305.18270)"
        )
    return None


_RULES: tuple[Callable[[Request], str | None], ...] = (
    _leaps,
    _leap_orders,
    _staircase,
    _grand,
    _generative,
    _polynomial,
    _threshold,
    _activation,
)
