"""Records of the protocols say what `create` takes, and which numbers a run gives."""

from __future__ import annotations

import inspect

import pytest

from hermite_analytics.numeric.protocols import PROTOCOLS
from hermite_analytics.numeric.simulator import protocol_class


@pytest.mark.parametrize("name", PROTOCOLS)
def test_names_are_those_of_create(name):
    record = PROTOCOLS[name]
    taken = set(inspect.signature(protocol_class(name).create).parameters)
    said = [parameter.argument for parameter in record.parameters if parameter.to == "model"]
    assert len(said) == len(set(said)) and not set(said) & set(record.python_only)
    assert set(said) | set(record.python_only) == taken


@pytest.mark.parametrize("name", PROTOCOLS)
def test_defaults_are_those_of_create(name):
    taken = inspect.signature(protocol_class(name).create).parameters
    for parameter in PROTOCOLS[name].parameters:
        if parameter.to == "model" and taken[parameter.argument].default not in (
            inspect.Parameter.empty,
            None,
        ):
            assert parameter.default == taken[parameter.argument].default, parameter.name
        if parameter.required:
            assert taken[parameter.argument].default is inspect.Parameter.empty, parameter.name


@pytest.mark.parametrize("name", PROTOCOLS)
def test_grouped_and_swept_numbers_are_results(name):
    record, protocol = PROTOCOLS[name], protocol_class(name)
    assert protocol.name == name
    groups = {r.name: {part.name for part in r.shape} for r in record.results if isinstance(r.shape, tuple)}
    assert set(groups) == set(protocol.groups)
    for group, names in protocol.groups.items():
        assert groups[group] == {number.removeprefix(f"{group}_") for number in names}
    swept = {parameter.name for parameter in record.swept}
    for number, axes in protocol.axes.items():
        assert set(axes) <= swept, number
