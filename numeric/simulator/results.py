"""The results of a simulation: samples of each seed, means and standard errors over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.numeric.solution import ReadOnly, json_number

__all__ = ["Estimate", "Simulation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over seeds.

    Attributes
    ----------
    mean : ndarray
        Of the quantity's shape; () for a plain number.
    stderr : ndarray of the same shape, or None
        Standard error of the mean over seeds; None for one seed.
    seeds : int
    """

    mean: NDArray[np.float64]
    stderr: NDArray[np.float64] | None
    seeds: int

    @classmethod
    def of(cls, samples: NDArray[np.float64]) -> Estimate:
        """From samples of shape (seeds, ...): the unit is the seed."""
        seeds = samples.shape[0]
        stderr = samples.std(axis=0, ddof=1) / math.sqrt(seeds) if seeds > 1 else None
        return cls(
            mean=_read_only(samples.mean(axis=0)),
            stderr=None if stderr is None else _read_only(stderr),
            seeds=seeds,
        )

    def to_json(self) -> Any:
        """{"mean", "stderr", "seeds"}, in nested lists for a quantity with axes; NaN becomes None."""
        return _json(self.mean, self.stderr, self.seeds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What `simulate` returns.

    Attributes
    ----------
    protocol : str
    parameters : mapping
        All parameters in JSON types, with the actual ratios of the rounded sizes.
    first_seed : int
    samples : mapping of str to ndarray, shape (seeds, ...)
        Every number of every seed; read-only.
    groups : mapping of str to tuple of str
        Results that `to_dict` puts together under one name.
    device : str
    seconds : float
        Wall time of the seeds.
    interrupted : bool
        Whether a keyboard interrupt ended it before the last seed.
    conclusions : mapping
        What all seeds together show beside means, such as which directions are learned; see the protocol.
    products : float
        Floating-point operations of the matrix products of all seeds; 0 if they are not counted.
    seeds_together : int
        How many seeds ran at once, stacked in common products or beside each other; it changes their numbers
        by rounding only.
    results : mapping of str to Estimate
        Mean and standard error of each of `samples`.
    """

    protocol: str
    parameters: Mapping[str, object]
    first_seed: int
    samples: Mapping[str, NDArray[np.float64]]
    groups: Mapping[str, tuple[str, ...]]
    device: str
    seconds: float
    interrupted: bool = False
    conclusions: Mapping[str, object] = field(default_factory=dict)
    products: float = 0.0
    seeds_together: int = 1
    results: Mapping[str, Estimate] = field(init=False)

    def __post_init__(self) -> None:
        samples = {name: _read_only(values) for name, values in self.samples.items()}
        results = {name: Estimate.of(values) for name, values in samples.items()}
        for name, mapping in (
            ("parameters", self.parameters),
            ("samples", samples),
            ("groups", self.groups),
            ("conclusions", self.conclusions),
            ("results", results),
        ):
            object.__setattr__(self, name, ReadOnly(mapping))

    def __reduce__(self) -> tuple[object, ...]:
        # Made again from its fields, so that the arrays are read-only there too.
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "results"}
        return _rebuild, (fields,)

    @property
    def rate(self) -> float:
        """GFLOP/s of matrix products over the whole wall time; NaN if they are not counted."""
        return 1e-9 * self.products / self.seconds if self.products and self.seconds else math.nan

    @property
    def seeds(self) -> int:
        """How many seeds were run."""
        return next(iter(self.results.values())).seeds

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: each number is {"mean", "stderr", "seeds"}, with stderr None for one seed."""
        group_of = {name: group for group, names in self.groups.items() for name in names}
        results: dict[str, Any] = {}
        for name, estimate in self.results.items():
            group = group_of.get(name)
            place = results if group is None else results.setdefault(group, {})
            place[name.removeprefix(f"{group}_")] = estimate.to_json()
        results |= self.conclusions
        return {
            "protocol": self.protocol,
            "parameters": {**self.parameters, "seeds": self.seeds, "first_seed": self.first_seed},
            "results": results,
            "device": self.device,
            "seconds": self.seconds,
            "seeds_together": self.seeds_together,
            "interrupted": self.interrupted,
        }


def _rebuild(fields: dict[str, Any]) -> Simulation:
    return Simulation(**fields)


def _read_only(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _json(mean: Any, stderr: Any, seeds: int) -> Any:
    if np.ndim(mean) == 0:
        return {
            "mean": json_number(float(mean)),
            "stderr": None if stderr is None else json_number(float(stderr)),
            "seeds": seeds,
        }
    errors = [None] * len(mean) if stderr is None else stderr
    return [_json(m, s, seeds) for m, s in zip(mean, errors, strict=True)]
