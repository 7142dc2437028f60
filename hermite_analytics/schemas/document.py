"""What all documents have in common, and how a JSON Schema is made of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from hermite_analytics.foundation.json import JSON
from hermite_analytics.foundation.shapes import Keywords

if TYPE_CHECKING:
    from pydantic_core.core_schema import WithDefaultSchema

__all__ = ["ABSENT", "Document", "NotNegative", "Part", "Sent", "Versions", "json_schema", "made"]

ABSENT: Any = None
"""The default of a key that may be missing; it is never null for that."""

NotNegative = Annotated[float, Keywords(minimum=0)]


class Part(BaseModel):
    """An object with these keys and no others."""

    model_config = ConfigDict(extra="forbid")


class Versions(Part):
    """Of what decides the numbers."""

    hermite_analytics: str
    python: str
    numpy: str
    scipy: str
    numba: str
    sympy: str
    mpmath: str
    python_flint: str


class Sent(Part):
    """A document that no one keeps."""

    schema_version: Literal[1]


class Document(Sent):
    """A whole document, with the versions that made it."""

    versions: Versions


def made(name: str, fields: Mapping[str, object], base: type[Part] = Part) -> type[Part]:
    """The type of an object with these keys: a type each, or (type, ABSENT)."""
    make: Callable[..., type[Part]] = create_model
    entries = {key: kind if isinstance(kind, tuple) else (kind, ...) for key, kind in fields.items()}
    return make(name, __base__=base, **entries)


class _Generator(GenerateJsonSchema):
    """Plain schemas: no titles of keys, and nothing about the defaults of missing ones."""

    schema_dialect = "https://json-schema.org/draft/2020-12/schema"

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def json_schema(shape: Any, title: str) -> Mapping[str, JSON]:
    """The JSON Schema (draft 2020-12) of a document, or of a union of documents."""
    made = TypeAdapter(shape).json_schema(schema_generator=_Generator)
    return {"$schema": _Generator.schema_dialect, **made, "title": title}
