"""Writing a generated file where a user asked for it."""

from __future__ import annotations

from pathlib import Path

from hermite_analytics.errors import InputError

__all__ = ["write_text"]


def write_text(path: str | Path, text: str) -> Path:
    """Write a file and return its path.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    file = Path(path)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written ({(error.strerror or str(error)).lower()})") from None
    return file
