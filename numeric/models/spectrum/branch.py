"""The saddle-point equations of the responses at a complex ridge -z: the branch of the Stieltjes transform.

g(z) = sum_j V2_j at ridge -z is the transform of the eigenvalues of Phi^T Phi/p. The branch is followed from
far up in the complex plane, where g ~ -1/z, down to the point asked for, by Newton's method at each height.

Source: arXiv 2402.04980, App. F, eqs (173)-(191); docs/giant_step.md, "Spectrum of the features".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.models.spiked.letter_bulk import LetterBulk, Vocabulary, packed, unpacked
from hermite_analytics.numeric.models.spiked.letter_loss import Products
from hermite_analytics.numeric.models.spiked.tables import Tables

__all__ = ["Branch", "Followed"]

Array = NDArray[Any]
_HALVINGS = 3.0  # heights shrink by this factor
_STEPS, _FEW_STEPS = 60, 12
_INNER_STEPS = 25
_TOLERANCE = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Packed responses (V1, V2) at each z, and whether Newton's method settled there.

    `residual` is the undamped relative residual at each z, `steps` the number of Newton steps so far.
    """

    responses: Array
    settled: NDArray[np.bool_]
    residual: NDArray[np.float64]
    steps: int
    bulk: LetterBulk
    determinant: Array


class Branch:
    """The responses of one table as a function of z."""

    def __init__(self, table: Tables, vocabulary: Vocabulary, alpha: float, beta: float) -> None:
        self.table, self.vocabulary = table, vocabulary
        self.alpha, self.beta = alpha, beta
        self.products = Products(table)
        power = vocabulary.fraction @ (
            (vocabulary.c[:, None] * table.mu1**2 + table.mu2_squared) @ table.weight
        )
        widest = vocabulary.c.max() * np.max(table.mu1**2) + np.max(table.mu2_squared)
        edges = (1.0 + np.sqrt(beta)) ** 2 * (1.0 + np.sqrt(alpha / beta)) ** 2
        self.scale = max(float(power) * alpha / beta, 1e-300)
        self.top = float(edges) * max(float(widest), float(power))

    def far(self, z: Array) -> tuple[Array, Array]:
        """Responses and rr at very large |z|: -1/z times those of a resolvent without disorder."""
        fraction, c = self.vocabulary.fraction, self.vocabulary.c
        rr = np.tile(-1.0 / z[:, None], (1, c.size))
        return packed(np.diag(fraction * c), fraction) * rr[:, :1], rr

    def transform(self, z: Array) -> Array:
        """g at complex z (flat), NaN where the branch was lost."""
        return self.transform_and_path(z)[0]

    def transform_and_path(self, z: Array) -> tuple[Array, Followed]:
        """g, and how its points were reached."""
        upper = np.where(z.imag < 0.0, np.conj(z), z)
        found = self.follow(upper)
        letters = self.vocabulary.letters
        g = np.sum(found.responses[:, -letters:], axis=1)
        g = np.where(found.settled, g, np.nan)
        return np.where(z.imag < 0.0, np.conj(g), g), found

    def follow(self, z: Array) -> Followed:
        """From far above down to z, all points together."""
        height = 30.0 * max(self.top, float(np.max(np.abs(z))))
        heights = [height]
        lowest = max(1e-9 * self.top, 1e-300)
        while heights[-1] > lowest:
            heights.append(heights[-1] / _HALVINGS)
        place = z.real + 1j * np.maximum(height, z.imag)
        x, rr = self.far(place)
        steps = 0
        for level in heights:
            place = z.real + 1j * np.maximum(level, z.imag)
            found, rr = self._newton(x, rr, place)
            x, steps = found.responses, steps + found.steps
            if np.all(z.imag >= level):
                break
        found, _ = self._newton(x, rr, z + 0j)
        return replace(found, steps=steps + found.steps)

    def real(self, z: float, x: Array | None, rr: Array | None) -> tuple[Followed, Array]:
        """The real branch to the right of the spectrum, from the responses at a nearby point."""
        place = np.array([z + 0.0])
        if x is None or rr is None:
            x, rr = self.far(place)
        return self._newton(x, rr, place, _FEW_STEPS)

    def _newton(self, x: Array, rr: Array, z: Array, steps: int = _STEPS) -> tuple[Followed, Array]:
        ratio, letters = self.alpha / self.beta, self.vocabulary.letters
        beta = np.full(z.size, self.beta)
        identity = np.eye(x.shape[1])
        residual = np.full(z.size, np.inf)
        for step in range(steps):
            w = 1.0 / (1.0 + self.products.spread(x))
            s, t = unpacked(ratio * self.products.averages(self.table.weight * w), letters)
            rr = self._resolvent(s, t - z[:, None], beta, rr)
            e = self.vocabulary.screened(s, rr, beta)
            bulk = LetterBulk(vocabulary=self.vocabulary, s=s, beta=beta, rr=rr, e=e)
            image = bulk.responses()
            size = np.max(np.abs(image), axis=1)
            with np.errstate(invalid="ignore"):
                residual = np.max(np.abs(image - x), axis=1) / size
            settled = residual <= _TOLERANCE
            jacobian = identity + bulk.matrix() @ (ratio * self.products.slopes(self.table.weight * w**2))
            if np.all(settled | ~np.isfinite(size)) or step == steps - 1:
                break
            jacobian = np.where(np.isfinite(jacobian), jacobian, identity)
            change = np.linalg.solve(jacobian, np.nan_to_num(image - x)[:, :, None])[:, :, 0]
            # a step longer than the responses is cut: far from the solution the plain image is safe
            long = np.max(np.abs(change), axis=1) > np.max(np.abs(x), axis=1)
            x = np.where(settled[:, None], x, np.where(long[:, None], 0.5 * (x + image), x + change))
        found = Followed(
            responses=image,
            settled=settled,
            residual=residual,
            steps=step + 1,
            bulk=bulk,
            determinant=np.linalg.det(jacobian),
        )
        return found, rr

    def _resolvent(self, s: Array, t: Array, beta: Array, rr: Array) -> Array:
        """rr = 1/(t + c E(rr)) by Newton's method from a nearby value."""
        c, share = self.vocabulary.c, self.vocabulary.fraction * self.vocabulary.c
        for _ in range(_INNER_STEPS):
            e = self.vocabulary.screened(s, rr, beta)
            image = 1.0 / (t + c * np.diagonal(e, axis1=1, axis2=2))
            worst = np.max(np.abs(rr / image - 1.0))
            if worst < 1e-14 or not np.isfinite(worst):
                break
            matrix = (beta[:, None] * c * rr)[:, :, None] * e**2 * (share * rr)[:, None, :]
            change = np.linalg.solve(matrix - np.eye(c.size), (rr / image - 1.0)[:, :, None])[:, :, 0]
            accepted = np.all(np.abs(change) < 0.5, axis=1)
            rr = np.where(accepted[:, None], rr * (1.0 + change), 0.5 * (rr + image))
        return rr
