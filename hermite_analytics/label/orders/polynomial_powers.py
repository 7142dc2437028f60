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
from hermite_analytics.label.orders.nested_polynomials import Nested, nested, one_moment
from hermite_analytics.label.orders.swept_polynomials import Swept, swept

__all__ = ["polynomial_powers"]

_MOST_POWER = 8
_MOST_TERMS = 6000
_MOST_ENTRIES = 3000  # of a tensor
Power = tuple[int, Callable[[int], Tensor | None]]


def polynomial_powers(label: Expr, variables: tuple[Symbol, ...]) -> Iterator[Power] | None:
    """(p, k -> C_k(f^p)) for p = 1, 2, .., as far as f^p is short; None for what is no such polynomial.

    Up to p = 8, or up to 2 r + 2 where each coordinate stands once (`nested`); where terms form a chain
    (`swept`), C_1 as far too, and of such powers nothing else.

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
    terms = {m: fmpq(int(c.p), int(c.q)) for m, c in polynomial.terms()}
    tree = nested(terms)
    if tree is not None:
        return _powers_of_tree(tree, len(variables))
    return _powers_and_means(polynomial, terms, len(variables))


def _powers_and_means(polynomial: Poly, terms: Mapping[Index, fmpq], width: int) -> Iterator[Power]:
    """As far as f^p is short, then C_1 of chains."""
    last = 0
    for last, tensor in _powers(polynomial, width):
        yield last, tensor
    chain = swept(terms)
    if chain is not None:
        for p in range(last + 1, 2 * width + 3):
            yield p, functools.cache(functools.partial(_means, chain, width, p))


def _means(chain: Swept, width: int, power: int, degree: int) -> Tensor | None:
    if degree != 1:
        return None
    means = (chain.first(i, power) for i in range(width))
    units = (tuple(int(i == j) for j in range(width)) for i in range(width))
    return {u: Rational(int(x.p), int(x.q)) for u, x in zip(units, means, strict=True) if x != 0}


def _powers_of_tree(tree: Nested, width: int) -> Iterator[Power]:
    for p in range(1, 2 * width + 3):
        yield p, functools.cache(functools.partial(_tensor_of_tree, tree, width, p))


def _tensor_of_tree(tree: Nested, width: int, power: int, degree: int) -> Tensor | None:
    """The entries that are not 0; such have no He of a coordinate that the polynomial does not use."""
    places = tree.places or (0,)
    if math.comb(len(places) + degree - 1, degree) > _MOST_ENTRIES:
        return None
    within = (dict(zip(places, own, strict=True)) for own in indices(len(places), degree))
    listed = (tuple(own.get(i, 0) for i in range(width)) for own in within)
    moments = ((index, tree.moment(power, index)) for index in listed if tree.places or not any(index))
    return {index: Rational(int(x.p), int(x.q)) for index, x in moments if x != 0}


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


def _tensor(terms: Mapping[Index, fmpq], width: int, degree: int) -> Tensor | None:
    """The entries E[He_S f], |S| = degree, that are not 0; None of too many."""
    if math.comb(width + degree - 1, degree) > _MOST_ENTRIES:
        return None
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
    return math.prod(one_moment(s, a) for s, a in zip(index, powers, strict=True))
