"""The records of `DeterministicEquivalent.power_law` and `ScalingLaw`."""

from __future__ import annotations

import math
from dataclasses import replace

from hermite_analytics.foundation.ranges import NOT_NEGATIVE, POSITIVE, Range
from hermite_analytics.foundation.shapes import one_of
from hermite_analytics.numeric.models.parameter import Kind, Knob, Parameter
from hermite_analytics.numeric.models.record import STATUSES, ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import ALTERNATIVES, NOISE, RIDGE
from hermite_analytics.numeric.status import Status

__all__ = ["DETERMINISTIC_EQUIVALENT", "SCALING_LAW"]

_SIZE = Range(low=0.0, open_low=True, infinite="inf is accepted")

DETERMINISTIC_EQUIVALENT = ModelRecord(
    name="deterministic-equivalent",
    summary="Ridge regression, any n and p, spectrum k^-a.",
    help="Test error, bias, variance and training error for k^-a, k^-b and finite sizes.",
    factory="models.deterministic_equivalent.model:DeterministicEquivalent.power_law",
    parameters=(
        Parameter(
            name="eigenvalue_power",
            symbol="a",
            help="a of the kernel's eigenvalues k^-a",
            to="model",
            required=True,
            range=NOT_NEGATIVE,
            knob=Knob(start=1.5, low=1.05, high=4, least=1.000001, most=50),
            in_rows="always",
        ),
        Parameter(
            name="coefficient_power",
            symbol="b",
            help="b of the target's squared coefficients k^-b",
            to="model",
            required=True,
            knob=Knob(start=2.2, low=1.05, high=6, least=1.000001, most=50),
            in_rows="always",
        ),
        Parameter(
            name="levels",
            help="Number of eigenvalues",
            to="model",
            required=True,
            default=math.inf,
            range=Range(low=1.0, infinite="inf is accepted"),
            in_rows="always",
        ),
        Parameter(
            name="samples",
            symbol="n",
            help="n",
            required=True,
            range=_SIZE,
            knob=Knob(
                start=1e4,
                low=10,
                high=1e6,
                least=1,
                most=1e9,
                logarithmic=True,
                help="number of samples",
            ),
            in_rows="always",
        ),
        Parameter(
            name="features",
            symbol="p",
            help="p",
            required=True,
            range=replace(_SIZE, infinite="inf is kernel ridge regression"),
            knob=Knob(
                start=400,
                low=10,
                high=1e5,
                least=1,
                most=1e9,
                logarithmic=True,
                help="number of random features",
            ),
            in_rows="always",
        ),
        replace(
            RIDGE,
            help=f"{RIDGE.help}; optimal is that of the smallest test error",
            words=("optimal",),
            knob=Knob(start=0.01, low=1e-6, high=10, logarithmic=True),
        ),
        replace(NOISE, knob=Knob(start=0.01, low=0, high=1)),
    ),
    results=(
        Result(name="test_error", help="bias + variance, noise excluded"),
        Result(name="bias", help="of the target"),
        Result(name="variance", help="of the label noise"),
        Result(name="train_error", help="mean of (y - yhat)^2 over the samples"),
        Result(name="nu1", help="effective ridge of the sample"),
        Result(name="nu2", help="effective ridge of the features"),
        ALTERNATIVES,
        *statistics(statuses=(*STATUSES, Status.AT_BORDER)),
    ),
    sources="deterministic equivalents of arXiv 2405.15699",
    drawn=("test_error", "bias", "variance", "train_error"),
    ordinate="error",
)

SCALING_LAW = ModelRecord(
    name="scaling-law",
    summary="Exponents of ridge regression for spectra k^-a.",
    help="Exponents of bias, variance and test error, at a point or at the optimum.",
    factory="models.deterministic_equivalent.scaling_law:ScalingLaw",
    reading="models.deterministic_equivalent.flags:exponents",
    parameters=(
        Parameter(
            name="capacity",
            help="alpha > 1 of the eigenvalues k^-alpha",
            to="model",
            required=True,
            range=Range(low=1.0, open_low=True),
            in_rows="always",
        ),
        Parameter(
            name="source",
            help="r > 0 of the coefficients k^(-alpha r - 1/2)",
            to="model",
            required=True,
            range=POSITIVE,
            in_rows="always",
        ),
        Parameter(
            name="ridge_exponent",
            help="l of the ridge n^(1-l)",
            range=Range(low=0.0, infinite="inf is accepted"),
            in_rows="always",
        ),
        Parameter(
            name="features_exponent",
            help="q of p = n^q",
            range=replace(_SIZE, infinite="inf is kernel ridge regression"),
            in_rows="always",
        ),
        Parameter(
            name="optimal",
            help="The best exponent, its ridge and its fewest features",
            kind=Kind.FLAG,
            to="method",
            default=False,
        ),
    ),
    results=(
        Result(name="bias_exponent", help="B: the bias falls like n^-B", always=False),
        Result(name="variance_exponent", help="V of the variance", always=False),
        Result(name="exponent", help="of the test error"),
        Result(
            name="region",
            shape=one_of("ridge-limited", "features-limited", "interpolating", "interpolation-peak"),
            always=False,
        ),
        Result(name="dominant", shape=one_of("bias", "variance", "both"), always=False),
        Result(name="bias_from", shape=one_of("kernel", "features"), always=False),
        Result(name="logarithm", help="whether log n multiplies the bias", shape=bool, always=False),
        *statistics(numerical_error=False),
    ),
    sources="scaling laws of arXiv 2405.15699",
    drawn=("exponent", "bias_exponent", "variance_exponent"),
    together=("bias_exponent", "variance_exponent", "region", "dominant", "bias_from", "logarithm"),
)
