"""Files that results are written to; what cannot be written is said in one line."""

from __future__ import annotations

from pathlib import Path

from hermite_analytics.errors import InputError

__all__ = ["FORMATS", "figure_path", "write_text"]

FORMATS = (".pdf", ".svg", ".png")


def write_text(path: str | Path, text: str) -> Path:
    """Write a text.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    place = Path(path)
    try:
        place.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise unwritable(place, error) from None
    return place


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
    place = Path(path)
    if place.suffix.lower() not in FORMATS:
        raise InputError(f"the figure {str(path)[:60]!r} has no format; accepted: names in .pdf, .svg, .png")
    if not place.parent.is_dir():
        raise InputError(
            f"the folder of {str(path)[:60]!r} does not exist; accepted: a file in one that does"
        )
    return place


def unwritable(place: Path, error: OSError) -> InputError:
    """The refusal of a file."""
    reason = (error.strerror or "cannot be written").lower()
    return InputError(f"{str(place)[:60]!r} cannot be written: {reason}")
