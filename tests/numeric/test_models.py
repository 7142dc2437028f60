"""Records say what the solvers take: names, defaults, ranges, and a line in the docstring for each."""

from __future__ import annotations

import inspect
import math
import re

import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.numeric.models.record import Kind
from hermite_analytics.numeric.ranges import Range

# knobs of the methods, and what Python hands over in its own ways
METHOD = {"tolerance", "max_steps", "throw", "parallel", "workers", "progress", "seconds", "seed"}
SPIKE = {"r": 1.0, "c": 1.1, "gamma": 0.9}
PROBLEM = {"activation": "tanh(z)", "target": "tanh(z1)"}
# a point of each model that is accepted
POINTS = {
    "giant-step": PROBLEM | {"alpha0": 2.0, "eta": 1.0, "beta": 1.0, "noise": 0.1},
    "spiked-random-features": PROBLEM | SPIKE | {"alpha": 2.0, "beta": 1.0, "ridge": 0.1, "noise": 0.1},
    "bounds": PROBLEM | SPIKE,
    "spectrum": {"activation": "tanh(z)", "r": 1.0, "c": 1.1, "alpha": 2.0, "beta": 1.0},
    "random-features": PROBLEM | {"alpha": 2.0, "beta": 1.0, "ridge": 0.1, "noise": 0.1},
    "small-step": PROBLEM | {"eta": 1.0, "alpha": 2.0, "beta": 1.0, "ridge": 0.1, "noise": 0.1},
    "deterministic-equivalent": {
        "eigenvalue_power": 1.5,
        "coefficient_power": 2.2,
        "levels": 10.0,
        "samples": 5.0,
        "features": 7.0,
        "ridge": 0.1,
        "noise": 0.1,
    },
    "sgd-flow": PROBLEM | {"rate": 1.0, "overlap": 0.2, "time": [1.0], "reuse": 0.1, "noise": 0.1},
    "three-layer": {"degrees": [2, 3], "epsilon": 0.5},
    "scaling-law": {"capacity": 2.0, "source": 1.0, "ridge_exponent": 1.0, "features_exponent": 1.0},
    "dmft": PROBLEM
    | {"alpha": 2.0, "eta": 0.1, "steps": 1, "ridge": 0.1, "noise": 0.1, "momentum": 0.1, "readout": [1.0]},
    "state-evolution": {"target": "z1**2", "alpha": 1.0},
}


def owner(record):
    """The class, or the class method, that makes a model."""
    return record.make


def solver(record):
    """The class of the model."""
    made = owner(record)
    return made if inspect.isclass(made) else made.__self__


def signatures(record):
    taken = {"model": inspect.signature(owner(record)).parameters}
    taken["solve"] = {
        n: p for n, p in inspect.signature(solver(record).solve).parameters.items() if n != "self"
    }
    return taken


@pytest.mark.parametrize("name", MODELS)
def test_signatures_are_those_of_the_record(name):
    record = MODELS[name]
    taken = signatures(record)
    for to, signature in taken.items():
        said = {p.argument for p in record.parameters if p.to == to}
        assert said <= set(signature), f"{name}: {said - set(signature)} are no arguments"
    said = {p.argument for p in record.parameters} | METHOD | set(record.python_only)
    assert set(taken["model"]) | set(taken["solve"]) <= said
    assert not set(record.python_only) & {p.argument for p in record.parameters}


@pytest.mark.parametrize("name", MODELS)
def test_defaults_are_those_of_the_record(name):
    record = MODELS[name]
    taken = signatures(record)
    for parameter in record.parameters:
        if parameter.to not in taken:
            continue
        default = taken[parameter.to][parameter.argument].default
        if default is inspect.Parameter.empty:
            assert parameter.required or parameter.is_filled or parameter.in_rows == "always", parameter.name
        elif default is not None:  # None in Python: not given
            assert str(default) == str(parameter.default), parameter.name


@pytest.mark.parametrize("name", MODELS)
def test_docstrings_name_every_parameter(name):
    record = MODELS[name]
    made, model = owner(record), solver(record)
    text = "\n".join(inspect.getdoc(part) or "" for part in (made, model, model.solve))
    for parameter in record.parameters:
        if parameter.to in ("model", "solve"):
            assert re.search(rf"\b{parameter.argument}\b", text), (
                f"{name} does not explain {parameter.argument}"
            )


@pytest.mark.parametrize("name", MODELS)
def test_methods_that_flags_ask_for(name):
    for parameter in MODELS[name].parameters:
        if parameter.to == "method":
            assert callable(getattr(solver(MODELS[name]), parameter.name))


def refused(range_: Range) -> list[float]:
    """Numbers outside a range, at and beyond its ends."""
    outside = [-math.inf, math.inf, range_.low, range_.low - 1.0, range_.high + 1.0]
    return sorted({x for x in outside if x not in range_ and not math.isnan(x)})


BEYOND = [
    (record.name, parameter.name, value)
    for record in MODELS.values()
    for parameter in record.parameters
    if parameter.to in ("model", "solve") and parameter.kind in (Kind.NUMBERS, Kind.STARTS, Kind.LIST)
    for value in refused(parameter.range)
]


@pytest.mark.parametrize(("name", "parameter", "value"), BEYOND)
def test_numbers_outside_the_range_are_refused(name, parameter, value):
    record = MODELS[name]
    found = record[parameter]
    point = POINTS[name] | {parameter: [value] if found.kind is Kind.LIST else value}
    arguments = {to: {p.argument: point[p.name] for p in record.parameters if p.to == to and p.name in point}
                 for to in ("model", "solve")}  # fmt: skip
    with pytest.raises(InputError, match=rf"^{found.argument}\b"):
        record.make(**arguments["model"]).solve(**arguments["solve"])


def test_ranges_are_what_they_say():
    assert 0.0 in Range(low=0.0) and 0.0 not in Range(low=0.0, open_low=True)
    assert math.inf not in Range() and math.inf in Range(infinite="inf is accepted")
    assert refused(Range(low=0.0, open_low=True)) == [-math.inf, -1.0, 0.0, math.inf]


@pytest.mark.parametrize("name", MODELS)
def test_a_row_names_each_number_once(name):
    names = [result.name for result in MODELS[name].row()]
    assert len(names) == len(set(names))
