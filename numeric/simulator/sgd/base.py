"""What `sgd` and `reuse` share: their parameters, the checks of them, and one run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    as_tuple,
    finite,
    non_negative,
    one_or_many,
    positive,
    positive_integer,
)
from hermite_analytics.numeric.simulator.protocol import Sample, StackingProtocol
from hermite_analytics.numeric.simulator.sgd.overlaps import (
    CONTROLS,
    drift_decisions,
    measured,
    noise_factors,
)
from hermite_analytics.numeric.simulator.sgd.starts import control_directions, teacher_directions
from hermite_analytics.numeric.simulator.sgd.training import UpdateRule, threads, train
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds

__all__ = ["LOSSES", "READOUTS", "FirstLayerProtocol", "Readout"]

Floats = NDArray[np.float64]
Readout: TypeAlias = str | Sequence[float]
LOSSES = ("correlation", "square")
READOUTS = ("ones", "signs", "gaussian")
_PER_DIRECTION = ("largest_overlap", "null_overlap", "signal", "exceedance")
_NUMBERS = ("overlap", "cosine", "norm", *_PER_DIRECTION, "learned")


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLayerProtocol(StackingProtocol):
    """SGD on the first layer of f(x) = (1/p) sum_j a_j sigma(w_j.x) at a fixed readout a.

    x ~ N(0, I_d), y = g(W* x) + noise with orthonormal rows W*. A batch moves w_j by
    (rate/(p d)) sum F_j x with F_j = a_j r sigma'(w_j.x), r = y (correlation loss) or y - f (square loss).

    Parameters
    ----------
    activation : Activation
        Continuous.
    target : Target
        Of r directions; its own additive label noise a*xi is added to `noise`.
    d : int > r
    rate : float > 0
    time : float >= 0 or sequence of such
        Fresh samples over d, rounded to whole batches.
    loss : {"correlation", "square"}
    p : int >= 1
        Neurons.
    readout : {"ones", "signs", "gaussian"} or sequence of p numbers
        a: all 1; random signs; N(0, 1).
    noise : float >= 0
        Variance of the label noise.
    spherical : bool
        Whether |w_j| = 1 is restored after each step.
    chunk_rows : int >= 1
        Samples held at once; changes the results by rounding only.
    device, dtype : str
        See `resolve_backend`. One sample a step takes the device "cpu".

    Raises
    ------
    InputError
        If a parameter is out of range.
    UndefinedQuantity
        If the activation jumps.
    UnsupportedExpression
        If the label noise of the target is not additive.
    """

    axes: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(_NUMBERS, ("time",))

    activation: ActivationLike
    target: TargetLike
    d: int
    rate: float
    time: Reals
    loss: str
    p: int = 1
    readout: Readout = "ones"
    noise: float = 0.0
    spherical: bool = False
    chunk_rows: int
    device: str = "cpu"
    dtype: str = "float64"

    def __post_init__(self) -> None:
        _check_functions(self.activation, self.target)
        resolve_backend(self.device, self.dtype)
        for name in ("d", "p", "chunk_rows"):
            self._replace(name, positive_integer(name, getattr(self, name)))
        self._replace("rate", positive("rate", self.rate))
        self._replace("time", one_or_many(non_negative, "time", self.time))
        self._replace("noise", non_negative("noise", self.noise))
        if self.loss not in LOSSES:
            raise InputError(f"loss is {self.loss!r}: accepted are {_listed(LOSSES)}")
        self._replace("readout", _checked_readout(self.readout, self.p))
        if self.d <= self.target.dimension:
            raise InputError(
                f"d is {self.d}: a target of {self.target.dimension} directions takes at least "
                f"{self.target.dimension + 1}"
            )
        for time in as_tuple(self.time):
            if time > 0 and self.samples(time) == 0:
                raise InputError(
                    f"time is {time:g}: times are rounded to whole batches, and half of one is "
                    f"{self.batch / (2 * self.d):g}"
                )
        if self.batch == 1 and self.device != "cpu":
            raise InputError(
                f"device is {self.device!r}: one sample a step runs in a compiled loop, for which 'cpu' is "
                "accepted"
            )

    @property
    def batch(self) -> int:
        """Samples a step."""
        return 1

    @property
    def label_noise(self) -> float:
        """Variance of all label noise: `noise`, and that of the target's own a*xi."""
        return self.noise + float(self.target.noise_variance)

    @abstractmethod
    def rule(self, readout: Floats) -> UpdateRule:
        """How a batch moves the weights."""

    @abstractmethod
    def start(self, seed: Seeds, directions: Floats) -> Floats:
        """The initial weights, shape (..., p, d)."""

    def run(self, seed: Seeds) -> Sample:
        """One network on one stream of samples.

        Parameters
        ----------
        seed : int or tuple of int
            0 <= seed < 2**32; several give the numbers one more axis in front.

        Returns
        -------
        dict of str to ndarray
            At each time (no axis for a single time): overlap and cosine, <w_j, w*_s> and
            <w_j, w*_s>/|w_j| (axes of neurons and directions, left out for one neuron, and for one neuron and
            one direction); norm, |w_j|; largest_overlap, the largest |cosine| over neurons; null_overlap, by
            how much noise alone changes it, from control directions; signal, its squared change over that
            of the noise; exceedance, a p-value for "no drift along this direction".
        """
        backend = resolve_backend(self.device, self.dtype)
        directions = teacher_directions(seed, self.target.dimension, self.d)
        start = self.start(seed, directions)
        rule = self.rule(self._readout(seed))
        times = as_tuple(self.time)
        samples = [self.samples(time) for time in times]
        order = sorted(set(samples))
        data = self._data(backend, directions, seed)
        path = dict(zip(order, train(backend.array(start), data, rule, order, self.chunk_rows), strict=True))
        precise = replace(backend, dtype="float64")
        found = measured(
            precise,
            backend.xp.stack([path[count] for count in samples], axis=-3),
            precise.array(start),
            precise.array(directions),
            control_directions(precise, seed, CONTROLS, start, directions),
            self._noise_factors(precise, rule, seed, start, directions),
        )
        return {name: self._shaped(name, values) for name, values in found.items()}

    def conclusions(self, samples: Mapping[str, Floats]) -> dict[str, object]:
        """learned: whether the weights drift along each direction, at each time; see `drift_decisions`.

        Control directions are rescaled to the noise along the direction, as if both were Gaussian. Empty
        without control directions.
        """
        if np.any(np.isnan(samples["exceedance"])):
            return {}
        return {"learned": drift_decisions(samples["signal"], samples["exceedance"])}

    def samples(self, time: float) -> int:
        """The fresh samples until a time: whole batches."""
        return self.batch * round(time * self.d / self.batch)

    def numbers_per_seed(self) -> int:
        return min(self.chunk_rows, self.batch) * (self.d + 2 * self.p) + 2 * self.p * self.d

    def seeds_together(self) -> int:
        return threads() if self.batch == 1 else StackingProtocol.seeds_together(self)

    def memory(self) -> int:
        """A chunk of inputs and fields, the weights, those of each output time, and control directions."""
        size = 4 if self.dtype == "float32" else 8
        most = max(self.samples(time) for time in as_tuple(self.time))
        chunk = size * min(self.chunk_rows, most) * (self.d + 3 * self.p)
        kept = self.p * (4 + len(as_tuple(self.time))) + CONTROLS + 2 * self.target.dimension
        return chunk + 8 * self.d * kept

    def parameters(self) -> dict[str, object]:
        times = [self.samples(time) / self.d for time in as_tuple(self.time)]
        return {
            "activation": self.activation.text,
            "target": self.target.text,
            "d": self.d,
            "p": self.p,
            "rate": self.rate,
            "time": times if isinstance(self.time, tuple) else times[0],
            "loss": self.loss,
            "readout": list(self.readout) if isinstance(self.readout, tuple) else self.readout,
            "noise": self.noise,
            "spherical": self.spherical,
            "dtype": self.dtype,
        }

    def _replace(self, name: str, checked: object) -> None:
        """Store a checked value in place of the given one; only while it is made."""
        object.__setattr__(self, name, checked)

    def _data(self, backend: Backend, directions: Floats, seed: Seeds) -> IndexData:
        return IndexData(
            backend=backend,
            directions=backend.array(directions),
            link=self.target.function("array"),
            seed=seed,
            purpose=Purpose.STEP_DATA,
            noise_purpose=Purpose.STEP_NOISE,
            noise=self.label_noise,
        )

    def _noise_factors(
        self, backend: Backend, rule: UpdateRule, seed: Seeds, start: Floats, directions: Floats
    ) -> Array:
        forces = rule.forces(backend)
        return noise_factors(
            backend,
            seed,
            lambda fields, labels: forces(fields, labels, backend.xp.ones_like(labels)),
            self.target.function("array"),
            self.label_noise,
            start @ directions.mT,
            start @ start.mT,
        )

    def _readout(self, seed: Seeds) -> Floats:
        if isinstance(self.readout, tuple):
            return np.array(self.readout, dtype=np.float64)
        if self.readout == "ones":
            return np.ones(self.p)
        gaussian = GaussianStream(seed=seed, purpose=Purpose.SECOND_LAYER).normals(1, self.p)[..., 0, :]
        return np.asarray(np.sign(gaussian) if self.readout == "signs" else gaussian)

    def _shaped(self, name: str, values: Floats) -> Floats:
        """Without the axes of a single time, neuron or direction that no one asked for."""
        each_neuron = name not in _PER_DIRECTION
        kept = [isinstance(self.time, tuple)]
        if each_neuron:
            kept.append(self.p > 1)
        if name != "norm":
            kept.append(self.target.dimension > 1 or (each_neuron and self.p > 1))
        return np.asarray(values[(..., *(slice(None) if keep else 0 for keep in kept))])


def default_chunk_rows(d: int, p: int, *, again: bool = False) -> int:
    """Rows a chunk: about 16 MB of inputs and fields; 128 MB where a batch that fits is used `again`."""
    return max(64, (2**24 if again else 2**21) // (d + 2 * p))


def _check_functions(activation: ActivationLike, target: TargetLike) -> None:
    if not hasattr(activation, "with_derivative"):
        raise InputError(f"activation is {activation!r}: an Activation is accepted, as Activation('tanh')")
    if not hasattr(target, "noise_variance"):
        raise InputError(f"target is {target!r}: a Target is accepted, as Target('z1 + z1*z2')")
    if activation.has_jumps is not False:
        verb = "jumps" if activation.has_jumps else "is not shown to be continuous"
        raise UndefinedQuantity(
            f"the activation {activation.text} {verb}, and the derivative of a jump is no function: "
            "gradient descent takes a continuous activation"
        )
    if target.dimension < 1:
        raise InputError(
            f"the labels of {target.text} do not depend on z: a target such as tanh(z1) is accepted"
        )
    float(target.noise_variance)


def _checked_readout(readout: Readout, p: int) -> Readout:
    if isinstance(readout, str):
        if readout not in READOUTS:
            raise InputError(f"readout is {readout!r}: accepted are {_listed(READOUTS)} and {p} numbers")
        return readout
    numbers = one_or_many(finite, "readout", readout)
    values = numbers if isinstance(numbers, tuple) else (numbers,)
    if len(values) != p:
        raise InputError(f"readout has {len(values)} numbers: one for each of the {p} neurons is accepted")
    return values


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)
