"""Suites from TOML: fields, and errors that name them."""

import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.validation import load_suite, parse_suite, suite_names
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.rules import Limit

TEXT = """
title = "A suite"

[[studies]]
id = "curve"
title = "A curve"
sizes = [20, 30]
seeds = [4, 3]
looks = 2

[studies.experiment]
protocol = "giant-step"
activation = "tanh"
target = "sin(z1)"
alpha0 = 2.0
eta = 1.0
beta = 0.5
alpha = [1.0, 2.0]
ridge = 0.1

[[studies.claims]]
id = "test"
statement = "It is so."
source = "a paper"
observable = "test_error"
reduction = "mean-ratio"
margin = { relative = 0.05 }
argument = "because"
mutants = ["p-over-d"]
"""


def test_a_suite():
    suite = parse_suite("mine", TEXT)
    (study,) = suite.studies
    (claim,) = study.claims
    assert (suite.name, suite.title, study.id, study.sizes, study.seeds, study.looks) == (
        "mine",
        "A suite",
        "curve",
        (20, 30),
        (4, 3),
        2,
    )
    assert (claim.margin, claim.relation, claim.rule) == (Margin(relative=0.05), "equal", Limit())
    assert study.claim_id(claim) == "curve/test"
    assert study.experiment.abscissa() == ("alpha", (1.0, 2.0))


def test_suites_of_the_library():
    assert "quick" in suite_names()
    for name in suite_names():
        suite = load_suite(name)
        assert suite.name == name and suite.studies


def test_unknown_suite():
    with pytest.raises(InputError) as error:
        load_suite("nightly")
    assert str(error.value) == (
        f"'nightly' is not a suite; accepted are {', '.join(suite_names())}; "
        "or the path of a file of claims, ending in .toml"
    )
    with pytest.raises(InputError, match=r"; did you mean 'quick'\?$"):
        load_suite("qick")


@pytest.mark.parametrize("name", ["../quick", "quick.toml", "", "/etc/passwd"])
def test_a_name_is_not_a_path(name):
    with pytest.raises(InputError, match="is not a suite"):
        load_suite(name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title =", "title", "suite 'mine' is not TOML: "),
        ('title = "A suite"', "", "suite 'mine': title: Field required"),
        ("looks = 2", "loks = 2", "suite 'mine': studies.0.loks: Extra inputs are not permitted"),
        (
            "looks = 2",
            "looks = 2.5",
            "suite 'mine': studies.0.looks: Input should be a valid integer",
        ),
        ("looks = 2", "looks = 9", "suite 'mine': study 'curve': looks is 9; 1 to 5 is accepted"),
        (
            "sizes = [20, 30]",
            "sizes = [20]",
            "suite 'mine': study 'curve': sizes (20,) must be at least two distinct",
        ),
        (
            "giant-step",
            "giant-leap",
            "suite 'mine': study 'curve': experiment.protocol is 'giant-leap'; accepted are ",
        ),
        (
            "eta = 1.0",
            "step = 1.0",
            "suite 'mine': study 'curve': experiment.eta: Field required",
        ),
        (
            "beta = 0.5",
            "beta = 0.33",
            "suite 'mine': study 'curve': beta = 0.33 times d = 20 is 6.6; an integer",
        ),
        ("source =", "quelle =", "suite 'mine': studies.0.claims.0.source: Field required"),
        (
            '"a paper"',
            '""',
            "suite 'mine': studies.0.claims.0: claim 'test': source is empty; a text is needed",
        ),
        (
            "{ relative = 0.05 }",
            "{}",
            "suite 'mine': studies.0.claims.0.margin: the margin (relative 0.0, absolute 0.0) needs a",
        ),
        (
            "{ relative = 0.05 }",
            "{ factor = 2 }",
            "suite 'mine': studies.0.claims.0.margin.factor: ",
        ),
        (
            '"mean-ratio"',
            '"median"',
            "suite 'mine': studies.0.claims.0.reduction: Input should be 'value', 'mean'",
        ),
    ],
)
def test_errors_name_the_field(old, new, message):
    assert old in TEXT
    with pytest.raises(InputError) as error:
        parse_suite("mine", TEXT.replace(old, new))
    assert str(error.value).startswith(message), str(error.value)
    assert "\n" not in str(error.value)
