"""The protocol `giant-step`: one large gradient step on the first layer, then ridge regression."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.data import default_chunk_rows
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.gradient_step import gradient_step
from hermite_analytics.numeric.simulator.observables import measured_spike, squared_overlaps
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    Sizes,
    finite,
    positive_integer,
    size_from,
    sizes_from,
)
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.ridge_protocol import RidgeProtocol, default_test_samples
from hermite_analytics.numeric.simulator.streams import Purpose

__all__ = ["STEP_CONVENTIONS", "GiantStepProtocol"]

STEP_CONVENTIONS = ("paper", "notebook")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GiantStepProtocol(RidgeProtocol):
    """One gradient step on W at fixed a, then ridge regression for a on fresh data.

    f(x) = (1/sqrt p) sum_k a_k sigma(w_k.x), rows of W0 uniform on the unit sphere, a0 = 1/sqrt p. The step,
    on n0 samples, is w_k += e (1/n0) sum_i (y_i - f(x_i)) sigma'(w_k.x_i) x_i, with the effective step
    e = eta/beta ("paper", beta = p/d) or e = eta ("notebook"). Data and readout: see `RidgeProtocol`.

    Parameters
    ----------
    n0 : int >= 1
        Samples of the step, of order d.
    eta : float
        Step size, of order 1.
    step_convention : {"paper", "notebook"}
    activation, target, d, p, n, ridge, noise, n_test, chunk_rows, device, dtype
        As in `RidgeProtocol`; the noise is in the labels of the step too.

    Raises
    ------
    InputError
        If a parameter is out of range.
    UndefinedQuantity
        If the activation jumps: its derivative is then no function, and the step is not defined.

    References
    ----------
    docs/theory.md, "The giant step"; Cui et al., arXiv 2402.04980, equations 1-12.
    """

    name: ClassVar[str] = "giant-step"

    n0: int
    eta: float
    step_convention: str = "paper"

    def __post_init__(self) -> None:
        RidgeProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        if self.activation.has_jumps is not False:
            verb = "jumps" if self.activation.has_jumps else "is not shown to be continuous"
            raise UndefinedQuantity(
                f"the activation {self.activation.text} {verb}, and the derivative of a jump is no function: "
                "a giant step takes a continuous activation"
            )
        if self.step_convention not in STEP_CONVENTIONS:
            raise InputError(
                f"step_convention is {self.step_convention!r}: accepted are 'paper' (step eta/beta) and "
                "'notebook' (step eta)"
            )
        self._replace({"n0": positive_integer("n0", self.n0), "eta": finite("eta", self.eta)})

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        eta: float,
        ridge: Reals,
        alpha0: float | None = None,
        n0: int | None = None,
        beta: float | None = None,
        p: int | None = None,
        alpha: Reals | None = None,
        n: Sizes | None = None,
        noise: float = 0.0,
        step_convention: str = "paper",
        n_test: int | None = None,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> GiantStepProtocol:
        """Build it from sizes, or ratios to d: alpha0 = n0/d, beta = p/d, alpha = n/d (sizes are rounded).

        Raises
        ------
        InputError
            If a parameter is out of range, or not exactly one of a size and its ratio is given.
        """
        d = positive_integer("d", d)
        width = size_from("p", p, "beta", beta, d)
        return cls(
            activation=activation,
            target=target,
            d=d,
            n0=size_from("n0", n0, "alpha0", alpha0, d),
            p=width,
            n=sizes_from("n", n, "alpha", alpha, d),
            eta=eta,
            ridge=ridge,
            noise=noise,
            step_convention=step_convention,
            n_test=default_test_samples(d) if n_test is None else n_test,
            chunk_rows=default_chunk_rows(d, width) if chunk_rows is None else chunk_rows,
            device=device,
            dtype=dtype,
        )

    @property
    def effective_step(self) -> float:
        """e = eta d/p, or eta in the notebooks' convention."""
        return self.eta if self.step_convention == "notebook" else self.eta * self.d / self.p

    def run(self, seed: int) -> Sample:
        """One network, one step, and its readouts.

        Parameters
        ----------
        seed : int
            0 <= seed < 2**32.

        Returns
        -------
        dict of str to ndarray
            r, c, gamma (shape ()), measured on the step as `measured_spike` says; test_error and train_error
            (one axis for each of n and ridge that is a sequence); overlap (shape (1, 1): [step][direction]),
            the mean over neurons of the squared cosine between w_k after the step and theta.
        """
        backend = resolve_backend(self.device, self.dtype)
        weights, theta = self._weights_and_teacher(backend, seed)
        uniform = backend.array(np.full(self.p, 1 / math.sqrt(self.p)))
        step = gradient_step(
            weights,
            uniform,
            self._data(backend, theta, seed, Purpose.STEP_DATA, Purpose.STEP_NOISE),
            activation=self.activation.function("array"),
            derivative=self.activation.derivative_function("array"),
            samples=self.n0,
            step_size=self.effective_step,
            chunk_rows=self.chunk_rows,
        )
        moved = backend.wide(weights) + step.displacement
        direction = backend.wide(theta)
        spike = measured_spike(backend, step.displacement, direction, step.mean_slope)
        readout = self._fit(backend, backend.narrow(moved), theta, seed)
        return {
            **{name: np.asarray(value) for name, value in spike._asdict().items()},
            "test_error": readout.test_error,
            "train_error": readout.train_error,
            "overlap": squared_overlaps(backend, moved, direction[None, :])[None, :],
        }

    def parameters(self) -> dict[str, Any]:
        return {
            **RidgeProtocol.parameters(self),
            "n0": self.n0,
            "alpha0": self.n0 / self.d,
            "eta": self.eta,
            "step_convention": self.step_convention,
        }
