"""`Orthant`: jointly Gaussian forms, all to be positive; `OpenProbability`: of one without a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S

from hermite_analytics.gaussian.law import Form, GaussianLaw, canonical

__all__ = ["OpenProbability", "Orthant"]


@dataclass(frozen=True, slots=True)
class Orthant:
    """Jointly Gaussian forms, all to be positive: their means and covariances."""

    mean: tuple[Expr, ...]
    covariance: tuple[tuple[Expr, ...], ...]

    @classmethod
    def of(cls, law: GaussianLaw, forms: Sequence[Form]) -> Orthant:
        """The cell of forms that are not constant."""
        rows = [law.covariances_with(f) for f in forms]
        covariance = tuple(
            tuple(canonical(sympy.Add(*(x * y for x, y in zip(a.slope, row, strict=True)))) for row in rows)
            for a in forms
        )
        return cls(tuple(law.mean_of(f) for f in forms), covariance)

    @property
    def size(self) -> int:
        return len(self.mean)

    def part(self, chosen: Sequence[int]) -> Orthant:
        """The cell of some of the forms."""
        return Orthant(
            tuple(self.mean[i] for i in chosen),
            tuple(tuple(self.covariance[i][j] for j in chosen) for i in chosen),
        )

    def without(self, i: int) -> Orthant:
        return self.part([j for j in range(self.size) if j != i])

    def shifted(self, i: int, change: Expr) -> Orthant:
        """Form i plus a constant."""
        mean = (*self.mean[:i], canonical(self.mean[i] + change), *self.mean[i + 1 :])
        return Orthant(mean, self.covariance)

    def centred(self) -> Orthant:
        """The same forms with means 0: the directions in which the cell is unbounded."""
        return Orthant((S.Zero,) * self.size, self.covariance)

    @property
    def is_centred(self) -> bool:
        return all(m == 0 for m in self.mean)


class OpenProbability(sympy.Symbol):  # type: ignore[misc]
    """P of a cell without a closed form, as a symbol: it may cancel.

    Hermite coefficients of products of steps need fewer steps than the mean (C1): in E[He_2(z) f] = E[z^2 f]
    - E f the probability of the whole cell drops out.
    """

    @classmethod
    def of(cls, cell: Orthant) -> OpenProbability:
        """The same symbol for cells that differ in the scales of their forms only."""
        c = cell.covariance
        heights = [m * abs(m) / c[i][i] for i, m in enumerate(cell.mean)]
        cosines = [c[i][j] * abs(c[i][j]) / (c[i][i] * c[j][j]) for i in range(cell.size) for j in range(i)]
        name = ", ".join(sympy.srepr(canonical(x)) for x in (*heights, *cosines))
        symbol: OpenProbability = cls(f"P({name})", real=True)
        return symbol
