"""Results of solvers: frozen, with a status, a residual and their own numerical error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import ConvergenceError, InputError
from hermite_analytics.numeric.status import Rule, Status

__all__ = ["ReadOnly", "Rule", "Solution", "Status", "frozen", "json_number", "statuses"]

_WIDE = 30.0  # a ratio that spans more is drawn on a logarithmic axis


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


def statuses(codes: NDArray[Any]) -> Any:
    """`Status` (single point) or an array of status texts."""
    if codes.ndim == 0:
        return Status(codes.item())
    return frozen(codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Errors and overlaps of a solved model; all arrays have the broadcast shape of the ratios.

    Attributes
    ----------
    test_error : float or ndarray
        E (E[y|x] - yhat)^2, label noise excluded; NaN where not converged.
    train_error : float or ndarray
        Mean training loss without the penalty.
    linear_floor : float
        Error of the best affine predictor.
    overlaps : mapping of str to float or ndarray
    status : Status or ndarray of str
    residual : float or ndarray
        Undamped relative residual of the fixed point.
    iterations : int or ndarray
    numerical_error : float or ndarray
        Largest relative change of a result when the quadrature was refined last.
    parameters : mapping
        Ratios and parameters, broadcast.
    model, equations : str
    alternatives : tuple, optional
        Where something was optimised: all local minima found, one tuple a point.

    Examples
    --------
    >>> from hermite_analytics.numeric import RandomFeatures
    >>> solution = RandomFeatures("tanh", "sin(z1)").solve(alpha=[1, 2], beta=1, ridge=0.1)
    >>> solution.test_error.round(6).tolist(), str(solution.status[0])
    ([0.312272, 0.2376], 'converged')
    """

    model: str
    equations: str
    parameters: Mapping[str, Any]
    varied: tuple[str, ...]
    test_error: Any
    train_error: Any
    linear_floor: float
    overlaps: Mapping[str, Any]
    status: Any
    residual: Any
    iterations: Any
    numerical_error: Any
    extra: Mapping[str, Any] = field(default_factory=lambda: ReadOnly({}))
    alternatives: tuple[tuple[Mapping[str, float], ...], ...] | None = None

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` naming the first point that did not converge."""
        codes = np.atleast_1d(np.asarray(self.status, dtype=object)).ravel()
        for index, code in enumerate(codes):
            if code != Status.CONVERGED:
                raise ConvergenceError(f"point {index} of {self.model}: {code}: {Status(code).help}")

    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary a point, in C order of the broadcast ratios."""
        shape = np.shape(self.test_error)
        flat = int(np.prod(shape)) if shape else 1

        def at(value: Any, index: int) -> Any:
            array = np.asarray(value)
            if array.ndim > len(shape):  # one value a letter
                return json_number(array.reshape(flat, *array.shape[len(shape) :])[index].tolist())
            array = np.broadcast_to(array, shape)
            return json_number(array.reshape(-1)[index] if shape else array.item())

        rows = []
        for index in range(flat):
            row: dict[str, Any] = {name: at(self.parameters[name], index) for name in self.varied}
            row |= {name: at(value, index) for name, value in self.extra.items()}
            row["test_error"] = at(self.test_error, index)
            row["train_error"] = at(self.train_error, index)
            row["linear_floor"] = self.linear_floor
            row["overlaps"] = {name: at(value, index) for name, value in self.overlaps.items()}
            row["status"] = str(at(self.status, index))
            row["residual"] = at(self.residual, index)
            row["iterations"] = at(self.iterations, index)
            row["numerical_error"] = at(self.numerical_error, index)
            if self.alternatives is not None:
                row["alternatives"] = [dict(entry) for entry in self.alternatives[index]]
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: model, parameters, and one result a point."""
        fixed = {k: json_number(v) for k, v in self.parameters.items() if k not in self.varied}
        return {"model": self.model, "parameters": fixed, "results": self.records()}

    def plot(self, axes: Any = None, *, against: str | None = None) -> Any:
        """Draw test and train error against a ratio; returns the matplotlib axes."""
        import matplotlib.pyplot as plt

        name = against or max(self.varied, key=lambda k: np.unique(np.asarray(self.parameters[k])).size)
        x = np.broadcast_to(np.asarray(self.parameters[name]), np.shape(self.test_error))
        if axes is None:
            axes = plt.subplots()[1]
        axes.plot(np.ravel(x), np.ravel(self.test_error), label="test error")
        axes.plot(np.ravel(x), np.ravel(self.train_error), "--", label="train error")
        axes.axhline(self.linear_floor, color="0.6", linewidth=0.8, label="linear floor")
        axes.set_xlabel(name)
        axes.set_ylabel("error")
        axes.legend()
        return axes

    def phase_diagram(self, x: str, y: str, axes: Any = None, *, value: str = "test_error") -> Any:
        """Draw a result of a two-dimensional grid as a map over two ratios; returns the matplotlib axes.

        Parameters
        ----------
        x, y : str
            Names of the ratios that vary along the two axes of the grid.
        value : {"test_error", "train_error"}, or an overlap
        """
        import matplotlib.pyplot as plt

        shape = np.shape(self.test_error)
        if len([n for n in shape if n > 1]) != 2:
            raise InputError(
                f"a phase diagram needs a grid of two ratios; this solution has the shape {shape}"
            )
        places = [np.squeeze(np.broadcast_to(self.parameters[name], shape)) for name in (x, y)]
        values = self.overlaps[value] if value in self.overlaps else getattr(self, value)
        if axes is None:
            axes = plt.subplots()[1]
        image = axes.pcolormesh(places[0], places[1], np.squeeze(np.asarray(values)), shading="gouraud")
        axes.set(xlabel=x, ylabel=y)
        for place, scale in ((places[0], axes.set_xscale), (places[1], axes.set_yscale)):
            if np.min(place) > 0 and np.max(place) / np.min(place) > _WIDE:
                scale("log")
        axes.figure.colorbar(image, ax=axes, label=value.replace("_", " "))
        return axes

    def cite(self) -> str:
        """The source of the equations."""
        return self.equations


def json_number(value: Any) -> Any:
    """A Python number; "inf" or "-inf" where it is infinite, None where it is NaN (not converged)."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list):
        return [json_number(x) for x in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
