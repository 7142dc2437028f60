"""The record of the protocol `spectral`."""

from __future__ import annotations

from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.protocols.estimation import LABELS, OVERLAP, TEST
from hermite_analytics.numeric.protocols.shared import RUN, Estimates, swept

__all__ = ["SPECTRAL"]

SPECTRAL = Record(
    name="spectral",
    summary="The spectral method with the best preprocessing.",
    help="The spectral method on n = alpha d labels of a teacher.",
    factory="protocols.spectral.protocol:SpectralProtocol",
    parameters=(
        *LABELS,
        *RUN,
        swept("tolerance", "Relative, of the eigenvalues; 1e-6 by default", default=1e-6),
    ),
    results=(
        OVERLAP,
        TEST,
        Result(name="eigenvalue", help="the largest", shape=Estimates),
        Result(name="predicted_overlap", help="in the limit", shape=Estimates, always=False),
    ),
)
