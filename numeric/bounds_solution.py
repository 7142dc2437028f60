"""What `Bounds` gives: bounds on the test error, and where they are attained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hermite_analytics.numeric.solution import ReadOnly, Status

__all__ = ["BoundsSolution"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsSolution:
    """lower <= inf over the ridge of the test error <= upper.

    Attributes
    ----------
    upper, lower : float or ndarray
    linear_floor : float
        Error of the best affine predictor.
    r_upper, r_lower : float or None
        With an optimised step: the spike strengths at which the bounds are attained.
    c_upper, c_lower : float, ndarray or None
        Where c moved with r: its values there.
    bias_upper, bias_lower : float, ndarray or None
        With a learned bias: where the bounds are attained.
    minima : mapping of str to tuple of (place, value)
        Of what was optimised: all local minima of "upper" and "lower", the lowest first.
    coefficients : mapping of str to ndarray
        Of the functions that attain the bounds: "upper" of the mu0 of the letters, "lower" of mu0, of
        kappa mu1 and of mu1 z.
    numerical_error : float or ndarray
        Change when the quadrature was refined last.
    """

    upper: Any
    lower: Any
    linear_floor: float
    numerical_error: Any
    parameters: Mapping[str, Any]
    coefficients: Mapping[str, Any]
    r_upper: float | None = None
    r_lower: float | None = None
    c_upper: Any = None
    c_lower: Any = None
    bias_upper: Any = None
    bias_lower: Any = None
    minima: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=lambda: ReadOnly({}))
    status: Status = Status.CONVERGED
    model: str = "bounds"

    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary a point."""
        shape = np.shape(self.upper)
        count = int(np.prod(shape))

        def column(value: Any) -> list[Any]:
            array = np.asarray(value)
            if array.ndim > len(shape):  # one value a letter
                full: list[Any] = array.reshape(count, *array.shape[len(shape) :]).tolist()
                return full
            return [float(x) for x in np.broadcast_to(array, shape).ravel()]

        names = [n for n in ("r", "c", "gamma") if n in self.parameters]
        columns = {n: column(self.parameters[n]) for n in names}
        columns |= {n: column(getattr(self, n)) for n in ("upper", "lower", "linear_floor")}
        for name in ("r_upper", "r_lower", "c_upper", "c_lower", "bias_upper", "bias_lower"):
            if getattr(self, name) is not None:
                columns[name] = column(getattr(self, name))
        columns |= {
            "status": [str(self.status)] * count,
            "residual": [0.0] * count,
            "iterations": [0] * count,
        }
        columns["numerical_error"] = column(self.numerical_error)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        fixed = {k: v for k, v in self.parameters.items() if isinstance(v, str)}
        return {"model": self.model, "parameters": fixed, "results": self.records()}

    def plot(self, axes: Any = None, *, against: str | None = None) -> Any:
        """Draw both bounds against a parameter of the spike; returns the matplotlib axes."""
        import matplotlib.pyplot as plt

        given = {n: np.asarray(self.parameters[n]) for n in ("r", "c", "gamma") if n in self.parameters}
        names = [n for n, value in given.items() if value.shape == np.shape(self.upper)]
        name = against or max(names, key=lambda n: np.unique(np.asarray(self.parameters[n])).size)
        if axes is None:
            axes = plt.subplots()[1]
        x = np.ravel(self.parameters[name])
        order = np.argsort(x)
        for label in ("upper", "lower"):
            axes.plot(x[order], np.ravel(getattr(self, label))[order], label=f"{label} bound")
        axes.axhline(self.linear_floor, color="0.6", linewidth=0.8, label="linear floor")
        axes.set(xlabel=name, ylabel="test error", yscale="log")
        axes.legend()
        return axes

    def cite(self) -> str:
        return "arXiv 2402.04980, eqs (26)-(28), (132), (158)-(172)"
