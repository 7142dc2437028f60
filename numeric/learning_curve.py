"""Errors and overlaps of a readout: what spiked and untrained random features give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.numeric.frozen import ReadOnly
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import Status
from hermite_analytics.rendering.points import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LearningCurve"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LearningCurve(Solution):
    """Errors and overlaps of a solved model; all arrays have the broadcast shape of the ratios.

    Attributes
    ----------
    test_error : float or ndarray
        E (E[y|x] - yhat)^2, label noise excluded, or the misclassification of a loss of the margin; NaN where
        not converged.
    train_error : float or ndarray
        Mean training loss without the penalty.
    square_error : float or ndarray
        E (E[y|x] - yhat)^2 whatever the loss.
    misclassification : float or ndarray, optional
        P(f yhat <= 0) for a target f that takes the values 1 and -1 alone on one direction.
    calibration_error : float or ndarray, optional
        For such a target and a smooth loss of the margin, the root mean square of P(y = 1 | yhat) - p(yhat),
        where p is the probability that the prediction stands for.
    linear_floor : float
        Error of the best affine predictor.
    overlaps : mapping of str to float or ndarray
    numerical_error : float or ndarray
        Largest relative change of a result when the quadrature was refined last.

    Examples
    --------
    >>> from hermite_analytics.numeric import RandomFeatures
    >>> solution = RandomFeatures("tanh", "sin(z1)").solve(alpha=[1, 2], beta=1, ridge=0.1)
    >>> solution.test_error.round(6).tolist(), str(solution.status[0])
    ([0.312272, 0.2376], 'converged')
    """

    varied: tuple[str, ...]
    test_error: Numbers
    train_error: Numbers
    square_error: Numbers
    misclassification: Numbers | None = None
    calibration_error: Numbers | None = None
    linear_floor: float
    overlaps: Mapping[str, Numbers]
    numerical_error: Numbers
    extra: Mapping[str, Any] = field(default_factory=lambda: ReadOnly({}))

    columns: ClassVar[tuple[str, ...]] = (
        "test_error",
        "train_error",
        "square_error",
        "misclassification",
        "calibration_error",
        "linear_floor",
        "overlaps",
        "status",
        "residual",
        "iterations",
        "numerical_error",
    )
    shaped: ClassVar[str] = "test_error"
    answers: ClassVar[tuple[Status, ...]] = (Status.CONVERGED, Status.AT_BORDER)

    @property
    def named(self) -> tuple[str, ...]:
        """The ratios that vary and what was found beside the errors, then `columns`."""
        return (*self.varied, *self.extra, *self.columns)

    def phase_diagram(self, x: str, y: str, axes: Axes | None = None, *, value: str = "test_error") -> Axes:
        """Draw a result of a two-dimensional grid as a map over two ratios; returns the matplotlib axes.

        Parameters
        ----------
        x, y : str
            Names of the ratios that vary along the two axes of the grid.
        value : str
            "test_error", "train_error" or another column, or an overlap.
        """
        plain = [n for n in self.columns if n not in ("overlaps", "status") and self._value(n) is not None]
        require(value, [*plain, *self.overlaps], "value")
        return self.plot(axes, x=x, y=y, heat=f"overlaps_{value}" if value in self.overlaps else value)

    def _value(self, name: str) -> Any:
        return self.extra[name] if name in self.extra else Solution._value(self, name)
