"""The suites that come with the library, by name: the files of this folder.

`quick` decides within three minutes on two cores; `seeds` holds every family at full size. Both include files
of the folder `families`.
"""

from __future__ import annotations

import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from hermite_analytics.errors import InputError
from hermite_analytics.validation.suites.loading import parse_suite, read_suite
from hermite_analytics.validation.suites.study import Suite

__all__ = ["find_suite", "load_suite", "suite_names"]


def suite_names() -> tuple[str, ...]:
    """Names of the suites that come with the library.

    Examples
    --------
    >>> suite_names()
    ('quick', 'seeds')
    """
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


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
    text = (_folder() / f"{name}.toml").read_text(encoding="utf-8")
    return parse_suite(name, text, folder=_folder())


def _folder() -> Traversable:
    return files("hermite_analytics.validation") / "suites"
