"""The errors of the library: one family, each also the builtin that a caller expects.

Every message is one sentence that says what was given, why it cannot be, and what is accepted.
"""

from __future__ import annotations

__all__ = [
    "ConvergenceError",
    "HermiteAnalyticsError",
    "InputError",
    "ParseError",
    "StoreError",
    "UndefinedQuantity",
    "UnsupportedExpression",
]


class HermiteAnalyticsError(Exception):
    """Base class of all errors that this library raises on purpose."""


class InputError(HermiteAnalyticsError, ValueError):
    """An argument is outside what is accepted (a negative ratio, an unknown name, ...)."""


class ParseError(InputError):
    """A text is not an expression of the library's language.

    Parameters
    ----------
    message : str
        One sentence: what was given, what is accepted.
    text : str
        The whole text that was parsed.
    position : int or None
        Zero-based column of the fault in `text`, where it is known.
    """

    WINDOW = 60

    def __init__(self, message: str, text: str = "", position: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.position = position

    def __reduce__(self) -> tuple[type[ParseError], tuple[str, str, int | None]]:
        return type(self), (self.message, self.text, self.position)

    def __str__(self) -> str:
        """The sentence, then the text around the fault and a caret; one line if the fault is at the start."""
        if not self.text:
            return self.message
        line = "".join(ch if ch.isprintable() else " " for ch in self.text)
        position = self.position or 0
        start = max(0, min(position - self.WINDOW // 2, len(line) - self.WINDOW))
        excerpt = line[start : start + self.WINDOW]
        if position == 0:
            return f"{self.message}; given: {excerpt}"
        return f"{self.message}\n  {excerpt}\n  {' ' * (position - start)}^"


class UndefinedQuantity(HermiteAnalyticsError, ArithmeticError):
    """A quantity does not exist for this input (an infinite moment, a derivative that is not in L2, ...)."""


class UnsupportedExpression(HermiteAnalyticsError, NotImplementedError):
    """The expression is meaningful, but the asked evaluation does not cover it."""


class ConvergenceError(HermiteAnalyticsError, RuntimeError):
    """A solver stopped before its residual met the tolerance."""


class StoreError(HermiteAnalyticsError, OSError):
    """A folder or file of results cannot be used as asked."""
