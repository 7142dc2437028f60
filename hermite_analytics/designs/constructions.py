"""Targets that theory gives at once. Each is examined like any other candidate."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hermite_analytics.designs.grammar import ABS, SIGN, Candidate, Factor, Term, he, of_terms
from hermite_analytics.designs.request import Request
from hermite_analytics.designs.thresholds import of_threshold
from hermite_analytics.language.functions import hermite_coefficients

__all__ = ["constructions"]


def constructions(request: Request) -> list[Candidate]:
    """Candidates for a request, small ones first, each text once."""
    found = {c.text: c for c in _all(request)}
    fitting = [c for c in found.values() if request.dimension is None or c.width == request.dimension]
    return sorted(fitting, key=lambda c: (c.size, c.width))


def _all(q: Request) -> Iterator[Candidate]:
    leap = q.information_exponent or (q.leap_orders or (None,))[0] or 1
    generative = q.generative_exponent or max(q.grand_orders or (0,)) or None
    yield from _one_index(leap)
    yield from _hidden(leap, generative)
    yield from _cancelling()
    if q.leap_orders is not None or q.staircase is not None:
        yield from _ladders(q)
    if q.grand_orders is not None:
        yield from _grand(q)
    if q.leap_complexity is not None or q.isotropic_leap is not None:
        yield from _leaps(q, leap)
    if q.dimension is not None:
        yield from _wide(leap, generative, q.dimension)
    if q.alpha_c is not None:
        yield from of_threshold(*q.alpha_c)


def _one_index(leap: int) -> Iterator[Candidate]:
    """He_l has information exponent l; with He_(l+1) it is not even, so that its generative exponent is 1."""
    yield of_terms(_term(1, he(leap)))
    yield of_terms(_term(1, he(leap)), _term(1, he(leap + 1)))
    yield of_terms(_term(1, ABS))


def _parity(order: int, first: int = 1) -> Term:
    """The sign of a product of `order` coordinates: it shows nothing below this order."""
    return Term(tuple((i, SIGN) for i in range(first, first + order)))


def _hidden(leap: int, generative: int | None) -> Iterator[Candidate]:
    """A first tensor of order l beside, or times, what only order k of the label shows."""
    for k in (2, 3, 4) if generative is None else (generative,):
        yield of_terms(_parity(k))
        yield of_terms(_term(1, he(leap)), _parity(k, first=2))
        if leap > k:
            yield of_terms(Term((*_parity(k).factors, (k + 1, he(leap - k)))))
    if generative == 4:
        yield _bump(leap)


def _cancelling() -> Iterator[Candidate]:
    """One index, the weights of whose preimages or cells cancel.

    f = z^2 exp(-z^2): z phi(z) is proportional to sqrt(f) on z > 0, so E[He_2 | y] = 0 and k* = 4
    (arXiv:2403.05529). With s_t = phi(t)/phi(0), a cell between t and u holds the first moment s_t - s_u:
    signs change at s = 1/2 for k* = 3; at s = 3/4 and s = 1/4 on both sides of s = 1/2, which the size of f
    shows, for l = 3 and k* = 2; a window between a and 2 a with a phi(a) = 2 a phi(2 a) has l = k* = 4.
    """
    yield _raw("z1**2*exp(-z1**2)", 6, 1)
    yield _raw("sign(z1*(z1**2 - 2*log(2)))", 8, 1)
    yield _raw("step(abs(z1) - sqrt(2*log(2)/3)) - step(abs(z1) - 2*sqrt(2*log(2)/3))", 17, 1)
    steps = "4*step(z1**2 - 4*log(2)) - 3*step(z1**2 - 2*log(2)) + 2*step(z1**2 - 2*log(4/3)) - 1"
    yield _raw(f"sign(z1)*({steps})", 26, 1)


def _bump(leap: int) -> Candidate:
    """He_l beside z^2 exp(-z^2), whose generative exponent is 4."""
    first = he(leap)
    return _raw(f"{first.text(1)} + z2**2*exp(-z2**2)", leap + 7, 2)


def _ladders(q: Request) -> Iterator[Candidate]:
    """A step of order k learns He_k(z_new), times He_m(z_old) with m so large that it shows no earlier."""
    dimension = q.dimension or (q.staircase or (0,))[-1] or len(q.leap_orders or ())
    orders, sizes = _steps(q, dimension)
    terms: list[Term] = []
    largest, old, new = 0, 0, 1
    for order, size in zip(orders, sizes, strict=True):
        gate = 0 if order > largest else largest - order + 1
        if old == 0 and size > 1 and order == 1:
            return
        for extra in range(size):
            power = gate + extra if old else 0
            locked = () if power == 0 else ((old, he(power)),)
            terms.append(Term((*locked, (new + extra, he(order)))))
        largest, old, new = max(largest, order), new, new + size
    if terms:
        yield of_terms(*terms)


def _steps(q: Request, dimension: int) -> tuple[list[int], list[int]]:
    """Orders and numbers of new directions of all leaps."""
    dims = q.staircase or (0,)
    orders = list(q.leap_orders or ())
    sizes = [b - a for a, b in itertools.pairwise(dims)]
    if not orders:
        rest = dimension > dims[-1]
        order = q.isotropic_leap or q.information_exponent or 2
        orders = [1] * len(sizes) + [max(order, 2)] * rest
    left = dimension - sum(sizes)
    for remaining in range(len(orders) - len(sizes), 0, -1):
        here = 1 if remaining > 1 else max(left, 1)
        sizes.append(here)
        left -= here
    return orders, sizes[: len(orders)]


def _grand(q: Request) -> Iterator[Candidate]:
    """Pieces of the orders asked for, each times the sign of a coordinate that is known before it."""
    orders = q.grand_orders or ()
    dims = q.grand_staircase
    sizes = [None] * len(orders) if dims is None else [b - a for a, b in itertools.pairwise(dims)]
    for smooth in (True, False):
        terms: list[Term] = []
        new = 1
        for order, size in zip(orders, sizes, strict=True):
            pieces = _grand_step(order, size, new, smooth=smooth)
            if not pieces:
                return
            terms += pieces
            new = 1 + max(coordinate for piece in pieces for coordinate, _ in piece.factors)
        yield of_terms(*terms)


def _grand_step(order: int, size: int | None, new: int, *, smooth: bool) -> list[Term]:
    """Pieces that show `size` directions, or any number, from coordinate `new` on; none if none are known."""
    is_first = new == 1
    if order <= 2 and (size or 1) == 1 and (smooth or is_first):
        return [_term(new, he(order) if is_first else ABS)]
    if order >= 2 and size in (None, order):
        gate = () if is_first else ((new - 1, SIGN),)
        return [Term((*gate, *_parity(order, first=new).factors))]
    return _at_once(order, range(new, new + size)) if size else []


def _at_once(order: int, coordinates: range) -> list[Term]:
    """Several directions in one step of order 1 or 2."""
    if order == 2:
        return [_term(i, he(2)) for i in coordinates]
    if order == 1:
        first, *others = coordinates
        return [_term(first, he(1)), *(Term(((i, he(3)),), weight) for weight, i in enumerate(others, 1))]
    return []


def _leaps(q: Request, leap: int) -> Iterator[Candidate]:
    """Leap L in the given basis and I after a rotation: z1 + z2 shows both axes, z1 - z2 shows at order I.

    For l > 1 the sum is multiplied by He_l of a coordinate that is learned first.
    """
    low = q.leap_complexity or q.isotropic_leap or 1
    high = q.isotropic_leap or low
    yield of_terms(_term(1, he(leap)), _term(2, he(low)))
    yield of_terms(_term(1, he(leap)), _term(2, he(high)))
    yield of_terms(_term(1, he(1)), _term(2, he(1)), Term(((1, he(1)), (2, he(1)))))
    if high > low >= leap:
        gate, last = ("", 2) if leap == 1 else (f"*{he(leap).text(3)}", 3)
        first = "z1 + z2" if leap == 1 else f"{he(leap).text(3)} + (z1 + z2){gate}"
        more = f" + {he(low).text(last + 1)}" if low > leap else ""
        size = 3 + 2 * high + (2 * leap + 2) * (leap > 1) + (low + 1) * (low > leap)
        yield _raw(f"{first} + {_difference(high)}{more}", size, last + (low > leap))


def _difference(degree: int) -> str:
    """2^(k/2) He_k((z1 - z2)/sqrt(2)), whose coefficients are whole numbers."""
    text = ""
    for power in range(degree, -1, -2):
        a = hermite_coefficients(degree)[power] * 2 ** ((degree - power) // 2)
        factors = [str(abs(a))] * (abs(a) != 1 or not power) + ["(z1 - z2)"] * (power == 1)
        factors += [f"(z1 - z2)**{power}"] * (power > 1)
        text += (" - " if a < 0 else " + " if text else "") + "*".join(factors)
    return text


def _wide(leap: int, generative: int | None, dimension: int) -> Iterator[Candidate]:
    """The same function of several coordinates, with weights that no permutation preserves, or without."""
    coordinates = range(1, dimension + 1)
    yield of_terms(*(_term(i, he(leap)) for i in coordinates))
    yield of_terms(*(Term(((i, he(leap)),), i) for i in coordinates))
    yield of_terms(Term(tuple((i, he(1)) for i in coordinates)))
    yield of_terms(_parity(dimension))
    if generative is not None and dimension > generative:
        others = (Term(((i, he(leap)),), i) for i in range(1, dimension - generative + 1))
        yield of_terms(*others, _parity(generative, first=dimension - generative + 1))


def _term(coordinate: int, factor: Factor) -> Term:
    return Term(((coordinate, factor),))


def _raw(text: str, size: int, width: int) -> Candidate:
    return Candidate(text=text, size=size, width=width)
