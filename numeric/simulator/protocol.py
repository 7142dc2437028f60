"""What every protocol is: validated parameters, `create`, and `run(seed)`, of some for several seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.streams import Seeds

__all__ = ["Sample", "SimulationProtocol", "StackingProtocol"]

Sample: TypeAlias = dict[str, NDArray[np.float64]]
"""The numbers of one seed; a plain number is an array of shape ()."""


class SimulationProtocol(ABC):
    """An experiment at a given size: a frozen dataclass of validated parameters.

    It pickles, so that seeds can run in other processes, and holds no random state: everything random in
    `run(seed)` is a function of the seed. `docs/simulator.md` says how a new protocol is added.
    """

    __slots__ = ()

    name: ClassVar[str]
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Results that stand together under one name in JSON: group -> names of numbers."""
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Parameters that may be sequences: number -> those of them that give it an axis each, in order.

    A size and its ratio, of which one is given, may both stand there. All other numbers of a run are measured
    once, whatever the sequences.
    """

    device: str
    dtype: str

    @classmethod
    @abstractmethod
    def create(cls, *args: Any, **parameters: Any) -> Self:
        """Build it from what a user gives; a protocol replaces this by its own keywords.

        Parameters that have a default may be left out, and texts of activations and targets have become
        objects. `simulate` reads the signature to say which parameters the protocol takes.
        """

    @abstractmethod
    def run(self, seed: int) -> Sample:
        """One independent repetition: new weights, new teacher, new data."""

    @property
    def stacks(self) -> bool:
        """Whether it runs several seeds at once; it may depend on the parameters."""
        return False

    def run_many(self, seeds: Sequence[int], progress: Callable[[float], None] | None = None) -> list[Sample]:
        """The numbers of `run` for each seed, together where that is faster: the same to rounding.

        A protocol of long runs calls progress(seeds done) within one, too.
        """
        return [self.run(seed) for seed in seeds]

    def seeds_together(self) -> int:
        """How many seeds `run_many` does best at once; 1 if it runs one after the other."""
        return 1

    def conclusions(self, samples: Mapping[str, NDArray[np.float64]]) -> dict[str, object]:
        """What all seeds together show beside means, in JSON types: name -> dictionaries, in lists by axes.

        `samples` holds the numbers of `run` with one more axis in front, that of the seeds.
        """
        return {}

    def memory(self) -> int:
        """Bytes that `run` holds at once, roughly from below; 0 if they are never many."""
        return 0

    def products(self) -> float:
        """Floating-point operations of the matrix products of `run`; 0 if they are not counted."""
        return 0.0

    @abstractmethod
    def parameters(self) -> dict[str, object]:
        """All parameters in JSON types: texts, sizes and the actual ratios (sizes are rounded)."""


class StackingProtocol(SimulationProtocol):
    """A protocol whose arrays may have a first axis of seeds, so that one product serves them all."""

    __slots__ = ()

    @abstractmethod
    def run(self, seed: Seeds) -> Sample:
        """One independent repetition; of several seeds the numbers have one more axis in front."""

    @abstractmethod
    def numbers_per_seed(self) -> int:
        """Numbers of one seed that the innermost loop works on: its samples, their fields, its weights."""

    @property
    def stacks(self) -> bool:
        return True

    def run_many(self, seeds: Sequence[int], progress: Callable[[float], None] | None = None) -> list[Sample]:
        if len(seeds) < 2 or not self.stacks:
            return [self.run(seed) for seed in seeds]
        found = self.run(tuple(seeds))
        return [{name: values[k] for name, values in found.items()} for k in range(len(seeds))]

    def seeds_together(self) -> int:
        room = resolve_backend(self.device).numbers_at_once
        return max(1, room // self.numbers_per_seed()) if self.stacks else 1
