"""Moments E[He_S(z) f(z)^p] of the powers of a rational polynomial, in exact integer arithmetic."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping

from flint import Ordering, fmpq, fmpq_mpoly_ctx
from sympy import Expr, Poly, Rational, Symbol

from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.polynomials import polynomial_part
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.zero.tensors import indices

__all__ = ["polynomial_powers"]

_MOST_POWER = 8
_MOST_TERMS = 6000
Power = tuple[int, Callable[[int], Tensor]]


def polynomial_powers(label: Expr, variables: tuple[Symbol, ...]) -> Iterator[Power] | None:
    """(p, k -> C_k(f^p)) for p = 1, 2, .., 8, as far as f^p is short; None for what is no such polynomial.

    Examples
    --------
    >>> from hermite_analytics.symbols import variable
    >>> z1, z2 = variable(1), variable(2)
    >>> [tensor(1) for _, tensor in polynomial_powers(z1 * (1 + z2), (z1, z2))][:2]
    [{(1, 0): 1}, {(0, 1): 2}]
    """
    polynomial, rest = polynomial_part(label, variables)
    if rest != 0 or (not polynomial.get_domain().is_QQ and not polynomial.get_domain().is_ZZ):
        return None
    return _powers(polynomial, len(variables))


def _powers(polynomial: Poly, width: int) -> Iterator[Power]:
    context = fmpq_mpoly_ctx.get([f"x{i}" for i in range(width)], Ordering.lex)
    base = context.from_dict({m: fmpq(int(c.p), int(c.q)) for m, c in polynomial.terms()})
    power = context.from_dict({(0,) * width: fmpq(1)})
    for p in range(1, _MOST_POWER + 1):
        if p > 1 and _most_terms(polynomial, width, p) > _MOST_TERMS:
            return
        check_time()
        power = power * base
        terms = {tuple(map(int, m)): c for m, c in power.to_dict().items()}
        yield p, functools.cache(functools.partial(_tensor, terms, width))


def _most_terms(polynomial: Poly, width: int, p: int) -> int:
    """A bound on the number of terms of f^p: the monomials of its degree, the products of p terms of f."""
    products = math.comb(p + len(polynomial.terms()) - 1, p)
    return min(products, math.comb(p * polynomial.total_degree() + width, width))


def _tensor(terms: Mapping[Index, fmpq], width: int, degree: int) -> Tensor:
    """The entries E[He_S f], |S| = degree, that are not 0."""
    by_parity: dict[Index, list[tuple[Index, fmpq]]] = {}
    for powers, c in terms.items():
        by_parity.setdefault(tuple(a % 2 for a in powers), []).append((powers, c))
    found = {}
    for index in indices(width, degree):
        check_time()
        matching = by_parity.get(tuple(s % 2 for s in index), [])
        entry = sum((c * _moment(index, powers) for powers, c in matching), fmpq(0))
        if entry != 0:
            found[index] = Rational(int(entry.p), int(entry.q))
    return found


def _moment(index: Index, powers: Index) -> int:
    return math.prod(_one_moment(s, a) for s, a in zip(index, powers, strict=True))


@functools.cache
def _one_moment(s: int, a: int) -> int:
    """E[He_s(z) z^a] = a!/(m! 2^m), m = (a - s)/2, for s of the parity of a."""
    m = (a - s) // 2
    return 0 if a < s else math.factorial(a) // (math.factorial(m) * 2**m)
