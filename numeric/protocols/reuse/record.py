"""The record of the protocol `reuse`."""

from __future__ import annotations

from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import Record
from hermite_analytics.numeric.protocols.descent import NUMBERS, descent, method
from hermite_analytics.numeric.protocols.shared import ACTIVATION, CHUNK_ROWS, RUN, TARGET, size, swept

__all__ = ["REUSE"]

REUSE = Record(
    name="reuse",
    summary="Gradient descent that sees a sample more than once.",
    help="Overlaps when samples are used again: extra-gradient steps, repeated batches, full batches.",
    factory="protocols.reuse.protocol:ReuseProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        swept(
            "rate",
            "gamma: a batch moves w_j by (gamma/(p d)) sum F_j x. By default 0.01 p, with batches 0.2 p",
        ),
        swept(
            "time",
            "Output times of one run, in fresh samples/d. By default 50, with batches the time of one",
        ),
        *descent(loss="square", spherical=False),
        swept(
            "reuse",
            "K: each batch is used K times (an integer >= 2); or the look-ahead kappa, by default 0.1",
        ),
        method("By default batch-reuse with an integer --reuse >= 2, extra-gradient otherwise"),
        swept("alpha", "n/d, samples of a batch"),
        size("n", "Samples of a batch, instead of --alpha; by default 1"),
        Parameter(
            name="init",
            help="Parts of the initial weights along the target: none, of norm 1/sqrt d, or w*_1 itself",
            kind=Kind.CHOICE,
            accepted=("zero", "random", "first-direction"),
            to="model",
            default="zero",
            is_filled=True,
        ),
    ),
    results=NUMBERS,
    python_only=(CHUNK_ROWS.name,),
)
