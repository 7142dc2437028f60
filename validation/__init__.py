"""Theory against simulation: claims, campaigns, statistics and reports.

The public names load on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if __name__ != "hermite_analytics.validation":
    raise ImportError(f"this package is imported as hermite_analytics.validation, not as {__name__}")

_LAZY = {
    "Campaign": "campaign.campaign",
    "Claim": "suites.claim",
    "Progress": "campaign.batches",
    "Study": "suites.study",
    "Suite": "suites.study",
    "ValidationResult": "campaign.results",
    "draw_report": "runner",
    "load_suite": "suites.library",
    "parse_suite": "suites.loading",
    "read_suite": "suites.loading",
    "run_suite": "runner",
    "suite_names": "suites.library",
    "validate": "runner",
}

__all__ = sorted(_LAZY)

if TYPE_CHECKING:
    from hermite_analytics.validation.campaign.batches import Progress as Progress
    from hermite_analytics.validation.campaign.campaign import Campaign as Campaign
    from hermite_analytics.validation.campaign.results import ValidationResult as ValidationResult
    from hermite_analytics.validation.runner import draw_report as draw_report
    from hermite_analytics.validation.runner import run_suite as run_suite
    from hermite_analytics.validation.runner import validate as validate
    from hermite_analytics.validation.suites.claim import Claim as Claim
    from hermite_analytics.validation.suites.library import load_suite as load_suite
    from hermite_analytics.validation.suites.library import suite_names as suite_names
    from hermite_analytics.validation.suites.loading import parse_suite as parse_suite
    from hermite_analytics.validation.suites.loading import read_suite as read_suite
    from hermite_analytics.validation.suites.study import Study as Study
    from hermite_analytics.validation.suites.study import Suite as Suite


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
