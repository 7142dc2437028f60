"""Parameters and numbers of the protocols of a teacher."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.record import Result
from hermite_analytics.numeric.protocols.shared import NOISE, TARGET, Estimates, size, swept

__all__ = ["LABELS", "OVERLAP", "TEST"]

LABELS = (
    replace(TARGET, help='Target, such as "sign(z1*z2)"'),
    swept("alpha", "n/d, samples"),
    size("n", "Samples, instead of --alpha"),
    replace(NOISE, help="Variance of additive label noise, beside that of the target"),
)


OVERLAP = Result(name="overlap", help="of the estimate with the teacher, r x r", shape=Estimates)


TEST = Result(name="test_error", help="E (E[y|x] - yhat)^2 on fresh samples", shape=Estimates)
