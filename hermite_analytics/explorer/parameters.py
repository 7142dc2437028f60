"""Query parameters of the endpoints: read, checked, and described for the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hermite_analytics.errors import InputError
from hermite_analytics.language.text import MAX_LENGTH
from hermite_analytics.numeric.models.parameter import Kind
from hermite_analytics.numeric.models.parameter import Parameter as ModelParameter

__all__ = ["Choice", "Number", "Parameter", "Text", "controls", "defaults", "read", "slider"]

_MOST_DIGITS = 40
_LARGEST = 1e6  # of what may be typed, where a record says no less


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An expression of the language; what it says is read by the worker.

    Attributes
    ----------
    name : str
    help : str
        One line.
    default : str or None
        None if it must be given.
    """

    name: str
    help: str
    default: str | None = None

    def read(self, text: str) -> str:
        """The text, if it is not empty and not too long."""
        if len(text) > MAX_LENGTH:
            raise InputError(f"{self.name} has {len(text)} characters; accepted: at most {MAX_LENGTH}")
        if not text.strip():
            raise InputError(f"{self.name} is empty; an expression is accepted, such as z1*z2")
        return text

    def describe(self) -> dict[str, object]:
        """JSON-ready."""
        return {"name": self.name, "kind": "text", "help": self.help, "default": self.default}


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A real number with a slider.

    Attributes
    ----------
    name, symbol, help : str
        As in the URL, as in a paper, and its definition in one line.
    default : float
    low, high : float
        Ends of the slider.
    least, most : float
        What is accepted.
    logarithmic : bool
        Whether the slider moves by factors.
    whole : bool
        Whether it is an integer.
    """

    name: str
    symbol: str
    help: str
    default: float
    low: float
    high: float
    least: float = -_LARGEST
    most: float = _LARGEST
    logarithmic: bool = False
    whole: bool = False

    def read(self, text: str) -> float:
        """The number.

        Examples
        --------
        >>> alpha = Number(name="alpha", symbol="α", help="n/d", default=2, low=0.1, high=10, least=1e-9)
        >>> alpha.read("2.5")
        2.5
        >>> alpha.read("-1")
        Traceback (most recent call last):
            ...
        hermite_analytics.errors.InputError: alpha is '-1'; accepted: numbers from 1e-09 to 1e+06
        """
        try:
            number = float(text) if len(text) <= _MOST_DIGITS and text.isascii() else math.nan
        except ValueError:
            number = math.nan
        if not self.least <= number <= self.most or (self.whole and not number.is_integer()):
            kind = "integers" if self.whole else "numbers"
            accepted = f"{kind} from {self.least:g} to {self.most:g}"
            raise InputError(f"{self.name} is {_shown(text)}; accepted: {accepted}")
        return number

    def describe(self) -> dict[str, object]:
        """JSON-ready."""
        names = ("name", "symbol", "help", "default", "low", "high", "least", "most", "logarithmic", "whole")
        return {"kind": "number", **{name: getattr(self, name) for name in names}}


def slider(parameter: ModelParameter) -> Number:
    """The slider of a parameter of a model, as its record describes it."""
    knob, accepted = parameter.knob, parameter.range
    if knob is None:
        raise ValueError(f"the record of {parameter.name} describes no slider")
    return Number(
        name=parameter.name,
        symbol=parameter.symbol or parameter.name,
        help=knob.help or parameter.help,
        default=knob.start,
        low=knob.low,
        high=knob.high,
        least=max(accepted.low, -_LARGEST) if knob.least is None else knob.least,
        most=min(accepted.high, _LARGEST) if knob.most is None else knob.most,
        logarithmic=knob.logarithmic,
        whole=parameter.kind is Kind.INTEGER,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of several words.

    Attributes
    ----------
    name, help : str
    accepted : tuple of str
        The first is the default.
    """

    name: str
    help: str
    accepted: tuple[str, ...]

    @property
    def default(self) -> str:
        return self.accepted[0]

    def read(self, text: str) -> str:
        """The word."""
        if text not in self.accepted:
            raise InputError(f"{self.name} is {_shown(text)}; accepted: {', '.join(self.accepted)}")
        return text

    def describe(self) -> dict[str, object]:
        """JSON-ready."""
        return {"name": self.name, "kind": "choice", "help": self.help, "accepted": list(self.accepted)}


Parameter = Text | Number | Choice


def controls(parameters: Sequence[ModelParameter]) -> tuple[Number | Choice, ...]:
    """Sliders and choices of all parameters of a model whose record describes one, in the order there."""
    return tuple(
        slider(parameter)
        if parameter.menu is None
        else Choice(name=parameter.name, help=parameter.menu.help, accepted=parameter.menu.words)
        for parameter in parameters
        if parameter.knob is not None or parameter.menu is not None
    )


def read(given: Sequence[tuple[str, str]], parameters: Sequence[Parameter]) -> dict[str, str | float]:
    """The values of all parameters, from the pairs of a query string.

    Raises
    ------
    InputError
        A name that is unknown or stands twice, one that is missing, a value that is not accepted.

    Examples
    --------
    >>> read([("text", "z1*z2")], [Text(name="text", help="a target")])
    {'text': 'z1*z2'}
    """
    texts: dict[str, str] = {}
    names = [parameter.name for parameter in parameters]
    for name, text in given:
        if name not in names:
            raise InputError(f"unknown parameter {_shown(name)}; accepted: {', '.join(names) or 'none'}")
        if name in texts:
            raise InputError(f"the parameter {name} is given twice; accepted: once")
        texts[name] = text
    return {parameter.name: _value(parameter, texts) for parameter in parameters}


def defaults(parameters: Sequence[Parameter]) -> dict[str, str | float]:
    """The values of those that need not be given."""
    return {p.name: _default(p) for p in parameters if p.default is not None}


def _value(parameter: Parameter, texts: Mapping[str, str]) -> str | float:
    if parameter.name in texts:
        return parameter.read(texts[parameter.name])
    if parameter.default is None:
        raise InputError(f"the parameter {parameter.name} is not given; needed: {parameter.help}")
    return _default(parameter)


def _default(parameter: Parameter) -> str | float:
    return float(parameter.default) if isinstance(parameter, Number) else str(parameter.default)


def _shown(text: str) -> str:
    """A given text in a message: ASCII, one line, not long."""
    line = ascii(text)
    return line if len(line) <= _MOST_DIGITS else f"{line[: _MOST_DIGITS - 3]}..."
