"""The record of `StateEvolution`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.shapes import Number, listed, one_of
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord, Result, statistics
from hermite_analytics.numeric.models.shared import ALPHA, SECONDS, TARGET
from hermite_analytics.numeric.status import Rule, Status

__all__ = ["STATE_EVOLUTION"]

_STARTS = ("uninformed", "informed")

STATE_EVOLUTION = ModelRecord(
    name="state-evolution",
    summary="Overlaps and errors of Bayes-AMP.",
    help="Overlap matrix and test error of the posterior mean.",
    factory="bayes.state_evolution.model:StateEvolution",
    parameters=(
        replace(TARGET, help='Target, label noise xi included, such as "z1**2"'),
        replace(ALPHA, help="n/d"),
        Parameter(
            name="start",
            help="From a small overlap, or from a complete one",
            kind=Kind.CHOICE,
            accepted=_STARTS,
            default="uninformed",
            is_filled=True,
            in_rows="always",
            shape=one_of(*_STARTS),
        ),
        replace(SECONDS, to="model"),
    ),
    results=(
        Result(
            name="overlap",
            help="r x r, in the coordinates of the target",
            shape=listed(listed(Number, least=1), least=1),
        ),
        Result(name="test_error", help="of the posterior mean, noise excluded"),
        *statistics(statuses=tuple(Status)),
        Result(name="error_of_test_error", help="estimated error of test_error"),
        Result(
            name="rule",
            help="how the map of state evolution was found",
            shape=one_of(*map(str, Rule)),
            always=False,
        ),
    ),
    sources="state evolution of Bayes-AMP, arXiv 1708.03395 and 2405.15480",
    drawn=("overlap", "test_error"),
    ordinate="overlap, error",
)
