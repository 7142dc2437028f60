"""The record of `SGDFlow`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.ranges import NOT_NEGATIVE, POSITIVE, Range
from hermite_analytics.foundation.shapes import Number, listed, one_of
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import ACTIVATION, NOISE, TARGET

__all__ = ["SGD_FLOW"]

_METHODS = ("sgd", "extra-gradient", "batch-reuse")
_STATE = Number | listed(Number, least=2)

SGD_FLOW = ModelRecord(
    name="sgd-flow",
    summary="Overlaps under one-pass SGD, with or without reuse.",
    help="Overlap of one neuron of norm 1 with the directions of a target, at the times.",
    factory="models.sgd_flow.model:SGDFlow",
    reading="models.sgd_flow.flags:starts",
    parameters=(
        ACTIVATION,
        replace(TARGET, help='Target, such as "He3(z1)" or "z1 + z1*z2"'),
        Parameter(
            name="rate",
            help="gamma: a sample moves w by (gamma/d) r sigma'(h) x",
            required=True,
            range=POSITIVE,
            in_rows="always",
        ),
        Parameter(
            name="overlap",
            help="Overlap at time 0 with each direction of the target, such as 0.2 or 0.1:0.3",
            kind=Kind.STARTS,
            required=True,
            metavar="M[:M2:...][,...]",
            range=Range(low=-1.0, high=1.0),
        ),
        Parameter(
            name="time",
            help="Output times of one run, in samples/d",
            kind=Kind.LIST,
            symbol="t",
            formula="n/d",
            keyword="times",
            required=True,
            range=NOT_NEGATIVE,
            in_rows="always",
        ),
        Parameter(
            name="loss",
            help="r = y, or r = y - sigma(h)",
            kind=Kind.CHOICE,
            accepted=("correlation", "square"),
            to="model",
            default="correlation",
            is_filled=True,
        ),
        Parameter(
            name="reuse",
            help="kappa: the gradient is taken after a step kappa/d on the same sample",
            to="model",
            default=0.0,
            in_rows="always",
        ),
        Parameter(
            name="method",
            help="By default sgd, and extra-gradient with --reuse; "
            "batch-reuse makes two steps on each sample",
            kind=Kind.CHOICE,
            accepted=_METHODS,
            to="model",
            in_rows="always",
            shape=one_of(*_METHODS),
        ),
        NOISE,
    ),
    results=(
        Result(name="start", help="overlap at time 0", shape=_STATE),
        Result(name="overlap", help="one number, or one for each direction of the target", shape=_STATE),
        *statistics(),
    ),
    sources="D. Saad, S. Solla (1995); arXiv 2405.15459; docs/flows.md",
    drawn=("overlap",),
    against="time",
    ordinate="overlap",
    python_only=("neurons", "readout", "spherical", "correlations"),
)
