"""What full-batch gradient descent reaches, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import ConvergenceError, InputError
from hermite_analytics.foundation.arrays import Floats
from hermite_analytics.numeric.checks import integer
from hermite_analytics.numeric.models.dmft.laws import FieldLaw, FinishedRun, field_law
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import Status

__all__ = ["DMFTSolution"]

_OF_A_POINT = ("alpha", "eta", "ridge", "noise", "momentum", "readout_eta")
_OF_TRAINED_READOUTS = ("readout_eta", "trained_readout")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DMFTSolution(Solution):
    """Overlaps and errors after t = 0, ..., T steps.

    The axes "..." in front are those of alpha, eta, ridge, noise, momentum and readout_eta, broadcast; none
    for one point.

    Attributes
    ----------
    overlap : ndarray, shape (..., T + 1, p, r)
        M_t = <w_j, w*_k>; NaN from the step on at which a run diverged.
    norm : ndarray, shape (..., T + 1, p, p)
        Q_t = <w_j, w_l>.
    trained_readout : ndarray, shape (..., T + 1, p)
        a_j; rows of tables have it where readout_eta is not 0.
    test_error, train_error : ndarray, shape (..., T + 1)
        E (g - f)^2 on a fresh sample, label noise excluded, and E (y - f)^2 on a training sample, included.
    test_loss, train_loss : ndarray, shape (..., T + 1)
        E l(f, y) on a fresh and on a training sample, label noise included.
    correlation : ndarray, shape (..., T + 1, T + 1, p, p)
        C(t, s) = <w_j(t), w_l(s)>: the covariance of the fields of a fresh sample.
    response : ndarray, shape (..., T + 1, gradients, p, p)
        R(t, s): how the field h_t of a sample answers to its own gradient number s, h_t = u_t +
        sum_s R(t, s) g_s with u_t the field of a fresh sample.
    averages : ndarray of str, shape (..., T + 1)
        "quadrature", or "sobol" from where on the averages are those of scrambled Sobol points.
    numerical_error : ndarray, shape (..., T + 1)
        Of overlap, norm, readout and errors, the largest; relative where they are above 1. Of quadratures the
        change with finer ones, of Sobol points three standard errors and an allowance for bias.
    status : Status or ndarray of str
        Of each point.
    diverged : int or ndarray of int
        The step at which the weights left all bounds; 0 where they did not.
    parameters : mapping
    runs : tuple of FinishedRun
        What `law` asks, one a point.

    Examples
    --------
    >>> from hermite_analytics.numeric import DMFT
    >>> found = DMFT("z", "z1").solve(alpha=2, eta=0.25, steps=2)  # a linear network, in closed form
    >>> found.overlap[:, 0, 0].round(12).tolist(), round(float(found.norm[2, 0, 0]), 12), str(found.status)
    ([0.0, 0.5, 0.625], 0.703125, 'converged')
    """

    overlap: Floats
    norm: Floats
    trained_readout: Floats
    test_error: Floats
    train_error: Floats
    test_loss: Floats
    train_loss: Floats
    correlation: Floats
    response: Floats
    averages: NDArray[np.str_]
    numerical_error: Floats
    diverged: int | NDArray[np.int64]
    runs: tuple[FinishedRun, ...] = field(compare=False)
    model: str = "dmft"

    columns: ClassVar[tuple[str, ...]] = (
        *_OF_A_POINT,
        *("step", "overlap", "norm", "trained_readout"),
        *("test_error", "train_error", "test_loss", "train_loss"),
        *("averages", "numerical_error", "status"),
    )
    shaped: ClassVar[str] = "test_error"

    @property
    def named(self) -> tuple[str, ...]:
        if np.any(self.parameters["readout_eta"]):
            return self.columns
        return tuple(name for name in self.columns if name not in _OF_TRAINED_READOUTS)

    @property
    def cosine(self) -> Floats:
        """<w_j, w*_k>/|w_j|, shape (..., T + 1, p, r)."""
        return self.overlap / np.sqrt(np.diagonal(self.norm, axis1=-2, axis2=-1))[..., None]

    def law(
        self, step: int, neuron: int = 0, *, point: int | None = None, field: ArrayLike | None = None
    ) -> FieldLaw:
        """The law of a neuron's field after a step, on a sample that was trained on and on a fresh one.

        Both are N(0, 1) at the start of a run without overlap; a training sample remembers its gradients.

        Parameters
        ----------
        step : int
            0 to T.
        neuron : int
            From 0.
        point : int
            Needed where there are several: from 0 in C order.
        field : array_like, optional
            Where the densities are taken; by default within 4.5 standard deviations.

        Raises
        ------
        InputError
            A step, a neuron or a point that there is not; several points and none named.
        """
        if point is None and len(self.runs) > 1:
            raise InputError(f"there are {len(self.runs)} points; accepted: one of them, as point=0")
        point = integer("point", 0 if point is None else point, 0, len(self.runs) - 1)
        ratios = {name: np.ravel(self.parameters[name])[point].item() for name in _OF_A_POINT}
        return field_law(self.runs[point], step, neuron, field, {**self.parameters, **ratios})

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` with the status, and the step at which the run diverged."""
        points = zip(np.ravel(self.status), np.ravel(self.diverged), strict=True)
        for index, (status, diverged) in enumerate(points):
            if status != Status.CONVERGED:
                place = f"point {index} of {self.model}" if np.ndim(self.status) else self.model
                where = f" at step {diverged}" if diverged else ""
                raise ConvergenceError(f"{place}: {status}{where}: {Status(status).help}")

    def _value(self, name: str) -> object:
        """Along the steps too: ratios are the same at all, and before a divergence all is well."""
        if name in _OF_A_POINT:
            return np.asarray(self.parameters[name])[..., None]
        steps = np.arange(self.shape[-1])
        if name == "step":
            return steps
        if name == "status":
            diverged, status = np.asarray(self.diverged)[..., None], np.asarray(self.status)[..., None]
            return np.where(steps < diverged, str(Status.CONVERGED), status)
        return getattr(self, name)
