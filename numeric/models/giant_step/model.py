"""The first gradient step of order d: (alpha0, eta, beta) -> (r, c, gamma).

Source: arXiv 2402.04980, Result 3.1 (eqs 8-12), with the corrections of docs/theory.md; activations that are
not odd: docs/giant_step.md, "Any activation".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import (
    HermiteData,
    activation_curvature,
    has_fourth_moments,
    hermite_data,
    square_integrable_derivative,
)
from hermite_analytics.errors import ConvergenceError, InputError, UndefinedQuantity
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.checks import on_one_grid, read_texts, take_one_direction
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models.giant_step.record import GIANT_STEP
from hermite_analytics.numeric.models.spiked.letters import Letters, ReadoutLaw, letters_of
from hermite_analytics.numeric.models.spiked.step_rows import step_rows
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.target import Target

__all__ = ["STEP_CONVENTIONS", "GiantStep", "GiantStepSolution"]

STEP_CONVENTIONS = ("paper", "notebook")
_LEVELS = (1, 2, 3, 4, 5)
_SETTLED = 1e-10
_NO_LETTERS = (
    "letters other than 1 take an activation whose second coefficient E He2 sigma is shown to be 0, and that "
    "of {} is not: each letter would have rows of its own directions"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GiantStepSolution(Solution):
    """Parameters of the spiked random features after the step; arrays of the broadcast shape.

    Attributes
    ----------
    r : spike strength, of a neuron with readout 1;  gamma : overlap of spike and target.
    c : squared norm of a bulk row; with letters one more axis, a value for each.
    unit_c : c of a neuron with readout 1.
    c_spike, c_target : d times the variance of a bulk row (of readout 1) along the spike and the target,
        which are c only if the rows have no direction; NaN where E g^4 or E sigma'^4 is not shown to be
        finite, or where fourth powers of numbers of the step lie beyond floats.
    effective_step : e.
    is_isotropic : whether sigma has no second coefficient: then no row is multiplied by a matrix of the data,
        and `SpikedRandomFeatures` takes rows of squared norm c without a direction, as the paper does.
    parameters : mapping with alpha0, eta, beta, noise (broadcast) and step_convention.
    """

    r: Numbers
    c: Numbers
    gamma: Numbers
    unit_c: Numbers
    c_spike: Numbers
    c_target: Numbers
    effective_step: Numbers
    is_isotropic: bool
    model: str = "giant-step"

    columns: ClassVar[tuple[str, ...]] = (
        *("alpha0", "eta", "beta", "noise", "r", "c", "gamma", "c_spike", "c_target"),
        *("status", "residual", "iterations"),
    )
    shaped: ClassVar[str] = "r"

    @property
    def remarks(self) -> tuple[str, ...]:
        if self.is_isotropic:
            return self.reduced
        return (
            *self.reduced,
            "the second coefficient of the activation is not 0: the rows have directions, which "
            "spiked-random-features takes from the step, and r, c, gamma alone do not give",
        )

    def c_of(self, letters: Letters) -> Numbers:
        """c of each letter: 1 + omega^2 (unit_c - 1), in a last axis; without it for one letter."""
        if not (letters.is_uniform or self.is_isotropic):
            raise InputError(_NO_LETTERS.format(self.parameters["activation"]))
        squares = np.array([row[0] ** 2 for row in letters.values])
        found = 1.0 + (np.asarray(self.unit_c)[..., None] - 1.0) * squares
        norms: Numbers = frozen(found[..., 0] if letters.count == 1 else found)
        return norms


@dataclass(frozen=True, slots=True)
class GiantStep:
    """One gradient step of size eta * d on n0 = alpha0 d fresh samples, from a uniform readout.

    Parameters
    ----------
    activation : Activation or str
        With a square integrable derivative.
    target : Target or str
        One direction; label noise a*xi is added to `noise`.
    letters : mapping, Letters or ReadoutLaw, optional
        Values of the first readout, as in `SpikedRandomFeatures`; the spike of a neuron with readout omega
        is r omega v. Biases do not enter the step. Other letters than 1 take an activation without a second
        coefficient, E He2 sigma = 0 (odd ones have none).

    Raises
    ------
    InputError
        Letters with an activation whose second coefficient is not shown to vanish.
    UndefinedQuantity
        If sigma' is not square integrable (c would be infinite).

    Examples
    --------
    >>> from hermite_analytics import Activation, Target
    >>> step = GiantStep(Activation("tanh(z)"), Target("sin(z1)")).solve(alpha0=20, eta=3, beta=1)
    >>> print(f"{step.r:.8f} {step.c:.8f} {step.gamma:.8f}")
    1.13405551 1.01897320 0.97185444
    >>> step = GiantStep(Activation("relu(z)"), Target("z1")).solve(alpha0=4, eta=2, beta=1)
    >>> print(f"{step.r:.6f} {step.c:.6f} {step.c_spike:.6f} {step.c_target:.6f}")
    1.135689 0.754490 1.144120 1.254490
    """

    activation: Activation
    target: Target
    letters: Any = None

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target)
        object.__setattr__(self, "letters", letters_of(self.letters))
        if isinstance(self.letters, Letters) and self.letters.rank > 1:
            raise InputError("one step makes one spike: letters of rank 1 are accepted")
        if self.activation.has_jumps:
            raise UndefinedQuantity(
                f"the giant step is undefined for {self.activation.text}: its derivative is not square "
                "integrable (a jump), so c is infinite; such an activation is accepted by "
                "spiked-random-features with r, c, gamma given"
            )
        if self.activation.has_jumps is None or not square_integrable_derivative(self.activation):
            raise UndefinedQuantity(
                f"the giant step is undefined for {self.activation.text}: "
                "E sigma'(z)^2 is not shown to be finite"
            )
        if not (self._letters.is_uniform or self._is_isotropic):
            raise InputError(_NO_LETTERS.format(self.activation.text))
        take_one_direction(self)

    @property
    def hermite_data(self) -> HermiteData:
        """E sigma', Var sigma', E g, E z g, E g^2, E sigma, E sigma''."""
        return hermite_data(self.activation, self.target)

    def solve(
        self,
        *,
        alpha0: ArrayLike,
        eta: ArrayLike,
        beta: ArrayLike,
        noise: ArrayLike = 0.0,
        step_convention: str = "paper",
    ) -> GiantStepSolution:
        """The map of Result 3.1; with F = g - omega E sigma, omega the mean letter, in place of g.

        Parameters
        ----------
        alpha0 : array_like >= 0
            n0/d; may be infinite; 0 is no step.
        eta : array_like >= 0
            Step size over d: the effective step is eta/beta (`step_convention="paper"`), or eta itself
            ("notebook": the code published with the paper, equal at beta = 1).
        beta : array_like > 0
            p/d.
        noise : array_like >= 0
            Variance of the label noise in the step's data.

        Returns
        -------
        GiantStepSolution
            r, c, gamma of the broadcast shape of the arguments.

        Raises
        ------
        InputError
            A parameter outside its range, an unknown convention.
        """
        if step_convention not in STEP_CONVENTIONS:
            raise InputError(
                f"unknown step convention {step_convention!r}; accepted: {', '.join(STEP_CONVENTIONS)}"
            )
        alpha0, eta, beta, noise = on_one_grid(
            alpha0=GIANT_STEP["alpha0"].checked(alpha0),
            eta=GIANT_STEP["eta"].checked(eta),
            beta=GIANT_STEP["beta"].checked(beta),
            noise=GIANT_STEP["noise"].checked(noise),
        ).values()
        data = self.hermite_data
        noises = noise + float(self.target.noise_variance)
        letters = self._letters
        output = data.mean * float(np.array(letters.fractions) @ np.array(letters.values)[:, 0])
        power = data.target_second_moment - 2.0 * output * data.target_mean + output**2 + noises
        step = eta / beta if step_convention == "paper" else eta
        none = alpha0 == 0.0  # no data: no step is made
        share = power / np.where(none, 1.0, alpha0)
        norm = np.sqrt(share + data.target_slope**2)
        r = np.where(none, 0.0, step * data.slope * norm)
        curvature = 0.0 if self._is_isotropic else data.curvature
        kept = 1.0 + step * curvature * (data.target_mean - output)
        with np.errstate(over="ignore"):
            c = np.where(none, 1.0, kept**2 + step**2 * share * data.slope_variance)
        _require_floats(c, alpha0=alpha0, eta=eta, beta=beta)
        c_spike, c_target = self._along(alpha0, step, noises)
        with np.errstate(invalid="ignore", divide="ignore"):
            gamma = np.where(none | (norm == 0.0), 0.0, data.target_slope / norm)
        unit = GiantStepSolution(
            r=frozen(r),
            c=frozen(c),
            gamma=frozen(gamma),
            unit_c=frozen(c),
            c_spike=frozen(c_spike),
            c_target=frozen(c_target),
            effective_step=frozen(step),
            is_isotropic=self._is_isotropic,
            parameters=ReadOnly(
                {
                    "alpha0": frozen(alpha0),
                    "eta": frozen(eta),
                    "beta": frozen(beta),
                    "noise": frozen(noise),
                    "step_convention": step_convention,
                    "activation": self.activation.text,
                    "target": self.target.text,
                    **self.target.origin,
                }
            ),
        )
        return unit if letters.is_uniform else replace(unit, c=unit.c_of(letters))

    @property
    def _letters(self) -> Letters:
        letters: Letters | ReadoutLaw = self.letters
        return letters.letters(letters.nodes) if isinstance(letters, ReadoutLaw) else letters

    @property
    def _is_isotropic(self) -> bool:
        """Whether E He2 sigma is proved to be 0."""
        return activation_curvature(self.activation).zero is True

    def _along(self, alpha0: Array, step: Array, noise: Array) -> tuple[Array, Array]:
        """c_spike and c_target, on rules that are refined until both are settled."""
        keys = np.stack([alpha0.ravel(), step.ravel(), noise.ravel()], axis=1)
        if not has_fourth_moments(self.activation, self.target):
            return np.full(alpha0.shape, np.nan), np.full(alpha0.shape, np.nan)
        unique, member = np.unique(keys + 0.0, axis=0, return_inverse=True)
        found = np.array([self._variances(*map(float, key)) for key in unique])[member.ravel()]
        return found[:, 0].reshape(alpha0.shape), found[:, 1].reshape(alpha0.shape)

    def _variances(self, alpha0: float, step: float, noise: float) -> Array:
        if alpha0 == 0.0 or step == 0.0:
            return np.ones(2)
        before = np.full(2, np.nan)
        for level in _LEVELS:
            rows = step_rows(self.activation, self.target, (alpha0, step, noise), level)
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    found = np.array([rows.c_spike, rows.c_target])
            except OverflowError:
                return np.full(2, np.nan)
            if np.all(np.abs(found - before) <= _SETTLED * np.abs(found)):
                return found
            before = found
        raise ConvergenceError(
            f"the rows of a step of {self.activation.text} on {self.target.text} are not settled: their "
            f"averages still change on a rule of level {_LEVELS[-1]}"
        )


def _require_floats(c: Array, **given: Array) -> None:
    """Refuse steps after which a row is longer than floats are."""
    bad = ~np.isfinite(c)
    if bad.any():
        first = ", ".join(f"{name} = {values[bad][0]:g}" for name, values in given.items())
        raise InputError(f"the squared norm of a row after the step lies beyond floats at {first}")
