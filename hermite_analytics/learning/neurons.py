"""How many new directions a population of neurons takes up in one giant step.

A neuron with component u in the learned subspace and small overlaps w elsewhere moves along

    D(u, w) = sum over n of mu_n/(n - 1)! C_n[., (u + w)^(n - 1)],    of degree < k in w,

k the order of the step. What the neurons take up has the rank of their D outside U. It depends on the step
sizes and overlaps through analytic functions, so that a rank that is reached at one point is reached at
almost every point: balls at a rational point prove it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Literal

from flint import arb
from sympy import Expr

from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents.contraction import Tensor
from hermite_analytics.exponents.spans import Row
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.enclosure.precision import working_precision

__all__ = ["Readout", "parity_rank", "population_rank"]

Readout = Literal["equal", "signs", "gaussian"]
Vector = list[arb]
_BITS = 200
_STEPS = ((1, 3), (1, 5), (2, 7), (1, 4), (3, 11))  # rational step sizes
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)


def population_rank(
    tensors: Sequence[Tensor],
    coefficients: Mapping[int, Quantity],
    outside: Sequence[Row],
    *,
    readout: Readout,
    order: int,
    steps: int,
    neurons: int,
) -> int:
    """A proved lower bound of the number of directions outside U that the last of some steps takes up.

    Parameters
    ----------
    tensors : sequence of tensors
        All C_n, n >= 1, in closed form.
    coefficients : mapping
        mu_n of the activation, by n.
    outside : sequence of rows
        A basis of the complement of U.
    readout : str
    order : int >= 1
        k.
    steps : int >= 1
        The number of the last step.
    neurons : int >= 1
        With different overlaps w, and different a_i for gaussian readouts; 1 or 2 are told apart for equal
        and +-1 ones at k = 1.
    """
    with working_precision(_BITS):
        gradient = _Gradient(tensors, coefficients, order)
        moved = []
        for i, a in enumerate(_readouts(readout, order, neurons)):
            w = _overlaps(i, gradient.width)
            u = [arb(0)] * gradient.width
            for t in range(steps - 1):
                numerator, denominator = _STEPS[t % len(_STEPS)]
                rate = a * numerator / denominator
                u = [x + rate * y for x, y in zip(u, gradient.at(u, w), strict=True)]
            direction = gradient.at(u, w)
            moved.append([_dot(row, direction) for row in outside])
        return _rank(moved)


def parity_rank(
    vectors: Mapping[int, Row],
    coefficients: Mapping[int, Quantity],
    outside: Sequence[Row],
    *,
    highest: int | None,
) -> int:
    """A proved lower bound of the rank of D(rho), D(-rho) outside a line, for almost every rho.

    Parameters
    ----------
    vectors : mapping
        C_n[., e^(n - 1)] by n, e along the line, for all n up to `highest`.
    coefficients, outside
        As in `population_rank`.
    highest : int or None
        None if all larger C_n vanish.

    Notes
    -----
    D(+-rho) = P +- Q with the terms of odd and even n. Their 2 x 2 minors are power series in rho; one
    coefficient that is not 0 proves that the rank is 2.
    """
    with working_precision(_BITS):
        scaled = {n: _scaled(row, coefficients[n], n, outside) for n, row in vectors.items()}
        odd, even = ({n: v for n, v in scaled.items() if n % 2 == parity} for parity in (1, 0))
        for total in sorted({m + n for m in odd for n in even}):
            if highest is not None and total > highest + 1:
                break
            pairs = [(odd[m], even[total - m]) for m in odd if total - m in even]
            for i, j in itertools.combinations(range(len(outside)), 2):
                minor = sum((p[i] * q[j] - p[j] * q[i] for p, q in pairs), arb(0))
                if not minor.contains(0):
                    return 2
        return int(any(not x.contains(0) for v in scaled.values() for x in v))


class _Gradient:
    """D(u, w) from balls of the coefficients."""

    def __init__(self, tensors: Sequence[Tensor], coefficients: Mapping[int, Quantity], order: int) -> None:
        self.order = order
        self.terms = [
            (index, _ball(entry) * _ball_of_quantity(coefficients[sum(index)]))
            for tensor in tensors
            for index, entry in tensor.items()
            if coefficients[sum(index)].zero is not True
        ]
        self.width = len(self.terms[0][0]) if self.terms else 0

    def at(self, u: Vector, w: Vector) -> Vector:
        """sum over n and S of mu_n c_S/(S - e_i)! (u + w)^(S - e_i), i = 1..r."""
        result = [arb(0)] * self.width
        for index, factor in self.terms:
            for i, n in enumerate(index):
                if n:
                    lower = (*index[:i], n - 1, *index[i + 1 :])
                    weight = math.prod(map(math.factorial, lower))
                    result[i] += factor / weight * self._monomial(lower, u, w)
        return result

    def _monomial(self, powers: Sequence[int], u: Vector, w: Vector) -> arb:
        """(u + w)^powers without the terms of degree >= k in w."""
        parts = [arb(1)] + [arb(0)] * (self.order - 1)  # by the degree in w
        for x, y, n in zip(u, w, powers, strict=True):
            factor = [math.comb(n, j) * x ** (n - j) * y**j if j <= n else arb(0) for j in range(self.order)]
            parts = [sum((parts[i] * factor[m - i] for i in range(m + 1)), arb(0)) for m in range(self.order)]
        return sum(parts, arb(0))


def _readouts(readout: Readout, order: int, neurons: int) -> list[arb]:
    """The a_i of the neurons that can be told apart."""
    if readout == "gaussian":
        return [arb(1 + i) / 7 * (-1) ** i for i in range(neurons)]
    signs = (1, -1) if readout == "signs" else (1,)
    count = neurons if order > 1 else len(signs)  # at order 1 only a_i tells neurons apart
    return [arb(signs[i % len(signs)]) for i in range(count)]


def _overlaps(neuron: int, width: int) -> Vector:
    """Rational overlaps, different for every neuron."""
    return [arb((neuron * (j + 2) + _PRIMES[j % len(_PRIMES)]) % 31 - 15) / 8 for j in range(width)]


def _rank(rows: list[Vector]) -> int:
    """A proved lower bound of the rank of a matrix of balls."""
    rank, left = 0, [list(row) for row in rows]
    while left:
        pivots = [(i, j) for i, row in enumerate(left) for j, x in enumerate(row) if not x.contains(0)]
        if not pivots:
            break
        i, j = max(pivots, key=lambda p: float(abs(left[p[0]][p[1]]).mid()))
        pivot = left.pop(i)
        left = [
            [x - row[j] / pivot[j] * y for m, (x, y) in enumerate(zip(row, pivot, strict=True)) if m != j]
            for row in left
        ]
        rank += 1
    return rank


def _scaled(row: Row, coefficient: Quantity, degree: int, outside: Sequence[Row]) -> Vector:
    """mu_n/(n - 1)! times the products with the rows outside U."""
    factor = _ball_of_quantity(coefficient) / math.factorial(degree - 1)
    entries = [_ball(x) for x in row]
    return [factor * _dot(other, entries) for other in outside]


def _dot(row: Row, vector: Vector) -> arb:
    return sum((_ball(x) * y for x, y in zip(row, vector, strict=True)), arb(0))


def _ball(x: Expr) -> arb:
    return ball_of(x, _BITS)


def _ball_of_quantity(q: Quantity) -> arb:
    """A ball that contains the number; anything for an estimate."""
    if q.zero:
        return arb(0)
    if q.exact is not None:
        return _ball(q.exact)
    return arb(q.value, q.error) if str(q.evidence) == "proved" else arb(0, float("inf"))
