"""The suites that come with the library, by name.

`quick` decides within three minutes on two cores: the claims of `suites/quick.toml` (the giant step, spiked
random features and their bounds) and one member of each other family. `seeds` holds every family at full
size: each theorem, example and figure that sizes within reach can check (docs/claims.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from types import MappingProxyType, ModuleType

from hermite_analytics.validation.claim import Study, Suite
from hermite_analytics.validation.claims import (
    dynamics,
    estimation,
    giant_step,
    random_features,
    small_step,
    staircase,
    trained_features,
)

__all__ = ["SUITES"]

_FAMILIES: tuple[ModuleType, ...] = (
    giant_step,
    staircase,
    random_features,
    small_step,
    trained_features,
    dynamics,
    estimation,
)


def _quick() -> Suite:
    studies = _written_out() + tuple(study for family in _FAMILIES for study in family.quick())
    return Suite(name="quick", title="Quick suite: one member of each family of claims", studies=studies)


def _seeds() -> Suite:
    studies = _written_out() + tuple(study for family in _FAMILIES for study in family.studies())
    return Suite(name="seeds", title="Claims of the talks and papers, at full size", studies=studies)


def _written_out() -> tuple[Study, ...]:
    """The studies of the file of claims, an example of its format."""
    from hermite_analytics.validation.loading import parse_suite

    path = files("hermite_analytics.validation") / "suites" / "quick.toml"
    return parse_suite("quick", path.read_text(encoding="utf-8")).studies


SUITES: Mapping[str, Callable[[], Suite]] = MappingProxyType({"quick": _quick, "seeds": _seeds})
"""Name -> what makes the suite."""
