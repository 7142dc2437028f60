"""What the protocols that end in a readout share: their parameters, their data and their errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData
from hermite_analytics.numeric.simulator.functions import (
    ActivationLike,
    TargetLike,
    check_functions,
    function_of,
)
from hermite_analytics.numeric.simulator.gradient_step import preactivations
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
from hermite_analytics.numeric.simulator.protocol import StackingProtocol
from hermite_analytics.numeric.simulator.readout import Readout, check_loss, checked_loss, fit_readout
from hermite_analytics.numeric.simulator.streams import (
    GaussianStream,
    Purpose,
    Seeds,
    orthonormal_rows,
    unit_rows,
)

__all__ = ["ReadoutProtocol", "default_test_samples"]


# A ridge above this share of n/p is more than 1e-5 of n E sigma^2/p, the mean eigenvalue of the Gram matrix,
# whenever E sigma^2 < 10: there float32 products are good enough (and `ridge_curve` refuses them elsewhere).
_FLOAT32_RIDGE = 1e-4


def default_test_samples(d: int) -> int:
    """max(3 d, 2000): the test set then adds less than a tenth to the variance of the test error."""
    return max(3 * d, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadoutProtocol(StackingProtocol):
    """Some first layer, then a fit of the second on fresh data.

    x ~ N(0, I_d), y = g(theta x) + sqrt(noise) xi with orthonormal rows of theta, yhat = a.sigma(W x)/sqrt p
    with a = argmin sum_{i<=n} (y_i - yhat_i)^2 + ridge |a|^2, or sum_{i<=n} l(y_i, yhat_i) + (ridge/2) |a|^2.

    Parameters
    ----------
    activation : Activation
        sigma.
    target : Target
        g, a function of at most `most_directions` directions.
    d, p : int >= 1
        Dimension and neurons, of one order.
    n : int >= 1, sequence of such, or None
        Samples of the readout; several make a learning curve on one network with nested data. None: there is
        no readout.
    ridge : float > 0 or sequence of such
    noise : float >= 0
        Variance of the label noise, beside what the target has of its own (a*xi); there is none in the
        test labels.
    loss : str
        Of the readout: a name of `losses.registry`, as "hinge" or "quantile:0.9", or a smooth convex text.
    n_test : int >= 1
        Fresh samples for the test error.
    chunk_rows : int >= 1
        Samples held at once; changes the results by rounding only.
    device, dtype : str
        See `resolve_backend`. In float32 the products of features are float64 all the same where the ridge
        needs it: `gram_dtype`, which stands among the parameters.

    Raises
    ------
    InputError
        If a parameter is out of range, or there is no such device; for a loss of the margin also if the
        labels are not shown to be 1 and -1.
    UnsupportedExpression
        If the target has label noise that is not additive.
    """

    axes: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
        ("test_error", "train_error", "square_error", "misclassification"), ("n", "alpha", "ridge")
    )
    most_directions: ClassVar[int | None] = 1

    activation: ActivationLike
    target: TargetLike
    d: int
    p: int
    n: Sizes | None
    ridge: Reals
    noise: float = 0.0
    loss: str = "square"
    n_test: int
    chunk_rows: int
    device: str = "cpu"
    dtype: str = "float64"

    def __post_init__(self) -> None:
        check_functions(self.activation, self.target, directions=self.most_directions)
        resolve_backend(self.device, self.dtype)
        self._replace(
            {name: positive_integer(name, getattr(self, name)) for name in ("d", "p", "n_test", "chunk_rows")}
        )
        self._replace(
            {
                "n": None if self.n is None else one_or_many(positive_integer, "n", self.n),
                "ridge": one_or_many(positive, "ridge", self.ridge),
                "noise": non_negative("noise", self.noise),
            }
        )
        checked_loss(self.loss, self.target, self.noise)  # type: ignore[arg-type]  # checked above

    @property
    def stacks(self) -> bool:
        """Losses other than the square take their seeds one by one."""
        return check_loss(self.loss).is_square

    @property
    def label_noise(self) -> float:
        """Variance of all label noise: `noise`, and that of the target's own a*xi."""
        return self.noise + float(self.target.noise_variance)

    @property
    def gram_dtype(self) -> str:
        """The type of the products of features: float32 loses a ridge that is small beside n/p."""
        if self.n is None or min(as_tuple(self.ridge)) < _FLOAT32_RIDGE * max(as_tuple(self.n)) / self.p:
            return "float64"
        return self.dtype

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
            "alpha": None if self.n is None else ratio_of(self.n, self.d),
            "ridge": list(self.ridge) if isinstance(self.ridge, tuple) else self.ridge,
            "noise": self.noise,
            "loss": self.loss,
            "n_test": self.n_test,
            "dtype": self.dtype,
            "gram_dtype": None if self.n is None else self.gram_dtype,
        }

    def memory(self) -> int:
        """Weights, a chunk of inputs and features, and the Gram matrix with its factor."""
        size = 4 if self.dtype == "float32" else 8
        chunk = size * min(self.chunk_rows, self._most_samples) * (self.d + 3 * self.p)
        network = chunk + (8 + size) * self.d * self.p
        if self.n is None:
            return network
        system = min(self.p, max(as_tuple(self.n)))
        dual = max((n for n in as_tuple(self.n) if n < self.p), default=0)
        return network + 16 * system**2 + (8 + size) * dual * self.p

    def numbers_per_seed(self) -> int:
        system = 0 if self.n is None else self.p**2
        samples = min(self.chunk_rows, self._most_samples)
        return samples * (self.d + 2 * self.p) + self.p * self.d + system

    @property
    def _most_samples(self) -> int:
        """Of the largest data set."""
        return self.n_test if self.n is None else max(*as_tuple(self.n), self.n_test)

    def products(self) -> float:
        """Of the readout: features, Gram matrix, test."""
        if self.n is None:
            return 0.0
        n = max(as_tuple(self.n))
        return 2.0 * (n + self.n_test) * self.d * self.p + float(n) * self.p * min(n, self.p)

    def _replace(self, checked: Mapping[str, object]) -> None:
        """Store checked values in place of the given ones (numpy numbers, lists); only while it is made."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

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

    def _fit(
        self, backend: Backend, weights: Array, directions: Array, seed: Seeds, biases: Array | None = None
    ) -> Readout:
        """Readouts for all n and ridges, on the seed's readout and test data."""
        assert self.n is not None
        sigma, scale = function_of(self.activation), 1 / math.sqrt(self.p)

        def features(x: Array, *, first: int, purpose: Purpose) -> Array:
            return scale * sigma(preactivations(x, weights, biases))

        readout = fit_readout(
            features,
            shape=weights.shape[:-1],
            backend=backend,
            loss=self.loss,
            gram_dtype=self.gram_dtype,
            training=self._data(backend, directions, seed, Purpose.READOUT_DATA, Purpose.READOUT_NOISE),
            testing=self._data(backend, directions, seed, Purpose.TEST_DATA, None),
            sizes=as_tuple(self.n),
            ridges=as_tuple(self.ridge),
            n_test=self.n_test,
            chunk_rows=self.chunk_rows,
        )
        return readout.reshape(grid_shape(self.n, self.ridge))

    def _weights(self, backend: Backend, seed: Seeds, count: int) -> Array:
        """The first rows of W0, uniform on the unit sphere, shape (..., count, d)."""
        return backend.array(unit_rows(GaussianStream(seed=seed, purpose=Purpose.WEIGHTS), count, self.d))

    def _directions(self, backend: Backend, seed: Seeds) -> Array:
        """theta: uniformly distributed orthonormal rows, one for each index of the target."""
        stream = GaussianStream(seed=seed, purpose=Purpose.TEACHER)
        return backend.array(orthonormal_rows(stream, max(1, self.target.dimension), self.d))
