"""What the protocols `amp` and `spectral` share: data of a teacher, and the error of predictions from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.codegen import compile
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.numeric.simulator.backend import Array, Backend, require_memory, resolve_backend
from hermite_analytics.numeric.simulator.functions import Elementwise
from hermite_analytics.numeric.simulator.parameters import non_negative, positive_integer
from hermite_analytics.numeric.simulator.protocol import SimulationProtocol
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, orthonormal_rows
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.symbols import Expr

__all__ = ["EstimationProtocol", "Sampled", "prediction_error"]

Host = NDArray[np.float64]

_TESTS = 2**15
_COPIES = 8  # of z given omega, for each of two independent predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """One data set: inputs on the device, labels and the teacher's directions (columns) on the host."""

    x: Array
    y: Host
    teacher: Host


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimationProtocol(SimulationProtocol):
    """n samples x ~ N(0, I_d), y = g(x W*) + sqrt(noise) xi, W* with r orthonormal columns.

    The prior N(0, 1/d) of the entries of W* has norms that vary by 1/sqrt d: in the limit the same teacher.

    Parameters
    ----------
    target : Target
        Any label noise xi of its own included.
    d, n : int >= 1
    noise : float >= 0
        Variance of additive label noise, beside that of the target.
    device : str
    dtype : "float64"
        Near exact recovery the products need all digits.
    """

    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    target: Target
    d: int
    n: int
    noise: float = 0.0
    device: str = "cpu"
    dtype: str = "float64"

    def __post_init__(self) -> None:
        positive_integer("d", self.d)
        positive_integer("n", self.n)
        non_negative("noise", self.noise)
        if not isinstance(self.target, Target):
            raise InputError(f"target is {self.target!r}: a Target is accepted, as Target('sign(z1)')")
        if self.dtype != "float64":
            raise InputError(f"dtype is {self.dtype!r}: {self.name} runs in float64")
        if self.d <= self.target.dimension:
            raise InputError(f"d is {self.d}: an integer > {self.target.dimension} is accepted")
        resolve_backend(self.device)
        require_memory(self.device, 8 * self.n * self.d)

    @property
    def noisy(self) -> Target:
        """The target with all of its noise: what the algorithm is told."""
        return self.target if self.noise == 0 else self.target.with_noise(self.noise)

    def sampled(self, backend: Backend, seed: int) -> Sampled:
        """The teacher and the data of a seed."""
        r = self.target.dimension
        teacher = orthonormal_rows(GaussianStream(seed=seed, purpose=Purpose.TEACHER), r, self.d).T
        x = backend.normals(GaussianStream(seed=seed, purpose=Purpose.MEASUREMENTS), self.n, self.d)
        z = backend.host(x @ backend.array(teacher))
        errors = GaussianStream(seed=seed, purpose=Purpose.LABEL_NOISE).normals(self.n, 1)
        label = _function(self.noisy.expression, r)
        y = np.broadcast_to(label(*z.T, errors[:, 0]), (self.n,))
        return Sampled(x=x, y=np.array(y, dtype=np.float64), teacher=teacher)

    def test_error(self, seed: int, teacher: Host, estimate: Host, covariance: Host) -> float:
        """E (E[y | x] - E[y | z ~ N(x W^, V)])^2, with or without a closed form of E[y | z]."""
        try:
            expression = self.target.noiseless
        except UnsupportedExpression:  # the noise is inside: it is drawn
            expression = self.target.expression
        label = _function(expression, self.target.dimension)
        return prediction_error(label, teacher, estimate, covariance, seed)

    def parameters(self) -> dict[str, object]:
        return {
            "target": self.target.text,
            "d": self.d,
            "n": self.n,
            "alpha": self.n / self.d,
            "noise": self.noise,
            "device": self.device,
            "dtype": self.dtype,
        }


def prediction_error(label: Elementwise, teacher: Host, estimate: Host, covariance: Host, seed: int) -> float:
    """E (f(x W*) - E f(x W^ + N(0, V)))^2 over x ~ N(0, I_d), f(z) = E label(z, xi): without bias.

    x enters through x W* and x W^ alone, which are drawn jointly. Each average inside the square is replaced
    by two independent ones, one in each factor, whose errors average to 0 in the product.

    Parameters
    ----------
    label : function of r + 1 arrays
        z_1, ..., z_r, xi.
    teacher, estimate : ndarray, shape (d, r)
    covariance : ndarray, shape (r, r)
        V.
    seed : int

    Examples
    --------
    >>> w = np.eye(400)[:, :1]
    >>> found = prediction_error(lambda z, xi: z, w, 0.5 * w, np.array([[0.5]]), 0)  # E (z - z/2)^2
    >>> abs(found - 0.25) < 0.02
    True
    """
    r = teacher.shape[1]
    both = np.hstack([teacher, estimate])
    stream = GaussianStream(seed=seed, purpose=Purpose.PREDICTION)
    fields = stream.normals(_TESTS, 2 * r) @ _root(both.T @ both)
    root = _root(covariance)
    errors = []
    for half in range(2):
        draws = [stream.normals(_TESTS, r + 1, step=1 + half * _COPIES + k) for k in range(_COPIES)]
        guesses = [label(*(fields[:, r:] + u[:, :r] @ root).T, u[:, r]) for u in draws]
        own = stream.normals(_TESTS, 1, step=1 + 2 * _COPIES + half)[:, 0]
        errors.append(label(*fields[:, :r].T, own) - sum(guesses) / _COPIES)
    return float(np.mean(errors[0] * errors[1]))


def _root(gram: Host) -> Host:
    """The symmetric square root of a positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(0.5 * (gram + gram.T))
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _function(expression: Expr, r: int) -> Elementwise:
    return compile(expression, (*(variable(j + 1) for j in range(r)), xi), backend="array")
