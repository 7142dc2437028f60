"""The errors of the library: one family, each also the builtin that a caller expects; and one warning.

Every message is one sentence that says what was given, why it cannot be, and what is accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

__all__ = [
    "BudgetExhausted",
    "ConvergenceError",
    "ExecutorEnded",
    "HermiteAnalyticsError",
    "InputError",
    "ParseError",
    "RoundedNumbers",
    "StoreError",
    "UndefinedQuantity",
    "UnsupportedExpression",
]


class HermiteAnalyticsError(Exception):
    """Base class of all errors that this library raises on purpose.

    Examples
    --------
    >>> from hermite_analytics import Target
    >>> try:
    ...     Target("z1 + ")
    ... except HermiteAnalyticsError as refused:
    ...     print(type(refused).__name__)
    ParseError
    """


class InputError(HermiteAnalyticsError, ValueError):
    """An argument is outside what is accepted (a negative ratio, an unknown name, ...).

    Examples
    --------
    >>> from hermite_analytics import Target
    >>> try:
    ...     Target("relu(z1)", directions=[[1, 0], [1]])
    ... except InputError as refused:
    ...     print(refused)
    directions has 2 rows of lengths [1, 2]; rows of one length are accepted
    """


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

    Examples
    --------
    >>> from hermite_analytics import Target
    >>> try:
    ...     Target("z1 + sin(z2")
    ... except ParseError as refused:
    ...     print(refused)
    an opening parenthesis is never closed
      z1 + sin(z2
              ^
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
    """A quantity does not exist for this input (an infinite moment, a derivative that is not in L2, ...).

    Examples
    --------
    >>> from hermite_analytics import Target
    >>> try:
    ...     Target("exp(z1**2)")
    ... except UndefinedQuantity as refused:
    ...     print(refused)
    the target exp(z1**2) has no mean: E|f| is infinite against a Gaussian
    """


class UnsupportedExpression(HermiteAnalyticsError, NotImplementedError):
    """The expression is meaningful, but the asked evaluation does not cover it.

    Examples
    --------
    >>> from hermite_analytics import Target
    >>> try:
    ...     Target("sign(z1 + xi)").noise_variance
    ... except UnsupportedExpression as refused:
    ...     print(refused)
    the label noise of sign(z1 + xi) is not additive; solvers accept a*xi with a constant a
    """


class ConvergenceError(HermiteAnalyticsError, RuntimeError):
    """A solver stopped before its residual met the tolerance.

    Examples
    --------
    >>> from hermite_analytics.numeric import SpikedRandomFeatures
    >>> model = SpikedRandomFeatures("tanh", "sin(z1)")
    >>> try:
    ...     model.solve(r=1, c=1, gamma=0.9, alpha=2, beta=1, ridge=0.1, max_steps=1, throw=True)
    ... except ConvergenceError as stopped:
    ...     print(str(stopped).partition(": the maximum")[0])
    point 0 of spiked-random-features: max_steps_reached
    """


class BudgetExhausted(HermiteAnalyticsError, TimeoutError):
    """The time or the precision allowed was used up.

    Parameters
    ----------
    message : str
    ball : arb, list of arb or None
        The best enclosure reached, if any: rigorous, but wider than what was asked.
    """

    def __init__(self, message: str, ball: arb | list[arb] | None = None) -> None:
        super().__init__(message)
        self.ball = ball


class ExecutorEnded(HermiteAnalyticsError, RuntimeError):
    """An executor died, or was shut down, before all points were computed.

    Parameters
    ----------
    message : str
    solution : Solution or None
        What was computed; points that were not are NaN with the status `not_computed`. None where nothing
        of it is an answer.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import hermite_analytics as ha
    >>> pool = ThreadPoolExecutor(1)
    >>> pool.shutdown()
    >>> try:
    ...     ha.table(["z1"], executor=pool)
    ... except ExecutorEnded as ended:
    ...     print(ended)
    the executor ended before all was computed (cannot schedule new futures after shutdown)
    """

    def __init__(self, message: str, solution: object = None) -> None:
        super().__init__(message)
        self.solution = solution


class RoundedNumbers(UserWarning):
    """Floats that were rounded stand for exact numbers: they are kept as the decimals that they print.

    Examples
    --------
    >>> import warnings
    >>> from hermite_analytics import Target
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     f = Target("z1", directions=[[0.7071067811865476]])
    >>> print(str(told[0].message).partition(";")[0])
    directions has floats that are kept as the decimals 0.7071067811865476
    >>> Target("z1", directions=[[0.7071067811865476]], exact=True).expression
    sqrt(2)*z1/2
    """


class StoreError(HermiteAnalyticsError, OSError):
    """A folder or file of results cannot be used as asked.

    Examples
    --------
    >>> issubclass(StoreError, OSError)
    True
    """
