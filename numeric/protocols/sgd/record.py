"""The record of the protocol `sgd`."""

from __future__ import annotations

from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.readings import start
from hermite_analytics.numeric.models.record import Record
from hermite_analytics.numeric.protocols.descent import NUMBERS, descent, method
from hermite_analytics.numeric.protocols.shared import ACTIVATION, CHUNK_ROWS, RUN, TARGET, swept

__all__ = ["SGD"]

SGD = Record(
    name="sgd",
    summary="One-pass SGD on the first layer, beside solve sgd-flow.",
    help="Overlaps of p neurons with the directions of a target, under SGD on fresh samples.",
    factory="protocols.sgd.protocol:SGDProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        swept("rate", "gamma: a sample moves w_j by (gamma/(p d)) F_j x", required=True),
        swept("time", "Output times of one run, in samples/d", required=True),
        Parameter(
            name="overlap",
            help="Overlap at time 0 with each direction; neurons are separated by semicolons. "
            "By default random",
            kind=Kind.WORDS,
            metavar="M[:M2:...][;...]",
            read=start,
            to="model",
        ),
        *descent(loss="correlation", spherical=True),
        swept("reuse", "kappa: the gradient is taken after a step kappa/d on the same sample", default=0.0),
        method("By default sgd, and extra-gradient with --reuse; batch-reuse makes two steps on each sample"),
    ),
    results=NUMBERS,
    python_only=(CHUNK_ROWS.name,),
)
