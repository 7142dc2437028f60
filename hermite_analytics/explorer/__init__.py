"""The explorer: a local page over the library, and the plain HTTP endpoints under it; no mathematics here.

`hermite-analytics explore` serves it; docs/explorer.md describes the endpoints. Every answer is computed in a
worker process that is ended at its time budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["create_app", "serve"]

if TYPE_CHECKING:
    from hermite_analytics.explorer.app import create_app as create_app
    from hermite_analytics.explorer.server import serve as serve

_LAZY = {"create_app": "app", "serve": "server"}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(f"hermite_analytics.explorer.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'hermite_analytics.explorer' has no attribute {name!r}")
