"""What `random-features` and `small-step` share: parameters, the teacher, data and the readout."""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.random_features.constants import feature_constants, target_constants
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData
from hermite_analytics.numeric.simulator.functions import (
    ActivationLike,
    TargetLike,
    derivative_of,
    function_of,
)
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
from hermite_analytics.numeric.simulator.random_features_maps import (
    FirstLayer,
    check_features,
    tangent_errors,
)
from hermite_analytics.numeric.simulator.readout import Readout, fit_readout
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds, orthonormal_rows

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["FeatureProtocol"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureProtocol(SimulationProtocol):
    """Features of a first layer with weights of variance 1/d, and a readout on fresh data.

    x ~ N(0, I_d), y = g(theta.x) + sqrt(noise) xi with orthonormal random directions theta; yhat = a.phi(x),
    where, with E sigma = mu0, E z sigma = mu1 and E sigma^2 = mu0^2 + mu1^2 + mu2^2,

        network      phi_j = sigma(w_j.x)/sqrt p,
        equivalent   phi_j = (mu0 + mu1 w_j.x + mu2 xi_j)/sqrt p, xi fresh for every sample,
        tangent      phi_jk = sigma'(w_j.x) x_k/sqrt(p d),

    and a = argmin sum_{i<=n} (y_i - yhat_i)^2 + ridge |a|^2.

    Parameters
    ----------
    activation : Activation
        sigma, with E sigma^2 finite.
    target : Target
        g, of one or several directions, with E g^2 finite.
    d, p : int >= 1
        Dimension and neurons.
    n : int >= 1 or sequence of such
        Samples of the readout; several make a learning curve on one network with nested data.
    ridge : float > 0 or sequence of such
    noise : float >= 0
        Variance of the label noise, beside what the target has of its own (a*xi); there is none in the test
        labels.
    features : {"network", "equivalent", "tangent"}
    n_test : int >= 1
        Fresh samples for the test error.
    chunk_rows : int >= 1
        Samples held at once; changes the results by rounding only.
    device, dtype : str
        See `resolve_backend`.

    Raises
    ------
    InputError
        If a parameter is out of range, d is below the number of directions, or there is no such device.
    UndefinedQuantity
        If E sigma^2 or E g^2 is infinite.
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
    features: str = "network"
    n_test: int
    chunk_rows: int
    device: str = "cpu"
    dtype: str = "float64"

    def __post_init__(self) -> None:
        _check_functions(self.activation, self.target)
        resolve_backend(self.device, self.dtype)
        self._replace(
            {name: positive_integer(name, getattr(self, name)) for name in ("d", "p", "n_test", "chunk_rows")}
        )
        self._replace(
            {
                "n": one_or_many(positive_integer, "n", self.n),
                "ridge": one_or_many(positive, "ridge", self.ridge),
                "noise": non_negative("noise", self.noise),
                "features": check_features(self.features),
            }
        )
        if self.d < max(1, self.target.dimension):
            raise InputError(
                f"d is {self.d}: an integer >= {self.target.dimension} is accepted, for the target has "
                "that many directions"
            )

    @property
    def label_noise(self) -> float:
        """Variance of all label noise: `noise`, and that of the target's own a*xi."""
        return self.noise + float(self.target.noise_variance)

    @property
    def label_flips(self) -> float:
        """Share of training labels that have the other sign."""
        return 0.0

    def parameters(self) -> dict[str, object]:
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
            "features": self.features,
            "n_test": self.n_test,
            "dtype": self.dtype,
        }

    def _replace(self, checked: Mapping[str, object]) -> None:
        """Store checked values in place of the given ones (numpy numbers, lists); only while it is made."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _weights(self, backend: Backend, seed: Seeds) -> Array:
        """W0 with entries N(0, 1/d), shape (..., p, d)."""
        stream = GaussianStream(seed=seed, purpose=Purpose.WEIGHTS)
        return backend.array(stream.normals(self.p, self.d) / math.sqrt(self.d))

    def _directions(self, backend: Backend, seed: Seeds) -> Array:
        """theta_1, ..., theta_r as rows, shape (..., r, d)."""
        stream = GaussianStream(seed=seed, purpose=Purpose.TEACHER)
        return backend.array(orthonormal_rows(stream, max(1, self.target.dimension), self.d))

    def _linear_part(self, backend: Backend, directions: Array) -> Array:
        """The unit vector along E[x g(theta.x)] in float64, shape (..., d); zero without a linear part."""
        unit = _unit_pull(cast(Hashable, self.target))
        wide = backend.wide(directions)
        return backend.wide(backend.array(unit)) @ wide if unit.size else 0.0 * wide[..., 0, :]

    def _data(
        self, backend: Backend, directions: Array, seed: Seeds, purpose: Purpose, noise: Purpose | None
    ) -> IndexData:
        return IndexData(
            backend=backend,
            directions=directions,
            link=self.target.function("array"),
            seed=seed,
            purpose=purpose,
            noise_purpose=noise,
            noise=self.label_noise,
            flips=self.label_flips,
        )

    def _layer(self, backend: Backend, weights: Array, seed: Seeds, *, centred: bool) -> FirstLayer:
        """The first layer with these weights; `centred` takes E sigma off its features."""
        constants = feature_constants(self.activation, 1)  # type: ignore[arg-type]  # checked when made
        return FirstLayer(
            backend=backend,
            weights=weights,
            activation=function_of(self.activation),
            derivative=derivative_of(self.activation),
            mean=constants.mean,
            slope=constants.slope,
            residual=math.sqrt(constants.residual),
            shift=constants.mean if centred else 0.0,
            seed=seed,
        )

    def _fit(self, layer: FirstLayer, directions: Array, *, loss: str = "square") -> Readout:
        """Readouts for all n and ridges, on the seed's readout and test data."""
        backend = layer.backend
        training = self._data(backend, directions, layer.seed, Purpose.READOUT_DATA, Purpose.READOUT_NOISE)
        testing = self._data(backend, directions, layer.seed, Purpose.TEST_DATA, None)
        sizes: Sequence[int] = as_tuple(self.n)
        ridges: Sequence[float] = as_tuple(self.ridge)
        if self.features == "tangent":
            found = tangent_errors(
                layer,
                training,
                testing,
                sizes=sizes,
                ridges=ridges,
                n_test=self.n_test,
                chunk_rows=self.chunk_rows,
            )
        else:
            found = fit_readout(
                functools.partial(layer.rows, self.features),
                shape=layer.weights.shape[:-1],
                training=training,
                testing=testing,
                backend=backend,
                sizes=sizes,
                ridges=ridges,
                n_test=self.n_test,
                chunk_rows=self.chunk_rows,
                loss=loss,
            )
        return found.reshape(grid_shape(self.n, self.ridge))


@functools.lru_cache(maxsize=64)
def _unit_pull(target: Target) -> NDArray[np.float64]:
    """E[z g(z)] in z-coordinates, divided by its length if that is not 0; computed once a process."""
    from hermite_analytics.expansion import hermite

    pull = np.asarray(hermite(target, 1).tensor(1), dtype=np.float64)
    length = math.sqrt(float(pull @ pull))
    return pull / length if length > 0 else pull


def _check_functions(activation: ActivationLike, target: TargetLike) -> None:
    """Refuse what cannot be simulated before anything is run."""
    if not hasattr(activation, "with_derivative"):
        raise InputError(f"activation is {activation!r}: an Activation is accepted, as Activation('tanh')")
    if not hasattr(target, "noise_variance"):
        raise InputError(f"target is {target!r}: a Target is accepted, as Target('z1 + z1**3')")
    feature_constants(activation, 1)  # type: ignore[arg-type]  # an Activation, in all but name
    target_constants(target, 1)  # type: ignore[arg-type]
