"""Cells for people, as text and as LaTeX, and which columns a table shows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from hermite_analytics.rendering.frame import Frame, Role
from hermite_analytics.rendering.symbols import latex_of_words

__all__ = ["Grid", "Shown", "beside", "grid_of", "number_text", "shown"]

_SPREAD = 4  # entries of a list that have columns of their own
_LONG = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A cell as text and as LaTeX."""

    text: str
    latex: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A frame for people: what varies in columns, what does not beside them.

    Attributes
    ----------
    names : tuple of str
        Columns of the table: parameters, results, and the statistics that differ.
    rows : tuple of mapping
        A cell for each of some names.
    constant : mapping
        What is the same in all rows; of a single row nothing.
    summary : tuple of str
        How the points ended, and the largest error.
    """

    names: tuple[str, ...]
    rows: tuple[Mapping[str, Shown], ...]
    constant: Mapping[str, Shown]
    summary: tuple[str, ...]


def grid_of(frame: Frame) -> Grid:
    """What a table of a frame shows."""
    rows = tuple(_spread(row, frame) for row in frame.rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    names = [n for n in names if frame.column(n).role is not Role.STATISTIC or n == "status"]
    same = {n for n in names if len(rows) > 1 and len({row.get(n) for row in rows}) == 1}
    order = list(Role)
    ordered = sorted(names, key=lambda name: order.index(frame.column(name).role))
    return Grid(
        names=tuple(n for n in ordered if n not in same),
        rows=rows,
        constant={n: rows[0][n] for n in names if n in same and n != "status"},
        summary=_summary(frame),
    )


def _spread(row: Mapping[str, object], frame: Frame) -> dict[str, Shown]:
    error = row.get("numerical_error")
    within = float(error) if isinstance(error, float) else 0.0
    return dict(
        cell
        for name, value in row.items()
        for cell in _cells(name, value, within if frame.column(name).role is Role.VALUE else 0.0)
    )


def is_below(value: object, error: float) -> TypeGuard[float]:
    """Whether a number is no larger than its error: it is shown with it."""
    return isinstance(value, float) and 0.0 < abs(value) <= error < math.inf


def beside(value: Any, error: float) -> Any:
    """A number that is no larger than its error as a text with it; the entries of lists and groups.

    Examples
    --------
    >>> beside([-6.04e-11, 0.25, {"m": 2.7e-18}], 5.3e-10)
    ['-6e-11 ± 5e-10', 0.25, {'m': '3e-18 ± 5e-10'}]
    """
    if isinstance(value, list):
        return [beside(x, error) for x in value]
    if isinstance(value, dict):
        return {name: beside(x, error) for name, x in value.items()}
    return f"{value:.1g} \N{PLUS-MINUS SIGN} {error:.1g}" if is_below(value, error) else value


def _summary(frame: Frame) -> tuple[str, ...]:
    """Status and error of all points together."""
    found = []
    ends = Counter(str(row["status"]) for row in frame.rows if row.get("status") is not None)
    if ends:
        found.append("status: " + ", ".join(f"{end} ({count})" for end, count in ends.items()))
    errors = [e for row in frame.rows if isinstance(e := row.get("numerical_error"), float)]
    known = [e for e in errors if not math.isnan(e)]
    if known:
        found.append(f"largest numerical error {max(known):.1e}")
    return tuple(found)


def _cells(name: str, value: object, error: float) -> Iterator[tuple[str, Shown]]:
    """The cells of a group or a short list one by one."""
    if isinstance(value, Mapping) and not _is_number(value):
        for part, entry in value.items():
            yield from _cells(f"{name}_{part}", entry, error)
    elif hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0:
        yield from _cells(name, value.tolist(), error)
    elif isinstance(value, list | tuple):
        if len(value) == 1:
            yield from _cells(name, value[0], error)
        elif 1 < len(value) <= _SPREAD and not any(isinstance(entry, str) for entry in value):
            for number, entry in enumerate(value, 1):
                yield from _cells(f"{name}_{number}", entry, error)
        else:
            yield name, shown(value)
    elif is_below(plain := value.item() if hasattr(value, "item") else value, error):
        yield name, _below(plain, error)
    elif value is not None:
        yield name, shown(value)


def _is_number(group: Mapping[str, object]) -> bool:
    return "evidence" in group or ("mean" in group and "stderr" in group)


def shown(value: object) -> Shown:
    """A cell: closed forms where there are any, estimates with their errors."""
    if hasattr(value, "closed_text"):
        return _quantity(value)
    if hasattr(value, "text") and hasattr(value, "latex"):  # words with formulas
        return Shown(text=value.text, latex=value.latex)
    if isinstance(value, Mapping):
        return _of_document(value)
    if hasattr(value, "stderr") and hasattr(value, "mean"):
        return _estimate(value.mean, value.stderr)
    if isinstance(value, list | tuple):
        words = ", ".join(shown(entry).text for entry in value)
        return _words(words if len(words) <= _LONG else words[: _LONG - 4] + " ...")
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        return Shown(text=number_text(value), latex=_number_latex(value))
    return _words(" ".join(str(value).split()))


def number_text(value: float) -> str:
    """Six digits; a dash for what is not there."""
    return "-" if math.isnan(value) else f"{value:.6g}"


def _number_latex(value: float) -> str:
    return "--" if math.isnan(value) else f"${_digits_latex(value, 6)}$"


def _digits_latex(value: float, digits: int) -> str:
    """A number between dollars."""
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa


def _estimate(mean: Any, stderr: Any) -> Shown:
    if mean is None:
        return Shown(text="-", latex="--")
    middle = number_text(float(mean))
    if stderr is None or math.isnan(float(stderr)):
        return Shown(text=middle, latex=_number_latex(float(mean)))
    error = f"{float(stderr):.1g}"
    latex = rf"${_digits_latex(float(mean), 6)} \pm {_digits_latex(float(stderr), 1)}$"
    return Shown(text=f"{middle} ± {error}", latex=latex)


def _below(value: float, error: float) -> Shown:
    latex = rf"${_digits_latex(value, 1)} \pm {_digits_latex(error, 1)}$"
    return Shown(text=beside(value, error), latex=latex)


def _quantity(quantity: Any) -> Shown:
    """The closed form of a quantity, or its digits with their error; and what they rest on."""
    if math.isnan(quantity.value):
        return _words(f"undecided ({quantity.reason})" if quantity.reason else "undecided")
    if quantity.closed_text is not None:
        text, latex = quantity.closed_text, quantity._repr_latex_()
    else:
        error = f"{quantity.error:.1g}"
        text = f"{quantity.value:.12g} ± {error}"
        latex = rf"${_digits_latex(quantity.value, 12)} \pm {_digits_latex(quantity.error, 1)}$"
    return Shown(text=f"{text} [{quantity.evidence}]", latex=latex)


def _of_document(document: Mapping[str, Any]) -> Shown:
    """The same of what JSON keeps of a quantity, an exponent or an estimate."""
    if "mean" in document:
        return _estimate(document["mean"], document["stderr"])
    if document["value"] is None:
        least = document.get("at_least")
        return _words("undecided" if least is None else f"at least {least}")
    value = float(document["value"])
    found = Shown(text=number_text(value), latex=_number_latex(value))
    exact = document.get("exact")
    if exact is not None and exact != found.text:  # a text of the language, not of LaTeX
        found = Shown(text=exact, latex=rf"\texttt{{{latex_of_words(exact)}}}")
    return replace(found, text=f"{found.text} [{document['evidence']}]")


def _words(text: str) -> Shown:
    return Shown(text=text, latex=latex_of_words(text))
