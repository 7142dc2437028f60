"""The first gradient step of order d: (alpha0, eta, beta) -> (r, c, gamma).

Source: arXiv 2402.04980, Result 3.1 (eqs 8-12), with the corrections of docs/theory.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import HermiteData, hermite_data, square_integrable_derivative
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.numeric.checks import read_texts
from hermite_analytics.numeric.models.giant_step import GIANT_STEP
from hermite_analytics.numeric.solution import ReadOnly, Solution, frozen
from hermite_analytics.numeric.spiked.letters import Letters, ReadoutLaw, letters_of
from hermite_analytics.target import Target

__all__ = ["STEP_CONVENTIONS", "GiantStep", "GiantStepSolution"]

STEP_CONVENTIONS = ("paper", "notebook")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GiantStepSolution(Solution):
    """Parameters of the spiked random features after the step; arrays of the broadcast shape.

    Attributes
    ----------
    r : spike strength, of a neuron with readout 1;  gamma : overlap of spike and target.
    c : squared norm of a bulk row; with letters one more axis, a value for each.
    unit_c : c of a neuron with readout 1.
    parameters : mapping with alpha0, eta, beta, noise (broadcast) and step_convention.
    """

    r: Numbers
    c: Numbers
    gamma: Numbers
    unit_c: Numbers
    model: str = "giant-step"

    columns: ClassVar[tuple[str, ...]] = (
        *("alpha0", "eta", "beta", "noise", "r", "c", "gamma"),
        *("status", "residual", "iterations"),
    )
    shaped: ClassVar[str] = "r"

    def c_of(self, letters: Letters) -> Numbers:
        """c of each letter: 1 + omega^2 (unit_c - 1), in a last axis; without it for one letter."""
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
        Odd, with a square integrable derivative.
    target : Target or str
        One direction; label noise a*xi is added to `noise`.
    letters : mapping, Letters or ReadoutLaw, optional
        Values of the first readout, as in `SpikedRandomFeatures`; the spike of a neuron with readout omega
        is r omega v. Biases do not enter the step.

    Raises
    ------
    InputError
        If the activation is not odd (the bulk is then not isotropic after the step).
    UndefinedQuantity
        If sigma' is not square integrable (c would be infinite).

    Examples
    --------
    >>> from hermite_analytics import Activation, Target
    >>> step = GiantStep(Activation("tanh(z)"), Target("sin(z1)")).solve(alpha0=20, eta=3, beta=1)
    >>> print(f"{step.r:.8f} {step.c:.8f} {step.gamma:.8f}")
    1.13405551 1.01897320 0.97185444
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
        if not self.activation.is_odd:
            raise InputError(
                f"the giant-step map takes odd activations, and {self.activation.text} is not shown to be "
                "odd: its bulk is not isotropic after the step; give r, c, gamma to "
                "spiked-random-features instead"
            )
        self.target.single_index()

    @property
    def hermite_data(self) -> HermiteData:
        """E sigma', Var sigma', E g, E z g, E g^2."""
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
        """The map of Result 3.1.

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
        alpha0, eta, beta, noise = np.broadcast_arrays(
            GIANT_STEP["alpha0"].checked(alpha0),
            GIANT_STEP["eta"].checked(eta),
            GIANT_STEP["beta"].checked(beta),
            GIANT_STEP["noise"].checked(noise),
        )
        data = self.hermite_data
        power = data.target_second_moment + noise + float(self.target.noise_variance)
        step = eta / beta if step_convention == "paper" else eta
        none = alpha0 == 0.0  # no data: no step is made
        share = power / np.where(none, 1.0, alpha0)
        norm = np.sqrt(share + data.target_slope**2)
        r = np.where(none, 0.0, step * data.slope * norm)
        c = np.where(none, 1.0, 1.0 + step**2 * share * data.slope_variance)
        with np.errstate(invalid="ignore", divide="ignore"):
            gamma = np.where(none | (norm == 0.0), 0.0, data.target_slope / norm)
        letters = self.letters
        letters = letters.letters(letters.nodes) if isinstance(letters, ReadoutLaw) else letters
        unit = GiantStepSolution(
            r=frozen(r),
            c=frozen(c),
            gamma=frozen(gamma),
            unit_c=frozen(c),
            parameters=ReadOnly(
                {
                    "alpha0": frozen(alpha0),
                    "eta": frozen(eta),
                    "beta": frozen(beta),
                    "noise": frozen(noise),
                    "step_convention": step_convention,
                    "activation": self.activation.text,
                    "target": self.target.text,
                }
            ),
        )
        return unit if letters.is_uniform else replace(unit, c=unit.c_of(letters))
