"""Files that results are written to; what cannot be written is said in one line."""

from __future__ import annotations

import os
from pathlib import Path

from hermite_analytics.errors import InputError

__all__ = ["FORMATS", "checked_path", "figure_path", "write_text"]

FORMATS = (".pdf", ".svg", ".png")


def write_text(path: str | Path, text: str) -> Path:
    """Write a text.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    place = path_of(path, "path")
    try:
        place.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise unwritable(place, error) from None
    return place


def path_of(path: object, name: str) -> Path:
    """A path that is one.

    Raises
    ------
    InputError
        Anything but a text or a path.
    """
    if isinstance(path, str | os.PathLike):
        return Path(path)
    raise InputError(f"{name} is {path!r:.40}; accepted: the name of a file")


def checked_path(path: str) -> str:
    """The name of a file that can be written, before the work.

    Raises
    ------
    InputError
        If its folder is not there, or it is a folder.
    """
    place = Path(path)
    if not place.parent.is_dir():
        raise InputError(f"the folder of {path[:60]!r} does not exist; accepted: a file in one that does")
    if place.is_dir():
        raise InputError(f"{path[:60]!r} is a folder; accepted: the name of a file")
    return path


def figure_path(path: str | Path) -> Path:
    """The path of a figure.

    Raises
    ------
    InputError
        If its ending names no format, or its folder is not there.

    Examples
    --------
    >>> figure_path("curve.pdf").suffix
    '.pdf'
    """
    place = path_of(path, "save")
    if place.suffix.lower() not in FORMATS:
        raise InputError(f"the figure {str(path)[:60]!r} has no format; accepted: names in .pdf, .svg, .png")
    checked_path(str(path))
    return place


def unwritable(place: Path, error: OSError) -> InputError:
    """The refusal of a file."""
    reason = (error.strerror or "cannot be written").lower()
    return InputError(f"{str(place)[:60]!r} cannot be written: {reason}")
