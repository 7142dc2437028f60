"""The arguments of an analysis: which claims they are for, what they rest on, and that JSON keeps them."""

from __future__ import annotations

import ast
import functools
import json
from pathlib import Path

import pytest

import hermite_analytics as ha
import hermite_analytics.analysis
import hermite_analytics.argument
from hermite_analytics.argument import Argument
from hermite_analytics.argument.coefficients import Coefficient, Tensor, VanishingTensors
from hermite_analytics.argument.documents import KINDS
from hermite_analytics.argument.fact import walk
from hermite_analytics.argument.moments import Moment
from hermite_analytics.argument.remarks import Theorem
from hermite_analytics.argument.steps import Basis, EmptyOrder, NoFurther, NoOther, WholeSpace
from hermite_analytics.argument.symmetries import Symmetry
from hermite_analytics.schemas import schema
from tests.symbolic.analysis.latex_text import faults

TARGETS = (
    "sign(z1*z2)",
    "z1 + z2 + z1*z2",
    "tanh(z1) + tanh(2*z2)",
    "z1**2*exp(-z1**2)",
    "z1**2 + sign(z1*z2*z3)",
    "3",
    "sign(z1 + xi/2)",
    "z1**2 + z2**2 + z1*z2",
)


@functools.cache
def arguments(target: str) -> tuple[Argument, ...]:
    return ha.analyze(target).arguments


def facts_of(target: str, claim: str) -> tuple:
    (found,) = (argument.facts for argument in arguments(target) if argument.claim == claim)
    return found


@pytest.mark.cases(1)
@pytest.mark.parametrize("target", TARGETS)
def test_json_keeps_them(target):
    for argument in arguments(target):
        assert argument.facts and argument.claim
        document = json.loads(json.dumps(argument.to_dict(), allow_nan=False))
        assert Argument.from_dict(document) == argument
        assert faults(argument.latex) == []
        assert all(fact.kind in KINDS for fact in walk(argument.facts))


def test_the_claims():
    assert [argument.claim for argument in arguments("z1 + z2 + z1*z2")] == [
        "number of directions = 2",
        "leap index = 1",
        "leap complexity = 1",
        "isotropic leap = 2",
        "generative exponent = 2",
        "the first subspace has dimension 1",
        "staircase: step 1 has order 1 and reaches dimension 1",
        "staircase: ends at dimension 1",
        "leap decomposition: step 1 has order 1 and reaches dimension 1",
        "leap decomposition: step 2 has order 2 and reaches dimension 2",
        "leap decomposition: ends at dimension 2",
        "grand staircase: step 1 has order 1 and reaches dimension 1",
        "grand staircase: step 2 has order 2 and reaches dimension 2",
        "grand staircase: ends at dimension 2",
        "alpha_c of stage 1 = 0",
        "alpha_c of stage 2 = 1/2",
    ]


def test_why_a_coefficient_is_zero():
    """C_1 of an even function of one coordinate that has no closed form."""
    below, coefficient = facts_of("1/(1 + z1**2)", "leap index = 2")
    assert isinstance(below, VanishingTensors) and isinstance(coefficient, Coefficient)
    (zero,) = below.because
    assert isinstance(zero, Tensor) and zero.zero and zero.degree == 1
    (symmetry,) = zero.because
    assert isinstance(symmetry, Symmetry) and str(symmetry) == "f(-z1) = f(z1)"


@pytest.mark.slow
def test_why_a_subspace():
    target = "z1**2 + sign(z1*z2*z3)"
    steps = [a for a in arguments(target) if a.claim.startswith("grand staircase: step")]
    subspaces = ha.grand_staircase(target).subspaces
    assert [step.conclusion for step in steps] == list(subspaces[1:])
    for step in steps:
        kinds = {type(fact) for fact in step.facts}
        assert kinds == {Moment, NoOther, EmptyOrder}
    assert isinstance(steps[0].conclusion, Basis) and steps[0].conclusion.text == (("1", "0", "0"),)


def test_why_a_staircase_ends():
    (end,) = facts_of("z1 + z2 + z1*z2", "staircase: ends at dimension 1")
    assert isinstance(end, NoFurther) and end.order == 1
    (whole,) = facts_of("z1 + z2 + z1*z2", "grand staircase: ends at dimension 2")
    assert whole == WholeSpace(dimension=2)


def test_a_theorem_names_its_source():
    (theorem,) = facts_of("3*z1**4 - z1**2", "generative exponent = 2")
    assert isinstance(theorem, Theorem) and theorem.source == "arXiv:2406.01581"


def test_a_network_has_its_arguments():
    found = [a for a in ha.analyze("z1 + He2(z1)*z2", activation="relu").arguments if "network" in a.claim]
    assert [a.claim for a in found] == [
        "network with activation relu: step 1 is learned",
        "network with activation relu: step 2 is not learned",
        "network with activation relu: no more steps are looked at",
        "network with activation relu, full batch: step 1 is partly learned",
        "network with activation relu, full batch: step 2 is undecided",
        "network with activation relu, full batch: no more steps are looked at",
    ]
    assert "mu_3 = 0" in str(found[1]) and r"$\mu_{3} = 0$" in found[1].latex


def test_the_schema_names_every_record():
    assert set(schema("analyze")["$defs"]["Fact"]["discriminator"]["mapping"]) == set(KINDS)


def test_sentences_are_written_and_never_read():
    """Only JSON is read back, and by the parser of the language."""
    readers = {"re", "hermite_analytics.language.parser", "hermite_analytics.language.parser.parse"}
    for room in (hermite_analytics.analysis, hermite_analytics.argument):
        for path in Path(str(room.__file__)).parent.glob("*.py"):
            names = set()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    names |= {f"{node.module}.{alias.name}" for alias in node.names}
            reads_json = path.parent.name == "argument" and path.name == "documents.py"
            assert names & readers <= (
                {"hermite_analytics.language.parser.parse"} if reads_json else set()
            ), path
