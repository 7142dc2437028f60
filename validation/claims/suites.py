"""The suites that come with the library, by name.

`quick` decides within three minutes on two cores: the claims of `suites/quick.toml` (the giant step, spiked
random features and their bounds) and one member of each other family. `seeds` holds every family at full
size: each theorem, example and figure that sizes within reach can check (docs/claims.md).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType, ModuleType

from hermite_analytics.errors import InputError
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
from hermite_analytics.validation.loading import parse_suite, read_suite

__all__ = ["find_suite", "load_suite", "suite_names"]

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
    path = files("hermite_analytics.validation") / "suites" / "quick.toml"
    return parse_suite("quick", path.read_text(encoding="utf-8")).studies


_SUITES: Mapping[str, Callable[[], Suite]] = MappingProxyType({"quick": _quick, "seeds": _seeds})


def suite_names() -> tuple[str, ...]:
    """Names of the suites that come with the library.

    Examples
    --------
    >>> "quick" in suite_names()
    True
    """
    return tuple(sorted(_SUITES))


def find_suite(text: str) -> Suite:
    """A suite by name, or a file of claims by its path, which ends in ``.toml``.

    Raises
    ------
    InputError
        If there is neither, or the file has a fault.
    """
    return read_suite(Path(text)) if text.endswith(".toml") else load_suite(text)


def load_suite(name: str) -> Suite:
    """A suite that comes with the library.

    Raises
    ------
    InputError
        If there is no such suite.

    Examples
    --------
    >>> load_suite("quick").name
    'quick'
    """
    names = suite_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "or the path of a file of claims, ending in .toml"
        raise InputError(f"{name!r} is not a suite; accepted are {', '.join(names)}; {hint}")
    return _SUITES[name]()
