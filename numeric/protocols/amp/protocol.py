"""The protocol `amp`: approximate message passing on data of a teacher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.bayes.amp.model import AMP
from hermite_analytics.numeric.bayes.amp.starts import STARTS
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.estimation import EstimationProtocol
from hermite_analytics.numeric.simulator.parameters import positive_integer, size_from
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose
from hermite_analytics.numeric.status import Status
from hermite_analytics.target import Target

__all__ = ["AMPProtocol"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AMPProtocol(EstimationProtocol):
    """`AMP` from one start, to its fixed point or the last iteration.

    Parameters
    ----------
    start : {"uninformed", "informed", "spectral"}
    start_overlap : float in (0, 1), optional
        As in `AMP.run`.
    iterations : int >= 1
        At most.
    tolerance : float > 0
    damping : float in [0, 1)
    damping_steps : int >= 1, optional
        Steps that are damped; all by default.
    target, d, n, noise, device, dtype
        As in `EstimationProtocol`.

    Raises
    ------
    InputError
        If a parameter is out of range.
    UnsupportedExpression
        For labels that AMP does not take.
    """

    name: ClassVar[str] = "amp"

    start: str = "uninformed"
    start_overlap: float | None = None
    iterations: int = 200
    tolerance: float = 1e-5
    damping: float = 0.0
    damping_steps: int | None = None

    def __post_init__(self) -> None:
        EstimationProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        positive_integer("iterations", self.iterations)
        if self.start not in STARTS:
            raise InputError(f"start is {self.start!r}: accepted are {', '.join(map(repr, STARTS))}")
        if not 0 <= self.damping < 1:
            raise InputError(f"damping is {self.damping!r}: a number with 0 <= damping < 1 is accepted")
        if self.damping_steps is not None:
            positive_integer("damping_steps", self.damping_steps)

    @classmethod
    def create(
        cls,
        *,
        target: Target,
        d: int,
        alpha: float | None = None,
        n: int | None = None,
        start: str = "uninformed",
        start_overlap: float | None = None,
        iterations: int = 200,
        tolerance: float = 1e-5,
        damping: float = 0.0,
        damping_steps: int | None = None,
        noise: float = 0.0,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> AMPProtocol:
        """Build it from a size or the ratio alpha = n/d (the size is rounded).

        Raises
        ------
        InputError
            If a parameter is out of range, or not exactly one of n and alpha is given.
        """
        d = positive_integer("d", d)
        return cls(
            target=target,
            d=d,
            n=size_from("n", n, "alpha", alpha, d),
            start=start,
            start_overlap=start_overlap,
            iterations=iterations,
            tolerance=tolerance,
            damping=damping,
            damping_steps=damping_steps,
            noise=noise,
            device=device,
            dtype=dtype,
        )

    def run(self, seed: int) -> Sample:
        """One teacher, one data set, one run.

        Returns
        -------
        dict of str to ndarray
            overlap
                Squared cosine of W^ and W*; for several directions those of the principal angles, descending:
                the eigenvalues of the overlap matrix of `StateEvolution` in the limit.
            test_error
                E (E[y | x] - yhat)^2 of the prediction yhat = E[y | z ~ N(x W^, V)], noise excluded.
            expected_overlap
                I - V, what the run itself believes its overlap to be.
            moment_error
                What errors of the labels' moments put into the squared length of W^ per direction.
            iterations
            converged
                1, or 0 if the last change is above the tolerance.
        """
        backend = resolve_backend(self.device)
        model = AMP(self.noisy)
        data = self.sampled(backend, seed)
        draws = GaussianStream(seed=seed, purpose=Purpose.ESTIMATE_START)
        found = model.run(
            data.x,
            data.y,
            teacher=data.teacher,
            start=self.start,
            start_overlap=self.start_overlap,
            max_steps=self.iterations,
            tolerance=self.tolerance,
            damping=self.damping,
            damping_steps=self.damping_steps,
            normals=draws.normals(self.d, model.directions),
        )
        error = self.test_error(seed, data.teacher, found.estimate, found.covariance)
        return {
            "overlap": np.asarray(found.overlap),
            "test_error": np.asarray(error),
            "expected_overlap": np.asarray(found.expected_overlaps[-1]),
            "moment_error": np.asarray(found.moment_error),
            "iterations": np.asarray(float(found.iterations)),
            "converged": np.asarray(float(found.status == Status.CONVERGED)),
        }

    def parameters(self) -> dict[str, object]:
        return {
            **EstimationProtocol.parameters(self),
            "start": self.start,
            "start_overlap": self.start_overlap,
            "iterations": self.iterations,
            "tolerance": self.tolerance,
            "damping": self.damping,
            "damping_steps": self.damping_steps,
        }
