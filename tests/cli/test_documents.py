"""Every command's --json output satisfies its schema, and says what the library says."""

from __future__ import annotations

import functools
import math
import operator

import jsonschema
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.rendering.provenance import SCHEMA_VERSION
from hermite_analytics.schemas import schema, schema_names

pytestmark = pytest.mark.arrays  # a few points of many kernels

PROBLEM = ("--activation", "tanh(z)", "--target", "sin(z1)")
ERF = ("--activation", "erf(z/sqrt(2))", "--target", "sin(z1)")
SIMULATED = (*ERF, "--beta", "0.5", "--alpha", "1,1.5", "--d", "40")

COMMANDS = {
    "analyze": ("analyze", "z1 + He2(z1)*z2"),
    "analyze with parameters": ("analyze", "sin(a*z1) + b*He3(z1)", "--where", "a >= 0"),
    "analyze without a variance": ("analyze", "exp(z1**2/4)"),
    "staircase": ("staircase", "z1 + z2 + z1*z2"),
    "second-layer": (
        *("second-layer", "z1 + abs(z2)*z1", "--samples-power", "1", "--width-power", "1"),
        *("--learned", "1,0"),
    ),
    "complexities": ("complexities", "z1 + He3(z2)"),
    "hermite": ("hermite", "sign(z1*z2) + relu(z1+z2)", "--degree", "4"),
    "hermite with enclosures": ("hermite", "tanh(z1) + z1*xi", "--degree", "5"),
    "hermite of infinite variance": ("hermite", "exp(z1**2/4)", "--degree", "2"),
    "expect": ("expect", "max(z1,z2,z3)"),
    "expect at a point": ("expect", "gelu(m+s*z1)**2", "--at", "m=0,s=1", "--digits", "30"),
    "expect with parameters": ("expect", "relu(k + z1)"),
    "expect an enclosure": ("expect", "tanh(k + z1)", "--at", "k=1/3", "--digits", "40"),
    "design": ("design", "--information-exponent", "3", "--alpha-c", "0"),
    "mu": ("mu", "relu(z)", "--kappa", "0.7", "--c", "1.3", "--r", "1"),
    "mu without a point": ("mu", "sign(z)"),
    "mu without a closed form": ("mu", "tanh"),
    "export-solve spiked-random-features": (
        "export",
        "solve",
        "spiked-random-features",
        *PROBLEM,
        "--eta",
        "3",
    ),
    "export-solve random-features": ("export", "solve", "random-features", *PROBLEM, "--beta", "1"),
    "export-solve state-evolution": ("export", "solve", "state-evolution", "--target", "sign(z1)"),
    "solve-giant-step": (
        "solve",
        "giant-step",
        *PROBLEM,
        "--alpha0",
        "2,inf",
        "--eta",
        "1.5",
        "--beta",
        "0.5",
    ),
    "solve-spiked-random-features": (
        "solve",
        "spiked-random-features",
        *PROBLEM,
        "--alpha0",
        "20",
        "--eta",
        "3",
        "--beta",
        "1",
        "--ridge",
        "0.1",
        "--alpha",
        "0.2,0.9,1.6,2.3,3.0",
    ),
    "solve-spiked-random-features at a spike": (
        "solve",
        "spiked-random-features",
        *PROBLEM,
        "--r",
        "1,0",
        "--c",
        "1",
        "--gamma",
        "0.9",
        "--beta",
        "2",
        "--ridge",
        "0",
        "--alpha",
        "1,3",
    ),
    "solve-bounds": ("solve", "bounds", *PROBLEM, "--r", "0.9", "--c", "1", "--gamma", "1"),
    "solve-bounds after a step": (
        "solve",
        "bounds",
        *PROBLEM,
        "--alpha0",
        "2",
        "--eta",
        "1,3",
        "--beta",
        "1",
    ),
    "solve-deterministic-equivalent": (
        *("solve", "deterministic-equivalent", "--eigenvalue-power", "1.5", "--coefficient-power", "2.2"),
        *("--levels", "2500,inf", "--samples", "200", "--features", "200,400,inf", "--ridge", "0,0.01"),
    ),
    "solve-scaling-law": (
        *("solve", "scaling-law", "--capacity", "2", "--source", "0.4,0.8"),
        *("--ridge-exponent", "0.5,3", "--features-exponent", "0.3,1,inf"),
    ),
    "solve-scaling-law at its best": (
        *("solve", "scaling-law", "--capacity", "2", "--source", "1", "--optimal"),
    ),
    "solve-random-features": (
        *("solve", "random-features", *PROBLEM),
        *("--alpha", "1,4", "--beta", "2", "--ridge", "0,0.2", "--noise", "0.09"),
    ),
    "solve-random-features with a logistic loss": (
        *("solve", "random-features", "--activation", "tanh(z)", "--target", "sign(z1)"),
        *("--alpha", "2", "--beta", "1.5", "--ridge", "0.1", "--loss", "logistic"),
    ),
    "solve-random-features at the peak": (
        *("solve", "random-features", *PROBLEM, "--alpha", "2", "--beta", "2", "--ridge", "0"),
    ),
    "solve-small-step": (
        *("solve", "small-step", *PROBLEM, "--alpha", "4", "--beta", "2"),
        *("--ridge", "0.2", "--eta", "0,4", "--noise", "0.09"),
    ),
    "solve-large-step": ("solve", "large-step", *PROBLEM),
    "solve-large-step at infinity": (
        *("solve", "large-step", "--activation", "sign(z)", "--target", "sign(z1)"),
    ),
    "solve-bounds with letters": (
        *("solve", "bounds", *PROBLEM, "--r", "0.9", "--c", "1,1.2", "--gamma", "0.9"),
        *("--letters", "1:0.5,2:0.5", "--bias", "0.1,0.2"),
    ),
    "solve-spiked-random-features with letters": (
        *("solve", "spiked-random-features", "--activation", "relu(z)", "--target", "cos(z1)+z1"),
        *("--letters", "1:0.5,-1:0.5", "--r", "1.3", "--c", "1.2", "--gamma", "0.9", "--alpha", "2"),
        *("--beta", "1", "--ridge", "0.1"),
    ),
    "solve-spiked-random-features with the best ridge": (
        *("solve", "spiked-random-features", *PROBLEM, "--alpha0", "20", "--eta", "3", "--alpha", "0.9,3"),
        *("--beta", "1", "--ridge", "optimal", "--letters", "1:0.25,-2:0.75"),
    ),
    "solve-spiked-random-features with a learned bias": (
        *("solve", "spiked-random-features", "--activation", "relu(z)", "--target", "z1**2+z1"),
        *("--r", "1", "--c", "1.2", "--gamma", "0.9", "--alpha", "2", "--beta", "1", "--ridge", "0.1"),
        *("--bias", "learned"),
    ),
    "solve-spiked-random-features with a loss": (
        *("solve", "spiked-random-features", *PROBLEM, "--r", "1", "--c", "1", "--gamma", "0.9"),
        *("--alpha", "2", "--beta", "1", "--ridge", "0.1", "--loss", "huber:0.3", "--noise", "0.1"),
    ),
    "solve-spectrum": (
        *("solve", "spectrum", "--of", "features", "--activation", "tanh(z)", "--r", "1.2248307799585"),
        *("--c", "1.0758928018327", "--alpha", "2", "--beta", "1,2", "--z=-0.1,0"),
    ),
    "solve-spectrum of the kernel": (
        *("solve", "spectrum", "--of", "kernel", *PROBLEM, "--eta", "1,4", "--alpha", "4", "--beta", "2"),
        *("--z", "1,0.1"),
    ),
    "solve-spectrum of the weights": (
        *("solve", "spectrum", "--of", "weights", *PROBLEM, "--eta", "4", "--alpha", "4", "--beta", "2"),
        *("--density", "0.1,6,4"),
    ),
    "solve-spectrum density": (
        *("solve", "spectrum", "--of", "features", "--activation", "relu(z)", "--r", "1", "--alpha", "2"),
        *("--beta", "1", "--letters", "1:0.5,-1:0.5", "--density", "0.1,3,4"),
    ),
    "solve-sgd-flow": (
        *(
            "solve",
            "sgd-flow",
            "--activation",
            "erf(z/sqrt(2))",
            "--target",
            "erf(z1/sqrt(2))",
            "--rate",
            "1.5",
        ),
        *("--overlap", "0.2,-0.1", "--time", "1,2", "--loss", "square", "--reuse", "0,0.1"),
    ),
    "solve-sgd-flow of two directions": (
        *("solve", "sgd-flow", "--activation", "z**2", "--target", "z1**2 + z2**2/2", "--rate", "0.1"),
        *("--overlap", "0.1:0.2", "--time", "1"),
    ),
    "solve-dmft": (
        *("solve", "dmft", "--activation", "z", "--target", "z1", "--alpha", "1,2", "--eta", "0.1"),
        *("--steps", "2", "--readout", "1,-1", "--overlap", "0.2;0.1"),
    ),
    "solve-three-layer": ("solve", "three-layer", "--degrees", "2,3", "--epsilon", "0.5,0.25"),
    "solve-state-evolution": (*("solve", "state-evolution", "--target", "sign(z1*z2)", "--alpha", "2,3"),),
    "simulate full-batch": (
        *(
            "simulate",
            "full-batch",
            "--activation",
            "tanh",
            "--target",
            "z1",
            "--alpha",
            "2",
            "--eta",
            "0.1,0.2",
        ),
        *("--steps", "1", "--d", "20", "--seeds", "2", "--exact-law", "--overlap", "0.1"),
    ),
    "simulate giant-step": (
        "simulate",
        "giant-step",
        *SIMULATED,
        "--alpha0",
        "2",
        "--eta",
        "1.5",
        "--ridge",
        "0.01",
        "--seeds",
        "2",
    ),
    "simulate giant-step with sizes": (
        "simulate",
        "giant-step",
        *ERF,
        "--d",
        "30",
        "--n0",
        "60",
        "--p",
        "20",
        "--n",
        "40,50",
        "--eta",
        "1",
        "--ridge",
        "0.1",
        "--seeds",
        "1",
    ),
    "simulate spiked-random-features": (
        "simulate",
        "spiked-random-features",
        *SIMULATED,
        "--r",
        "1",
        "--c",
        "1.1",
        "--gamma",
        "0.9",
        "--ridge",
        "0.01,0.1",
        "--seeds",
        "2",
    ),
}


# What is open or optional in a document, beside flags that need not be given.
MAY_BE_SPOILED = {
    "design": {
        *("more in search.excluded", "no request.alpha_c", "no request.information_exponent"),
        *("no search.excluded.information_exponent", "no search.met.alpha_c"),
        "no search.met.information_exponent",
    },
    "expect": {"no digits"},
    "simulate": {
        "more in parameters",
        *(f"no results.{name}" for name in ("alpha", "alpha0", "beta", "c", "eta", "gamma", "n", "n0", "p")),
        *(f"no results.{name}" for name in ("r", "ridge", "square_error", "test_error", "train_error")),
        *("no results.c_spike", "no results.c_target"),
    },
    "solve-random-features": {"no results.calibration_error", "no results.misclassification"},
    "solve-bounds": {f"no results.{name}" for name in ("alpha0", "beta", "c", "eta", "r")},
    "solve-state-evolution": {"no results.rule"},  # where no point was found in time
    "solve-spectrum": {f"no results.{name}" for name in ("c", "density", "eta", "r", "stieltjes")},
    "solve-spiked-random-features": {
        *("no results.alpha0", "no results.eta", "no results.bias", "no results.alternatives"),
        *(f"no results.alternatives.{name}" for name in ("bias", "objective", "ridge", "test_error")),
    },
    "solve-three-layer": {
        *(f"no results.composition.order_{k}" for k in (1, 2, 3)),
        *(f"no results.parts.degree_{k}" for k in (2, 3)),
    },
}
NEEDED = {"solve": ("activation", "of", "capacity", "degrees"), "simulate": ("d", "seeds")}


def shortened(part):
    """A document with the first two entries of each list: validation reads all of it for every change."""
    if isinstance(part, dict):
        return {key: shortened(entry) for key, entry in part.items()}
    return [shortened(entry) for entry in part[:2]] if isinstance(part, list) else part


def places(part, before=()):
    """Every place in a document, with what stands there."""
    yield before, part
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, entry in entries:
        yield from places(entry, (*before, key))


def spoiled(document):
    """(what was done, a copy to which it was done): a key too many, a key missing, a value of no type.

    Once for each name and kind of place: the second row of a list says what the first one said.
    """
    seen = set()
    for place, part in places(document):
        name = ".".join(str(key) for key in place if isinstance(key, str))
        kinds = (name, kind(part), kind(functools.reduce(operator.getitem, place[:-1], document)))
        if kinds in seen:
            continue
        seen.add(kinds)
        if isinstance(part, dict):
            yield f"more in {name}", changed(document, place, part | {"unknown": 1})
            for key in part:
                left = {k: v for k, v in part.items() if k != key}
                yield f"no {name}.{key}".replace(" .", " "), changed(document, place, left)
        if place:
            yield f"other {name}", changed(document, place, {"wrong": [1]})


def kind(part):
    """The type of a part; of a mapping also its keys and what it is said to be."""
    if not isinstance(part, dict):
        return type(part)
    return tuple(part), part.get("kind") if isinstance(part.get("kind"), str) else None


def changed(document, place, value):
    """A copy with another value at a place."""
    if not place:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[place[0]] = changed(document[place[0]], place[1:], value)
    return copy


def remembering(schema):
    """A validator for many copies of one document, which share all parts but those on the way to a change.

    Whether a part satisfies a keyword of the schema is found once. It says yes or no, not where.
    """
    keywords = jsonschema.Draft202012Validator.VALIDATORS
    asked = {name: remembered(keywords[name]) for name in ("$ref", "items", "properties")}
    asked["anyOf"] = remembered(any_of)
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, asked)(schema)


def remembered(check):
    """A keyword whose answers are kept, with what they are about: nothing else gets their identities."""
    known = {}

    def keyword(validator, value, instance, schema):
        key = id(value), id(instance)
        if key not in known:
            valid = next(check(validator, value, instance, schema), None) is None
            known[key] = valid, value, instance
        if not known[key][0]:
            yield jsonschema.ValidationError("not as the schema has it")

    return keyword


def any_of(validator, options, instance, schema):
    """As in jsonschema, which lists all errors of all options first."""
    if not any(validator.evolve(schema=option).is_valid(instance) for option in options):
        yield jsonschema.ValidationError("none of the options")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_document_satisfies_its_schema(run, name):
    outcome = run(*COMMANDS[name], "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.document["schema_version"] == SCHEMA_VERSION
    validator = jsonschema.Draft202012Validator(schema(name.split(" ")[0]))
    validator.validate(outcome.document)
    short = shortened(outcome.document)
    validator.validate(short)
    again = remembering(validator.schema)
    accepted = {place for place, other in spoiled(short) if again.is_valid(other)}
    needed = {f"no parameters.{flag}" for flag in NEEDED.get(name.split("-")[0].split(" ")[0], ())}
    flags = {place for place in accepted if place.startswith("no parameters.")} - needed
    assert accepted - flags <= MAY_BE_SPOILED.get(name.split(" ")[0], set())


@pytest.mark.slow
def test_every_schema_is_valid_and_has_a_command():
    elsewhere = {"validate", "cache", "doctor"}  # tests/validation, test_cache_command, test_doctor_command
    elsewhere |= {name for name in schema_names() if name.startswith("explore")}  # tests/explorer
    tested = {name.split(" ")[0] for name in COMMANDS} | elsewhere
    assert set(schema_names()) == tested
    for name in schema_names():
        jsonschema.Draft202012Validator.check_schema(schema(name))


def test_unknown_schema_is_refused():
    with pytest.raises(InputError, match="'nothing' is not a document; accepted: analyze, cache, "):
        schema("nothing")


def test_hermite_coefficients(run):
    document = run(*COMMANDS["hermite"], "--json").document
    found = {tuple(entry["index"]): entry for entry in document["coefficients"]}
    assert (2, 1) not in found and (1, 2) not in found  # proved to vanish
    assert found[1, 0]["exact"] == "1/2" and found[1, 0]["evidence"] == "exact"
    assert found[1, 1]["value"] == pytest.approx(2 / math.pi + 1 / (2 * math.sqrt(math.pi)), rel=1e-15)


def test_a_coefficient_near_zero_is_not_zero(run):
    (entry,) = run("hermite", "sin(12*z1)", "--degree", "1", "--json").document["coefficients"]
    assert entry["exact"] == "12*exp(-72)" and entry["value"] == pytest.approx(6.4562233920254e-31, rel=1e-13)
    cancelling = run("hermite", "sin(z1) - exp(-1/2)*z1", "--degree", "2", "--json").document
    assert cancelling["coefficients"] == []


def test_an_infinite_second_moment_is_a_word(run):
    document = run(*COMMANDS["hermite of infinite variance"], "--json").document
    assert document["second_moment"]["value"] == document["tail"]["value"] == "inf"


def test_expectation_at_a_point(run):
    document = run(*COMMANDS["expect at a point"], "--json").document
    assert document["digits"] == "0.425221482570298674918554416385"  # 1/3 + sqrt(3)/(6 pi)
    assert document["evidence"] == "exact"
    proved = run(*COMMANDS["expect an enclosure"], "--json").document
    assert proved["exact"] is None and proved["evidence"] == "proved" and len(proved["digits"]) == 42


def test_mu_values_are_those_of_the_sheet(run):
    document = run(*COMMANDS["mu"], "--json").document
    assert document["mu0"]["value"] == pytest.approx(0.8879941358872854, abs=1e-12)
    assert document["mu1"]["value"] == pytest.approx(0.7303727144565288, abs=1e-12)
    assert document["mu2_squared"]["value"] == pytest.approx(0.08906924591500287, abs=1e-12)
    assert document["mu1"]["exact"] == "Phi(kappa*r/sqrt(c))"


def test_quadrature_is_not_called_exact(run):
    document = run(*COMMANDS["mu without a closed form"], "--json").document
    assert [document[name]["exact"] for name in ("mu0", "mu1", "mu2_squared")] == [None, None, None]


@pytest.mark.parametrize("kappa", ["6", "1e3", "1e150"])
def test_mu_where_terms_cancel(run, kappa):
    """1 - erf(kappa)^2 - 4 phi^2 takes as many digits as a float64 can tell, however many cancel."""
    document = run("mu", "sign(z)", "--kappa", kappa, "--c", ".5", "--r", "1", "--json").document
    left = math.erfc(float(kappa))
    assert document["mu2_squared"]["value"] == pytest.approx(left * (2 - left), rel=1e-13, abs=1e-300)


@pytest.mark.slow
def test_learning_curve_of_the_paper(run):
    results = run(*COMMANDS["solve-spiked-random-features"], "--json").document["results"]
    assert [row["alpha"] for row in results] == [0.2, 0.9, 1.6, 2.3, 3.0]
    expected = [0.048482902, 0.042503929, 0.037311328, 0.034304665, 0.032518208]
    assert [row["test_error"] for row in results] == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
def test_letters_of_the_command_line(run):
    row = run(*COMMANDS["solve-spiked-random-features with letters"], "--json").document["results"][0]
    assert row["test_error"] == pytest.approx(0.65286176, abs=1e-8) and row["c"] == [1.2, 1.2]
    assert row["overlaps"]["m"] == pytest.approx([1.06809697, -0.31651841], abs=1e-8)


@pytest.mark.slow
def test_best_ridge_of_the_command_line(run):
    rows = run(*COMMANDS["solve-spiked-random-features with the best ridge"], "--json").document["results"]
    assert [row["ridge"] for row in rows] == [row["alternatives"][0]["ridge"] for row in rows]


@pytest.mark.slow
def test_spectrum_of_the_command_line(run):
    rows = run(*COMMANDS["solve-spectrum"], "--json").document["results"]
    assert rows[0]["stieltjes"][0] == pytest.approx(3.40061443, abs=1e-8) and rows[0]["outliers"] == ["inf"]


@pytest.mark.slow
@pytest.mark.arrays
def test_last_flag_is_fastest(run):
    common = (
        "solve",
        "spiked-random-features",
        *PROBLEM,
        "--r",
        "1",
        "--c",
        "1",
        "--gamma",
        "1",
        "--beta",
        "1",
    )
    first = run(*common, "--alpha", "1,2", "--ridge", "0.1,0.2", "--json").document["results"]
    assert [(row["alpha"], row["ridge"]) for row in first] == [(1, 0.1), (1, 0.2), (2, 0.1), (2, 0.2)]
    second = run(*common, "--ridge", "0.1,0.2", "--alpha", "1,2", "--json").document["results"]
    assert [(row["alpha"], row["ridge"]) for row in second] == [(1, 0.1), (2, 0.1), (1, 0.2), (2, 0.2)]
    assert first[1]["test_error"] == second[2]["test_error"]


def test_infinite_is_a_word_and_not_a_number(run):
    results = run(*COMMANDS["solve-giant-step"], "--json").document["results"]
    assert results[1]["alpha0"] == "inf" and results[1]["c"] == 1.0


def test_simulation_is_the_library_s(run):
    from hermite_analytics.numeric import simulate

    document = run(*COMMANDS["simulate giant-step"], "--json").document
    found = simulate(
        "giant-step",
        activation="erf(z/sqrt(2))",
        target="sin(z1)",
        beta=0.5,
        alpha=[1, 1.5],
        d=40,
        alpha0=2,
        eta=1.5,
        ridge=0.01,
        seeds=2,
    )
    assert [row["alpha"] for row in document["results"]] == [1.0, 1.5]
    for index, row in enumerate(document["results"]):
        assert row["test_error"]["mean"] == float(found.results["test_error"].mean[index])
        assert row["test_error"]["seeds"] == 2


def test_solver_that_does_not_converge_prints_and_exits_with_1(run, monkeypatch):
    from hermite_analytics.numeric.models.spiked import model

    solve = model.SpikedRandomFeatures.solve
    monkeypatch.setattr(
        model.SpikedRandomFeatures, "solve", lambda self, **rest: solve(self, **rest, max_steps=1)
    )
    outcome = run(*COMMANDS["solve-spiked-random-features"], "--json")
    assert outcome.status == 1
    jsonschema.validate(outcome.document, schema("solve-spiked-random-features"))
    assert outcome.document["results"][0]["status"] == "max_steps_reached"
    assert outcome.document["results"][0]["test_error"] is None


@pytest.mark.parametrize(
    "name",
    [
        "hermite",
        "expect",
        "expect at a point",
        "mu",
        "mu without a closed form",
        "solve-giant-step",
        "solve-bounds",
        "simulate giant-step",
    ],
)
def test_text_for_people(run, name):
    outcome = run(*COMMANDS[name])
    assert outcome.status == 0 and outcome.err == ""
    assert outcome.out.strip() and "{" not in outcome.out


def test_an_incomplete_point_is_said(run):
    out = run("mu", "z**2", "--kappa", "1").out
    assert "no number without --c, --r\nmu1 = 2*kappa*r\n" in out and "no number without --c\n" in out
