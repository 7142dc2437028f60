"""What the protocols that end in a ridge readout share: their parameters, their data and their errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import SingleIndexData
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike, check_functions
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    Sizes,
    as_tuple,
    grid_shape,
    non_negative,
    one_or_many,
    positive,
    positive_integer,
    ratio_of,
)
from hermite_analytics.numeric.simulator.protocol import SimulationProtocol
from hermite_analytics.numeric.simulator.readout import Readout, fit_readout
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, unit_rows

__all__ = ["RidgeProtocol", "default_test_samples"]


def default_test_samples(d: int) -> int:
    """max(3 d, 2000): the test set then adds less than a tenth to the variance of the test error."""
    return max(3 * d, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RidgeProtocol(SimulationProtocol):
    """Some first layer, then ridge regression for the second on fresh data.

    x ~ N(0, I_d), y = g(theta.x) + sqrt(noise) xi, yhat = a.sigma(W x)/sqrt p with
    a = argmin sum_{i<=n} (y_i - yhat_i)^2 + ridge |a|^2.

    Parameters
    ----------
    activation : Activation
        sigma.
    target : Target
        g, a function of one direction.
    d, p : int >= 1
        Dimension and neurons, of one order.
    n : int >= 1 or sequence of such
        Samples of the readout; several make a learning curve on one network with nested data.
    ridge : float > 0 or sequence of such
    noise : float >= 0
        Variance of the label noise, beside what the target has of its own (a*xi); there is none in the
        test labels.
    n_test : int >= 1
        Fresh samples for the test error.
    chunk_rows : int >= 1
        Samples held at once; changes the results by rounding only.
    device, dtype : str
        See `resolve_backend`.

    Raises
    ------
    InputError
        If a parameter is out of range, or there is no such device.
    UnsupportedExpression
        If the target has label noise that is not additive.
    """

    activation: ActivationLike
    target: TargetLike
    d: int
    p: int
    n: Sizes
    ridge: Reals
    noise: float = 0.0
    n_test: int
    chunk_rows: int
    device: str = "cpu"
    dtype: str = "float64"

    def __post_init__(self) -> None:
        check_functions(self.activation, self.target)
        resolve_backend(self.device, self.dtype)
        self._replace(
            {name: positive_integer(name, getattr(self, name)) for name in ("d", "p", "n_test", "chunk_rows")}
        )
        self._replace(
            {
                "n": one_or_many(positive_integer, "n", self.n),
                "ridge": one_or_many(positive, "ridge", self.ridge),
                "noise": non_negative("noise", self.noise),
            }
        )

    @property
    def label_noise(self) -> float:
        """Variance of all label noise: `noise`, and that of the target's own a*xi."""
        return self.noise + float(self.target.noise_variance)

    def parameters(self) -> dict[str, Any]:
        return {
            "activation": self.activation.text,
            "target": self.target.text,
            "d": self.d,
            "p": self.p,
            "n": list(self.n) if isinstance(self.n, tuple) else self.n,
            "beta": self.p / self.d,
            "alpha": ratio_of(self.n, self.d),
            "ridge": list(self.ridge) if isinstance(self.ridge, tuple) else self.ridge,
            "noise": self.noise,
            "n_test": self.n_test,
            "dtype": self.dtype,
        }

    def _replace(self, checked: Mapping[str, object]) -> None:
        """Store checked values in place of the given ones (numpy numbers, lists); only while it is made."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _data(
        self, backend: Backend, theta: Array, seed: int, purpose: Purpose, noise_purpose: Purpose | None
    ) -> SingleIndexData:
        return SingleIndexData(
            backend=backend,
            direction=theta,
            link=self.target.function("array"),
            seed=seed,
            purpose=purpose,
            noise_purpose=noise_purpose,
            noise=self.label_noise,
        )

    def _fit(self, backend: Backend, weights: Array, theta: Array, seed: int) -> Readout:
        """Ridge readouts for all n and ridges, on the seed's readout and test data."""
        readout = fit_readout(
            weights,
            activation=self.activation.function("array"),
            training=self._data(backend, theta, seed, Purpose.READOUT_DATA, Purpose.READOUT_NOISE),
            testing=self._data(backend, theta, seed, Purpose.TEST_DATA, None),
            sizes=as_tuple(self.n),
            ridges=as_tuple(self.ridge),
            n_test=self.n_test,
            chunk_rows=self.chunk_rows,
        )
        return readout.reshape(grid_shape(self.n, self.ridge))

    def _weights_and_teacher(self, backend: Backend, seed: int) -> tuple[Array, Array]:
        """W0, rows uniform on the unit sphere, and theta, uniform on it: shapes (p, d) and (d,)."""
        weights = unit_rows(GaussianStream(seed=seed, purpose=Purpose.WEIGHTS), self.p, self.d)
        teacher = unit_rows(GaussianStream(seed=seed, purpose=Purpose.TEACHER), 1, self.d)[0]
        return backend.array(weights), backend.array(teacher)
