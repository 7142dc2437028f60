"""The protocol `sgd`: one sample a step, each sample once or at a look-ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.sgd_flow.gradient import METHODS
from hermite_analytics.numeric.models.sgd_flow.starts import starts_of
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.parameters import Reals, finite, positive_integer
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.sgd.base import FirstLayerProtocol, Readout, default_chunk_rows
from hermite_analytics.numeric.simulator.sgd.starts import uniform_weights, weights_with_overlaps
from hermite_analytics.numeric.simulator.sgd.training import UpdateRule
from hermite_analytics.numeric.simulator.streams import Seeds

__all__ = ["SGDProtocol"]

Nested: TypeAlias = "float | tuple[Nested, ...]"

Floats = NDArray[np.float64]
_WITH_NORMS = ("cosine", "norm")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SGDProtocol(FirstLayerProtocol):
    """One-pass SGD, one sample a step, in the letters of `SGDFlow`.

    A sample moves w_j by (rate/(p d)) F_j x, after which rows are normalised if `spherical`; its overlaps
    at t = samples/d approach those of `SGDFlow.solve` as d -> infinity.

    Parameters
    ----------
    overlap : array_like, optional
        <w_j, w*_s> at the start, of shape (), (r,) or (p, r) as in `SGDFlow.solve`; parts outside the
        target's directions are orthogonal. By default rows are uniform on the unit sphere.
    method : {"sgd", "extra-gradient", "batch-reuse"}
        As in `SGDFlow`: "batch-reuse" makes two plain steps on each sample.
    reuse : float
        kappa of "extra-gradient".
    activation, target, d, rate, time, loss, p, readout, noise, spherical, chunk_rows, device, dtype
        As in `FirstLayerProtocol`.

    Raises
    ------
    InputError
        If a parameter is out of range, or no weights have the overlaps.

    References
    ----------
    docs/flows.md, docs/sgd_simulation.md.
    """

    name: ClassVar[str] = "sgd"

    overlap: Any = None
    method: str = "sgd"
    reuse: float = 0.0

    def __post_init__(self) -> None:
        FirstLayerProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        self._replace("reuse", finite("reuse", self.reuse))
        if self.method not in METHODS:
            raise InputError(f"method is {self.method!r}: accepted are {', '.join(map(repr, METHODS))}")
        if self.reuse != 0.0 and self.method != "extra-gradient":
            raise InputError(
                f"reuse is {self.reuse:g} with the method {self.method!r}: it belongs to 'extra-gradient'"
            )
        if self.overlap is not None:
            starts = starts_of(
                self.p, self.target.dimension, 1.0, 0.0, np.asarray(self.overlap), None, self.spherical
            )
            if starts.shape:
                raise InputError(f"overlap has shape {np.shape(self.overlap)}: one start is accepted")
            r = self.target.dimension
            if self.d < self.p + r:
                raise InputError(
                    f"d is {self.d}: given overlaps of {self.p} neurons with {r} directions take at least "
                    f"{self.p + r}"
                )
            self._replace("overlap", _nested(self.overlap))

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        rate: float,
        time: Reals,
        overlap: Any = None,
        loss: str = "correlation",
        reuse: float = 0.0,
        method: str | None = None,
        p: int = 1,
        readout: Readout = "ones",
        noise: float = 0.0,
        spherical: bool = True,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> SGDProtocol:
        """Build it; the method is "extra-gradient" by default if `reuse` is not 0.

        Raises
        ------
        InputError
            If a parameter is out of range.
        """
        width = positive_integer("p", p)
        return cls(
            activation=activation,
            target=target,
            d=d,
            rate=rate,
            time=time,
            overlap=overlap,
            loss=loss,
            reuse=reuse,
            method=method or ("sgd" if reuse == 0.0 else "extra-gradient"),
            p=width,
            readout=readout,
            noise=noise,
            spherical=spherical,
            chunk_rows=default_chunk_rows(positive_integer("d", d), width)
            if chunk_rows is None
            else chunk_rows,
            device=device,
            dtype=dtype,
        )

    def run(self, seed: Seeds) -> Sample:
        """One network; see `FirstLayerProtocol.run`. With `spherical`, cosine and norm say nothing new.

        Parameters
        ----------
        seed : int or tuple of int
            0 <= seed < 2**32; several give the numbers one more axis in front.

        Returns
        -------
        dict of str to ndarray
            overlap, cosine and norm (without `spherical`), largest_overlap, null_overlap, signal, exceedance.
        """
        found = FirstLayerProtocol.run(self, seed)
        return {k: v for k, v in found.items() if not (self.spherical and k in _WITH_NORMS)}

    def rule(self, readout: Floats) -> UpdateRule:
        return UpdateRule(
            activation=self.activation,
            readout=readout,
            rate=self.rate,
            look_ahead=self.reuse,
            uses=2 if self.method == "batch-reuse" else 1,
            square=self.loss == "square",
            spherical=self.spherical,
        )

    def start(self, seed: Seeds, directions: Floats) -> Floats:
        if self.overlap is None:
            return uniform_weights(seed, self.p, self.d)
        given = np.asarray(self.overlap, dtype=np.float64).reshape(self.p, self.target.dimension)
        correlations = given @ given.T
        np.fill_diagonal(correlations, 1.0)
        return weights_with_overlaps(seed, given, correlations, directions)

    def parameters(self) -> dict[str, object]:
        return {
            **FirstLayerProtocol.parameters(self),
            "overlap": _listed(self.overlap),
            "method": self.method,
            "reuse": self.reuse,
        }


def _nested(values: ArrayLike) -> Nested:
    """An array as nested tuples: hashable, and frozen."""
    array = np.asarray(values)
    return tuple(_nested(v) for v in array) if array.ndim else float(array)


def _listed(values: object) -> object:
    return [_listed(v) for v in values] if isinstance(values, tuple) else values
