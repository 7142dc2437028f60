"""Arguments as facts: why a coefficient is zero, why a subspace is this one, why a staircase ends.

A fact knows its text, LaTeX and HTML and its JSON; nobody reads a sentence back.
"""

from __future__ import annotations

from hermite_analytics.argument.arguments import Argument
from hermite_analytics.argument.fact import Fact, Facts, html_of, latex_of, text_of

__all__ = ["Argument", "Fact", "Facts", "html_of", "latex_of", "text_of"]
