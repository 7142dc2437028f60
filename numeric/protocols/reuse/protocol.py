"""The protocol `reuse`: gradient descent that sees a sample more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.sgd_flow.gradient import METHODS
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.parameters import Reals, finite, positive_integer, size_from
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.sgd.base import FirstLayerProtocol, Readout, default_chunk_rows
from hermite_analytics.numeric.simulator.sgd.starts import INITS, initial_weights
from hermite_analytics.numeric.simulator.sgd.training import UpdateRule
from hermite_analytics.numeric.simulator.streams import Seeds

__all__ = ["ReuseProtocol"]

Floats = NDArray[np.float64]

# The published settings: one sample a step at 0.01/d for 50 d samples, full batches at 0.2/d; look-ahead 0.1.
_RATES = {True: 0.01, False: 0.2}
_TIME = 50.0
_LOOK_AHEAD, _USES = 0.1, 2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ReuseProtocol(FirstLayerProtocol):
    """SGD with reuse of the data: directions that one pass does not see are learned in O(d) samples.

    A batch of n samples moves w_j by (rate/(p d)) sum F_j x; weights start at norm 1 and grow freely, so that
    `overlap` is the cosine. The methods:

    - "extra-gradient": F is taken after a step kappa/d on the same sample, kappa = reuse;
    - "batch-reuse": each batch is used K = reuse times in a row; one batch in all is full-batch descent;
    - "sgd": neither.

    Parameters
    ----------
    n : int >= 1
        Samples a step.
    method : {"extra-gradient", "batch-reuse", "sgd"}
    reuse : float
        kappa, or K; 0 for "sgd".
    init : {"zero", "random", "first-direction"}
        Of the parts of w_j along the target: none; of norm exactly 1/sqrt d; w_j = w*_1.
    activation, target, d, rate, time, loss, p, readout, noise, spherical, chunk_rows, device, dtype
        As in `FirstLayerProtocol`.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    arXiv 2405.15459 (rate = p * prefactor, kappa = rho_prefactor) and 2402.03220 of the published codes;
    docs/sgd_simulation.md.
    """

    name: ClassVar[str] = "reuse"

    n: int = 1
    method: str = "extra-gradient"
    reuse: float = _LOOK_AHEAD
    init: str = "zero"

    def __post_init__(self) -> None:
        self._replace("n", positive_integer("n", self.n))
        FirstLayerProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        self._replace("reuse", finite("reuse", self.reuse))
        if self.method not in METHODS:
            raise InputError(f"method is {self.method!r}: accepted are {', '.join(map(repr, METHODS))}")
        if self.method == "batch-reuse" and (self.reuse < 1 or self.reuse != int(self.reuse)):
            raise InputError(
                f"reuse is {self.reuse:g} with the method 'batch-reuse': how often each batch is used, an "
                "integer >= 1, is accepted"
            )
        if self.method == "sgd" and self.reuse != 0.0:
            raise InputError(f"reuse is {self.reuse:g} with the method 'sgd', which takes none")
        if self.init not in INITS:
            raise InputError(f"init is {self.init!r}: accepted are {', '.join(map(repr, INITS))}")

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        rate: float | None = None,
        time: Reals | None = None,
        loss: str = "square",
        reuse: float | None = None,
        method: str | None = None,
        alpha: float | None = None,
        n: int | None = None,
        init: str = "zero",
        p: int = 1,
        readout: Readout = "ones",
        noise: float = 0.0,
        spherical: bool = False,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> ReuseProtocol:
        """Build it, with the published settings where nothing is given.

        `method` is "batch-reuse" if `reuse` is an integer >= 2, and "extra-gradient" otherwise; `reuse` is
        0.1 or 2; a batch has n or alpha d samples, by default 1. With one sample a step `rate` is 0.01 p and
        `time` is 50, with batches 0.2 p and the time of one batch.

        Raises
        ------
        InputError
            If a parameter is out of range.
        """
        width = positive_integer("p", p)
        d = positive_integer("d", d)
        batch = 1 if n is None and alpha is None else size_from("n", n, "alpha", alpha, d)
        chosen = method or ("batch-reuse" if _is_count(reuse) else "extra-gradient")
        return cls(
            activation=activation,
            target=target,
            d=d,
            rate=_RATES[batch == 1] * width if rate is None else rate,
            time=(_TIME if batch == 1 else batch / d) if time is None else time,
            loss=loss,
            reuse=_default_reuse(chosen) if reuse is None else reuse,
            method=chosen,
            n=batch,
            init=init,
            p=width,
            readout=readout,
            noise=noise,
            spherical=spherical,
            chunk_rows=default_chunk_rows(d, width, again=chosen == "batch-reuse")
            if chunk_rows is None
            else chunk_rows,
            device=device,
            dtype=dtype,
        )

    @property
    def batch(self) -> int:
        return self.n

    def rule(self, readout: Floats) -> UpdateRule:
        return UpdateRule(
            activation=self.activation,
            readout=readout,
            rate=self.rate,
            look_ahead=self.reuse if self.method == "extra-gradient" else 0.0,
            uses=int(self.reuse) if self.method == "batch-reuse" else 1,
            batch=self.n,
            square=self.loss == "square",
            spherical=self.spherical,
        )

    def start(self, seed: Seeds, directions: Floats) -> Floats:
        return initial_weights(seed, self.p, directions, self.init)

    def run(self, seed: Seeds) -> Sample:
        """One network; see `FirstLayerProtocol.run`, with the cosine as overlap.

        Parameters
        ----------
        seed : int or tuple of int
            0 <= seed < 2**32; several give the numbers one more axis in front.

        Returns
        -------
        dict of str to ndarray
            overlap (<w_j, w*_s>/|w_j|), norm, largest_overlap, null_overlap, signal, exceedance.
        """
        found = FirstLayerProtocol.run(self, seed)
        return {"overlap": found["cosine"], **{k: v for k, v in found.items() if k not in _COSINES}}

    def parameters(self) -> dict[str, object]:
        return {
            **FirstLayerProtocol.parameters(self),
            "method": self.method,
            "reuse": self.reuse,
            "n": self.n,
            "alpha": self.n / self.d,
            "init": self.init,
        }


_COSINES = ("overlap", "cosine")


def _is_count(reuse: float | None) -> bool:
    return reuse is not None and reuse >= 2 and float(reuse).is_integer()


def _default_reuse(method: str) -> float:
    return {"extra-gradient": _LOOK_AHEAD, "batch-reuse": float(_USES)}.get(method, 0.0)
