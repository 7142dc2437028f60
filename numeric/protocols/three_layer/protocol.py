"""The protocol `three-layer`: what each number of trained layers makes of a target of three layers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.three_layer.model import ThreeLayer
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData, chunks
from hermite_analytics.numeric.simulator.functions import ActivationLike, as_activation
from hermite_analytics.numeric.simulator.parameters import (
    non_negative,
    non_negative_integer,
    positive,
    positive_integer,
)
from hermite_analytics.numeric.simulator.protocol import Sample, SimulationProtocol
from hermite_analytics.numeric.simulator.streams import Purpose
from hermite_analytics.numeric.simulator.three_layer.fixed_features import (
    kernel_side,
    quadratic_kernel_error,
    spectral_directions,
)
from hermite_analytics.numeric.simulator.three_layer.networks import (
    Schedule,
    TrainedNetwork,
    train_three_layers,
    train_two_layers,
)
from hermite_analytics.numeric.simulator.three_layer.target import TreeTarget, inner_directions

if TYPE_CHECKING:
    pass

__all__ = ["SCENARIOS", "ThreeLayerProtocol"]

SCENARIOS = ("1", "2", "3", "proxy")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeLayerProtocol(SimulationProtocol):
    """A target y = g(h), h = d_eff^(-1/2) sum_i a_i p(w_i.x), learned from n = d^kappa samples.

    p = sum_k He_k/k! over the degrees, d_eff = floor(d^epsilon) orthonormal directions, random signs a_i. The
    scenarios:

    - "1": ridge regression with the kernel (x.x')^2 + x.x' + 1;
    - "2": two layers of relus, the first trained by gradient descent, the second by ridge regression;
    - "3": three layers, trained one after the other on the same data;
    - "proxy": the d_eff top eigenvectors of (1/n) sum y (x x^T - I), for what a first layer finds.

    Parameters
    ----------
    degrees : tuple of int
        2 among them.
    epsilon : float in (0, 1)
    link : Activation
        g.
    n : int >= 1
        Samples.
    scenario : {"1", "2", "3", "proxy"}
    p1, p2 : int >= 1
        Neurons of the first layer (of all in "2") and of the second ("3").
    first_steps, second_steps : int >= 0
        Gradient steps on each layer.
    rate : float > 0
        1 are the step sizes of the published code.
    ridge : float > 0
        lambda in (Phi^T Phi + lambda n) a = Phi^T y.
    noise : float >= 0
        Variance of the label noise; there is none in the test labels.
    n_test : int >= 1
    chunk_rows : int >= 1
        Samples held at once where they are streamed; changes the results by rounding only.
    device, dtype : str
        See `resolve_backend`.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    arXiv 2502.13961; docs/flows.md, docs/sgd_simulation.md.
    """

    name: ClassVar[str] = "three-layer"

    d: int
    degrees: tuple[int, ...]
    epsilon: float
    link: ActivationLike
    n: int
    scenario: str
    p1: int
    p2: int
    first_steps: int
    second_steps: int
    rate: float = 1.0
    ridge: float = 1.0
    noise: float = 0.0
    n_test: int = 2000
    chunk_rows: int = 4096
    device: str = "cpu"
    dtype: str = "float64"

    def __post_init__(self) -> None:
        resolve_backend(self.device, self.dtype)
        for name in ("d", "n", "p1", "p2", "n_test", "chunk_rows"):
            self._replace(name, positive_integer(name, getattr(self, name)))
        for name in ("first_steps", "second_steps"):
            self._replace(name, non_negative_integer(name, getattr(self, name)))
        for name in ("rate", "ridge"):
            self._replace(name, positive(name, getattr(self, name)))
        self._replace("noise", non_negative("noise", self.noise))
        self._replace("degrees", ThreeLayer(self.degrees, self.epsilon).degrees)
        self._replace("epsilon", float(self.epsilon))
        if self.scenario not in SCENARIOS:
            raise InputError(f"scenario is {self.scenario!r}: accepted are {', '.join(map(repr, SCENARIOS))}")

    @classmethod
    def create(
        cls,
        *,
        d: int,
        degrees: tuple[int, ...],
        epsilon: float,
        scenario: str | int,
        kappa: float | None = None,
        n: int | None = None,
        link: ActivationLike | str = "tanh(3*z)",
        p1: int | None = None,
        p2: int = 100,
        first_steps: int | None = None,
        second_steps: int | None = None,
        rate: float = 1.0,
        ridge: float = 1.0,
        noise: float = 0.0,
        n_test: int = 2000,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> ThreeLayerProtocol:
        """Build it, with n = d^kappa, and with the published sizes where nothing is given.

        p1 is floor((d^2.2)^0.9), a 15th of it in scenario 2; steps of the first layer 15 log(d)/0.7, in
        scenario 2 5 d^1.5/0.7; steps of the second layer 5 d^1.5/0.7.

        Raises
        ------
        InputError
            If a parameter is out of range.
        """
        d = positive_integer("d", d)
        chosen = str(scenario)
        width = math.floor(d**1.98)
        long = int(int(5 * d**1.5) / 0.7)
        short = int(int(15 * math.log(d)) / 0.7)
        return cls(
            d=d,
            degrees=degrees,
            epsilon=epsilon,
            link=as_activation(link),
            n=_samples(d, kappa, n),
            scenario=chosen,
            p1=max(1, width // 15 if chosen == "2" else width) if p1 is None else p1,
            p2=p2,
            first_steps=(long if chosen == "2" else short) if first_steps is None else first_steps,
            second_steps=long if second_steps is None else second_steps,
            rate=rate,
            ridge=ridge,
            noise=noise,
            n_test=n_test,
            chunk_rows=max(256, 2**21 // d) if chunk_rows is None else chunk_rows,
            device=device,
            dtype=dtype,
        )

    @property
    def inner(self) -> int:
        """d_eff."""
        return inner_directions(self.d, self.epsilon)

    def run(self, seed: int) -> Sample:
        """One target, one data set, one fit.

        Parameters
        ----------
        seed : int
            0 <= seed < 2**32.

        Returns
        -------
        dict of str to ndarray, shape ()
            overlap (not in scenario 1): the mean share of the squared norm of a row of W1 (an eigenvector)
            that lies in the span of the w_i, d_eff/d by chance; test_error (not of the proxy), the mean of
            (g(h) - yhat)^2; hidden_overlap (scenario 3): the mean squared correlation of a field of the
            second layer with h.
        """
        backend = resolve_backend(self.device, self.dtype)
        target = TreeTarget.draw(
            backend,
            seed,
            d=self.d,
            inner=self.inner,
            degrees=self.degrees,
            link=self.link.function("array"),
        )
        training = target.data(seed, Purpose.STEP_DATA, Purpose.STEP_NOISE, self.noise)
        testing = target.data(seed, Purpose.TEST_DATA, None, 0.0)
        if self.scenario == "proxy":
            rows = spectral_directions(training, self.n, self.inner, self.chunk_rows)
            return {"overlap": _share(backend, rows, target.directions)}
        if self.scenario == "1":
            error = quadratic_kernel_error(
                training,
                testing,
                samples=self.n,
                tests=self.n_test,
                ridge=self.ridge,
                chunk_rows=self.chunk_rows,
            )
            return {"test_error": np.asarray(error)}
        x, y = training.rows(0, self.n)
        fit = train_two_layers if self.scenario == "2" else train_three_layers
        return self._measured(backend, fit(backend, x, y, seed, self._schedule()), target, testing)

    def memory(self) -> int:
        """What is largest: the Gram matrix and its factor; or the samples, their features and weights."""
        size = 4 if self.dtype == "float32" else 8
        chunk = size * min(self.chunk_rows, self.n) * (2 * self.d + 3 * self.inner)
        if self.scenario == "proxy":
            return chunk + 24 * self.d**2
        if self.scenario == "1":
            return chunk + 16 * kernel_side(self.d, self.n) ** 2
        weights = self.p1 * (3 * self.d + (3 * self.p2 if self.scenario == "3" else 1))
        features = self.n * (self.d + 3 * self.p1 + min(self.n, self.p1))
        return size * (weights + features)

    def parameters(self) -> dict[str, object]:
        found = {
            "d": self.d,
            "degrees": list(self.degrees),
            "epsilon": self.epsilon,
            "link": self.link.text,
            "kappa": math.log(self.n) / math.log(self.d) if self.d > 1 else 0.0,
            "n": self.n,
            "scenario": self.scenario,
            "directions": self.inner,
            "noise": self.noise,
            "dtype": self.dtype,
        }
        if self.scenario != "proxy":
            found |= {"ridge": self.ridge, "n_test": self.n_test}
        if self.scenario in ("2", "3"):
            found |= {"p1": self.p1, "first_steps": self.first_steps, "rate": self.rate}
        if self.scenario == "3":
            found |= {"p2": self.p2, "second_steps": self.second_steps}
        return found

    def _replace(self, name: str, checked: object) -> None:
        object.__setattr__(self, name, checked)

    def _schedule(self) -> Schedule:
        return Schedule(
            width=self.p1,
            second_width=self.p2,
            first_steps=self.first_steps,
            second_steps=self.second_steps,
            rate=self.rate,
            ridge=self.ridge,
        )

    def _measured(
        self, backend: Backend, network: TrainedNetwork, target: TreeTarget, testing: IndexData
    ) -> Sample:
        square, fields, truth = 0.0, [], []
        for first, count in chunks(0, self.n_test, self.chunk_rows):
            x, y = testing.rows(first, count)
            residual = backend.wide(y) - network.predict(x)
            square += backend.total(residual * residual)
            if network.hidden is not None:
                fields.append(backend.host(network.hidden(x)))
                truth.append(backend.host(target.hidden(x)))
        found = {
            "overlap": _share(backend, network.first, target.directions),
            "test_error": np.asarray(square / self.n_test),
        }
        if fields:
            found["hidden_overlap"] = _squared_correlation(np.concatenate(fields), np.concatenate(truth))
        return found


def _samples(d: int, kappa: float | None, n: int | None) -> int:
    if (kappa is None) == (n is None):
        given = "none is" if kappa is None else "both are"
        raise InputError(f"{given} given of kappa and n: exactly one is accepted")
    if n is not None:
        return positive_integer("n", n)
    exponent = non_negative("kappa", kappa if kappa is not None else 0.0)
    if exponent * math.log2(max(d, 2)) > 32:
        raise InputError(f"kappa is {exponent:g}: d^kappa samples are at most 2^32")
    return max(1, round(math.pow(d, exponent)))


def _share(backend: Backend, rows: Array, directions: Array) -> NDArray[np.float64]:
    """The mean over rows of |P w|^2/|w|^2, P the projection on the span of the directions."""
    weights, span = backend.host(rows), backend.host(directions)
    inside = np.sum((weights @ span.T) ** 2, axis=1)
    return np.asarray(np.mean(inside / np.sum(weights**2, axis=1)))


def _squared_correlation(fields: Array, truth: Array) -> NDArray[np.float64]:
    """The mean over units of the squared correlation with h."""
    centred = fields - fields.mean(axis=0)
    wanted = truth - truth.mean()
    variances = np.sum(centred**2, axis=0) * np.sum(wanted**2)
    covariances = centred.T @ wanted
    moving = variances > 0
    return np.asarray(np.mean(np.where(moving, covariances**2 / np.where(moving, variances, 1.0), 0.0)))
