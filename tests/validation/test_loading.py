"""Suites from TOML: fields, and errors that name them."""

import itertools
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.validation import load_suite, parse_suite, read_suite, suite_names
from hermite_analytics.validation.experiments.random_features import RandomFeaturesExperiment
from hermite_analytics.validation.statistics.decision import Margin
from hermite_analytics.validation.statistics.rules import Limit

DOCS = Path(__file__).parents[2] / "docs"
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


@pytest.mark.slow
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
        (
            "eta = 1.0",
            "eta = 1.0\nnoise = -0.5",
            "suite 'mine': study 'curve': experiment.noise is -0.5; accepted: finite numbers noise >= 0",
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


def write(folder, text):
    """A file beside one with `TEXT`, and its path."""
    (folder / "parts").mkdir()
    (folder / "parts" / "curve.toml").write_text(TEXT)
    path = folder / "mine.toml"
    path.write_text(text)
    return path


def include(*lines, studies=""):
    """A suite that includes the file with `TEXT`."""
    return "\n".join(['title = "Mine"', "[[include]]", 'file = "parts/curve.toml"', *lines, studies])


def test_a_file_may_include_another(tmp_path):
    (whole,) = parse_suite("mine", TEXT).studies
    other = (
        TEXT.replace('title = "A suite"', "")
        .replace('"curve"', '"own"')
        .replace("alpha0 = 2.0", "alpha0 = 3.0")
    )
    suite = read_suite(write(tmp_path, include(studies=other)))
    assert (suite.title, suite.name) == ("Mine", str(tmp_path / "mine.toml"))
    assert suite.studies[0] == whole and [study.id for study in suite.studies] == ["curve", "own"]


def test_an_included_study_may_be_made_smaller(tmp_path):
    claim = TEXT[TEXT.index("[[studies.claims]]") :]
    path = write(
        tmp_path,
        include('study = "curve"', "sizes = [40, 60]", "seeds = [2, 2]", "looks = 1", 'claims = ["test"]'),
    )
    part = tmp_path / "parts" / "curve.toml"
    part.write_text(TEXT + claim.replace('"test"', '"train"').replace("test_error", "train_error"))
    (whole,) = read_suite(part).studies
    assert [claim.id for claim in whole.claims] == ["test", "train"]
    assert read_suite(path).studies == (
        replace(whole, sizes=(40, 60), seeds=(2, 2), looks=1, claims=whole.claims[:1]),
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("seeds = [4, 3]",), "include.0: seeds changes one study; study is missing"),
        (('study = "line"',), "'line' is not a study of parts/curve.toml; its studies are curve"),
        (
            ('study = "curve"', 'claims = ["test", "gain"]'),
            "'gain' is not a claim of study 'curve'; its claims are test",
        ),
        (('study = "curve"', "claims = []"), "study 'curve' has no claim"),
        (
            ('study = "curve"', "sizes = [20, 30, 40]"),
            "study 'curve': seeds (4, 3) must be one integer >= 2 for each size",
        ),
        (('study = "curve"', "ridge = 2.0"), "include.0.ridge: Extra inputs are not permitted"),
        (
            ("[[include]]", 'file = "parts/none.toml"'),
            "parts/none.toml cannot be read: No such file or directory",
        ),
        (
            ("[[include]]", 'file = "../mine.toml"'),
            "include.file is '../mine.toml'; a file .toml in or below the suite's folder is needed",
        ),
        (
            ("[[include]]", 'file = "/etc/passwd.toml"'),
            "include.file is '/etc/passwd.toml'; a file .toml in or below the suite's folder is needed",
        ),
        (
            ("[[include]]", 'file = "parts"'),
            "include.file is 'parts'; a file .toml in or below the suite's folder is needed",
        ),
        (("[[include]]", 'file = "mine.toml"'), "mine.toml includes other files itself; include those"),
    ],
)
def test_what_cannot_be_included(tmp_path, lines, message):
    path = write(tmp_path, include(*lines))
    with pytest.raises(InputError) as error:
        read_suite(path)
    assert str(error.value) == f"suite {str(path)!r}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: a", "parts/curve.toml is not TOML: "),
        ('title = "a"', "parts/curve.toml has no study"),
        (
            TEXT.replace("looks = 2", "loks = 2"),
            "parts/curve.toml: studies.0.loks: Extra inputs are not permitted",
        ),
        (
            TEXT.replace("beta = 0.5", "beta = 0.33"),
            "study 'curve': beta = 0.33 times d = 20 is 6.6; an integer",
        ),
    ],
)
def test_faults_of_an_included_file_name_it(tmp_path, text, message):
    path = write(tmp_path, include())
    (tmp_path / "parts" / "curve.toml").write_text(text)
    with pytest.raises(InputError) as error:
        read_suite(path)
    assert str(error.value).startswith(f"suite {str(path)!r}: {message}"), str(error.value)
    assert "\n" not in str(error.value)


def test_a_study_that_is_included_twice(tmp_path):
    path = write(tmp_path, include("[[include]]", 'file = "parts/curve.toml"'))
    with pytest.raises(InputError, match=r": study 'curve' occurs more than once$"):
        read_suite(path)


def test_text_alone_includes_nothing():
    with pytest.raises(InputError) as error:
        parse_suite("mine", include())
    assert str(error.value) == (
        "suite 'mine': include.file is 'parts/curve.toml', but text alone has no folder; read it from a file"
    )


def test_the_page_includes_the_example(tmp_path):
    """The second file of the how-to, beside the first one."""
    lines = (DOCS / "howto" / "add_a_claim.md").read_text(encoding="utf-8").splitlines()
    start = lines.index('    title = "The step again, with more seeds"')
    text = "\n".join(itertools.takewhile(lambda line: not line or line.startswith("    "), lines[start:]))
    (tmp_path / "again.toml").write_text(textwrap.dedent(text))
    (tmp_path / "my_claims.toml").write_bytes((DOCS / "examples" / "my_claims.toml").read_bytes())
    step = read_suite(tmp_path / "my_claims.toml").studies[0]
    (again,) = read_suite(tmp_path / "again.toml").studies
    assert [claim.id for claim in again.claims] == ["gamma"]
    assert again == replace(step, seeds=again.seeds, claims=step.claims[:1]) and again.seeds > step.seeds


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"loss": "quartile:0.9"}, "loss is 'quartile:0.9': accepted are square, huber:D, quantile:tau"),
        ({"loss": "quantile:2"}, "the loss 'quantile:2' has the level 2; quantile:tau with a number"),
        ({"features": "kernel"}, "features is 'kernel': accepted are 'network', 'equivalent', 'tangent'"),
        ({"ridge": 0.0}, "ridge is 0; accepted: finite numbers ridge > 0"),
        ({"alpha": (1.0, -1.0)}, "alpha is -1; accepted: finite numbers alpha > 0"),
    ],
)
def test_parameters_are_those_of_the_protocol(given, message):
    taken = {"activation": "tanh", "target": "z1", "beta": 1.0, "alpha": (1.0,), "ridge": 0.1} | given
    with pytest.raises(InputError) as error:
        RandomFeaturesExperiment(**taken)
    assert str(error.value).startswith(message)
