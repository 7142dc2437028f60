"""The protocol `spectral`: the spectral method on data of a teacher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from hermite_analytics.numeric.bayes.amp.spectral import SpectralMethod
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.estimation import EstimationProtocol
from hermite_analytics.numeric.simulator.parameters import positive, positive_integer, size_from
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose
from hermite_analytics.target import Target

__all__ = ["SpectralProtocol"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SpectralProtocol(EstimationProtocol):
    """`SpectralMethod` with the preprocessing that is best for the target.

    Parameters
    ----------
    tolerance : float > 0
        Relative, of the eigenvalues.
    target, d, n, noise, device, dtype
        As in `EstimationProtocol`.

    Raises
    ------
    InputError
        If a parameter is out of range.
    UnsupportedExpression
        For labels whose law no engine covers.
    """

    name: ClassVar[str] = "spectral"

    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        EstimationProtocol.__post_init__(self)  # super() does not work in a dataclass with slots
        positive("tolerance", self.tolerance)

    @classmethod
    def create(
        cls,
        *,
        target: Target,
        d: int,
        alpha: float | None = None,
        n: int | None = None,
        tolerance: float = 1e-6,
        noise: float = 0.0,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> SpectralProtocol:
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
            tolerance=tolerance,
            noise=noise,
            device=device,
            dtype=dtype,
        )

    def run(self, seed: int) -> Sample:
        """One teacher, one data set, the leading eigenvectors.

        Returns
        -------
        dict of str to ndarray
            overlap
                Squared cosine with the teacher; for several directions those of the principal angles,
                descending.
            test_error
                E (E[y | x] - yhat)^2 of yhat = E[y | projections of x on the directions found]; the rotation
                and the overlap between them and the teacher, which the method leaves open, are taken from the
                teacher.
            eigenvalue
                The largest one.
            predicted_overlap
                The limit of the overlap; for one direction only.
        """
        backend = resolve_backend(self.device)
        method = SpectralMethod(self.noisy)
        data = self.sampled(backend, seed)
        draws = GaussianStream(seed=seed, purpose=Purpose.ESTIMATE_START)
        found = method.run(
            data.x,
            data.y,
            teacher=data.teacher,
            tolerance=self.tolerance,
            normals=draws.normals(self.d, len(method.channel.seen)),
        )
        along = found.estimate.T @ data.teacher
        posterior_mean = found.estimate @ along
        left = np.eye(self.target.dimension) - along.T @ along
        numbers = {
            "overlap": np.asarray(found.overlap),
            "test_error": np.asarray(self.test_error(seed, data.teacher, posterior_mean, left)),
            "eigenvalue": np.asarray(found.eigenvalues[0]),
        }
        if found.predicted_overlap is not None:
            numbers["predicted_overlap"] = np.asarray(found.predicted_overlap)
        return numbers

    def parameters(self) -> dict[str, object]:
        return {**EstimationProtocol.parameters(self), "tolerance": self.tolerance}
