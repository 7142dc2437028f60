"""The record of `Spectrum`, and of the spectra after a small step."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.shapes import Number, Pair, listed
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import (
    ACTIVATION,
    ALPHA,
    BETA,
    BIAS,
    ETA,
    LETTERS,
    NOISE,
    RIDGE,
    TARGET,
    C,
    R,
    given,
)
from hermite_analytics.numeric.models.small_step.record import GRADIENT_FACTOR
from hermite_analytics.numeric.status import Status

__all__ = ["SPECTRUM"]

SPECTRUM = ModelRecord(
    name="spectrum",
    summary="Eigenvalues of features, kernel or weights.",
    help="Stieltjes transform or density, atom at zero, edge and outliers of the eigenvalues.",
    factory="models.spectrum.features:Spectrum",
    parameters=(
        Parameter(
            name="of",
            help="Whose",
            kind=Kind.CHOICE,
            accepted=("features", "kernel", "weights"),
            required=True,
            to="command",
        ),
        ACTIVATION,
        given(replace(R, help=f"{R.help}; 0 without a step", default=0.0, is_filled=True)),
        given(replace(C, help=f"{C.help}; one number, or one a letter", default=1.0, is_filled=True)),
        replace(TARGET, help="Of the small step (kernel, weights)", required=False, to="command"),
        given(replace(ETA, help="Step size of the small step (kernel, weights)", to="command")),
        given(replace(NOISE, help=f"{NOISE.help} of the small step", to="command")),
        replace(
            GRADIENT_FACTOR,
            help="As in small-step (kernel, weights)",
            is_filled=False,
            to="command",
        ),
        given(
            replace(
                RIDGE,
                help="Of the small step's readout: accepted, but no spectrum depends on it",
                to="command",
            )
        ),
        ALPHA,
        BETA,
        Parameter(
            name="z",
            help="Where the Stieltjes transform is taken",
            kind=Kind.WORDS,
            metavar="RE,IM",
        ),
        Parameter(
            name="density",
            help="N points of the density from LO to HI",
            kind=Kind.WORDS,
            metavar="LO,HI,N",
            to="command",
        ),
        LETTERS,
        BIAS,
    ),
    results=(
        Result(name="stieltjes", help="real and imaginary part", shape=Pair, always=False),
        Result(name="density", help="[x, density] at each point", shape=listed(Pair), always=False),
        Result(name="atom_at_zero", help="share of eigenvalues that are 0"),
        Result(name="edge", help="right end of the bulk"),
        Result(
            name="outliers",
            help='eigenvalues beyond the edge; "inf" for each that grows with the dimension',
            shape=listed(Number),
        ),
        Result(
            name="growing",
            help="eigenvalue over d of those that grow with the dimension",
            shape=listed(Number),
        ),
        *statistics(statuses=(Status.CONVERGED, Status.DIVERGED)),
    ),
    sources="arXiv 2402.04980, App. F, eqs (173)-(191)",
    drawn=("edge",),
)
