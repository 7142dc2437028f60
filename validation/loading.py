"""Read claims from TOML: the only place where text from outside becomes claims."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from hermite_analytics.errors import InputError
from hermite_analytics.validation import experiments
from hermite_analytics.validation.claim import Claim, Experiment, Study, Suite
from hermite_analytics.validation.decision import MAX_LOOKS

__all__ = ["parse_suite", "protocols", "read_suite"]

# A file of claims is written by hand; what is longer is something else.
_LARGEST_FILE = 10**6


class _StudyRecord(BaseModel):
    """A table `[[studies]]`."""

    model_config = ConfigDict(extra="forbid")

    id: str
    title: str = ""
    experiment: dict[str, Any]
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    looks: int = MAX_LOOKS
    claims: tuple[Claim, ...]

    def study(self) -> Study:
        """The record as a study; raises InputError where a field is not acceptable."""
        return Study(
            id=self.id,
            title=self.title or self.id,
            experiment=_experiment(self.experiment),
            sizes=self.sizes,
            seeds=self.seeds,
            looks=self.looks,
            claims=self.claims,
        )


class _SuiteRecord(BaseModel):
    """A whole file."""

    model_config = ConfigDict(extra="forbid")

    title: str
    studies: tuple[_StudyRecord, ...]


def protocols() -> dict[str, type[Any]]:
    """The experiments that a file can name, by protocol."""
    kinds = [getattr(experiments, name) for name in experiments.__all__]
    found = {}
    for kind in kinds:
        field = getattr(kind, "__dataclass_fields__", {}).get("protocol")
        if field is not None:
            found[field.default] = kind
    return found


def _experiment(record: dict[str, Any]) -> Experiment:
    """The experiment that a table `[studies.experiment]` describes."""
    known = protocols()
    protocol = record.get("protocol")
    if protocol not in known:
        given = "missing" if protocol is None else repr(protocol)
        raise InputError(f"experiment.protocol is {given}; accepted are {', '.join(sorted(known))}")
    try:
        made: Experiment = TypeAdapter(known[protocol]).validate_python(record)
    except ValidationError as error:
        raise InputError(f"experiment.{_first_fault(error)}") from error
    return made


def read_suite(path: Path) -> Suite:
    """A suite from a file; its name is the path, so that a command line repeats it.

    Raises
    ------
    InputError
        If the file cannot be read or is not acceptable.

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
    try:
        if path.is_file() and path.stat().st_size > _LARGEST_FILE:
            raise InputError(f"{path} is longer than {_LARGEST_FILE} bytes; a file of claims is needed")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text; a TOML file of claims is needed") from error
    except OSError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    return parse_suite(str(path), text)


def parse_suite(name: str, text: str) -> Suite:
    """A suite from TOML text.

    Parameters
    ----------
    name : str
        What the suite is called.
    text : str
        `title`, then tables `[[studies]]` with the fields of `Study`: a table `experiment` whose `protocol`
        names its kind, and tables `[[studies.claims]]` with the fields of `Claim`.

    Raises
    ------
    InputError
        If the text is not TOML, or a field is missing, unknown or not acceptable; the message names it.

    Examples
    --------
    >>> try:
    ...     parse_suite("mine", 'title = "Mine"')
    ... except InputError as refused:
    ...     print(refused)
    suite 'mine': studies: Field required
    """
    try:
        record = _SuiteRecord.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"suite {name!r} is not TOML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise InputError(f"suite {name!r}: {_first_fault(error)}") from error
    if not record.studies:
        raise InputError(f"suite {name!r} has no study")
    try:
        studies = tuple(_study(study) for study in record.studies)
    except InputError as error:
        raise InputError(f"suite {name!r}: {' '.join(str(error).split())}") from error
    return Suite(name=name, title=record.title, studies=studies)


def _study(record: _StudyRecord) -> Study:
    """A record as a study; errors name it."""
    try:
        return record.study()
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith("study ") else f"study {record.id!r}: {text}") from error


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    message = " ".join(fault["msg"].removeprefix("Value error, ").split())
    return f"{place}: {message}" if place else message
