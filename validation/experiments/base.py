"""What all experiments are: parameters of a protocol of the simulator, and the theory of its numbers."""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.protocols import PROTOCOLS
from hermite_analytics.validation.experiments.experiment import Cell, Prediction

__all__ = ["ParametricExperiment", "ProtocolExperiment", "array", "check_mutant", "multiple"]

# Ratios are decimals in files: their multiples are integers up to rounding.
_INTEGER_TOLERANCE = 1e-9
# A ratio to d, and the size of a protocol that it gives.
_SIZES = {"alpha0": "n0", "alpha": "n", "beta": "p", "test": "n_test"}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ParametricExperiment(ABC):
    """A frozen dataclass of parameters whose field `protocol` tells it apart in files.

    `curve` names the field, a tuple of floats, along which numbers are arrays, or scalars for one value.
    """

    curve: ClassVar[str] = ""
    added: ClassVar[tuple[str, ...]] = ()
    """Parameters that came later; the identity has them only where they differ from their default."""

    simulated: ClassVar[str] = ""
    """The protocol of the simulator whose record holds, where the experiment has a name of its own."""

    protocol: str

    def __post_init__(self) -> None:
        """Parameters of a protocol are held against its record."""
        record = PROTOCOLS.get(self.simulated or self.protocol)
        taken = {parameter.name: parameter for parameter in record.parameters} if record else {}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if item.name in taken and value is not None and value != ():
                taken[item.name].check(value)

    @abstractmethod
    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`; raises InputError if a ratio gives no integer there."""

    @abstractmethod
    def predict(self, mutant: str | None = None) -> Prediction:
        """The limit d -> infinity, by the right formulas or with one of the known wrong ones."""

    @abstractmethod
    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""

    @property
    def identity(self) -> str:
        """Canonical text of the protocol and its parameters, from which the seeds follow.

        A parameter that is added to an experiment must not draw all simulations anew: see `added`.
        """
        values = dataclasses.asdict(self)
        for item in dataclasses.fields(self):
            if item.name in self.added and getattr(self, item.name) == item.default:
                del values[item.name]
        return json.dumps(values, sort_keys=True)

    def abscissa(self) -> tuple[str, tuple[float, ...]] | None:
        """Name and values of the parameter along the curve, None if the numbers are scalars."""
        values = getattr(self, self.curve) if self.curve else ()
        return (self.curve, values) if len(values) > 1 else None

    def refined(self, values: tuple[float, ...]) -> Self:
        """The same experiment at other values of the abscissa."""
        return dataclasses.replace(self, **{self.curve: values})  # type: ignore[arg-type]

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the parameters, for reading."""
        values = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        return tuple((name, _shown(value)) for name, value in values.items())


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolExperiment(ParametricExperiment):
    """An experiment that simulates by `simulate(protocol, ...)`, whose keywords are its fields."""

    ratios: ClassVar[tuple[str, ...]] = ()
    """Fields whose multiples of d must be integers; the protocol is given these sizes in their place."""

    def arguments(self, size: int) -> dict[str, object]:
        """Keywords of the protocol; raises InputError if a ratio gives no integer there."""
        found: dict[str, object] = {}
        for item in dataclasses.fields(self):
            name, value = item.name, getattr(self, item.name)
            if name == "protocol" or value in (None, ()):
                continue
            if name == self.curve and len(value) == 1:
                (value,) = value
            if name in self.ratios:
                found[_SIZES[name]] = _multiples(name, value, size)
            else:
                found[name] = list(value) if isinstance(value, tuple) else value
        return found | {"d": size}

    def simulation(self, size: int) -> Cell:
        """The protocol at dimension `size`, with all that it measures."""
        from hermite_analytics.numeric.simulator import make_protocol

        return make_protocol(self.simulated or self.protocol, self.arguments(size))

    def cell(self, size: int) -> Cell:
        """The simulation, or what an experiment makes of its numbers."""
        return self.simulation(size)

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size: a call of `simulate`."""
        keywords = {**self.arguments(size), "seeds": seeds, "first_seed": first_seed}
        shown = ", ".join(f"{name}={value!r}" for name, value in keywords.items())
        return f"simulate({(self.simulated or self.protocol)!r}, {shown})"


def array(value: ArrayLike) -> NDArray[np.float64]:
    """The value as floats."""
    return np.asarray(value, dtype=float)


def multiple(name: str, ratio: float, size: int) -> int:
    """ratio * size as an exact integer: a rounded size would carry another theory.

    Examples
    --------
    >>> multiple("alpha", 0.3, 30)
    9
    """
    count = round(ratio * size)
    if count < 1 or abs(count - ratio * size) > _INTEGER_TOLERANCE * max(1.0, ratio * size):
        raise InputError(f"{name} = {ratio} times d = {size} is {ratio * size:g}; an integer >= 1 is needed")
    return count


def _multiples(name: str, ratio: float | tuple[float, ...], size: int) -> int | list[int]:
    """The sizes of one ratio, or of those along a curve."""
    if isinstance(ratio, tuple):
        return [multiple(name, value, size) for value in ratio]
    return multiple(name, ratio, size)


def check_mutant(mutant: str | None, accepted: tuple[str, ...]) -> None:
    """Refuse a mutant that an experiment does not know."""
    if mutant is not None and mutant not in accepted:
        raise InputError(f"{mutant!r} is not a mutant here; accepted are {', '.join(accepted)}")


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(_shown(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
