"""The record of the protocol `full-batch`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.dmft import record as dmft
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.protocols.shared import (
    ACTIVATION,
    CHUNK_ROWS,
    NOISE,
    RUN,
    TARGET,
    Estimates,
    swept,
)

__all__ = ["FULL_BATCH"]


def _of_a_run(parameter: Parameter) -> Parameter:
    return replace(parameter, to="model", in_rows="sometimes")


FULL_BATCH = Record(
    name="full-batch",
    summary="Full-batch gradient descent, beside solve dmft.",
    help="Overlaps and errors after each step on one data set of n = alpha d samples.",
    factory="protocols.full_batch.protocol:FullBatchProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        swept("alpha", "n/d, samples; all that is seen for a schedule one-pass"),
        _of_a_run(dmft.STEP_SIZE),
        replace(dmft.STEPS, to="model"),
        dmft.READOUT,
        dmft.LOSS,
        dmft.REUSE,
        _of_a_run(dmft.SHRINKAGE),
        NOISE,
        replace(dmft.SCHEDULE, to="model"),
        _of_a_run(dmft.MOMENTUM),
        _of_a_run(dmft.READOUT_STEP),
        replace(dmft.SPHERICAL, to="model"),
        replace(dmft.OVERLAP, to="model"),
        Parameter(
            name="exact_law",
            default=False,
            help="Draw the runs from their exact law at this n and d, without a data matrix",
            kind=Kind.FLAG,
            to="model",
        ),
    ),
    results=(
        Result(name="overlap", help="<w_j, w*_k> after each step", shape=Estimates),
        Result(name="norm", help="<w_j, w_l> after each step", shape=Estimates),
        Result(name="trained_readout", help="a_j after each step", shape=Estimates, always=False),
        Result(name="train_error", help="(1/n) sum (y - f)^2, label noise included", shape=Estimates),
        Result(name="train_loss", help="(1/n) sum l(f, y), label noise included", shape=Estimates),
        Result(name="test_error", help="E (g - f)^2 on a fresh sample, noise excluded", shape=Estimates),
        Result(name="test_loss", help="E l(f, y) on a fresh sample, label noise included", shape=Estimates),
    ),
    index="step",
    python_only=(CHUNK_ROWS.name, "correlations"),
)
