"""What all documents have in common, and how a JSON Schema is made of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema

from hermite_analytics.foundation.shapes import Keywords

__all__ = ["ABSENT", "Document", "NotNegative", "Part", "json_schema", "made"]

ABSENT: Any = None
"""The default of a key that may be missing; it is never null for that."""

NotNegative = Annotated[float, Keywords(minimum=0)]


class Part(BaseModel):
    """An object with these keys and no others."""

    model_config = ConfigDict(extra="forbid")


class Document(Part):
    """A whole document."""

    schema_version: Literal[1]


def made(name: str, fields: Mapping[str, Any], base: type[Part] = Part) -> Any:
    """The type of an object with these keys: a type each, or (type, ABSENT)."""
    make: Any = create_model
    entries = {key: kind if isinstance(kind, tuple) else (kind, ...) for key, kind in fields.items()}
    return make(name, __base__=base, **entries)


class _Generator(GenerateJsonSchema):
    """Plain schemas: no titles of keys, and nothing about the defaults of missing ones."""

    schema_dialect = "https://json-schema.org/draft/2020-12/schema"

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])


def json_schema(shape: Any, title: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a document, or of a union of documents."""
    made = TypeAdapter(shape).json_schema(schema_generator=_Generator)
    return {"$schema": _Generator.schema_dialect, **made, "title": title}
