"""Facts: what they say in each form, and that JSON loses nothing of them."""

from __future__ import annotations

import json

import pytest
from sympy import Integer, Matrix, Rational, S, exp, pi, sqrt

from hermite_analytics.argument import Argument, Fact, html_of, latex_of, text_of
from hermite_analytics.argument.coefficients import (
    AllSlots,
    Coefficient,
    ConditionalClosedForms,
    Contraction,
    Enclosure,
    Tensor,
    VanishingTensors,
    ZeroCoefficients,
)
from hermite_analytics.argument.documents import KINDS, fact_from_dict, fact_to_dict
from hermite_analytics.argument.moments import (
    Association,
    Moment,
    ValueTensors,
    at_most,
    equal_to,
    power,
    wave,
)
from hermite_analytics.argument.remarks import Theorem, remark
from hermite_analytics.argument.sentences import Math, as_text
from hermite_analytics.argument.steps import (
    AtMost,
    Basis,
    EmptyOrder,
    EstimatedDirections,
    LargestOrder,
    LevelEnds,
    NoFurther,
    NoOther,
    NothingBelow,
    NothingElse,
    OpenOrder,
    WholeSpace,
    unlocking,
)
from hermite_analytics.argument.symmetries import (
    EvenInEach,
    EvenInPairs,
    OddInEach,
    OfTerm,
    OnlyThroughDirection,
    SymmetricIn,
    Symmetry,
    UnseenOrder,
    symmetry_of,
)
from hermite_analytics.errors import InputError, ParseError
from hermite_analytics.language.functions import He
from hermite_analytics.symbols import variable, xi
from tests.symbolic.analysis.latex_text import faults

Z1, Z2 = variable(1), variable(2)
FLIP = Symmetry(variables=(Z1, Z2), images=(-Z1, Z2), character=-1)
EXACT = Coefficient(index=(4,), value=-4 * sqrt(3) / 27)
BALL = Coefficient(index=(1, 0), value=Enclosure(value=0.605, radius=1e-17))
RATIO = Math("E[z1*tanh(z2)]", r"\mathbb{E}[z_{1} \tanh{\left(z_{2} \right)}]")

# (fact, one line, in full, LaTeX)
FACTS: list[tuple[Fact, str, str, str]] = [
    (EXACT, "c_(4) = -4*sqrt(3)/27", "", r"$c_{(4)} = - \frac{4 \sqrt{3}}{27}$"),
    (BALL, "c_(1, 0) = 0.605 ± 1e-17", "", r"$c_{(1, 0)} = 0.605 \pm 1 \cdot 10^{-17}$"),
    (Coefficient(index=(2,), value=None), "c_(2) != 0", "", r"$c_{(2)} \neq 0$"),
    (
        Contraction(rows=((S(1), S(-1)), (S(1), S(1)), (S(1), S(1))), value=sqrt(3)),
        "C_3[(1, -1), (1, 1)^2] = sqrt(3)",
        "",
        r"$C_{3}[(1, -1), (1, 1)^{2}] = \sqrt{3}$",
    ),
    (
        ZeroCoefficients(indices=((2, 0), (1, 1), (0, 2), (4, 0))),
        "c_(2, 0), c_(1, 1), c_(0, 2) and 1 more are 0 in closed form",
        "",
        r"$c_{(2, 0)}$, $c_{(1, 1)}$, $c_{(0, 2)}$ and 1 more are 0 in closed form",
    ),
    (ZeroCoefficients(indices=((2,),)), "c_(2) is 0 in closed form", "", r"$c_{(2)}$ is 0 in closed form"),
    (
        Tensor(degree=2, zero=True, because=(FLIP,)),
        "C_2 = 0: f(-z1, z2) = -f(z1, z2)",
        "C_2 = 0, since f(-z1, z2) = -f(z1, z2)",
        r"$C_{2} = 0$: $f(- z_{1}, z_{2}) = -f(z_{1}, z_{2})$",
    ),
    (Tensor(degree=3, zero=False), "C_3 != 0", "", r"$C_{3} \neq 0$"),
    (VanishingTensors(last=1), "C_1 vanishes", "", "$C_{1}$ vanishes"),
    (
        VanishingTensors(last=3, because=(Tensor(degree=1, zero=True),)),
        "C_1 to C_3 vanish",
        "",
        "$C_{1}$ to $C_{3}$ vanish",
    ),
    (
        AllSlots(last=2),
        "the slots of C_1 to C_2 span all directions that f depends on",
        "seen in the Hermite tensors C_1 to C_2",
        r"the slots of $C_{1}$ to $C_{2}$ span all directions that $f$ depends on",
    ),
    (
        ConditionalClosedForms(order=2),
        "closed forms of E[He_2(y) f(x + y)], x in the learned subspace",
        "",
        r"closed forms of $\mathbb{E}[\mathrm{He}_{2}(y) f(x + y)]$, $x$ in the learned subspace",
    ),
    (FLIP, "f(-z1, z2) = -f(z1, z2)", "", r"$f(- z_{1}, z_{2}) = -f(z_{1}, z_{2})$"),
    (
        symmetry_of(Matrix([[0, 1], [1, 0]]), 1, (Z1, xi), letter="g"),
        "g(xi, z1) = g(z1, xi)",
        "",
        r"$g(\xi, z_{1}) = g(z_{1}, \xi)$",
    ),
    (
        OddInEach(variables=tuple(variable(i) for i in range(1, 13))),
        "f is odd in each of z1, .., z12",
        "",
        r"$f$ is odd in each of $z_{1}, \ldots, z_{12}$",
    ),
    (
        EvenInEach(variables=(Z1, Z2)),
        "f is even in each of z1, z2",
        "",
        r"$f$ is even in each of $z_{1}, z_{2}$",
    ),
    (
        EvenInPairs(variables=(Z1, Z2)),
        "f does not change with the signs of two of z1, z2",
        "",
        r"$f$ does not change with the signs of two of $z_{1}, z_{2}$",
    ),
    (SymmetricIn(variables=(Z1, Z2)), "f is symmetric in z1, z2", "", r"$f$ is symmetric in $z_{1}, z_{2}$"),
    (
        OnlyThroughDirection(forms=(Z1 + Z2,)),
        "f depends on z1 + z2 only through its sign",
        "",
        r"$f$ depends on $z_{1} + z_{2}$ only through its sign",
    ),
    (
        OnlyThroughDirection(forms=(Z1, Z2)),
        "f depends on w = (z1, z2) only through w/|w|",
        "",
        r"$f$ depends on $w = (z_{1}, z_{2})$ only through $w/|w|$",
    ),
    (
        UnseenOrder(order=2, form=None, why="for it is even"),
        "E[He_2 | y] = 0, for it is even",
        "E[He_2(z) | y] = 0, for it is even",
        r"$\mathbb{E}[\mathrm{He}_{2} \mid y] = 0$, for it is even",
    ),
    (
        UnseenOrder(order=1, form=Z1, why="for it is even"),
        "E[He_1(z1) | h(z1)] = 0 for the function h of z1 in f, for it is even",
        "",
        r"$\mathbb{E}[\mathrm{He}_{1}(z_{1}) \mid h(z_{1})] = 0$ for the function $h$ of $z_{1}$ in $f$, "
        "for it is even",
    ),
    (
        OfTerm(term=He(3, Z1) * Z2, because=(FLIP,)),
        "z2*He(3, z1): f(-z1, z2) = -f(z1, z2)",
        "",
        r"$z_{2} \mathrm{He}_{3}\left(z_{1}\right)$: $f(- z_{1}, z_{2}) = -f(z_{1}, z_{2})$",
    ),
    (
        Moment(degree=3, order=2, transformation=power(2)),
        "E[He_3 T(y)] != 0 with T = y**2, 2 slots outside",
        "E[He_3(z) T(y)] != 0 with T = y**2, in entries with 2 indices outside the subspace",
        r"$\mathbb{E}[\mathrm{He}_{3} T(y)] \neq 0$ with $T = y^{2}$, 2 slots outside",
    ),
    (
        Moment(degree=2, order=2, transformation=equal_to(S.One)),
        "E[He_2 T(y)] != 0 with T = 1{y = 1}",
        "E[He_2(z) T(y)] != 0 with T = 1{y = 1}",
        r"$\mathbb{E}[\mathrm{He}_{2} T(y)] \neq 0$ with $T = 1\{y = 1\}$",
    ),
    (
        Moment(degree=1, order=1, transformation=at_most(Rational(-41, 29))),
        "E[He_1 T(y)] != 0 with T = 1{y <= -41/29}",
        "E[He_1(z) T(y)] != 0 with T = 1{y <= -41/29}",
        r"$\mathbb{E}[\mathrm{He}_{1} T(y)] \neq 0$ with $T = 1\{y \le - \frac{41}{29}\}$",
    ),
    (
        Moment(degree=1, order=1, transformation=wave("sin", Rational(2, 3))),
        "E[He_1 T(y)] != 0 with T = sin(2*y/3)",
        "E[He_1(z) T(y)] != 0 with T = sin(2*y/3)",
        r"$\mathbb{E}[\mathrm{He}_{1} T(y)] \neq 0$ with $T = \sin(\frac{2 y}{3})$",
    ),
    (
        Association(rising=(Z1,), falling=(Z2,)),
        "y grows with |z1| and falls with |z2|: E[He_2(z_i) T(y)] != 0 for increasing T",
        "",
        r"$y$ grows with $|z_{1}|$ and falls with $|z_{2}|$: $\mathbb{E}[\mathrm{He}_2(z_i) T(y)] \neq 0$"
        " for increasing $T$",
    ),
    (
        ValueTensors(order=1, values=2, zero=True),
        "E[He_1 1{Y=y}] = 0 for each of the 2 values",
        "",
        r"$\mathbb{E}[\mathrm{He}_{1} 1\{Y=y\}] = 0$ for each of the 2 values",
    ),
    (
        ValueTensors(order=1, values=3, zero=False),
        "E[He_1 1{Y=y}] of all 3 values",
        "the tensors E[He_1(z) 1{y = v}] of all 3 values v of the label add nothing",
        r"$\mathbb{E}[\mathrm{He}_{1} 1\{Y=y\}]$ of all 3 values",
    ),
    (Theorem(statement="the label is even", source="arXiv:1"), "the label is even", "", "the label is even"),
    (remark("at any ", Math("alpha > 0", r"\alpha > 0"))[0], "at any alpha > 0", "", r"at any $\alpha > 0$"),
    (
        Basis(rows=((S.One, sqrt(2) / 2), (S.Zero, RATIO))),
        "(1, sqrt(2)/2) (0, E[z1*tanh(z2)])",
        "",
        rf"$(1, \frac{{\sqrt{{2}}}}{{2}})$ $(0, {RATIO.latex})$",
    ),
    (Basis(rows=()), "{0}", "", r"$\{0\}$"),
    (NoOther(because=(FLIP,)), f"no other: {FLIP}", "", f"no other: {FLIP.latex}"),
    (EmptyOrder(order=1, because=(FLIP,)), f"none of order 1: {FLIP}", "", f"none of order 1: {FLIP.latex}"),
    (
        NoFurther(order=1, because=(FLIP,)),
        f"no further direction of order 1: {FLIP}",
        "",
        f"no further direction of order 1: {FLIP.latex}",
    ),
    (
        OpenOrder(order=2, because=(AtMost(proved=0, most=1, because=(FLIP,)),)),
        f"order 2 is open: none is proved to be new and at most 1 of the directions ({FLIP})",
        "",
        f"order 2 is open: none is proved to be new and at most 1 of the directions ({FLIP.latex})",
    ),
    (
        AtMost(proved=1, most=2, because=(FLIP,)),
        f"at least 1 and at most 2 of the directions ({FLIP})",
        "",
        f"at least 1 and at most 2 of the directions ({FLIP.latex})",
    ),
    (
        EstimatedDirections(because=(FLIP,), eigenvalues=((0.25, 0.01), (0.5, 0.02))),
        f"directions estimated: at most these ({FLIP}); samples give eigenvalues 0.25 ± 0.01, 0.5 ± 0.02",
        "",
        f"directions estimated: at most these ({FLIP.latex}); samples give eigenvalues "
        r"$0.25 \pm 0.01$, $0.5 \pm 0.02$",
    ),
    (WholeSpace(dimension=2), "the dimension 2 is reached", "", "the dimension 2 is reached"),
    (NothingElse(degree=6), "nothing else up to degree 6", "", "nothing else up to degree 6"),
    (
        NothingBelow(dimension=1, order=2),
        "after dimension 1 nothing below order 2",
        "",
        "after dimension 1 nothing below order 2",
    ),
    (LargestOrder(steps=2), "the largest order of 2 steps", "", "the largest order of 2 steps"),
    (
        LevelEnds(order=1, dimension=0, because=(FLIP,)),
        f"steps of order 1 end at dimension 0: {FLIP}",
        "",
        f"steps of order 1 end at dimension 0: {FLIP.latex}",
    ),
]


@pytest.mark.parametrize(("fact", "line", "sentence", "latex"), FACTS)
def test_a_fact_says_itself(fact, line, sentence, latex):
    assert str(fact) == text_of((fact,)) == line
    assert as_text(fact.sentence()) == (sentence or line)
    assert fact.latex == latex_of((fact,)) == latex
    assert faults(latex) == []
    assert html_of((fact,)) == fact.html
    assert fact.html.count(r"\(") == fact.html.count(r"\)") == latex.count("$") / 2


@pytest.mark.parametrize("fact", [fact for fact, *_ in FACTS])
def test_json_loses_nothing(fact):
    document = json.loads(json.dumps(fact_to_dict(fact), allow_nan=False))
    assert fact_from_dict(document) == fact
    assert document["kind"] == fact.kind and document["text"] == str(fact)


def test_every_record_is_tested():
    assert {fact.kind for fact, *_ in FACTS} == set(KINDS)
    assert len(set(KINDS.values())) == len(KINDS)


def test_an_argument():
    argument = Argument(
        claim="order 1",
        facts=(BALL, NoOther(because=(FLIP,)), EmptyOrder(order=1, because=())),
        conclusion=Basis(rows=((S.One, S.Zero),)),
    )
    assert str(argument) == (
        "order 1: c_(1, 0) = 0.605 ± 1e-17; no other: f(-z1, z2) = -f(z1, z2); none of order 1: ; "
        "learned: (1, 0)"
    )
    assert argument.latex.endswith("learned: $(1, 0)$") and argument.html.endswith(r"learned: \((1, 0)\)")
    document = json.loads(json.dumps(argument.to_dict()))
    assert Argument.from_dict(document) == argument
    assert unlocking(argument.facts) == (BALL,)
    shorter = Argument(claim="c", facts=())
    assert shorter.to_dict() == {"claim": "c", "facts": []}
    assert Argument.from_dict(shorter.to_dict()) == shorter


@pytest.mark.parametrize(
    "value", [pi**2 / 4, 2 * sqrt(2) / pi ** Rational(3, 2), exp(-80), Integer(10) ** 200]
)
def test_values_come_back_as_they_were(value):
    fact = Coefficient(index=(1,), value=value)
    assert fact_from_dict(fact_to_dict(fact)) == fact


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"kind": "guess"}, "the kind of a fact is one of all_slots, .*; given: {'kind': 'guess'}"),
        ("text", "the kind of a fact is one of"),
        ({"kind": "tensor", "degree": 1}, "a document of Tensor has degree, zero, because; missing: zero"),
        ({"kind": "all_slots", "last": "2"}, "a value of type int is wanted; given: '2'"),
        ({"kind": "all_slots", "last": True}, "a value of type int is wanted; given: True"),
    ],
)
def test_other_documents_are_refused(document, message):
    with pytest.raises(InputError, match=message):
        fact_from_dict(document)


def test_numbers_beyond_the_language_are_written_and_not_read():
    document = fact_to_dict(Coefficient(index=(1,), value=exp(-800)))
    assert document["value"] == "exp(-800)"
    with pytest.raises(ParseError, match="from 1e-300 to 1e300"):
        fact_from_dict(document)


def test_text_in_a_document_is_read_by_the_parser_of_the_language():
    document = fact_to_dict(EXACT) | {"value": "__import__('os').getcwd()"}
    with pytest.raises(ParseError):
        fact_from_dict(document)
    with pytest.raises(InputError, match="an argument is"):
        Argument.from_dict({"claim": 1})
