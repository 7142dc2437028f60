"""What is named as proof of a step: entries with as many slots outside of U as the step has of order."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from sympy import Expr

import hermite_analytics as ha
from hermite_analytics.argument.coefficients import Coefficient, Contraction
from hermite_analytics.argument.symmetries import Symmetry

MIRRORED = ["z1*xi", "cos(z1 + 3*xi)", "z1*z2 + xi*z3", "sin(z1)*sin(xi)", "z1**2*xi*z2"]


def products(seed: int) -> str:
    """A sum of products of He_k, so that its tensors are read off."""
    pick = random.Random(seed)
    terms = set()
    while len(terms) < 4:
        powers = [pick.choice((0, 0, 1, 2, 3)) for _ in range(3)]
        if sum(powers):
            terms.add("*".join(f"He{k}(z{i + 1})" for i, k in enumerate(powers) if k))
    return " + ".join(sorted(terms))


def rows_of(basis: tuple[tuple[str, ...], ...]) -> np.ndarray:
    return np.array([[float(Fraction(x)) for x in row] for row in basis]).reshape(-1, 3)


def entry(target: str, vectors: list[np.ndarray]) -> float:
    """C_n[v1, .., vn] by the coefficients of the public table."""
    table = ha.hermite(target, len(vectors))
    total = 0.0
    for places in itertools.product(range(3), repeat=len(vectors)):
        index = tuple(places.count(i) for i in range(3))
        total += float(table[index].value) * float(
            np.prod([v[i] for v, i in zip(vectors, places, strict=True)])
        )
    return total


@pytest.mark.cases(6)
@pytest.mark.parametrize("seed", range(30))
def test_entries_that_show_a_step(seed: int) -> None:
    text = products(seed)
    found = ha.leap_decomposition(text)
    bases = [rows_of(basis) for basis in found.bases]
    for k, (order, facts) in enumerate(zip(found.orders, found.steps, strict=True)):
        u = bases[k]
        named = [f for f in facts if isinstance(f, Coefficient | Contraction)]
        assert named, text
        for fact in named:
            if isinstance(fact, Coefficient):
                vectors = [np.eye(3)[i] for i, times in enumerate(fact.index) for _ in range(times)]
            else:
                vectors = [np.array([float(x) for x in row if isinstance(x, Expr)]) for row in fact.rows]
            off = [v for v in vectors if len(u) == 0 or np.abs(u @ v).max() < 1e-12]
            inside = [v for v in vectors if len(u) and np.linalg.matrix_rank([*u, v], 1e-9) == len(u)]
            assert (len(off), len(inside)) == (order, len(vectors) - order), (text, str(fact))
            value = entry(text, vectors)
            assert abs(value) > 1e-9 and abs(value - float(fact.value)) < 1e-9, (text, str(fact))


@pytest.mark.parametrize(
    ("text", "dimension", "said"),
    [
        ("z2 + z1*z2*z3 + He3(z1)", 3, "c_(1, 1, 1) = 1"),  # c_(3, 0, 0) = 6 is of order 3
        ("z2 + He3(z1) + He2(z2)*z1", 2, "c_(1, 2) = 2"),
        ("z2 + He3(z1)", 2, "c_(3, 0) = 6"),
        ("z2 + z1*z3 + He2(z1)", 3, "c_(2, 0, 0) = 2; c_(1, 0, 1) = 1"),  # c_(2, 0, 0) shows z1 only
        ("sign(z1 + xi) + sign(z2 + xi)", 2, "C_3[(-1, 1)^2, (1, 1)] = -1/sqrt(pi)"),
        (
            "z1 + z2 + z1**2 - z2**2 + ((z1 + z2)**2 - 2)*(z1 - z2) + ((z1 + z2)**2 - 2)*z3",
            3,
            "C_2[(-1, 1, 0), (1, 1, 0)] = -4; C_3[(0, 0, 1), (1, 1, 0)^2] = 8",
        ),
        ("z1**2 + z2**2 + z3**2 + z4**2 + z5**2", 5, "c_(0, 0, 2, 0, 0) = 2; and 2 more"),
    ],
)
def test_what_is_said(text: str, dimension: int, said: str) -> None:
    found = ha.leap_decomposition(text)
    assert found.dimensions[-1] == dimension
    assert said in "; ".join(str(fact) for fact in found.steps[-1])


def test_what_bounds_an_order_that_is_not_decided_by_closed_forms_is_said() -> None:
    reasons = ha.staircase("floor(abs(z1)) - floor(abs(z2))").to_dict()["reasons"]
    assert reasons == ["no further direction of order 1: f is even in each of z1, z2"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("5 + 2*sign(z1*z2)", "with y for sign(z1*z2); "),
        ("log(2 + sign(z1*z2*z3))", "with y for sign(z1*z2*z3); "),
        ("3 - 2*step(abs(z1) - 1)", "with y for step(Abs(z1) - 1); y grows with |z1|"),
        ("sign(z1*z2)/2 + 1/3 + xi", "with y for sign(z1*z2); "),
        ("z1*z2", "E[He_2 T(y)] != 0 with T = y; "),
        ("tanh(z1**2)", "the label is a monotone function"),  # true of all labels that tell the same
    ],
)
def test_labels_are_named_where_what_is_said_is_not_of_the_target(text: str, named: str) -> None:
    assert ha.generative_exponent(text).to_dict()["reason"].startswith(named)


@pytest.mark.parametrize("text", MIRRORED)
def test_symmetries_with_the_noise_say_so(text: str) -> None:
    """f(Rz, -xi) = f(z, xi), by the values of both sides."""
    f = ha.Target(text).expression
    facts = ha.grand_staircase(text).steps[0]
    symmetries = [s for fact in facts for s in getattr(fact, "because", ()) if isinstance(s, Symmetry)]
    assert symmetries
    for s in symmetries:
        moved = f.xreplace(dict(zip(s.variables, s.images, strict=True)))
        names = sorted(f.free_symbols, key=str)
        for k in range(3):
            at = {v: 0.3 + 0.7 * j - 0.45 * k for j, v in enumerate(names)}
            assert abs(complex((moved - s.character * f).subs(at))) < 1e-12, str(s)
