"""Records of the protocols of gradient descent: one pass, with samples used again, and on a full batch."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models import dmft
from hermite_analytics.numeric.models.record import Kind, Parameter, Record, Result
from hermite_analytics.numeric.protocols.shared import (
    ACTIVATION,
    CHUNK_ROWS,
    NOISE,
    RUN,
    TARGET,
    Estimates,
    Verdicts,
    size,
    swept,
)
from hermite_analytics.numeric.ranges import Range

__all__ = ["FULL_BATCH", "REUSE", "SGD"]


def _method(help: str) -> Parameter:
    return Parameter(
        name="method",
        help=help,
        kind=Kind.CHOICE,
        accepted=("sgd", "extra-gradient", "batch-reuse"),
        to="model",
    )


def _descent(*, loss: str, spherical: bool) -> tuple[Parameter, ...]:
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


_RESULTS = (
    Result(name="overlap", help="<w_j, w*_s>", shape=Estimates),
    Result(name="cosine", help="<w_j, w*_s>/|w_j|", shape=Estimates, always=False),
    Result(name="norm", help="|w_j|", shape=Estimates, always=False),
    Result(name="largest_overlap", help="over the neurons", shape=Estimates),
    Result(name="null_overlap", help="that of control directions", shape=Estimates),
    Result(name="signal", help="drift along a direction over its noise", shape=Estimates, always=False),
    Result(name="exceedance", help="its rank among control directions", shape=Estimates, always=False),
    Result(name="learned", shape=Verdicts, always=False),
)

SGD = Record(
    name="sgd",
    summary="One-pass SGD on the first layer, beside solve sgd-flow.",
    help="Overlaps of p neurons with the directions of a target, under SGD on fresh samples.",
    factory="simulator.sgd.protocol:SGDProtocol",
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
            to="model",
        ),
        *_descent(loss="correlation", spherical=True),
        swept("reuse", "kappa: the gradient is taken after a step kappa/d on the same sample", default=0.0),
        _method(
            "By default sgd, and extra-gradient with --reuse; batch-reuse makes two steps on each sample"
        ),
    ),
    results=_RESULTS,
    python_only=(CHUNK_ROWS.name,),
)

REUSE = Record(
    name="reuse",
    summary="Gradient descent that sees a sample more than once.",
    help="Overlaps when samples are used again: extra-gradient steps, repeated batches, full batches.",
    factory="simulator.sgd.reuse:ReuseProtocol",
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
        *_descent(loss="square", spherical=False),
        swept(
            "reuse",
            "K: each batch is used K times (an integer >= 2); or the look-ahead kappa, by default 0.1",
        ),
        _method("By default batch-reuse with an integer --reuse >= 2, extra-gradient otherwise"),
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
    results=_RESULTS,
    python_only=(CHUNK_ROWS.name,),
)


def _of_a_run(parameter: Parameter) -> Parameter:
    return replace(parameter, to="model", in_rows="sometimes")


FULL_BATCH = Record(
    name="full-batch",
    summary="Full-batch gradient descent, beside solve dmft.",
    help="Overlaps and errors after each step on one data set of n = alpha d samples.",
    factory="simulator.full_batch:FullBatchProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        swept("alpha", "n/d, samples; all that is seen for a schedule one-pass"),
        _of_a_run(dmft.STEP_SIZE),
        replace(dmft.STEPS, to="model"),
        dmft.READOUT,
        dmft.LOSS,
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
    python_only=(CHUNK_ROWS.name, "correlations"),
)
