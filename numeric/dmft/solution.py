"""What full-batch gradient descent reaches, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.numeric.solution import Status, json_number

__all__ = ["DMFTSolution"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DMFTSolution:
    """Overlaps and errors after t = 0, ..., T steps; the first axis of all arrays is t.

    Attributes
    ----------
    overlap : ndarray, shape (T + 1, p, r)
        M_t = <w_j, w*_k>; NaN from the step on at which a run diverged.
    norm : ndarray, shape (T + 1, p, p)
        Q_t = <w_j, w_l>.
    test_error, train_error : ndarray, shape (T + 1,)
        E (g - f)^2 on a fresh sample, label noise excluded, and E (y - f)^2 on a training sample, included.
    test_loss, train_loss : ndarray, shape (T + 1,)
        E l(f, y) on a fresh and on a training sample, label noise included.
    correlation : ndarray, shape (T + 1, T + 1, p, p)
        C(t, s) = <w_j(t), w_l(s)>: the covariance of the fields of a fresh sample.
    response : ndarray, shape (T + 1, gradients, p, p)
        R(t, s): how the field h_t of a sample answers to its own gradient number s, h_t = u_t +
        sum_s R(t, s) g_s with u_t the field of a fresh sample.
    averages : tuple of str
        "quadrature", or "sobol" from where on the averages are those of scrambled Sobol points.
    numerical_error : ndarray, shape (T + 1,)
        Of overlap, norm and errors, the largest; relative where they are above 1. Of quadratures the change
        with finer ones, of Sobol points three standard errors and an allowance for bias.
    status : Status
    diverged : int or None
        The step at which the weights left all bounds.
    parameters : mapping

    Examples
    --------
    >>> from hermite_analytics.numeric import DMFT
    >>> found = DMFT("z", "z1").solve(alpha=2, eta=0.25, steps=2)  # a linear network, in closed form
    >>> found.overlap[:, 0, 0].tolist(), float(found.norm[2, 0, 0]), str(found.status)
    ([0.0, 0.5, 0.625], 0.703125, 'converged')
    """

    overlap: Any
    norm: Any
    test_error: Any
    train_error: Any
    test_loss: Any
    train_loss: Any
    correlation: Any
    response: Any
    averages: tuple[str, ...]
    numerical_error: Any
    status: Status
    diverged: int | None
    parameters: Mapping[str, Any]
    model: str = "dmft"

    @property
    def cosine(self) -> Any:
        """<w_j, w*_k>/|w_j|, shape (T + 1, p, r)."""
        return self.overlap / np.sqrt(np.diagonal(self.norm, axis1=1, axis2=2))[:, :, None]

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` with the status, and the step at which the run diverged."""
        if self.status != Status.CONVERGED:
            where = "" if self.diverged is None else f" at step {self.diverged}"
            raise ConvergenceError(f"{self.model}: {self.status}{where}: {self.status.help}")

    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary a step."""
        names = ("overlap", "norm", "test_error", "train_error", "test_loss", "train_loss", "numerical_error")
        columns = {name: np.asarray(getattr(self, name)).tolist() for name in names}
        return [
            {"step": t}
            | {name: json_number(column[t]) for name, column in columns.items()}
            | {"averages": self.averages[t], "status": str(self._status_at(t))}
            for t in range(len(self.averages))
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the model, its parameters, and one result a step."""
        return {"model": self.model, "parameters": dict(self.parameters), "results": self.records()}

    def plot(self, axes: Any = None) -> Any:
        """Draw all overlaps against the step; returns the matplotlib axes, onto which more can be drawn."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots()[1]
        steps, neurons, directions = np.shape(self.overlap)
        for j in range(neurons):
            for k in range(directions):
                axes.plot(range(steps), self.overlap[:, j, k], "o-", label=f"neuron {j + 1}, z{k + 1}")
        axes.set_xlabel("step")
        axes.set_ylabel("overlap")
        axes.legend()
        return axes

    def cite(self) -> str:
        return "arXiv 2006.08098, 2112.07572, 2210.06591, 2402.03220; docs/dmft.md"

    def _status_at(self, t: int) -> Status:
        """Before a divergence all is well."""
        if self.diverged is not None and t < self.diverged:
            return Status.CONVERGED
        return self.status
