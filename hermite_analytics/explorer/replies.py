"""HTTP answers in JSON."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from hermite_analytics.explorer.documents import encoded, error_document

__all__ = ["error_reply", "json_reply"]


def json_reply(document: Mapping[str, object] | bytes, status: int = 200) -> Response:
    """An answer of a document, or of one that is JSON already."""
    body = document if isinstance(document, bytes) else encoded(document)
    return Response(body, status, media_type="application/json")


def error_reply(status: int, error: str, *, kind: str = "request", known: object = None) -> Response:
    """An answer that is an error."""
    return json_reply(error_document(error, kind=kind, known=known), status)
