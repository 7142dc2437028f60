"""The record of `ThreeLayer`."""

from __future__ import annotations

from typing import Annotated

from hermite_analytics.foundation.ranges import Range
from hermite_analytics.foundation.shapes import Keywords, listed, one_of
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord, Result, statistics

__all__ = ["THREE_LAYER"]

_DEGREE = Annotated[int, Keywords(minimum=2)]


def _exponents(name: str) -> object:
    """The shape of a mapping of such names with a number to exponents."""
    keywords = Keywords(
        minProperties=1,
        patternProperties={f"^{name}_[0-9]+$": {"type": "number"}},
        additionalProperties=False,
    )
    return Annotated[dict[str, float], keywords]


THREE_LAYER = ModelRecord(
    name="three-layer",
    summary="Exponents of a target of three layers.",
    help="Exponents of n = d^kappa in the three scenarios: which layers are trained before the readout.",
    factory="models.three_layer.model:ThreeLayer",
    parameters=(
        Parameter(
            name="degrees",
            help="Hermite degrees of the inner polynomial",
            kind=Kind.LIST,
            to="model",
            required=True,
            range=Range(low=2.0),
            in_rows="always",
            shape=listed(_DEGREE, least=1),
        ),
        Parameter(
            name="epsilon",
            help="The target has d^epsilon inner directions",
            to="model",
            required=True,
            range=Range(low=0.0, high=1.0, open_low=True),
            in_rows="always",
            shape=float,
        ),
    ),
    results=(
        Result(name="scenario", shape=one_of(1, 2, 3)),
        Result(name="trained", help="which layers are trained before the readout", shape=str),
        Result(
            name="directions",
            help="exponent at which the first layer finds the inner directions; null where it is not trained",
            shape=float | None,
        ),
        Result(
            name="representation",
            help="exponent at which the second layer finds the inner polynomial; "
            "null where it is not trained",
            shape=float | None,
        ),
        Result(
            name="parts",
            help="exponent at which the part of each degree is fitted",
            shape=_exponents("degree"),
        ),
        Result(name="exponent", help="the largest of them", shape=float),
        Result(
            name="composition",
            help="exponent at which the term He_j(h) of the outer function is fitted",
            shape=_exponents("order"),
        ),
        *statistics(numerical_error=False),
    ),
    sources="arXiv 2502.13961",
    drawn=("exponent",),
    against="degree",
    opened="models.three_layer.parts:by_degree",
    python_only=("orders",),
)
