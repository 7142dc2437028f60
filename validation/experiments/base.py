"""What all experiments are: parameters of a protocol of the simulator, and the theory of its numbers."""

from __future__ import annotations

import dataclasses
import json
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.validation.experiments.experiment import Cell, Prediction

__all__ = ["ProtocolExperiment", "array", "call", "check_mutant", "multiple"]

# Ratios are decimals in files: their multiples are integers up to rounding.
_INTEGER_TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolExperiment:
    """A frozen dataclass of parameters with a field `protocol`; it simulates by `simulate(protocol, ...)`.

    A subclass gives `arguments(size)`, the keywords of the protocol at a size, and `predict`. `curve` names
    the field, a tuple of floats, along which numbers are arrays; with one value they are scalars.
    """

    curve: ClassVar[str] = ""
    added: ClassVar[tuple[str, ...]] = ()
    """Parameters that came later; the identity has them only where they differ from their default."""

    protocol: str

    @abstractmethod
    def arguments(self, size: int) -> dict[str, Any]:
        """Keywords of the protocol; raises InputError if a ratio gives no integer there."""

    @abstractmethod
    def predict(self, mutant: str | None = None) -> Prediction:
        """The limit d -> infinity, by the right formulas or with one of the known wrong ones."""

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

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`; raises InputError if a ratio gives no integer there."""
        from hermite_analytics.numeric.simulator import make_protocol

        return make_protocol(self.protocol, self.arguments(size))

    def abscissa(self) -> tuple[str, tuple[float, ...]] | None:
        """Name and values of the parameter along the curve, None if the numbers are scalars."""
        values = getattr(self, self.curve) if self.curve else ()
        return (self.curve, values) if len(values) > 1 else None

    def refined(self, values: tuple[float, ...]) -> Self:
        """The same experiment at other values of the abscissa."""
        return dataclasses.replace(self, **{self.curve: values})

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the parameters, for reading."""
        values = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        return tuple((name, _shown(value)) for name, value in values.items())

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""
        return call(self.protocol, {**self.arguments(size), "seeds": seeds, "first_seed": first_seed})


def call(protocol: str, arguments: dict[str, Any]) -> str:
    """A call of `simulate` as text."""
    return f"simulate({protocol!r}, {', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


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


def check_mutant(mutant: str | None, accepted: tuple[str, ...]) -> None:
    """Refuse a mutant that an experiment does not know."""
    if mutant is not None and mutant not in accepted:
        raise InputError(f"{mutant!r} is not a mutant here; accepted are {', '.join(accepted)}")


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(_shown(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
