"""The protocol `spiked-random-features`: spiked random features, with a readout by any loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.random_features.labels import checked_flips
from hermite_analytics.numeric.models.spiked.letters import Letters, LettersLike
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import default_chunk_rows
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.initial_network import (
    ONE_LETTER,
    Neurons,
    neurons_of,
    vocabulary_of,
)
from hermite_analytics.numeric.simulator.observables import readout_overlaps
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    Sizes,
    finite,
    one_or_many,
    positive,
    positive_integer,
    size_from,
    sizes_from,
)
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.readout import errors_of
from hermite_analytics.numeric.simulator.readout_protocol import ReadoutProtocol, default_test_samples
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds, unit_rows

__all__ = ["SpikedRandomFeaturesProtocol"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SpikedRandomFeaturesProtocol(ReadoutProtocol):
    """Features sigma(w_k.x + r omega_k v.x + b_k), and a readout of them.

    Rows of W are uniform on spheres of radius sqrt c, |v| = 1, v.theta = gamma; omega_k = 1 and b_k = 0 if no
    letters and no bias are given. The features are the true ones, not their Gaussian equivalents. Data and
    readout: see `ReadoutProtocol`.

    Parameters
    ----------
    r : float
        Strength of the spike, of order 1.
    c : float > 0, or tuple of such
        Squared norm of a row of the bulk, or one for each letter.
    gamma : float
        In [-1, 1].
    letters : Letters
        Values of omega with their fractions, and a bias each.
    bias : float
        Added to all biases.
    flips : float in [0, 1/2)
        Share of the training labels 1 and -1 that have the other sign.
    activation, target, d, p, n, ridge, noise, loss, n_test, chunk_rows, device, dtype
        As in `ReadoutProtocol`; d >= 2.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    docs/theory.md, "Saddle point" (Cui et al., arXiv 2402.04980; letters: its appendix D, biases: C).
    """

    name: ClassVar[str] = "spiked-random-features"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {"overlaps": ("m", "zeta", "psi", "q1", "q2")}
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
        ("test_error", "train_error", "square_error", "misclassification", *groups["overlaps"]),
        ("n", "alpha", "ridge"),
    )

    r: float
    c: float | tuple[float, ...]
    gamma: float
    letters: Letters = ONE_LETTER
    bias: float = 0.0
    flips: float = 0.0

    def __post_init__(self) -> None:
        ReadoutProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        self._replace({"flips": checked_flips(self.flips, self.target)})  # type: ignore[arg-type]
        if self.d < 2:
            raise InputError(f"d is {self.d}: an integer >= 2 is accepted, for theta and v to differ")
        gamma = finite("gamma", self.gamma)
        if abs(gamma) > 1:
            raise InputError(f"gamma is {self.gamma!r}: a number from -1 to 1 is accepted")
        self._replace({"r": finite("r", self.r), "gamma": gamma, "bias": finite("bias", self.bias)})
        norms = one_or_many(positive, "c", self.c)
        if isinstance(norms, tuple) and len(norms) != len(self.letters.values):
            raise InputError(
                f"c has {len(norms)} values for {len(self.letters.values)} letters: "
                "one number, or one a letter is accepted"
            )
        self._replace({"c": norms})
        self._neurons()  # refuses letters of several numbers

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        r: float,
        c: float | Sequence[float],
        gamma: float,
        ridge: Reals,
        beta: float | None = None,
        p: int | None = None,
        alpha: Reals | None = None,
        n: Sizes | None = None,
        noise: float = 0.0,
        loss: str = "square",
        letters: LettersLike = None,
        bias: float = 0.0,
        flips: float = 0.0,
        n_test: int | None = None,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> SpikedRandomFeaturesProtocol:
        """Build it from sizes, or ratios to d: beta = p/d, alpha = n/d (sizes are rounded).

        `letters` is what `letters_of` accepts.

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
            r=r,
            c=c if isinstance(c, int | float) else tuple(c),
            gamma=gamma,
            letters=vocabulary_of(letters),
            bias=bias,
            flips=flips,
            ridge=ridge,
            noise=noise,
            loss=loss,
            n_test=default_test_samples(d) if n_test is None else n_test,
            chunk_rows=default_chunk_rows(d, width, device) if chunk_rows is None else chunk_rows,
            device=device,
            dtype=dtype,
        )

    def run(self, seed: Seeds) -> Sample:
        """One draw of features, and the readouts on them.

        Parameters
        ----------
        seed : int or tuple of int
            0 <= seed < 2**32; several give the numbers one more axis in front.

        Returns
        -------
        dict of str to ndarray
            test_error (the fraction of wrong signs for a loss of the margin), train_error, square_error,
            misclassification (for a target of the values 1 and -1) and the overlaps m, zeta, psi, q1, q2 of
            `readout_overlaps` (over all neurons, whatever their letters), each with one axis for each of n
            and ridge that is a sequence.
        """
        backend = resolve_backend(self.device, self.dtype)
        directions = self._directions(backend, seed)
        neurons = self._neurons()
        radii, letters = (
            backend.xp.asarray(part, device=backend.place) for part in (self._radii(neurons), neurons.letters)
        )
        bulk = radii[:, None] * backend.wide(self._weights(backend, seed, self.p))
        spike, orthogonal = self._spike(backend, backend.wide(directions[..., 0, :]), seed)
        weights = backend.narrow(bulk + self.r * letters[:, None] * spike[..., None, :])
        biases = backend.array(neurons.biases) if neurons.biases.any() else None
        readout = self._fit(backend, weights, directions, seed, biases)
        overlaps = readout_overlaps(backend, readout.coefficients, bulk, spike, orthogonal)
        return errors_of(readout, self.target) | overlaps

    def parameters(self) -> dict[str, object]:
        return {
            **ReadoutProtocol.parameters(self),
            "r": self.r,
            "c": list(self.c) if isinstance(self.c, tuple) else self.c,
            "gamma": self.gamma,
            "letters": self.letters.text(),
            "bias": [self.bias + b for b in self.letters.biases or ()],
            "flips": self.flips,
        }

    @property
    def label_flips(self) -> float:
        return self.flips

    def _neurons(self) -> Neurons:
        return neurons_of(self.letters, self.p, "equal", self.bias)

    def _radii(self, neurons: Neurons) -> NDArray[np.float64]:
        """sqrt c of each neuron's letter."""
        norms = self.c if isinstance(self.c, tuple) else (self.c,) * len(self.letters.values)
        radii: NDArray[np.float64] = np.sqrt(np.array(norms))[neurons.kinds]
        return radii

    def _spike(self, backend: Backend, theta: Array, seed: Seeds) -> tuple[Array, Array]:
        """v = gamma theta + s e, theta_perp = s theta - gamma e, with s^2 = 1 - gamma^2 and e.theta = 0."""
        xp = backend.xp
        random = unit_rows(GaussianStream(seed=seed, purpose=Purpose.SPIKE), 1, self.d)[..., 0, :]
        normal = backend.wide(backend.array(random))
        normal = normal - xp.sum(normal * theta, axis=-1)[..., None] * theta
        normal = normal / xp.sqrt(xp.sum(normal * normal, axis=-1))[..., None]
        s = math.sqrt(1 - self.gamma**2)
        orthogonal = s * theta - self.gamma * normal if s > 0 else 0.0 * theta
        return self.gamma * theta + s * normal, orthogonal
