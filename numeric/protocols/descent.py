"""Parameters and numbers of the protocols of gradient descent."""

from __future__ import annotations

from hermite_analytics.foundation.ranges import Range
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.readings import readout as read_readout
from hermite_analytics.numeric.models.record import Result
from hermite_analytics.numeric.protocols.shared import NOISE, Estimates, Verdicts

__all__ = ["NUMBERS", "descent", "method"]


def method(help: str) -> Parameter:
    """How a step is made."""
    return Parameter(
        name="method",
        help=help,
        kind=Kind.CHOICE,
        accepted=("sgd", "extra-gradient", "batch-reuse"),
        to="model",
    )


def descent(*, loss: str, spherical: bool) -> tuple[Parameter, ...]:
    """What both protocols of SGD take, with their defaults."""
    return (
        Parameter(
            name="loss",
            help="Residual y, or y - f",
            kind=Kind.CHOICE,
            accepted=("correlation", "square"),
            to="model",
            default=loss,
            is_filled=True,
        ),
        Parameter(
            name="p",
            help="Neurons",
            kind=Kind.INTEGER,
            to="model",
            default=1,
            is_filled=True,
            range=Range(low=1),
        ),
        Parameter(
            name="readout",
            help="a_j: ones, signs, gaussian, or p numbers as A1:A2:...",
            kind=Kind.WORDS,
            read=read_readout,
            to="model",
            default="ones",
            is_filled=True,
        ),
        NOISE,
        Parameter(
            name="spherical",
            help="Whether |w| = 1 is restored after each step",
            kind=Kind.SWITCH,
            accepted=("spherical", "plain"),
            to="model",
            default=spherical,
            is_filled=True,
        ),
    )


NUMBERS = (
    Result(name="overlap", help="<w_j, w*_s>", shape=Estimates),
    Result(name="cosine", help="<w_j, w*_s>/|w_j|", shape=Estimates, always=False),
    Result(name="norm", help="|w_j|", shape=Estimates, always=False),
    Result(name="largest_overlap", help="over the neurons", shape=Estimates),
    Result(name="null_overlap", help="that of control directions", shape=Estimates),
    Result(name="signal", help="drift along a direction over its noise", shape=Estimates, always=False),
    Result(name="exceedance", help="its rank among control directions", shape=Estimates, always=False),
    Result(name="learned", shape=Verdicts, always=False),
)
