"""The protocol `random-features`: a readout on the features of a first layer that is not trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, final

from hermite_analytics.errors import InputError
from hermite_analytics.label.reduction.one_direction import one_direction
from hermite_analytics.numeric.models.random_features.labels import (
    checked_flips,
)
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import default_chunk_rows
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    Sizes,
    as_tuple,
    positive_integer,
    size_from,
    sizes_from,
)
from hermite_analytics.numeric.simulator.protocol import Sample, StackingProtocol
from hermite_analytics.numeric.simulator.random_features_base import FeatureProtocol
from hermite_analytics.numeric.simulator.random_features_maps import FirstLayer
from hermite_analytics.numeric.simulator.readout import check_loss, checked_loss, errors_of
from hermite_analytics.numeric.simulator.readout_protocol import default_test_samples
from hermite_analytics.numeric.simulator.streams import Seeds

__all__ = ["RandomFeaturesProtocol"]

_OVERLAPS = ("intercept", "M", "Q", "psi", "q1", "q2")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomFeaturesProtocol(FeatureProtocol, StackingProtocol):
    """Random features w_j ~ N(0, I/d) with a readout trained by a loss with a name.

    The square loss is that of `FeatureProtocol`; the others minimise sum_i l(y_i, yhat_i) + (ridge/2) |a|^2.
    The features are not centred.

    Parameters
    ----------
    loss : str
        A name of `losses.registry`, as "hinge" or "quantile:0.9", or a smooth convex text.
    activation, target, d, p, n, ridge, noise, features, n_test, chunk_rows, device, dtype
        As in `FeatureProtocol`; tangent features take the square loss.

    Raises
    ------
    InputError
        If a parameter is out of range; for a loss of the margin also if the labels are not shown to be 1
        and -1.

    References
    ----------
    docs/random_features.md; Gerace et al., arXiv 2002.09339; Mei and Montanari, arXiv 1908.05355.
    """

    name: ClassVar[str] = "random-features"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {"overlaps": _OVERLAPS}
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
        ("test_error", "train_error", "square_error", "misclassification", *_OVERLAPS),
        ("n", "alpha", "ridge"),
    )

    loss: str = "square"
    flips: float = 0.0

    def __post_init__(self) -> None:
        FeatureProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        label = one_direction(self.target)  # type: ignore[arg-type]  # a TargetLike is checked by its use
        self._replace({"flips": checked_flips(self.flips, label)})
        loss = checked_loss(self.loss, label, self.noise)
        if not loss.is_square and self.features == "tangent":
            raise InputError(f"features is 'tangent' with the loss {self.loss!r}: 'square' is accepted there")

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        ridge: Reals,
        beta: float | None = None,
        p: int | None = None,
        alpha: Reals | None = None,
        n: Sizes | None = None,
        noise: float = 0.0,
        loss: str = "square",
        flips: float = 0.0,
        features: str = "network",
        n_test: int | None = None,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> RandomFeaturesProtocol:
        """Build it from sizes, or ratios to d: beta = p/d, alpha = n/d (sizes are rounded).

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
            p=width,
            n=sizes_from("n", n, "alpha", alpha, d),
            ridge=ridge,
            noise=noise,
            loss=loss,
            flips=flips,
            features=features,
            n_test=default_test_samples(d) if n_test is None else n_test,
            chunk_rows=default_chunk_rows(d, width, device) if chunk_rows is None else chunk_rows,
            device=device,
            dtype=dtype,
        )

    def numbers_per_seed(self) -> int:
        samples = min(self.chunk_rows, max(*as_tuple(self.n), self.n_test))
        return samples * (self.d + 2 * self.p) + self.p * (self.d + self.p)

    @property
    def stacks(self) -> bool:
        """Losses other than the square, and kernels of tangent features, take their seeds one by one."""
        return check_loss(self.loss).is_square and self.features != "tangent"

    def run(self, seed: Seeds) -> Sample:
        """One draw of features, and the readouts on them.

        Parameters
        ----------
        seed : int or tuple of int
            0 <= seed < 2**32; several, where `stacks`, give the numbers one more axis in front.

        Returns
        -------
        dict of str to ndarray
            test_error (the fraction of wrong signs for a loss of the margin), train_error, square_error,
            misclassification (for a target of the values 1 and -1) and, but for tangent features, the
            overlaps: intercept = E sigma sum_j a_j/sqrt p, psi = a.W b/sqrt p (b along the target's linear
            part), q1 = |W^T a|^2/p, q2 = |a|^2/p, M = mu1 psi, Q = mu1^2 q1 + mu2^2 q2;
            each with one axis for each of n and ridge that is a sequence.
        """
        backend = resolve_backend(self.device, self.dtype)
        directions = self._directions(backend, seed)
        layer = self._layer(backend, self._weights(backend, seed), seed, centred=False)
        readout = self._fit(layer, directions, loss=self.loss)
        sample = errors_of(readout, self.target)
        if readout.coefficients is None:
            return sample
        return sample | _overlaps(
            backend, layer, readout.coefficients, self._linear_part(backend, directions)
        )

    def parameters(self) -> dict[str, object]:
        return {**FeatureProtocol.parameters(self), "loss": self.loss, "flips": self.flips}

    @property
    def label_flips(self) -> float:
        return self.flips


def _overlaps(backend: Backend, layer: FirstLayer, coefficients: Array, direction: Array) -> Sample:
    xp = backend.xp
    weights = backend.wide(layer.weights)
    p = weights.shape[-2]
    shape = coefficients.shape[:-1]
    coefficients = xp.reshape(coefficients, (*weights.shape[:-2], -1, p))
    pulled = coefficients @ weights  # W^T a
    psi = (pulled @ direction[..., None])[..., 0] / p**0.5
    q1 = xp.sum(pulled * pulled, axis=-1) / p
    q2 = xp.sum(coefficients * coefficients, axis=-1) / p
    values = {
        "intercept": layer.mean * xp.sum(coefficients, axis=-1) / p**0.5,
        "M": layer.slope * psi,
        "Q": layer.slope**2 * q1 + layer.residual**2 * q2,
        "psi": psi,
        "q1": q1,
        "q2": q2,
    }
    return {name: backend.host(xp.reshape(value, shape)) for name, value in values.items()}
