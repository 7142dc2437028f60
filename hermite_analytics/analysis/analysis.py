"""Everything that the library knows about one target, and the ways to show it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.foundation.json import Document
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.rendering.text import cut

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hermite_analytics.analysis.explanation import Explanation
    from hermite_analytics.argument import Argument

__all__ = ["Analysis"]


class Analysis(Result, Answers):
    """The answers about one target, as text, in notebooks, as JSON, and with the argument for each.

    Attributes are those of `Answers`: each is computed once, when it is first asked for. They raise
    `UndefinedQuantity` where they do not exist, and `BudgetExhausted` where the time ended before anything
    was known; in `to_dict` and in the displays such a field is undecided, with the reason. See `analyze` for
    the parameters.

    Examples
    --------
    >>> a = Analysis("z1 + z1*z2")
    >>> print(a.leap_complexity, a.staircase.dimensions)
    1 (0, 1, 2)
    """

    def frame(self) -> Frame:
        """One row: the answers that are numbers, staircases as their dimensions."""
        from hermite_analytics.analysis.documents import quantity_of, weak_recovery_of
        from hermite_analytics.analysis.rows import frame_of

        frame = frame_of([self.document()], title=f"analysis of {self.name}")
        found = weak_recovery_of(self)[0]
        numbers = {name: quantity_of(self, name) for name in ("mean", "second_moment")}
        numbers |= {} if found is None else {"alpha_c": found.alpha_c}
        return replace(frame, rows=({**frame.rows[0], **numbers},))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Analysis):
            return NotImplemented
        return (self.target, self.activation) == (other.target, other.activation)

    def __hash__(self) -> int:
        return hash(self.name)

    def document(self) -> Document:
        """The document that `hermite-analytics analyze --json` prints; its schema is `analyze`."""
        from hermite_analytics.analysis.documents import document

        answers = document(self)
        return answers | {"arguments": [argument.to_dict() for argument in self.arguments]}

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The facts behind each claim; `explain` makes sentences of them."""
        from hermite_analytics.analysis.arguments import arguments_of

        return arguments_of(self)

    def explain(self) -> Explanation:
        """The argument for every claim, in sentences: as text, LaTeX, Markdown and HTML."""
        from hermite_analytics.analysis.claims import explanation

        return explanation(self)

    def ladder(self) -> str:
        """The three staircases side by side, drawn in text."""
        from hermite_analytics.analysis.ladder import ladders, text_of

        return text_of(ladders(self))

    def ladder_svg(self) -> str:
        """The three staircases side by side, as one SVG element."""
        from hermite_analytics.analysis.ladder import ladders
        from hermite_analytics.analysis.ladder_svg import svg_of

        return svg_of(ladders(self))

    def __repr__(self) -> str:
        return f"analyze({self.name!r})"

    def __str__(self) -> str:
        from hermite_analytics.analysis.card import text_card

        return cut(text_card(self))

    def __rich__(self) -> RenderableType:
        from hermite_analytics.analysis.card import rich_card

        return rich_card(self)

    def _repr_html_(self) -> str:
        from hermite_analytics.analysis.notebook import html_card

        return html_card(self)
