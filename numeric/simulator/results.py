"""The results of a simulation: samples of each seed, means and standard errors over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.json import JSON, Document
from hermite_analytics.numeric.frozen import ReadOnly, json_number
from hermite_analytics.numeric.protocols import PROTOCOLS
from hermite_analytics.rendering import Column, Drawing, Frame, Role
from hermite_analytics.rendering.result import ByFields

__all__ = ["Estimate", "Simulation"]

# a size and its ratio: of the two one is given, and both are known
_TIED = ({"n", "alpha"}, {"p", "beta"}, {"n0", "alpha0"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Estimate(ByFields):
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

    def frame(self) -> Frame:
        """One row an entry, with its place if the quantity has axes."""
        rows = []
        for place in np.ndindex(self.mean.shape):
            stderr = math.nan if self.stderr is None else float(self.stderr[place])
            places = {f"place_{axis}": at for axis, at in enumerate(place, 1)}
            rows.append({**places, "mean": float(self.mean[place]), "mean_stderr": stderr})
        axes = [f"place_{axis}" for axis in range(1, self.mean.ndim + 1)]
        return Frame(
            title="mean over seeds",
            rows=tuple(rows),
            columns={axis: Column(name=axis, role=Role.PARAMETER) for axis in axes},
            fixed={"seeds": self.seeds},
        )

    def drawing(self) -> Drawing:
        """Means with one standard error."""
        return Drawing(frame=self.frame(), values=("mean",), points=True)

    def document(self) -> Document:
        """{"mean", "stderr", "seeds"}, in lists for a quantity with axes; NaN becomes None."""
        stderr = None if self.stderr is None else json_number(self.stderr)
        return {"mean": json_number(self.mean), "stderr": stderr, "seeds": self.seeds}

    def to_json(self) -> Any:
        """{"mean", "stderr", "seeds"}, in nested lists for a quantity with axes; NaN becomes None."""
        return _json(self.mean, self.stderr, self.seeds)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Simulation(ByFields):
    """What `simulate` returns; two are equal if their numbers are, however long they took.

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
        Whether it ended before the last seed: by a keyboard interrupt, its seconds, or with an executor.
    conclusions : mapping
        What all seeds together show beside means, such as which directions are learned; see the protocol.
    products : float
        Floating-point operations of the matrix products of all seeds; 0 if they are not counted.
    seeds_together : int
        How many seeds ran at once, stacked in common products or beside each other; it changes their numbers
        by rounding only.
    results : mapping of str to Estimate
        Mean and standard error of each of `samples`.

    Examples
    --------
    >>> from hermite_analytics.numeric import simulate
    >>> found = simulate("spiked-random-features", activation="erf(z)", target="sin(z1)", d=30, seeds=2,
    ...                  beta=1, alpha=[1, 2], ridge=0.1, r=1, c=1.2, gamma=0.8)
    >>> [(row["alpha"], row["test_error_stderr"] > 0) for row in found.records()]
    [(1.0, True), (2.0, True)]
    """

    protocol: str
    parameters: Mapping[str, object]
    first_seed: int
    samples: Mapping[str, NDArray[np.float64]]
    groups: Mapping[str, tuple[str, ...]]
    device: str
    seconds: float = field(compare=False)
    interrupted: bool = False
    conclusions: Mapping[str, object] = field(default_factory=dict)
    products: float = 0.0
    seeds_together: int = field(default=1, compare=False)
    results: Mapping[str, Estimate] = field(init=False, compare=False)

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

    @property
    def rate(self) -> float:
        """GFLOP/s of matrix products over the whole wall time; NaN if they are not counted."""
        return 1e-9 * self.products / self.seconds if self.products and self.seconds else math.nan

    @property
    def seeds(self) -> int:
        """How many seeds were run."""
        return next(iter(self.results.values())).seeds

    def document(self) -> Document:
        """The JSON form: each number is {"mean", "stderr", "seeds"}, with stderr None for one seed."""
        parameters: dict[str, Any] = dict(self.parameters)
        conclusions: dict[str, Any] = dict(self.conclusions)
        return {
            "protocol": self.protocol,
            "parameters": parameters | {"seeds": self.seeds, "first_seed": self.first_seed},
            "results": self.grouped({name: e.to_json() for name, e in self.results.items()}) | conclusions,
            "device": self.device,
            "seconds": self.seconds,
            "seeds_together": self.seeds_together,
            "interrupted": self.interrupted,
        }

    def rows(self) -> list[Document]:
        """One dictionary a value of the parameters that were given several: means with standard errors."""
        return self.rows_of(self.results)

    def rows_of(self, estimates: Mapping[str, Estimate]) -> list[Document]:
        """The same of other estimates of these numbers."""
        lists = self._axes()
        numbers = {name: e.to_json() for name, e in estimates.items()}
        found = []
        for index in np.ndindex(*(len(next(iter(tied.values()))) for tied in lists)):
            places = {
                n: values[i] for tied, i in zip(lists, index, strict=True) for n, values in tied.items()
            }
            at = {n: i for tied, i in zip(lists, index, strict=True) for n in tied}
            chosen = {name: self._at(name, value, lists, at) for name, value in numbers.items()}
            found.append({**places, **self.grouped(chosen)})
        return found

    def frame(self) -> Frame:
        """The rows with the parameters that all share."""
        record = PROTOCOLS[self.protocol]
        rows = record.table_rows(self.rows())
        varied = {name for tied in self._axes() for name in tied}
        known = {n: c for n, c in record.columns().items() if n not in self.results or n in varied}
        known |= {n: replace(known.get(n, Column(name=n)), role=Role.PARAMETER) for n in varied}
        fixed = {n: x for n, x in self.parameters.items() if n not in varied and x is not None}
        return Frame(
            title=f"{self.protocol}, simulated",
            rows=tuple(rows),
            columns=known,
            fixed=fixed | {"seeds": self.seeds},
            sources=record.sources,
            remarks=("interrupted: seeds are missing",) if self.interrupted else (),
        )

    def drawing(self) -> Drawing:
        """Means with one standard error."""
        return replace(PROTOCOLS[self.protocol].drawing(self.frame()), points=True)

    def _axes(self) -> list[dict[str, list[JSON]]]:
        """The axes that parameters with several values gave: a size and its ratio share one."""
        from hermite_analytics.numeric.simulator.registry import protocol_class

        names = dict.fromkeys(n for axes in protocol_class(self.protocol).axes.values() for n in axes)
        found: list[dict[str, list[JSON]]] = []
        for name in names:
            values = self.parameters.get(name)
            if not isinstance(values, list):
                continue
            with_it = next((tied for tied in found if {name, *tied} in _TIED), None)
            if with_it is None:
                found.append({name: values})
            else:
                with_it[name] = values
        return found

    def _at(
        self, name: str, value: JSON, lists: Sequence[Mapping[str, Sequence[JSON]]], at: Mapping[str, int]
    ) -> JSON:
        """A number at a place of those axes that it has."""
        from hermite_analytics.numeric.simulator.registry import protocol_class

        axes = protocol_class(self.protocol).axes.get(name, ())
        for tied in lists:
            axis = next((n for n in tied if n in axes), None)
            if axis is not None and isinstance(value, Sequence):
                value = value[at[axis]]
        return value

    def grouped(self, numbers: Mapping[str, JSON]) -> Document:
        """The numbers, those of a group together under its name."""
        group_of = {name: group for group, names in self.groups.items() for name in names}
        found: Document = {}
        groups: dict[str, Document] = {group: {} for group in self.groups}
        for name, value in numbers.items():
            group = group_of.get(name)
            if group is None:
                found[name] = value
            else:
                groups[group][name.removeprefix(f"{group}_")] = value
                found[group] = groups[group]
        return found


def _read_only(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _json(mean: Numbers, stderr: Numbers | None, seeds: int) -> JSON:
    if not isinstance(mean, np.ndarray) or mean.ndim == 0:
        return {
            "mean": json_number(float(mean)),
            "stderr": None if stderr is None else json_number(float(stderr)),
            "seeds": seeds,
        }
    errors = [None] * len(mean) if stderr is None else list(np.asarray(stderr))
    return [_json(m, s, seeds) for m, s in zip(mean, errors, strict=True)]
