"""Working precision of the ball arithmetic, and exact numbers as balls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

import flint
from flint import acb, arb, fmpq
from sympy import Rational

__all__ = ["BOUND_BITS", "Ball", "dyadic", "log2_ceiling", "rational_ball", "working_precision"]

BOUND_BITS = 64  # precision of bounds, where only the order of magnitude matters

Ball: TypeAlias = arb | acb
"""A real or a complex ball."""


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Set python-flint's precision, and put the old one back whatever happens.

    Examples
    --------
    >>> with working_precision(200):
    ...     third = arb(1) / 3
    >>> third.rel_accuracy_bits() > 190
    True
    """
    saved = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = saved


def rational_ball(number: Rational) -> arb:
    """A ball of a sympy rational at the working precision."""
    if number.q == 1:
        return arb(int(number.p))
    return arb(fmpq(int(number.p), int(number.q)))


def dyadic(mantissa: int, exponent: int) -> arb:
    """mantissa * 2^exponent, exactly."""
    return arb((mantissa, exponent))


def log2_ceiling(x: arb) -> int:
    """An integer n with x <= 2^n, for finite x >= 0; small x are cut at 2^-100000."""
    bound = x.abs_upper()
    if bound == 0:
        return -100000
    mantissa, exponent = bound.man_exp()
    return max(int(mantissa).bit_length() + int(exponent), -100000)
