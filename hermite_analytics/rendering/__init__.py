"""How results show themselves: each is a frame, named parameters by named values, and all else renders it.

Text, HTML, LaTeX, records, data frames, files and figures are made here, of any frame alike.
"""

from __future__ import annotations

from hermite_analytics.rendering.drawing import Drawing, Mark
from hermite_analytics.rendering.frame import Column, Frame, Role
from hermite_analytics.rendering.result import Result

__all__ = ["Column", "Drawing", "Frame", "Mark", "Result", "Role"]
