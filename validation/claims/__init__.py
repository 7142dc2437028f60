"""The claims that come with the library, one file a family, as the suites `quick` and `seeds`.

`suites.py` puts them together. What a claim is stands in `validation/claim.py`; `docs/claims.md` maps each
statement of the talks and papers to its claim.
"""

from __future__ import annotations

from hermite_analytics.validation.claim import (
    Cell,
    Claim,
    Experiment,
    Prediction,
    Reduction,
    Study,
    Suite,
)

__all__ = ["Cell", "Claim", "Experiment", "Prediction", "Reduction", "Study", "Suite"]
