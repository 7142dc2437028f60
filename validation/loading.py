"""Read suites of claims from TOML: the only place where text from outside becomes claims."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hermite_analytics.errors import InputError
from hermite_analytics.validation.claims import Claim, Study, Suite
from hermite_analytics.validation.decision import MAX_LOOKS
from hermite_analytics.validation.experiments import GiantStepExperiment, SpikedRandomFeaturesExperiment

__all__ = ["load_suite", "parse_suite", "suite_names"]


class _StudyRecord(BaseModel):
    """A table `[[studies]]`."""

    model_config = ConfigDict(extra="forbid")

    id: str
    title: str
    experiment: GiantStepExperiment | SpikedRandomFeaturesExperiment = Field(discriminator="protocol")
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    looks: int = MAX_LOOKS
    claims: tuple[Claim, ...]

    def study(self) -> Study:
        """The record as a study; raises InputError where a field is not acceptable."""
        return Study(
            id=self.id,
            title=self.title,
            experiment=self.experiment,
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


def suite_names() -> tuple[str, ...]:
    """Names of the suites that come with the library."""
    folder = files("hermite_analytics.validation") / "suites"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


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
        raise InputError(f"{name!r} is not a suite; accepted are {', '.join(names)}")
    path = files("hermite_analytics.validation") / "suites" / f"{name}.toml"
    return parse_suite(name, path.read_text(encoding="utf-8"))


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
    """
    try:
        record = _SuiteRecord.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"suite {name!r} is not TOML: {error}") from error
    except ValidationError as error:
        raise InputError(f"suite {name!r}: {_first_fault(error)}") from error
    return Suite(name=name, title=record.title, studies=tuple(study.study() for study in record.studies))


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    message = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
