"""The protocol `small-step`: gradient steps of order 1 on the first layer, then ridge regression."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.numeric.models.random_features.labels import has_signs
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import default_chunk_rows
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    Sizes,
    as_tuple,
    finite,
    non_negative,
    positive_integer,
    size_from,
    sizes_from,
)
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.random_features_base import FeatureProtocol
from hermite_analytics.numeric.simulator.random_features_maps import FirstLayer
from hermite_analytics.numeric.simulator.readout_protocol import default_test_samples
from hermite_analytics.numeric.simulator.small_step_gradient import small_steps
from hermite_analytics.numeric.simulator.small_step_spectrum import leading_singular
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["BATCHES", "SmallStepProtocol"]

BATCHES = ("same", "fresh")
_WEIGHTS = tuple(
    f"weights_{name}"
    for name in (
        "theta1", "theta2", "singular_value", "alignment", "second_value", "resolvent",
        "remainder_operator", "remainder_frobenius",
    )
)  # fmt: skip
_KERNEL = ("kernel_singular_value", "kernel_alignment", "kernel_second_value")
_RISKS = ("risk_before", "risk_after", "gain", "train_before", "train_after")
_WRONG = ("misclassification_before", "misclassification_after")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SmallStepProtocol(FeatureProtocol):
    """Steps W <- W + eta p^eta_power sqrt(p) G on the first layer, then ridge regression on fresh data.

    f(x) = p^(-1/2) sum_j a_j sigma(w_j.x) with weights of variance 1/d, a_j ~ N(0, 1/p), and G the gradient,
    with the other sign, of half the mean square loss over n0 samples (`gradient_factor=2`: of the mean square
    loss). The activation is centred, in the steps and in the features.

    Parameters
    ----------
    eta : float
        Step size, of order 1.
    n0 : int >= 1
        Samples of a step; the ridge regression has its own.
    steps : int >= 0
    batches : {"same", "fresh"}
        Whether several steps use one batch of n0 samples, as gradient descent does, or a new one each.
    eta_power : float >= 0
        1/2 is the large step, of order sqrt(p).
    gradient_factor : {1, 2}
    activation, target, d, p, n, ridge, noise, features, n_test, chunk_rows, device, dtype
        As in `FeatureProtocol`; d, p and n >= 2; the noise is in the labels of the steps too.

    Raises
    ------
    InputError
        If a parameter is out of range.
    UndefinedQuantity
        If the activation jumps: its derivative is then no function, and the step is not defined.

    References
    ----------
    docs/random_features.md, "The small step"; Ba et al., arXiv 2205.01445.
    """

    name: ClassVar[str] = "small-step"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {"weights": _WEIGHTS, "kernel": _KERNEL}
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **dict.fromkeys((*_RISKS, *_WRONG), ("n", "alpha", "ridge")),
        **dict.fromkeys(_KERNEL, ("n", "alpha")),
    }

    eta: float
    n0: int
    steps: int = 1
    batches: str = "same"
    eta_power: float = 0.0
    gradient_factor: int = 1

    def __post_init__(self) -> None:
        FeatureProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        if self.activation.has_jumps is not False:
            verb = "jumps" if self.activation.has_jumps else "is not shown to be continuous"
            raise UndefinedQuantity(
                f"the activation {self.activation.text} {verb}, and the derivative of a jump is no function: "
                "a gradient step takes a continuous activation"
            )
        if min(self.d, self.p, *as_tuple(self.n)) < 2:
            raise InputError(f"d, p, n are {self.d}, {self.p}, {self.n}: integers >= 2 are accepted")
        if isinstance(self.steps, bool) or not isinstance(self.steps, int) or self.steps < 0:
            raise InputError(f"steps is {self.steps!r}: an integer >= 0 is accepted")
        if self.batches not in BATCHES:
            raise InputError(f"batches is {self.batches!r}: accepted are 'same' and 'fresh'")
        if self.gradient_factor not in (1, 2):
            raise InputError(f"gradient_factor is {self.gradient_factor!r}: accepted are 1 and 2")
        self._replace(
            {
                "eta": finite("eta", self.eta),
                "n0": positive_integer("n0", self.n0),
                "eta_power": non_negative("eta_power", self.eta_power),
            }
        )

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        eta: float,
        ridge: Reals,
        beta: float | None = None,
        p: int | None = None,
        alpha: Reals | None = None,
        n: Sizes | None = None,
        alpha0: float | None = None,
        n0: int | None = None,
        noise: float = 0.0,
        steps: int = 1,
        batches: str = "same",
        eta_power: float = 0.0,
        gradient_factor: int = 1,
        features: str = "network",
        n_test: int | None = None,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> SmallStepProtocol:
        """Build it from sizes, or ratios to d: beta = p/d, alpha = n/d, alpha0 = n0/d (sizes are rounded).

        The steps take as many samples as the ridge regression (the first n of a sequence) where neither
        alpha0 nor n0 is given.

        Raises
        ------
        InputError
            If a parameter is out of range, or not exactly one of a size and its ratio is given.
        """
        d = positive_integer("d", d)
        width = size_from("p", p, "beta", beta, d)
        samples = sizes_from("n", n, "alpha", alpha, d)
        if alpha0 is None and n0 is None:
            n0 = samples[0] if isinstance(samples, Sequence) else samples
        return cls(
            activation=activation,
            target=target,
            d=d,
            p=width,
            n=samples,
            n0=size_from("n0", n0, "alpha0", alpha0, d),
            eta=eta,
            ridge=ridge,
            noise=noise,
            steps=steps,
            batches=batches,
            eta_power=eta_power,
            gradient_factor=gradient_factor,
            features=features,
            n_test=default_test_samples(d) if n_test is None else n_test,
            chunk_rows=default_chunk_rows(d, width, device) if chunk_rows is None else chunk_rows,
            device=device,
            dtype=dtype,
        )

    @property
    def step_length(self) -> float:
        """eta p^eta_power, by which sqrt(p) G is multiplied (twice that with `gradient_factor=2`)."""
        return float(self.eta * self.p**self.eta_power * self.gradient_factor)

    def run(self, seed: int) -> Sample:
        """One network, its steps, and ridge regressions before and after.

        Parameters
        ----------
        seed : int
            0 <= seed < 2**32.

        Returns
        -------
        dict of str to ndarray
            Of the weights after the steps (shape ()): weights_theta1 = |h| and weights_theta2 = h.b of the
            rank-one part h a^T of the change (b along the target's linear part), weights_singular_value,
            weights_second_value, weights_alignment = (u.b)^2 of the first singular vector u,
            weights_resolvent = (1/d) tr (W^T W + 1)^(-1), and the operator and Frobenius norms of the
            rest of the change over that of h a^T. Of the features on the readout's samples (one axis if n is
            a sequence): kernel_singular_value, kernel_second_value, and kernel_alignment, the squared cosine
            of the left singular vector with the labels. risk_before, risk_after, gain (their difference),
            train_before, train_after: mean squares without and with the steps, and for a target of the values
            1 and -1 misclassification_before, misclassification_after (one axis for each of n and ridge that
            is a sequence).
        """
        backend = resolve_backend(self.device, self.dtype)
        directions = self._directions(backend, seed)
        linear = self._linear_part(backend, directions)
        start = self._weights(backend, seed)
        stream = GaussianStream(seed=seed, purpose=Purpose.SECOND_LAYER)
        readout = backend.array(stream.normals(1, self.p)[0] / math.sqrt(self.p))
        before = self._layer(backend, start, seed, centred=True)
        moved = small_steps(
            before,
            readout,
            self._data(backend, directions, seed, Purpose.STEP_DATA, Purpose.STEP_NOISE),
            samples=self.n0,
            length=self.step_length,
            steps=self.steps,
            fresh=self.batches == "fresh",
            chunk_rows=self.chunk_rows,
        )
        after = self._layer(backend, backend.narrow(moved), seed, centred=True)
        first, last = self._fit(before, directions), self._fit(after, directions)
        sample = {
            **_weight_numbers(backend, backend.wide(start), moved, backend.wide(readout), linear),
            **self._kernel_numbers(after, directions),
            "risk_before": first.test_error,
            "risk_after": last.test_error,
            "gain": first.test_error - last.test_error,
            "train_before": first.train_error,
            "train_after": last.train_error,
        }
        wrong = first.wrong_signs, last.wrong_signs
        if has_signs(self.target):  # type: ignore[arg-type]
            sample |= {name: share for name, share in zip(_WRONG, wrong, strict=True) if share is not None}
        return sample

    def parameters(self) -> dict[str, object]:
        return {
            **FeatureProtocol.parameters(self),
            "n0": self.n0,
            "alpha0": self.n0 / self.d,
            "eta": self.eta,
            "eta_power": self.eta_power,
            "steps": self.steps,
            "batches": self.batches,
            "gradient_factor": self.gradient_factor,
        }

    def _kernel_numbers(self, layer: FirstLayer, directions: Array) -> Sample:
        """Of the features on the readout's samples, for each n."""
        backend = layer.backend
        data = self._data(backend, directions, layer.seed, Purpose.READOUT_DATA, Purpose.READOUT_NOISE)
        sizes = as_tuple(self.n)
        x, y = data.rows(0, max(sizes))
        y = backend.wide(y)
        if self.features == "tangent":
            matrix, root = layer.tangent_kernel(x, x), 0.5  # its singular values are the squares
        else:
            phi = layer.rows(self.features, x, first=0, purpose=Purpose.READOUT_FEATURES)
            matrix, root = backend.wide(phi), 1.0
        found = []
        for n in sizes:
            part = matrix[:n, :n] if self.features == "tangent" else matrix[:n, :]
            top = leading_singular(backend, part)
            cosine = float(top.left @ y[:n]) ** 2 / float(y[:n] @ y[:n])
            found.append((top.first**root, cosine, top.second**root))
        table = np.array(found) if isinstance(self.n, tuple) else np.array(found[0])
        return dict(zip(_KERNEL, np.moveaxis(table, -1, 0), strict=True))


def _weight_numbers(backend: Backend, start: Array, moved: Array, readout: Array, linear: Array) -> Sample:
    xp = backend.xp
    change = moved - start
    pull = change.T @ readout / float(readout @ readout)  # h of the change a h^T + rest
    rest = change - readout[:, None] * pull[None, :]
    size = math.sqrt(float(readout @ readout) * float(pull @ pull))
    top = leading_singular(backend, moved)
    gram = moved.T @ moved
    identity = xp.eye(gram.shape[0], dtype=xp.float64, device=backend.place)
    values = {
        "theta1": math.sqrt(float(pull @ pull)),
        "theta2": float(pull @ linear),
        "singular_value": top.first,
        "alignment": float(top.right @ linear) ** 2,
        "second_value": top.second,
        "resolvent": float(xp.sum(xp.linalg.diagonal(xp.linalg.inv(gram + identity)))) / gram.shape[0],
        "remainder_operator": leading_singular(backend, rest).first / size if size > 0 else math.nan,
        "remainder_frobenius": math.sqrt(backend.total(rest * rest)) / size if size > 0 else math.nan,
    }
    return {f"weights_{name}": np.asarray(value) for name, value in values.items()}
