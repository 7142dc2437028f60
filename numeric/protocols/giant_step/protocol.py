"""The protocol `giant-step`: large gradient steps on the first layer, then a readout."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.label.reduction.one_direction import one_row
from hermite_analytics.numeric.models.spiked.letters import Letters, LettersLike
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import default_chunk_rows
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike, with_derivative
from hermite_analytics.numeric.simulator.gradient_step import GradientStep, gradient_step
from hermite_analytics.numeric.simulator.initial_network import (
    ONE_LETTER,
    Neurons,
    neurons_of,
    vocabulary_of,
)
from hermite_analytics.numeric.simulator.learned import control_directions, decisions, exceedance
from hermite_analytics.numeric.simulator.observables import measured_spike, squared_overlaps
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    Sizes,
    as_tuple,
    finite,
    positive_integer,
    rows_of,
    size_from,
    sizes_from,
    unit_directions,
)
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.readout import errors_of
from hermite_analytics.numeric.simulator.readout_protocol import ReadoutProtocol, default_test_samples
from hermite_analytics.numeric.simulator.step_size import (
    default_effective_step,
    effective_step,
    eta_of,
)
from hermite_analytics.numeric.simulator.streams import Purpose, Seeds

__all__ = ["BATCHES", "BIASES_FROM", "GiantStepProtocol"]

BATCHES = ("fresh", "reused")
BIASES_FROM = ("start", "readout")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GiantStepProtocol(ReadoutProtocol):
    """Gradient steps on W at fixed a and b, then a fit of a on fresh data.

    f(x) = (1/sqrt p) sum_k a_k sigma(w_k.x + b_k) with a_k = omega_k/sqrt p; rows of W0 are uniform on the
    unit sphere. A step, on n0 samples, is

        w_k += e omega_k (1/n0) sum_i (y_i - f(x_i)) sigma'(w_k.x_i + b_k) x_i

    with the effective step e = eta/beta ("paper", beta = p/d), e = eta ("notebook") or e = eta/p
    ("mean-field": the learning rate of the network (1/p) sum_k omega_k sigma; for (1/sqrt p) sum_k +-sigma
    take letters of +-sqrt p). Data and readout: see `ReadoutProtocol`.

    Parameters
    ----------
    n0 : int >= 1
        Samples of a step.
    eta : float
        Step size, of order 1 in the conventions "paper" and "notebook" for n0 of order d.
    step_convention : {"paper", "notebook", "mean-field"}
    steps : int >= 1
    batch : {"fresh", "reused"}
        Whether each step takes new samples, or all the same.
    init : {"equal", "symmetric"}
        "symmetric": w_k = w_{p+1-k} and omega_k = -omega_{p+1-k}, so that f = 0 before the first step.
    letters : Letters
        Values of omega with their fractions, and a bias each.
    bias : float
        Added to all biases.
    bias_from : {"start", "readout"}
        Whether the biases are there in the steps too, or in the readout alone (as in the asymptotics of
        spiked random features).
    directions : tuple of tuple of float
        Unit rows in z-coordinates: the directions along which overlaps are measured.
    activation, target, d, p, n, ridge, noise, loss, n_test, chunk_rows, device, dtype
        As in `ReadoutProtocol`, with any number of directions; the noise is in the labels of the steps too,
        and without n there is no readout. The loss is that of the readout; steps descend the square one.

    Raises
    ------
    InputError
        If a parameter is out of range.
    UndefinedQuantity
        If the activation jumps: its derivative is no function then.

    References
    ----------
    docs/theory.md, "The giant step"; arXiv 2402.04980, equations 1-12; several steps: arXiv 2305.18270.
    """

    name: ClassVar[str] = "giant-step"
    most_directions: ClassVar[int | None] = None

    n0: int
    eta: float
    step_convention: str = "paper"
    steps: int = 1
    batch: str = "fresh"
    init: str = "equal"
    letters: Letters = ONE_LETTER
    bias: float = 0.0
    bias_from: str = "start"
    directions: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        ReadoutProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        if self.activation.has_jumps is not False:
            verb = "jumps" if self.activation.has_jumps else "is not shown to be continuous"
            raise UndefinedQuantity(
                f"the activation {self.activation.text} {verb}, and the derivative of a jump is no function: "
                "a giant step takes a continuous activation"
            )
        if self.batch not in BATCHES:
            raise InputError(f"batch is {self.batch!r}: accepted are 'fresh' and 'reused'")
        if self.bias_from not in BIASES_FROM:
            raise InputError(f"bias_from is {self.bias_from!r}: accepted are 'start' and 'readout'")
        if self._indices > self.d:
            raise InputError(f"the target {self.target.text} uses z{self._indices}, and d is only {self.d}")
        self._replace(
            {
                "n0": positive_integer("n0", self.n0),
                "eta": finite("eta", self.eta),
                "steps": positive_integer("steps", self.steps),
                "bias": finite("bias", self.bias),
                "directions": unit_directions(self.directions, self._indices),
            }
        )
        self._neurons()  # refuses an init or letters that are none
        effective_step(self.step_convention, self.eta, self.d, self.p)

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        eta: float | None = None,
        ridge: Reals = 0.01,
        alpha0: float | None = None,
        n0: int | None = None,
        beta: float | None = None,
        p: int | None = None,
        alpha: Reals | None = None,
        n: Sizes | None = None,
        noise: float = 0.0,
        loss: str = "square",
        step_convention: str = "paper",
        steps: int = 1,
        batch: str = "fresh",
        init: str | None = None,
        letters: LettersLike = None,
        bias: float = 0.0,
        bias_from: str = "start",
        directions: Sequence[Sequence[float]] | None = None,
        n_test: int | None = None,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> GiantStepProtocol:
        """Build it from sizes, or ratios to d: alpha0 = n0/d, beta = p/d, alpha = n/d (sizes are rounded).

        Defaults: n0 is the (largest) n; without n and alpha there is no readout; eta is such that the
        effective step is `default_effective_step`; init is "symmetric" for several steps and "equal" for one;
        directions are the axes z1, ..., zr. `letters` is what `letters_of` accepts.

        Raises
        ------
        InputError
            If a parameter is out of range, or not exactly one of a size and its ratio is given.
        """
        d = positive_integer("d", d)
        width = size_from("p", p, "beta", beta, d)
        samples = None if n is None and alpha is None else sizes_from("n", n, "alpha", alpha, d)
        if n0 is None and alpha0 is None and samples is not None:
            n0 = max(as_tuple(samples))
        batch_size = size_from("n0", n0, "alpha0", alpha0, d)
        if eta is None:
            eta = eta_of(step_convention, default_effective_step(d, batch_size), d, width)
        return cls(
            activation=activation,
            target=target,
            d=d,
            n0=batch_size,
            p=width,
            n=samples,
            eta=eta,
            ridge=ridge,
            noise=noise,
            loss=loss,
            step_convention=step_convention,
            steps=steps,
            batch=batch,
            init=("symmetric" if steps != 1 else "equal") if init is None else init,
            letters=vocabulary_of(letters),
            bias=bias,
            bias_from=bias_from,
            directions=rows_of(directions),
            n_test=default_test_samples(d) if n_test is None else n_test,
            chunk_rows=default_chunk_rows(d, width, device) if chunk_rows is None else chunk_rows,
            device=device,
            dtype=dtype,
        )

    @property
    def effective_step(self) -> float:
        """e, by the step convention."""
        return effective_step(self.step_convention, self.eta, self.d, self.p)

    def run(self, seed: Seeds) -> Sample:
        """One network, its steps, and its readouts.

        Parameters
        ----------
        seed : int or tuple of int
            0 <= seed < 2**32; several give the numbers one more axis in front.

        Returns
        -------
        dict of str to ndarray
            For a target of one direction, as sin(z1 + z2), r, c, gamma, c_spike and c_target (c with an axis
            if there are letters), measured on the first step as `measured_spike` says. With a readout the
            errors of `spiked-random-features` (one axis for each of n and ridge that is a sequence). After
            each step overlap (steps, directions), the mean over neurons of the squared cosine of w_k and a
            direction; exceedance (the same shape), its rank among control directions, see `learned`; span
            (steps, r), the eigenvalues, from the largest, of the mean of u_k u_k^T, with u_k the projection
            of w_k/|w_k| on the r directions of the target.
        """
        backend = resolve_backend(self.device, self.dtype)
        theta = self._directions(backend, seed)
        wide_theta = backend.wide(theta)
        controls = control_directions(backend, wide_theta, seed)
        neurons = self._neurons()
        weights = self._initial_weights(backend, seed)
        sample: Sample = {}
        observed: list[Sample] = []
        for step in range(self.steps):
            done = self._step(backend, backend.narrow(weights), theta, neurons, seed, step)
            if step == 0 and (row := one_row(self.target)) is not None:  # type: ignore[arg-type]  # checked
                along = backend.wide(backend.array(row)) @ wide_theta
                sample |= measured_spike(
                    backend,
                    done.displacement,
                    along,
                    done.mean_slope,
                    neurons,
                    weights,
                    is_odd=self.activation.is_odd,
                )._asdict()
            weights = weights + done.displacement
            observed.append(self._observed(backend, weights, wide_theta, controls))
        if self.n is not None:
            biases = self._biases(backend, neurons)
            readout = self._fit(backend, backend.narrow(weights), theta, seed, biases)
            sample |= errors_of(readout, self.target)
        return sample | {name: np.stack([found[name] for found in observed], axis=-2) for name in observed[0]}

    def conclusions(self, samples: Mapping[str, NDArray[np.float64]]) -> dict[str, object]:
        """learned: for each step and direction, whether it is learned; see `learned.decisions`."""
        return {"learned": decisions(samples["overlap"], samples["exceedance"], self.d)}

    def parameters(self) -> dict[str, object]:
        return {
            **ReadoutProtocol.parameters(self),
            "n0": self.n0,
            "alpha0": self.n0 / self.d,
            "eta": self.eta,
            "step_convention": self.step_convention,
            "effective_step": self.effective_step,
            "steps": self.steps,
            "batch": self.batch,
            "init": self.init,
            "letters": self.letters.text(),
            "bias": [self.bias + b for b in self.letters.biases or ()],
            "bias_from": self.bias_from,
            "directions": [list(row) for row in self.directions],
        }

    def memory(self) -> int:
        return ReadoutProtocol.memory(self) + 8 * self.d * (2 * self.p + min(self.d, 1000))

    def products(self) -> float:
        return ReadoutProtocol.products(self) + 4.0 * self.steps * self.n0 * self.d * self.p

    @property
    def _most_samples(self) -> int:
        return self.n0 if self.n is None else max(*as_tuple(self.n), self.n_test, self.n0)

    @property
    def _indices(self) -> int:
        """r, the number of directions of the target."""
        return max(1, self.target.dimension)

    def _neurons(self) -> Neurons:
        return neurons_of(self.letters, self.p, self.init, self.bias)

    def _initial_weights(self, backend: Backend, seed: Seeds) -> Array:
        """W0 in float64; of a symmetric network the second half mirrors the first."""
        if self.init == "equal":
            return backend.wide(self._weights(backend, seed, self.p))
        half = backend.wide(self._weights(backend, seed, self.p // 2))
        return backend.xp.concat([half, backend.xp.flip(half, axis=-2)], axis=-2)

    def _step(
        self, backend: Backend, weights: Array, theta: Array, neurons: Neurons, seed: Seeds, step: int
    ) -> GradientStep:
        return gradient_step(
            weights,
            backend.array(neurons.letters / math.sqrt(self.p)),
            self._data(backend, theta, seed, Purpose.STEP_DATA, Purpose.STEP_NOISE),
            activation=with_derivative(self.activation),
            samples=self.n0,
            step_size=self.effective_step,
            chunk_rows=self.chunk_rows,
            biases=self._biases(backend, neurons) if self.bias_from == "start" else None,
            step=step if self.batch == "fresh" else 0,
        )

    def _biases(self, backend: Backend, neurons: Neurons) -> Array | None:
        return backend.array(neurons.biases) if neurons.biases.any() else None

    def _observed(self, backend: Backend, weights: Array, theta: Array, controls: Array) -> Sample:
        """overlap, exceedance and span of the weights after a step."""
        xp = backend.xp
        rows = xp.asarray(np.array(self.directions), device=backend.place)
        overlaps = squared_overlaps(backend, weights, rows @ theta)
        norms = xp.sqrt(xp.sum(weights * weights, axis=-1))
        projections = backend.host((weights @ xp.matrix_transpose(theta)) / norms[..., None])
        spread = np.linalg.eigvalsh(projections.mT @ projections / self.p)
        return {
            "overlap": overlaps,
            "exceedance": exceedance(backend, weights, overlaps, controls),
            "span": np.asarray(spread[..., ::-1], dtype=np.float64),
        }
