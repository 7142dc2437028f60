"""How a point ended, and how its averages were found: words with their help.

Records and the help of commands read the words: numpy is loaded where arrays of them are made.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AT_BORDER", "NOT_COMPUTED", "TIME_ENDED", "Rule", "Status", "code_of", "status_texts", "statuses"]


class Status(enum.StrEnum):
    """How a point ended; `help` says what it means and what to try.

    Examples
    --------
    >>> print(Status.INFINITE, "-", Status.INFINITE.help)
    infinite - the limit is infinite
    """

    CONVERGED = "converged"
    MAX_STEPS_REACHED = "max_steps_reached"
    DIVERGED = "diverged"
    INFINITE = "infinite"
    MULTIPLE_SOLUTIONS = "multiple_solutions"
    TIME_ENDED = "time_ended"
    AT_BORDER = "at_border"
    UNRESOLVED = "unresolved"
    NOT_COMPUTED = "not_computed"

    @property
    def help(self) -> str:
        return _HELP[self]


_HELP = {
    Status.CONVERGED: "the residual is below the tolerance",
    Status.MAX_STEPS_REACHED: "the maximum number of steps was reached: try a larger max_steps or tolerance",
    Status.DIVERGED: (
        "the iteration left the domain of the equations, or an average did not settle: is a ratio near a "
        "degenerate limit, or the ridge 0 where some samples have next to no features?"
    ),
    Status.INFINITE: "the limit is infinite",
    Status.MULTIPLE_SOLUTIONS: "several fixed points exist: see the solution's list of them",
    Status.AT_BORDER: "the best ridge is an end of the range looked at: one beyond may be better still",
    Status.TIME_ENDED: "the time ended before the point was found: give more seconds",
    Status.UNRESOLVED: "overlaps are too close to 1, and not all of them, for a grid, or samples are too few "
    "for them: simulate AMP, or take another alpha",
    Status.NOT_COMPUTED: "the executor ended before the point was computed: solve it again on another one",
}


_CODES = (
    Status.CONVERGED,
    Status.MAX_STEPS_REACHED,
    Status.DIVERGED,
    Status.INFINITE,
    Status.AT_BORDER,
    Status.NOT_COMPUTED,
    Status.TIME_ENDED,
)
AT_BORDER = _CODES.index(Status.AT_BORDER)
"""Its code in compiled solvers."""
NOT_COMPUTED = _CODES.index(Status.NOT_COMPUTED)
"""The code of points that an executor lost."""
TIME_ENDED = _CODES.index(Status.TIME_ENDED)
"""The code of points for which the time did not suffice."""


def code_of(status: Status) -> int:
    """Of the texts of `status_texts`."""
    return _CODES.index(status)


def status_texts(codes: NDArray[np.number]) -> NDArray[np.str_]:
    """The texts of the compiled solvers' codes."""
    import numpy as np

    found: NDArray[np.str_] = np.array([str(s) for s in _CODES])[codes]
    return found


def statuses(codes: NDArray[np.generic]) -> Status | NDArray[np.str_]:
    """`Status` (single point) or an array of status texts."""
    if codes.ndim == 0:
        return Status(codes.item())
    from hermite_analytics.numeric.frozen import frozen

    found: NDArray[np.str_] = frozen(codes)
    return found


class Rule(enum.StrEnum):
    """How the averages behind a result were found; `help` says what its error is.

    Examples
    --------
    >>> print(Rule.SAMPLED, "-", Rule.SAMPLED.help)
    randomised quasi-Monte Carlo - the error is two standard errors, with an allowance for bias
    """

    QUADRATURE = "quadrature"
    INTERPOLATED = "quadrature, interpolated to complete overlap"
    SAMPLED = "randomised quasi-Monte Carlo"

    @property
    def help(self) -> str:
        return _RULE_HELP[self]


_RULE_HELP = {
    Rule.QUADRATURE: "the error is the change with a coarser rule, and probability that the finer one lost",
    Rule.INTERPOLATED: "the error is the change with a coarser rule and a lower order of interpolation",
    Rule.SAMPLED: "the error is two standard errors, with an allowance for bias",
}
