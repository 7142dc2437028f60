"""The record of the protocol `three-layer`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.readings import whole_numbers
from hermite_analytics.numeric.models.record import Record
from hermite_analytics.numeric.protocols.estimation import OVERLAP, TEST
from hermite_analytics.numeric.protocols.shared import CHUNK_ROWS, N_TEST, NOISE, RUN, size, swept

__all__ = ["THREE_LAYER"]

THREE_LAYER = Record(
    name="three-layer",
    summary="A target of three layers, learned by one, two or three layers.",
    help="Overlap of the first layer with the target's directions, and the test error.",
    factory="protocols.three_layer.protocol:ThreeLayerProtocol",
    parameters=(
        Parameter(
            name="degrees",
            help="Hermite degrees of the inner polynomial, such as 2,3",
            kind=Kind.LIST,
            read=whole_numbers,
            to="model",
            required=True,
        ),
        swept("epsilon", "The target has d^epsilon inner directions", required=True),
        swept("kappa", "log n / log d, samples"),
        size("n", "Samples, instead of --kappa"),
        Parameter(
            name="scenario",
            help="Kernel ridge regression; two layers; three layers; the spectrum that a first layer sees",
            kind=Kind.CHOICE,
            accepted=("1", "2", "3", "proxy"),
            to="model",
            required=True,
        ),
        Parameter(
            name="link",
            help="g of y = g(h)",
            kind=Kind.EXPRESSION,
            to="model",
            default="tanh(3*z)",
            is_filled=True,
        ),
        *RUN,
        size("p1", "Neurons of the first layer; by default d^1.98, a 15th of it in scenario 2"),
        size("p2", "Neurons of the second layer; by default 100", default=100),
        size("first_steps", "Gradient steps on the first layer"),
        size("second_steps", "Gradient steps on the second layer"),
        swept("rate", "Step size, in units of the published one", default=1.0),
        swept("ridge", "lambda of sum (y - yhat)^2 + lambda n |a|^2; by default 1", default=1.0),
        NOISE,
    ),
    results=(
        replace(OVERLAP, always=False),
        replace(TEST, always=False),
        replace(
            OVERLAP,
            name="hidden_overlap",
            help="mean squared correlation of a field of the second layer with h; in scenario 3",
            always=False,
        ),
    ),
    python_only=(N_TEST.name, CHUNK_ROWS.name),
)
