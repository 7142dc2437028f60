"""Read claims from TOML: the only place where text from outside becomes claims."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from hermite_analytics.errors import InputError
from hermite_analytics.validation.suites.records import IncludeRecord, StudyRecord, SuiteRecord, first_fault
from hermite_analytics.validation.suites.study import Suite

__all__ = ["parse_suite", "read_suite"]

# A file of claims is written by hand; what is longer is something else.
_LARGEST_FILE = 10**6


def read_suite(path: Path) -> Suite:
    """A suite from a file; its name is the path, so that a command line repeats it.

    Raises
    ------
    InputError
        If the file, or one that it includes, cannot be read or is not acceptable.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.toml"
    ...     _ = path.write_text("title = 1")
    ...     try:
    ...         read_suite(path)
    ...     except InputError as refused:
    ...         print("title" in str(refused))
    True
    """
    return parse_suite(str(path), _text(str(path), path), folder=path.parent)


def parse_suite(name: str, text: str, *, folder: Traversable | None = None) -> Suite:
    """A suite from TOML text.

    Parameters
    ----------
    name : str
        What the suite is called.
    text : str
        `title`, then tables `[[include]]` (a `file`, or one `study` of it, of which `sizes`, `seeds`, `looks`
        and `claims` may be given anew) and tables `[[studies]]` with the fields of `Study`: a table
        `experiment` whose `protocol` names its kind, and tables `[[studies.claims]]` with the fields of
        `Claim`. Included studies stand first.
    folder : path, optional
        Where included files are; text without a folder includes none.

    Raises
    ------
    InputError
        If the text is not TOML, a field is missing, unknown or not acceptable, or an included file is
        neither; the message names it.

    Examples
    --------
    >>> try:
    ...     parse_suite("mine", 'title = "Mine"')
    ... except InputError as refused:
    ...     print(refused)
    suite 'mine' has no study
    """
    what = f"suite {name!r}"
    record = _record(what, text)
    try:
        records = [*_included(what, record.include, folder), *record.studies]
        studies = tuple(study.study() for study in records)
    except InputError as error:
        message = " ".join(str(error).split())
        raise InputError(message if message.startswith(what) else f"{what}: {message}") from error
    if not studies:
        raise InputError(f"{what} has no study")
    return Suite(name=name, title=record.title, studies=studies)


def _record(what: str, text: str) -> SuiteRecord:
    """The tables of a file; errors start with what it is."""
    try:
        return SuiteRecord.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{what} is not TOML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise InputError(f"{what}: {first_fault(error)}") from error


def _included(
    what: str, includes: Iterable[IncludeRecord], folder: Traversable | None
) -> Iterator[StudyRecord]:
    """The studies that tables `[[include]]` take from files of the folder, each read once."""
    files: dict[str, tuple[StudyRecord, ...]] = {}
    for include in includes:
        if include.file not in files:
            files[include.file] = _studies(what, include.file, folder)
        yield from include.studies(files[include.file])


def _studies(what: str, name: str, folder: Traversable | None) -> tuple[StudyRecord, ...]:
    """The studies of a file of the folder, which includes no other."""
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts or place.suffix != ".toml":
        raise InputError(f"include.file is {name!r}; a file .toml in or below the suite's folder is needed")
    if folder is None:
        raise InputError(f"include.file is {name!r}, but text alone has no folder; read it from a file")
    record = _record(f"{what}: {name}", _text(f"{what}: {name}", folder.joinpath(*place.parts)))
    if record.include:
        raise InputError(f"{name} includes other files itself; include those")
    if not record.studies:
        raise InputError(f"{name} has no study")
    return record.studies


def _text(what: str, file: Traversable) -> str:
    """What a file holds, if that is text of a length that people write."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_LARGEST_FILE + 1)
        if len(content) > _LARGEST_FILE:
            raise InputError(f"{what} is longer than {_LARGEST_FILE} bytes; a file of claims is needed")
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is not UTF-8 text; a TOML file of claims is needed") from error
    except OSError as error:
        raise InputError(f"{what} cannot be read: {error.strerror or error}") from error
