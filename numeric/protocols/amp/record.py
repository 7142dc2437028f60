"""The record of the protocol `amp`."""

from __future__ import annotations

from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.protocols.estimation import LABELS, OVERLAP, TEST
from hermite_analytics.numeric.protocols.shared import RUN, Estimates, size, swept

__all__ = ["AMP"]

AMP = Record(
    name="amp",
    summary="Approximate message passing on data of a teacher.",
    help="Bayes-optimal AMP on n = alpha d labels of a teacher.",
    factory="protocols.amp.protocol:AMPProtocol",
    parameters=(
        *LABELS,
        *RUN,
        Parameter(
            name="start",
            help="A small random estimate, a share of the teacher, or the spectral estimate",
            kind=Kind.CHOICE,
            accepted=("uninformed", "informed", "spectral"),
            to="model",
            default="uninformed",
            is_filled=True,
        ),
        swept("start_overlap", "Squared overlap of the start"),
        size("iterations", "At most; 200 by default", default=200),
        swept("tolerance", "On the change of the estimate; 1e-5 by default", default=1e-5),
        swept("damping", "Share of the old estimate that is kept; 0 by default", default=0.0),
        size("damping_steps", "Steps that are damped; all by default"),
    ),
    results=(
        OVERLAP,
        TEST,
        Result(name="expected_overlap", help="that of state evolution", shape=Estimates),
        Result(name="moment_error", help="of the squared overlap, by the moments of labels", shape=Estimates),
        Result(name="iterations", shape=Estimates),
        Result(name="converged", help="share of the seeds", shape=Estimates),
    ),
)
