"""The protocols of `simulate` by name, from their records."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.protocols import PROTOCOLS
from hermite_analytics.numeric.simulator.functions import as_activation, as_target
from hermite_analytics.numeric.simulator.protocol import SimulationProtocol

__all__ = ["PROTOCOLS", "make_protocol", "protocol_class"]

_FROM_TEXT: Mapping[str, Callable[..., object]] = {"activation": as_activation, "target": as_target}


def protocol_class(name: str) -> type[SimulationProtocol]:
    """The protocol of that name.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> protocol_class("giant-step").__name__
    'GiantStepProtocol'
    """
    if name not in PROTOCOLS:
        raise InputError(f"protocol is {name!r}: accepted are {', '.join(map(repr, PROTOCOLS))}")
    found: type[SimulationProtocol] = PROTOCOLS[name].make
    return found


def make_protocol(name: str, parameters: Mapping[str, object]) -> SimulationProtocol:
    """The protocol of that name, from the parameters that are not None.

    Parameters
    ----------
    name : str
    parameters : mapping
        Keywords of the protocol's `create`; `activation` and `target` may be texts.

    Raises
    ------
    InputError
        If a parameter is unknown to the protocol, missing or out of range.
    """
    create = protocol_class(name).create
    accepted = inspect.signature(create).parameters
    given = {key: value for key, value in parameters.items() if value is not None}
    for key in given:
        if key not in accepted:
            raise InputError(f"{key} is given, but {name} takes none: it takes {', '.join(accepted)}")
    for key, parameter in accepted.items():
        if parameter.default is inspect.Parameter.empty and key not in given:
            raise InputError(f"{name} needs {key}, which is not given")
    return create(**{key: _FROM_TEXT[key](v) if key in _FROM_TEXT else v for key, v in given.items()})
