"""Results of solvers: frozen, with a status, a residual and their own numerical error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.json import JSON, Document
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.numeric.status import Rule, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Curves", "ReadOnly", "Rule", "Solution", "Status", "frozen", "json_number", "statuses"]


def frozen(array: Any) -> Any:
    """A read-only array, or a Python scalar for a single point."""
    values = np.asarray(array)
    if values.ndim == 0:
        return values.item()
    values = values.copy()
    values.flags.writeable = False
    return values


class ReadOnly(Mapping[str, Any]):
    """A mapping that nobody changes; unlike MappingProxyType it pickles."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


def statuses(codes: NDArray[np.generic]) -> Status | NDArray[np.str_]:
    """`Status` (single point) or an array of status texts."""
    if codes.ndim == 0:
        return Status(codes.item())
    found: NDArray[np.str_] = frozen(codes)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What a solver gives; a subclass adds its results, and names those that a record of a point has.

    Attributes
    ----------
    parameters : mapping
        Ratios and parameters, broadcast.
    status : Status or ndarray of str
    residual : float or ndarray
        Undamped residual of the equations; 0 for a closed form.
    iterations : int or ndarray
    model : str
        As on the command line.
    equations : str
        Their source, where it is not that of the model's record.

    Examples
    --------
    >>> from hermite_analytics.numeric import GiantStep
    >>> step = GiantStep("tanh", "sin(z1)").solve(alpha0=20, eta=3, beta=[1, 2])
    >>> [(row["beta"], round(row["r"], 6)) for row in step.records()]
    [(1.0, 1.134056), (2.0, 0.567028)]
    >>> step.cite()
    'arXiv 2402.04980, Result 3.1, eqs (8)-(12)'
    """

    parameters: Mapping[str, Any]
    status: Status | NDArray[np.str_] = Status.CONVERGED
    residual: Numbers = 0.0
    iterations: int | NDArray[np.int64] = 0
    model: str
    equations: str = ""

    columns: ClassVar[tuple[str, ...]]
    """What a record has, in order: names of parameters and of results; those that are None are left out."""
    shaped: ClassVar[str]
    """The result that has the broadcast shape of the points."""
    answers: ClassVar[tuple[Status, ...]] = (Status.CONVERGED,)
    point: ClassVar[str] = "point"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the points."""
        return np.shape(getattr(self, self.shaped))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know beside the numbers."""
        return ()

    @property
    def named(self) -> tuple[str, ...]:
        """`columns`, and what else this solution varies."""
        return self.columns

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` naming the first point without an answer."""
        for index, code in enumerate(np.ravel(np.asarray(self.status, dtype=object))):
            if code not in self.answers:
                place = f"{self.point} {index} of {self.model}"
                raise ConvergenceError(f"{place}: {code}: {Status(code).help}")

    def records(self) -> list[Document]:
        """One dictionary a point, in C order."""
        values = {name: self._value(name) for name in self.named}
        count = math.prod(self.shape)
        return [
            {name: self._at(value, index) for name, value in values.items() if value is not None}
            for index in range(count)
        ]

    def to_dict(self) -> Document:
        """JSON-ready: model, parameters, and one result a point."""
        named = self.named
        fixed = {
            k: json_number(v) for k, v in self.parameters.items() if isinstance(v, str) or k not in named
        }
        return {"model": self.model, "parameters": fixed, "results": self.records()}

    def cite(self) -> str:
        """The source of the equations."""
        return self.equations or MODELS[self.model].sources

    def _value(self, name: str) -> Any:
        return getattr(self, name, None) if name not in self.parameters else self.parameters[name]

    def _at(self, value: object, index: int) -> JSON:
        """A value of a point; a list where it has axes of its own, such as one of letters."""
        if isinstance(value, Mapping):
            return {name: self._at(part, index) for name, part in value.items()}
        shape, array = self.shape, np.asarray(value)
        if array.ndim > len(shape):
            return json_number(array.reshape(-1, *array.shape[len(shape) :])[index].tolist())
        return json_number(np.broadcast_to(array, shape).reshape(-1)[index])


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves(Solution):
    """A solution over ratios, whose results are drawn as curves."""

    curves: ClassVar[Mapping[str, str]]
    """Results that are drawn, with their line styles."""
    scales: ClassVar[tuple[str, str]] = ("linear", "linear")

    def plot(self, axes: Axes | None = None, *, against: str | None = None) -> Axes:
        """Draw the results against a parameter, by default that of most values; returns the axes."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots()[1]
        given = {name: np.asarray(self.parameters[name]) for name in self._varied}
        name = against or max(given, key=lambda k: np.unique(given[k]).size)
        x = np.ravel(np.broadcast_to(np.asarray(self.parameters[name]), self.shape))
        order = np.argsort(x, kind="stable")
        for result, style in self.curves.items():
            axes.plot(x[order], np.ravel(getattr(self, result))[order], style, label=result.replace("_", " "))
        floor = getattr(self, "linear_floor", None)
        if floor is not None:
            axes.axhline(floor, color="0.6", linewidth=0.8, label="linear floor")
        axes.set(xlabel=name, ylabel="error", xscale=self.scales[0], yscale=self.scales[1])
        axes.legend()
        return axes

    @property
    def _varied(self) -> list[str]:
        """Parameters of the points, one number each."""
        shape = self.shape
        found = [name for name in self.named if name in self.parameters]
        return [name for name in found if np.ndim(self.parameters[name]) <= len(shape)]


def json_number(value: Any) -> JSON:
    """A Python number; "inf" or "-inf" where it is infinite, None where it is NaN (not converged)."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list):
        return [json_number(x) for x in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else ("inf" if value > 0 else "-inf")
    plain: JSON = value
    return plain
