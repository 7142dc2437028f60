"""What records name: "module:callable" below `hermite_analytics.numeric`, imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["found_at"]


def found_at(place: str) -> Any:
    """The object at "module:name.name".

    Examples
    --------
    >>> found_at("models.small_step.large_step:LargeStep").__name__
    'LargeStep'
    """
    module, _, path = place.partition(":")
    found: Any = importlib.import_module(f"hermite_analytics.numeric.{module}")
    for part in path.split("."):
        found = getattr(found, part)
    return found
