"""Records say what the solvers take: names, defaults, ranges, and a line in the docstring for each."""

from __future__ import annotations

import inspect
import math
import re

import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.ranges import Range
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.numeric.models.parameter import Kind

# knobs of the methods, and what Python hands over in its own ways
METHOD = {"tolerance", "max_steps", "throw", "parallel", "workers", "progress", "executor", "seconds", "seed"}
TEXTS = {"activation": "tanh(z)", "target": "tanh(z1)"}
# of points of the models that are accepted: numbers that none of their records suggests
POINTS = {
    "sgd-flow": {"overlap": 0.2},
    "spiked-random-features": {"c": 1.1},
    "bounds": {"c": 1.1},
    "three-layer": {"degrees": [2, 3], "epsilon": 0.5},
    "scaling-law": {"capacity": 2.0},
}


def inside(range_: Range) -> float:
    """A number of a range."""
    high = range_.high if math.isfinite(range_.high) else max(range_.low, 0.0) + 2.0
    return (max(range_.low, 0.0) + high) / 2


def point_of(record):
    """A value of each parameter: as its record suggests, else inside its range."""
    point = {}
    for parameter in record.parameters:
        if parameter.to not in ("model", "solve"):
            continue
        if parameter.name in TEXTS:
            point[parameter.name] = TEXTS[parameter.name]
        elif parameter.kind is Kind.INTEGER and parameter.required:
            point[parameter.name] = int(max(parameter.range.low, 1))
        elif parameter.kind is Kind.NUMBERS and parameter.knob is not None:
            point[parameter.name] = parameter.knob.start
        elif parameter.kind is Kind.NUMBERS:
            point[parameter.name] = inside(parameter.range)
        elif parameter.kind is Kind.LIST:
            point[parameter.name] = [1.0]
    return point | POINTS.get(record.name, {})


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


@pytest.mark.cases(12)
@pytest.mark.parametrize(("name", "parameter", "value"), BEYOND)
def test_numbers_outside_the_range_are_refused(name, parameter, value):
    record = MODELS[name]
    found = record[parameter]
    point = point_of(record) | {parameter: [value] if found.kind is Kind.LIST else value}
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
