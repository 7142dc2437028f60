"""What every protocol is: validated parameters, and `run(seed)`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sample", "SimulationProtocol"]

Sample: TypeAlias = dict[str, NDArray[np.float64]]
"""The numbers of one seed; a plain number is an array of shape ()."""


class SimulationProtocol(ABC):
    """An experiment at a given size: a frozen dataclass of validated parameters.

    It pickles, so that seeds can run in other processes, and holds no random state: everything random in
    `run(seed)` is a function of the seed.
    """

    __slots__ = ()

    name: ClassVar[str]
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Results that stand together under one name in JSON: group -> names of numbers."""

    device: str
    dtype: str

    @abstractmethod
    def run(self, seed: int) -> Sample:
        """One independent repetition: new weights, new teacher, new data."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """All parameters in JSON types: texts, sizes and the actual ratios (sizes are rounded)."""
