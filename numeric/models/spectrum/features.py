"""Eigenvalues of the features after a giant step: Stieltjes transform, density, edge, outliers.

Source: arXiv 2402.04980, App. F, eqs (173)-(191); docs/giant_step.md, "Spectrum of the features".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import conditional_coefficients
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import JSON, Document
from hermite_analytics.foundation.ranges import POSITIVE
from hermite_analytics.numeric.checks import checked, read_texts
from hermite_analytics.numeric.frozen import ReadOnly, frozen, json_number
from hermite_analytics.numeric.models.spectrum.branch import Branch, Followed
from hermite_analytics.numeric.models.spectrum.edges import (
    Right,
    finite_outliers,
    growing_outliers,
    right_of_the_bulk,
)
from hermite_analytics.numeric.models.spectrum.record import SPECTRUM
from hermite_analytics.numeric.models.spiked.letter_bulk import Vocabulary
from hermite_analytics.numeric.models.spiked.letters import Letters, ReadoutLaw, letters_of
from hermite_analytics.numeric.models.spiked.ratios import read_spike
from hermite_analytics.numeric.models.spiked.tables import MOST_LEVELS, Spike, conditional_values, table
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import Status
from hermite_analytics.rendering import Column, Drawing, Frame, Mark, Role
from hermite_analytics.target import Target

__all__ = ["Spectrum", "SpectrumSolution", "density_drawing"]

Array = NDArray[Any]  # real, or complex for spectra
_SETTLED = 1e-11
_SETTLED_DENSITY = 1e-5
_FAR_OUT = np.array([20.0, 60.0, 200.0, 600.0, 2000.0])  # r kappa
_GROWS = 1.02  # from each to the next, log(z) too
_ROUNDING = 1e-12  # of mu2_squared, relative to mu0^2
_DRAWN = 200  # points of a drawn density
_NO_TARGET = "z1"  # the spectrum does not depend on the target


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SpectrumSolution(Solution):
    """The law of the eigenvalues of Phi^T Phi/p, Phi the n x p matrix of uncentred features.

    Attributes
    ----------
    z, stieltjes : complex ndarray or complex
        g(z) = (1/p) tr (Phi^T Phi/p - z)^-1.
    atom_at_zero : float
        Mass of the eigenvalue 0.
    edge : float
        Upper edge of the bulk: inf where the features of samples far along the spike are larger and larger,
        as those of z**2 are (by mu1 and mu2_squared at r kappa = 20 to 2000); NaN where it was not found.
    outliers : tuple of float
        Eigenvalues of order 1 beyond the edge, largest first.
    growing : tuple of float
        eigenvalue/d of the eigenvalues that grow with the dimension (the mean map of each letter).
    numerical_error : float
        Change of the transform when the quadrature was refined last, relative to its size.
    residual, iterations : float, int
        Largest undamped relative residual of the responses, and the Newton steps down to them.
    """

    z: Any
    stieltjes: Any
    atom_at_zero: float
    edge: float
    outliers: tuple[float, ...]
    growing: tuple[float, ...]
    numerical_error: float
    branch: Branch = field(compare=False)
    _level: int = field(compare=False)
    _rules: _Rules = field(compare=False)
    model: str = "spectrum"

    shaped: ClassVar[str] = "edge"
    columns: ClassVar[tuple[str, ...]] = ()

    def density(self, x: ArrayLike) -> Array:
        """Density of the bulk at real x > 0, the atom and the outliers left out: Im g(x + i0)/pi.

        The rule along the spike is refined for each x until g changes by less than 1e-5 of its size. NaN
        where the finest one does not get there: close to 0, where features hardly vary somewhere.
        """
        at = checked("x", x, POSITIVE)
        places = np.ravel(at) + 0j
        found = np.full(places.size, np.nan)
        before, open_ = np.full(places.size, np.nan + 0j), np.ones(places.size, dtype=bool)
        for level in range(max(self._level - 1, 0), MOST_LEVELS):
            values = np.full(places.size, np.nan + 0j)
            values[open_] = self._rules(level).transform(places[open_])
            settled = open_ & (np.abs(values - before) <= _SETTLED_DENSITY * np.abs(values))
            found[settled] = values[settled].imag / np.pi
            before, open_ = values, open_ & ~settled
            if not open_.any():
                break
        density: Array = np.maximum(found, 0.0).reshape(at.shape)
        return density

    def eigenvalues(self) -> list[JSON]:
        """Outliers for JSON: "inf" for each that grows with the dimension, then the others."""
        return ["inf"] * len(self.growing) + [json_number(x) for x in self.outliers]

    def rows(self) -> list[dict[str, Any]]:
        """One: what is known of the whole spectrum."""
        row = {k: v for k, v in self.parameters.items() if not isinstance(v, str)}
        row |= (
            {"stieltjes": [[g.real, g.imag] for g in np.ravel(self.stieltjes)]} if self.z is not None else {}
        )
        row |= {"atom_at_zero": self.atom_at_zero, "edge": self.edge}
        row |= {"outliers": self.eigenvalues(), "growing": list(self.growing), "status": str(self.status)}
        return [row | {"residual": self.residual, "iterations": self.iterations}]

    def document(self) -> Document:
        """JSON-ready."""
        fixed = {k: v for k, v in self.parameters.items() if isinstance(v, str)}
        return {"model": self.model, "parameters": fixed, "results": self.results()}

    def drawing(self) -> Drawing:
        """The density of the bulk, the outliers of order 1, and the eigenvalues at 0."""
        end = self.edge if np.isfinite(self.edge) else self.branch.top
        x = np.linspace(0.0, 1.05 * end, _DRAWN + 1)[1:]
        marks = [Mark(name="outlier", place=value) for value in self.outliers]
        if self.atom_at_zero > 0.0:
            marks.append(Mark(name=f"atom {self.atom_at_zero:.3g}", place=0.0))
        return density_drawing(self.frame(), x, self.density(x), tuple(marks))


def density_drawing(frame: Frame, x: Array, density: Array, marks: tuple[Mark, ...] = ()) -> Drawing:
    """A density as a curve over the eigenvalue, up to what is marked."""
    rows = [{"eigenvalue": float(a), "density": float(b)} for a, b in zip(x, density, strict=True)]
    rows += [{"eigenvalue": mark.place, "density": 0.0} for mark in marks]
    known = {"eigenvalue": Column(name="eigenvalue", role=Role.PARAMETER)}
    return Drawing(frame=replace(frame, rows=tuple(rows), columns=known), values=("density",), marks=marks)


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigenvalues of the features sigma((W + r u v^T) x + b) of n = alpha d samples.

    Parameters
    ----------
    activation : Activation or str
        E sigma(z)^2 finite.
    letters, bias
        As in `SpikedRandomFeatures`; the bias is a number.

    Examples
    --------
    >>> from hermite_analytics import Activation
    >>> spike = {"r": 1.2248307799585, "c": 1.0758928018327}
    >>> found = Spectrum(Activation("tanh(z)")).solve(**spike, alpha=2, beta=1, z=-1)
    >>> print(f"{found.stieltjes.real:.8f}")
    0.73224392
    """

    activation: Activation
    letters: Any = None
    bias: float = 0.0

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation)
        conditional_coefficients(self.activation)
        object.__setattr__(self, "letters", letters_of(self.letters))
        object.__setattr__(self, "bias", float(SPECTRUM["bias"].checked(self.bias)))

    def solve(
        self, *, r: ArrayLike, c: ArrayLike, alpha: float, beta: float, z: ArrayLike | None = None
    ) -> SpectrumSolution:
        """Transform at z, atom, edge and outliers, at one point of the ratios.

        Parameters
        ----------
        r : float, or one a spike
        c : float > 0, or one a letter
        alpha, beta : float > 0
            n/d and p/d.
        z : complex array_like, optional
            Off the support: not real, or real and outside it; on the real axis the limit from above.

        Raises
        ------
        InputError
            A parameter outside its range.
        """
        letters = self.letters
        letters = letters.letters(letters.nodes) if isinstance(letters, ReadoutLaw) else letters
        zero = np.zeros(letters.rank) if letters.rank > 1 else 0.0
        r_, c_, gamma = read_spike(r, c, zero, letters)
        if r_.ndim > 1 or c_.ndim > 1:
            raise InputError(
                "the spectrum is solved at one point: r and c are single numbers, or one a letter"
            )
        alpha_, beta_ = (
            float(SPECTRUM["alpha"].checked(alpha)),
            float(SPECTRUM["beta"].checked(beta)),
        )
        spike = Spike(
            r=tuple(map(float, r_)), c=tuple(map(float, c_)), gamma=tuple(map(float, gamma)), bias=self.bias
        )
        points = None if z is None else _complex(z)
        rules = _Rules(self.activation, spike, letters, alpha_, beta_)
        level, values, change, path = _settled(rules, points)
        branch = rules(level)
        if self._grows_along_the_spike(spike, letters):
            right = Right(np.inf, [])
        else:
            right = right_of_the_bulk(branch)
        outliers = finite_outliers(branch, right)
        lost = (values is not None and not np.all(np.isfinite(values))) or np.isnan(right.edge)
        return SpectrumSolution(
            z=None if points is None else frozen(points),
            stieltjes=None if values is None or points is None else frozen(values.reshape(points.shape)),
            atom_at_zero=self._atom(alpha_, beta_),
            edge=right.edge,
            outliers=tuple(outliers),
            growing=tuple(growing_outliers(branch)),
            numerical_error=change,
            residual=float(np.max(path.residual)),
            iterations=path.steps,
            branch=branch,
            _level=level,
            _rules=rules,
            parameters=self._parameters(letters, r_, c_, alpha_, beta_),
            status=Status.DIVERGED if lost else Status.CONVERGED,
        )

    def _grows_along_the_spike(self, spike: Spike, letters: Letters) -> bool:
        """Whether mu1 or mu2_squared grows without end with kappa, by their sizes further and further out."""
        moves = np.any(np.array(letters.values) * np.array(spike.r) != 0.0, axis=1)
        c = np.array(spike.c)[moves, None]
        for side in (1.0, -1.0):
            with np.errstate(over="ignore", invalid="ignore"):
                mu0, mu1, mu2_squared = conditional_values(self.activation, side * _FAR_OUT, c)
                beyond_rounding = np.where(mu2_squared > _ROUNDING * mu0 * mu0, mu2_squared, 0.0)
            for size in (*np.abs(mu1), *beyond_rounding):
                if np.any(np.isinf(size)) or np.all(size[1:] > _GROWS * np.maximum.accumulate(size)[:-1]):
                    return True
        return False

    def _atom(self, alpha: float, beta: float) -> float:
        """1 - rank/p: n samples, p features, and d directions if the activation is linear."""
        rank = min(alpha / beta, 1.0)
        if conditional_coefficients(self.activation).mu2_squared == 0:
            rank = min(rank, 1.0 / beta)
        return 1.0 - rank

    def _parameters(
        self, letters: Letters, r: Array, c: Array, alpha: float, beta: float
    ) -> Mapping[str, Any]:
        found: dict[str, Any] = {"of": "features", "activation": self.activation.text}
        if not letters.is_uniform:
            found["letters"] = letters.text()
        if self.bias:
            found["bias"] = f"{self.bias:g}"
        spike = {
            "r": r.tolist() if r.size > 1 else float(r[0]),
            "c": c.tolist() if c.size > 1 else float(c[0]),
        }
        return ReadOnly(found | spike | {"alpha": alpha, "beta": beta})


@dataclass(frozen=True, slots=True)
class _Rules:
    """The branch by level of its quadrature; kept."""

    activation: Activation
    spike: Spike
    letters: Letters
    alpha: float
    beta: float
    _kept: dict[int, Branch] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, level: int) -> Branch:
        if level not in self._kept:
            vocabulary = Vocabulary(fraction=np.array(self.letters.fractions), c=np.array(self.spike.c))
            nodes = table(self.activation, Target(_NO_TARGET), self.spike, self.letters, level)
            self._kept[level] = Branch(nodes, vocabulary, self.alpha, self.beta)
        return self._kept[level]


def _settled(rules: _Rules, z: Array | None) -> tuple[int, Array | None, float, Followed]:
    """The level of a rule fine enough for the transform at z (or at a few points of its own)."""
    before: Array | None = None
    change = np.inf
    for level in range(MOST_LEVELS):
        branch = rules(level)
        probe = branch.scale * np.array([-0.1, -1.0, 0.3 + 0.3j]) if z is None else np.ravel(z)
        values, path = branch.transform_and_path(probe + 0j)
        if before is not None:
            with np.errstate(invalid="ignore"):
                change = float(np.max(np.abs(values - before) / np.maximum(np.abs(values), 1e-300)))
            if change <= _SETTLED or not np.all(np.isfinite(values)):
                break
        before = values
    return level, None if z is None else values, change, path


def _complex(z: ArrayLike) -> Array:
    try:
        values: Array = np.asarray(z, dtype=np.complex128)
    except (TypeError, ValueError):
        raise InputError(f"z is {z!r:.40}; a complex number or an array of them is accepted") from None
    if not np.all(np.isfinite(values)):
        raise InputError("z has an infinite or undefined entry; finite complex numbers are accepted")
    return values
