"""The answers on one card: for `print`, and for terminals that show colours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.documents import (
    exponent_of,
    first_subspace_of,
    quantity_of,
    stages_of,
    weak_recovery_of,
)
from hermite_analytics.analysis.ladder import Ladder, ladders, text_of
from hermite_analytics.analysis.phrases import digits_of
from hermite_analytics.argument import Facts
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.formulas import formula
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Paragraph, as_text
from hermite_analytics.argument.steps import unlocking
from hermite_analytics.evidence import Evidence, Quantity

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.panel import Panel
    from rich.text import Text

__all__ = ["Line", "lines_of", "rich_card", "text_card"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One answer.

    Attributes
    ----------
    name : str
    value : paragraph
    evidence : Evidence
    facts : facts
        Why.
    """

    name: str
    value: Paragraph
    evidence: Evidence
    facts: Facts


_EXPONENTS = {
    "leap index, information exponent": "leap_index",
    "leap complexity": "leap_complexity",
    "isotropic leap": "isotropic_leap",
    "generative exponent": "generative_exponent",
}
_STYLES = {
    Evidence.EXACT: "green",
    Evidence.PROVED: "green",
    Evidence.ESTIMATED: "yellow",
    Evidence.UNDECIDED: "red",
}


def lines_of(a: Answers) -> list[Line]:
    """One line an answer, staircases left out."""
    whole, first = exponent_of(a, "intrinsic_dimension"), first_subspace_of(a)
    basis: Paragraph = ("not decided",) if first.subspace is None else first.subspace.line()
    counted: Paragraph = (f"{whole} of {a.dimension}",)
    lines = [
        _number("E y", quantity_of(a, "mean")),
        _number("E y^2", quantity_of(a, "second_moment")),
        Line(name="directions", value=counted, evidence=whole.evidence, facts=whole.facts),
        Line(name="first subspace", value=basis, evidence=first.order.evidence, facts=first.facts),
    ]
    for spoken, name in _EXPONENTS.items():
        e = exponent_of(a, name)
        lines.append(Line(name=spoken, value=(str(e),), evidence=e.evidence, facts=unlocking(e.facts)))
    return [*lines, *_recovery(a)]


def text_card(a: Answers) -> str:
    """Plain text."""
    lines = lines_of(a)
    width = max(len(line.name) for line in lines)
    shown = [f"  {line.name:<{width}}  {as_text(line.value)}  [{line.evidence}]" for line in lines]
    return "\n".join([a.name, *shown, "", text_of(ladders(a))])


def rich_card(a: Answers) -> Panel:
    """With colours: green for what is proved, yellow for estimates, red for what is open."""
    from rich import box
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    for name, wide in (("", False), ("value", False), ("evidence", False), ("why", True)):
        table.add_column(name, overflow="fold", ratio=1 if wide else None)
    for line in lines_of(a):
        shown = Text(as_text(line.value), "bold"), Text(str(line.evidence), _STYLES[line.evidence])
        table.add_row(Text(line.name), *shown, Text(as_text(line_of(line.facts))))
    return Panel(Group(table, "", _Ladders(ladders(a))), title=Text(a.name), title_align="left", expand=False)


@dataclass(frozen=True, slots=True)
class _Ladders:
    """Side by side where the terminal is wide enough, else one under the other."""

    drawn: tuple[Ladder, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        together = text_of(self.drawn)
        if max(map(len, together.splitlines())) <= options.max_width:
            yield Text(together)
        else:
            yield Text("\n\n".join(text_of((ladder,)) for ladder in self.drawn))


def _number(name: str, q: Quantity) -> Line:
    facts = () if q.evidence is Evidence.EXACT else remark(q.reason)
    return Line(name=name, value=number(q), evidence=q.evidence, facts=facts)


_LONGEST = 40  # closed form beside its digits


def number(q: Quantity) -> Paragraph:
    """Closed form and digits, or digits with their error."""
    if math.isnan(q.value):
        return ("unknown",)
    if q.is_infinite:
        return ("infinite" if q.value > 0 else "-infinite",)
    closed = q.closed_text
    if q.exact is None or closed is None:
        return (f"{digits_of(q)} ± {q.error:.1g}",)
    shown = formula(q.exact, closed)
    if len(closed) > _LONGEST:
        return (q.decimal,)
    return (shown,) if q.exact.is_Rational else (shown, f" = {q.decimal}")


def _recovery(a: Answers) -> list[Line]:
    found, reason = weak_recovery_of(a)
    if found is None:
        facts = remark(reason)
        return [_recovery_line("weak recovery", ("not known",), Evidence.UNDECIDED, facts)]
    split = ", ".join(
        f"{'?' if count is None else count} {word}"
        for word, count in (
            ("trivial", found.trivial_dimension),
            ("easy", found.easy_dimension),
            ("hard", found.hard_dimension),
        )
    )
    lines = [_recovery_line("weak recovery", (split,), found.staircase.evidence, ())]
    for stage, (dimension, alpha, facts) in enumerate(stages_of(found), 1):
        spoken = f"alpha_c of stage {stage} ({dimension} new)"
        lines.append(_recovery_line(spoken, number(alpha), alpha.evidence, facts))
    return lines


def _recovery_line(name: str, value: Paragraph, evidence: Evidence, facts: Facts) -> Line:
    return Line(name=name, value=value, evidence=evidence, facts=facts)
