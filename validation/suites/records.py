"""What a file of claims may hold, table by table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError, model_validator

from hermite_analytics.errors import InputError
from hermite_analytics.validation import experiments
from hermite_analytics.validation.experiments.base import ParametricExperiment
from hermite_analytics.validation.statistics.decision import MAX_LOOKS
from hermite_analytics.validation.suites.claim import Claim
from hermite_analytics.validation.suites.study import Study

__all__ = ["IncludeRecord", "StudyRecord", "SuiteRecord", "first_fault", "protocols"]


class StudyRecord(BaseModel):
    """A table `[[studies]]`."""

    model_config = ConfigDict(extra="forbid")

    id: str
    title: str = ""
    experiment: dict[str, JsonValue]
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    looks: int = MAX_LOOKS
    claims: tuple[Claim, ...]

    def study(self) -> Study:
        """The record as a study; raises InputError, which names it, where a field is not acceptable."""
        try:
            return Study(
                id=self.id,
                title=self.title or self.id,
                experiment=_experiment(self.experiment),
                sizes=self.sizes,
                seeds=self.seeds,
                looks=self.looks,
                claims=self.claims,
            )
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith("study ") else f"study {self.id!r}: {text}") from error

    def cut(self, names: Sequence[str]) -> tuple[Claim, ...]:
        """The claims of these ids, in the order of the study; raises InputError if there is none of an id."""
        known = [claim.id for claim in self.claims]
        for name in names:
            if name not in known:
                raise InputError(
                    f"{name!r} is not a claim of study {self.id!r}; its claims are {', '.join(known)}"
                )
        return tuple(claim for claim in self.claims if claim.id in names)


class IncludeRecord(BaseModel):
    """A table `[[include]]`: the studies of another file, or one of them, changed where it says so."""

    model_config = ConfigDict(extra="forbid")

    file: str
    study: str | None = None
    sizes: tuple[int, ...] | None = None
    seeds: tuple[int, ...] | None = None
    looks: int | None = None
    claims: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _changes_are_of_one_study(self) -> Self:
        changed = [name for name in ("sizes", "seeds", "looks", "claims") if getattr(self, name) is not None]
        if self.study is None and changed:
            raise ValueError(f"{changed[0]} changes one study; study is missing")
        return self

    def studies(self, records: Sequence[StudyRecord]) -> tuple[StudyRecord, ...]:
        """What it takes of the studies of its file; raises InputError if that is not there."""
        if self.study is None:
            return tuple(records)
        for record in records:
            if record.id == self.study:
                return (self._changed(record),)
        known = ", ".join(record.id for record in records)
        raise InputError(f"{self.study!r} is not a study of {self.file}; its studies are {known}")

    def _changed(self, record: StudyRecord) -> StudyRecord:
        changes = self.model_dump(include={"sizes", "seeds", "looks"}, exclude_none=True)
        if self.claims is not None:
            changes["claims"] = record.cut(self.claims)
        return record.model_copy(update=changes)


class SuiteRecord(BaseModel):
    """A whole file."""

    model_config = ConfigDict(extra="forbid")

    title: str
    include: tuple[IncludeRecord, ...] = ()
    studies: tuple[StudyRecord, ...] = ()


def protocols() -> dict[str, type[ParametricExperiment]]:
    """The experiments that a file can name, by protocol."""
    kinds: list[type[ParametricExperiment]] = [getattr(experiments, name) for name in experiments.__all__]
    fields = [(field, kind) for kind in kinds for field in dataclasses.fields(kind)]
    return {str(field.default): kind for field, kind in fields if field.name == "protocol"}


def _experiment(record: dict[str, JsonValue]) -> ParametricExperiment:
    """The experiment that a table `[studies.experiment]` describes."""
    known = protocols()
    protocol = record.get("protocol")
    if not isinstance(protocol, str) or protocol not in known:
        given = "missing" if protocol is None else repr(protocol)
        raise InputError(f"experiment.protocol is {given}; accepted are {', '.join(sorted(known))}")
    try:
        return TypeAdapter(known[protocol]).validate_python(record)
    except ValidationError as error:
        raise InputError(f"experiment.{first_fault(error)}") from error


def first_fault(error: ValidationError) -> str:
    """Where the first fault is, and what it is, in one line."""
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    message = " ".join(fault["msg"].removeprefix("Value error, ").split())
    return f"{place}: {message}" if place else message
