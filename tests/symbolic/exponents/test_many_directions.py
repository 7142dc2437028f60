"""Targets of many directions: what structure decides, against enumeration, quadrature and known answers."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.coefficient_table import coefficient_table
from hermite_analytics.exponents.coordinate_bounds import of_function, of_label
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Span
from hermite_analytics.exponents.sparse import SparseTensors
from hermite_analytics.gaussian.extremes import extreme_coefficient
from hermite_analytics.gaussian.zero import symmetries
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target


def joined(separator: str, form: str, n: int) -> str:
    return separator.join(form.format(f"z{i}") for i in range(1, n + 1))


PARITY = f"sign({joined('*', '{}', 12)})"
RELUS = joined("+", "relu({})", 50)
COMMITTEE = joined("+", "erf({})", 8)
LARGEST = f"max({joined(',', '{}', 20)})"
CHAIN = "+".join("*".join(f"z{j}" for j in range(1, i + 1)) for i in range(1, 13))
PRODUCT = joined("*", "{}", 10)
# leap index, isotropic leap, dimensions and orders of the leap decomposition, where the staircase ends; by
# hand: a parity begins with degree 12; symmetric sums learn the all-ones line, then its complement from the
# second power (of erf: the third, one slot on the line); a chain learns one coordinate from the one before
KNOWN = {
    PARITY: (12, 12, (0, 12), (12,), 0),
    PRODUCT: (10, 10, (0, 10), (10,), 0),
    RELUS: (1, 2, (0, 1, 50), (1, 2), 1),
    COMMITTEE: (1, 2, (0, 1, 8), (1, 2), 1),
    LARGEST: (1, 2, (0, 1, 20), (1, 2), 1),
    CHAIN: (1, 1, tuple(range(13)), (1,) * 12, 12),
}
# the same for the label: y^2 shows every coordinate of a product, the powers of a chain all at once
KNOWN_OF_LABEL = {
    PARITY: ((0, 12), (12,)),
    PRODUCT: ((0, 10), (2,)),
    RELUS: ((0, 1, 50), (1, 2)),
    COMMITTEE: ((0, 1, 8), (1, 2)),
    LARGEST: ((0, 1, 20), (1, 2)),
    CHAIN: ((0, 12), (1,)),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("target", KNOWN)
def test_known_answers(target):
    leap, isotropic, dimensions, orders, limit = KNOWN[target]
    assert ha.leap_index(target).value == leap
    assert ha.isotropic_leap(target).value == isotropic
    steps = ha.leap_decomposition(target)
    assert (steps.dimensions, steps.orders, steps.limit_dimension) == (dimensions, orders, dimensions[-1])
    assert ha.staircase(target).limit_dimension == limit
    assert ha.intrinsic_dimension(target).value == dimensions[-1]


@pytest.mark.cases(4)
@pytest.mark.parametrize("target", KNOWN_OF_LABEL)
def test_known_answers_of_labels(target):
    dimensions, orders = KNOWN_OF_LABEL[target]
    steps = ha.grand_staircase(target)
    assert (steps.dimensions, steps.orders, steps.limit_dimension) == (dimensions, orders, dimensions[-1])
    assert ha.generative_exponent(target).value == max(orders)


def test_the_argument_is_what_a_person_would_write():
    answer = ha.leap_index(PARITY)
    assert answer.reason.endswith(f"c_({', '.join('1' * 12)}) = 64/pi**6")  # (2/pi)^6
    assert ha.staircase(PARITY).reasons == (
        "no further direction of order 1: C_1 = 0: f is odd in each of z1, .., z12",
    )
    assert ha.staircase(RELUS).reasons[-1] == "no further direction of order 1: f is symmetric in z1, .., z50"


def test_the_first_subspace_of_a_committee_is_the_line_of_equal_entries():
    assert ha.first_subspace(LARGEST).basis == (("1",) * 20,)


def brute(expression, variables, degree):
    """All entries, by the table that knows of no structure."""
    return {
        s: q
        for s, q in coefficient_table(expression, variables, degree, digits=18).items()
        if sum(s) == degree and not q.zero
    }


def test_a_small_coefficient_is_not_left_open():
    """A ball of so few digits holds 0: more are asked."""
    z = variable(1), variable(2)
    f = sympy.tanh(z[0] + z[1] ** 2)
    first = coefficient_table(f, z, 1, digits=5)[1, 0]
    small = coefficient_table(f / 10**14, z, 1, digits=5)[1, 0]
    assert first.zero is False and small.zero is False
    assert first.error < 1e-5
    assert abs(small.value * 1e14 - first.value) < first.error + 1e14 * small.error


FACTORS = ("sign({})", "erf({})", "{}", "relu({})", "He2({})", "cos({})", "exp({}/3)")


def structured(seed: int) -> str:
    """A random sum of products of functions of separate coordinates."""
    rng = np.random.default_rng(seed)
    width = int(rng.integers(2, 5))
    terms = []
    for _ in range(int(rng.integers(1, 4))):
        chosen = rng.choice(width, size=int(rng.integers(1, width + 1)), replace=False)
        terms.append("*".join(rng.choice(FACTORS).format(f"z{i + 1}") for i in sorted(chosen)))
    return "+".join([f"{k + 1}*{term}" for k, term in enumerate(terms)])


@pytest.mark.cases(4)
@pytest.mark.parametrize("seed", range(25))
def test_sparse_tensors_are_those_of_enumeration(seed):
    f = Target(structured(seed))
    z = tuple(variable(i + 1) for i in range(f.dimension))
    tensors = SparseTensors(f.expression, z, Numbers())
    for degree in range(4):
        found, known = tensors.tensor(degree), brute(f.expression, z, degree)
        assert found.keys() == known.keys(), f.text
        for index, entry in found.items():
            assert float(entry) == pytest.approx(known[index].value, rel=1e-12)


@pytest.mark.cases(4)
@pytest.mark.parametrize("seed", range(25))
def test_what_coordinates_allow_holds_all_slots(seed):
    """The bound of a step from {0} contains every vector that the tensor of its order has."""
    f = Target(structured(seed))
    z = tuple(variable(i + 1) for i in range(f.dimension))
    own = [i for i, v in enumerate(z) if f.expression.has(v)]
    group = coordinate_symmetries(f.expression, z)
    for order in (1, 2, 3):
        entries = brute(f.expression, z, order)
        for bound in (of_function, of_label):
            rows = bound(group, z, own, Span(width=len(z)), order).rows
            allowed = np.array([[int(x) for x in row] for row in rows]).reshape(-1, len(z)).T
            for vector in slots_of(entries, order, len(z)):
                rank = np.linalg.matrix_rank
                assert rank(np.column_stack([allowed, vector])) == rank(allowed) if rows else not vector.any()


def slots_of(entries, order, width):
    tensor = np.zeros((width,) * order)
    for axes in itertools.product(range(width), repeat=order):
        q = entries.get(tuple(axes.count(i) for i in range(width)))
        tensor[axes] = 0 if q is None else q.value
    return tensor.reshape(-1, width)


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    "text",
    ["sign(z1*z2*z3)", "erf(z1)+erf(z2)", "max(z1,z2,z3)", "z1*cos(z2)+He3(z1)", "tanh(z1*z2)", "z1-z2"],
)
def test_flips_and_exchanges_are_those_of_the_search(text):
    f = Target(text).expression
    z = tuple(sorted(f.free_symbols, key=str))
    found = coordinate_symmetries(f, z)
    searched = {(iso.signed_permutation, chi) for iso, chi in symmetries(f, z)}
    identity = tuple((i, 1) for i in range(len(z)))
    for i, chi in enumerate(found.parities):
        flip = (*identity[:i], (i, -1), *identity[i + 1 :])
        assert [c for rows, c in searched if rows == flip] == ([] if chi is None else [chi])
    for i, j in itertools.combinations(range(len(z)), 2):
        exchange = tuple((j if k == i else i if k == j else k, 1) for k in range(len(z)))
        together = any(i in places and j in places for places in found.classes)
        assert ((exchange, 1) in searched) == together


@pytest.mark.parametrize(
    "text",
    [
        "z1+z1*z2*z3+z3*z4",
        "z1*sign(z2)+abs(z3)*z2*z4",
        "z1*z2+z3*z4+xi*z1",
        "erf(z1*z2)+z1*z3+z4**2",
        "z1*z2+z2*z3+z3*z4",
    ],
)
def test_joint_flips_are_those_of_the_search(text):
    """All of them where each term is a product of functions of one coordinate each, without noise."""
    f = Target(text).expression
    z = tuple(variable(i + 1) for i in range(4))
    basis = coordinate_symmetries(f, z).flips
    generated = {frozenset()}
    for flip in basis:
        generated |= {flip ^ other for other in generated}
    for flips in generated:
        moved = f.xreplace({v: -v for i, v in enumerate(z) if i in flips})
        assert sympy.expand(moved - f) == 0
    searched = {
        frozenset(i for i, (_, side) in enumerate(rows) if side < 0)
        for rows, chi in ((iso.signed_permutation, chi) for iso, chi in symmetries(f.subs(xi, 0), z))
        if chi == 1 and all(i == j for i, (j, _) in enumerate(rows))
    }
    searched.add(frozenset())
    assert generated <= searched
    if not f.has(xi, sympy.erf):
        assert generated == searched


PATH = "z1+" + "+".join(f"z{i}*z{i + 1}" for i in range(1, 12))
TRIPLES = "z1+" + "+".join(f"z{i}*z{i + 1}*z{i + 2}" for i in (1, 3, 5, 7))


@pytest.mark.parametrize(
    ("text", "orders", "dimensions"), [(PATH, (1,), (0, 12)), (TRIPLES, (1, 2), (0, 1, 9))]
)
def test_grand_staircases_of_chains(text, orders, dimensions):
    """E[z_k y^k] > 0 and E[z_k y^p] = 0 for p < k along a path; flips of z2, z3, z4, .. leave the triples."""
    found = ha.grand_staircase(text)
    assert (found.orders, found.dimensions, found.limit_dimension) == (orders, dimensions, dimensions[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("max(z1,z2,z3,z4,z5)", (1, 0, 0, 0, 0)),
        ("max(z1,z2,z3,z4,z5)", (2, 0, 0, 0, 0)),
        ("max(z1,z2,z3,z4,z5)", (1, 1, 0, 0, 0)),
        ("max(z1,2*z2-1,1/2)", (1, 1, 0)),
        ("max(z1,2*z2-1,1/2)", (0, 0, 0)),
        ("min(z1,-z2,z3+1)", (2, 0, 1)),
        ("min(z1,-z2,z3+1)", (0, 0, 0)),
    ],
)
def test_extremes_by_quadrature(text, index):
    """Against the layers: E[He_S max] = -int (E[He_S 1{max <= t}] - 1{S = 0, t > 0}) dt by mpmath."""
    f = Target(text).expression
    z = tuple(variable(i + 1) for i in range(len(f.free_symbols)))
    found = extreme_coefficient(f, z, index[: len(z)], digits=18)
    known = by_mpmath(f, z, index)
    assert abs(found.value - known) <= found.error + 1e-13 * (1 + abs(known))


def by_mpmath(f, z, index):
    largest = isinstance(f, sympy.Max)
    side = 1 if largest else -1
    forms = [side * a for a in f.args]

    def below(form, t):
        names = form.free_symbols
        if not names:
            return mpmath.mpf(t >= float(form))
        [v] = names
        k, slope = index[z.index(v)], float(form.diff(v))
        u = (t - float(form.subs(v, 0))) / slope
        if k == 0:
            return mpmath.ncdf(u if slope > 0 else -u)
        he = {1: 1, 2: u}[k]
        return (-1 if slope > 0 else 1) * he * mpmath.npdf(u)

    def integrand(t):
        value = mpmath.fprod(below(form, t) for form in forms)
        return (mpmath.mpf(t > 0) if not any(index) else 0) - value

    return side * mpmath.quad(integrand, [-14, -4, -2, -1, 0, 0.5, 1, 2, 4, 14, 20])
