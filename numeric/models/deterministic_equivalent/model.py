"""Random-feature and kernel ridge regression with any spectrum: `DeterministicEquivalent`."""

from __future__ import annotations

import functools
import math
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.executors.timed import executor_of
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import NOT_NEGATIVE, POSITIVE, Range
from hermite_analytics.numeric.best_ridge import RIDGES, looked_for, measure_of, with_best_ridge
from hermite_analytics.numeric.checks import check_method, checked, number, on_one_grid
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models.deterministic_equivalent.fixed_point import (
    COLUMNS,
    solve_parallel,
    solve_points,
)
from hermite_analytics.numeric.models.deterministic_equivalent.power_law import power_law
from hermite_analytics.numeric.models.deterministic_equivalent.record import DETERMINISTIC_EQUIVALENT
from hermite_analytics.numeric.models.deterministic_equivalent.solution import (
    RATIOS,
    DeterministicEquivalentSolution,
)
from hermite_analytics.numeric.spread import flat_results, raise_if_ended
from hermite_analytics.numeric.status import AT_BORDER, status_texts, statuses

if TYPE_CHECKING:
    from hermite_analytics.activation import Activation
    from hermite_analytics.target import Target

__all__ = ["DeterministicEquivalent"]

_INTEGER = 1e-12  # relative: weights of compressed levels add up to their number but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class DeterministicEquivalent:
    """Ridge regression on p random features of a kernel with given eigenvalues, and on the kernel itself.

    The features are phi(x, w) = sum_k xi_k psi_k(x) phi_k(w) with orthonormal psi_k and phi_k, the predictor
    is yhat = sum_j a_j phi(x, w_j)/sqrt(p), and a minimises sum_i (y_i - yhat_i)^2 + ridge |a|^2 over n
    samples of y = sum_k beta_k psi_k(x) + noise. Infinitely many features are kernel ridge regression.

    Source: arXiv 2405.15699; docs/deterministic_equivalents.md.

    Parameters
    ----------
    eigenvalues : array_like of shape (levels,), > 0
        xi_k^2, in any order.
    coefficients : array_like of shape (levels,), >= 0
        beta_k^2; for a level of several eigenfunctions the sum of theirs.
    multiplicities : array_like of shape (levels,), > 0, optional
        Number of eigenfunctions of each level (default 1).
    tail_trace : float >= 0
        Trace of infinitely many further eigenvalues that are each small beside nu2.
    tail_coefficient : float >= 0
        Squared norm of the target on these, or orthogonal to all features.
    tail_largest : float >= 0
        The largest eigenvalue in `tail_trace`; what it may change is part of `numerical_error`.
    label_noise : float >= 0
        Variance of label noise that `solve` adds to its own.

    Attributes
    ----------
    rank : float
        Number of eigenfunctions; infinite with a `tail_trace`.

    Raises
    ------
    InputError
        Arrays of different lengths, an eigenvalue that is not positive, a negative coefficient.

    Examples
    --------
    >>> import numpy as np
    >>> k = np.arange(1, 2501.0)
    >>> model = DeterministicEquivalent(k**-1.5, k**-2.2)
    >>> solution = model.solve(samples=200, features=[400, np.inf], ridge=0.01, noise=0.01)
    >>> solution.test_error.round(12).tolist()
    [0.026598590179, 0.010829235823]
    """

    eigenvalues: Any
    coefficients: Any
    multiplicities: Any = None
    tail_trace: float = field(default=0.0, kw_only=True)
    tail_coefficient: float = field(default=0.0, kw_only=True)
    tail_largest: float = field(default=0.0, kw_only=True)
    label_noise: float = field(default=0.0, kw_only=True)
    rank: float = field(init=False)

    def __post_init__(self) -> None:
        values = _vector("eigenvalues", self.eigenvalues, POSITIVE)
        squares = _vector("coefficients", self.coefficients)
        count = np.ones(values.size) if self.multiplicities is None else self.multiplicities
        counts = _vector("multiplicities", count, POSITIVE)
        for name, array in (("coefficients", squares), ("multiplicities", counts)):
            if array.size != values.size:
                raise InputError(
                    f"{name} has {array.size} entries and eigenvalues {values.size}; "
                    "accepted: one for each eigenvalue"
                )
        for name in ("tail_trace", "tail_coefficient", "tail_largest", "label_noise"):
            checked(name, getattr(self, name), NOT_NEGATIVE)
        for name, array in (
            ("trace of the eigenvalues", values * counts),
            ("sum of the coefficients", squares),
        ):
            with np.errstate(over="ignore"):
                if not math.isfinite(float(array.sum())):
                    raise InputError(f"the {name} is infinite; accepted: spectra and targets of finite norm")
        for name, array in (
            ("eigenvalues", values),
            ("coefficients", squares),
            ("multiplicities", counts),
        ):
            object.__setattr__(self, name, array)
        object.__setattr__(self, "rank", math.inf if self.tail_trace > 0.0 else _number(counts))

    @classmethod
    def power_law(
        cls, eigenvalue_power: float, coefficient_power: float, levels: float = math.inf
    ) -> DeterministicEquivalent:
        """Eigenvalues k^-a and squared coefficients k^-b, k = 1..levels.

        Long spectra are compressed to a few thousand weighted levels without loss but rounding; of an
        infinite one, the eigenvalues below 1e-60 count by their trace.

        Parameters
        ----------
        eigenvalue_power, coefficient_power : float
            a >= 0 and b; both greater than 1 with infinitely many levels.
        levels : integer >= 1 or inf

        Raises
        ------
        InputError
            If a sum over infinitely many levels diverges or an eigenvalue underflows.

        Examples
        --------
        >>> model = DeterministicEquivalent.power_law(1.5, 2.2)
        >>> print(f"{model.solve(samples=200, features=400, ridge=0.01, noise=0.01).test_error:.10f}")
        0.0293671572
        """
        a, b = number("eigenvalue_power", eigenvalue_power), number("coefficient_power", coefficient_power)
        law = power_law(a, b, number("levels", levels))
        return cls(
            law.levels**-a,
            law.weights * law.levels**-b,
            law.weights,
            tail_trace=law.tail_trace,
            tail_coefficient=law.tail_coefficient,
            tail_largest=0.0 if law.tail_trace == 0.0 else law.cut**-a,
        )

    @classmethod
    def from_activation(
        cls,
        activation: Activation | str,
        target: Target | str,
        *,
        dimension: int,
        degree: int,
        inputs: str = "gaussian",
    ) -> DeterministicEquivalent:
        """The spectrum of the features sigma(<w, x>), w uniform on the unit sphere, and of a target.

        Source: the degrees of polynomials as eigenspaces, docs/deterministic_equivalents.md.

        Parameters
        ----------
        activation : Activation or str
            sigma, with E sigma^2 finite.
        target : Target or str
            Additive label noise a*xi becomes `label_noise`.
        dimension : int >= 3
            d.
        degree : int >= 0
            The last degree that is resolved; the degrees above it are the tail. For n, p ~ d^K take K or
            more.
        inputs : "gaussian" or "sphere"
            x ~ N(0, I_d), to leading order in d; or uniform on the sphere of radius sqrt(d), at this d, for a
            target of one direction.

        Raises
        ------
        UndefinedQuantity
            If E sigma^2 or E f^2 is infinite.

        Examples
        --------
        >>> model = DeterministicEquivalent.from_activation("tanh", "tanh(z1)", dimension=1000, degree=1)
        >>> print(f"{model.solve(samples=4000, features=2000, ridge=0.2, noise=0.09).test_error:.10f}")
        0.1035344073
        """
        from hermite_analytics.numeric.models.deterministic_equivalent.activation_spectrum import (
            activation_spectrum,
        )

        return cls(**activation_spectrum(activation, target, dimension, degree, inputs))

    def solve(
        self,
        *,
        samples: ArrayLike,
        features: ArrayLike,
        ridge: ArrayLike,
        noise: ArrayLike = 0.0,
        tolerance: float = 1e-12,
        max_steps: int = 200,
        parallel: bool = False,
        throw: bool = False,
        executor: Executor | None = None,
        seconds: float | None = None,
    ) -> DeterministicEquivalentSolution:
        """Test error, bias, variance and training error.

        Parameters
        ----------
        samples, features : array_like > 0
            n and p, not only integers. Infinitely many features are kernel ridge regression, infinitely many
            samples the limit n -> infinity at fixed p.
        ridge : array_like >= 0, or "optimal"
            lambda of sum_i (y_i - yhat_i)^2 + lambda |a|^2. At 0 the limit lambda -> 0 is taken; it is
            infinite at the interpolation threshold. "optimal" is the one of the smallest test error, 0 and
            inf included; `parameters["ridge"]` holds what was found.
        noise : array_like >= 0
            Variance of the label noise.
        tolerance : float
            On the residual of the equations, relative to min(samples, features), and on the last step of
            log nu2.
        max_steps : int
            Newton steps a point.
        parallel : bool
            Share the points among threads.
        throw : bool
            Raise `ConvergenceError` if a point has no answer.
        executor : Executor, optional
            Of `concurrent.futures`, or anything with its `submit`: the points are solved there, in pieces.
        seconds : float > 0, optional
            Of the processor, in place of an executor: pieces of the points that are not begun by then are
            NaN, `time_ended`.

        Returns
        -------
        DeterministicEquivalentSolution
            Arrays of the broadcast shape.

        Raises
        ------
        InputError
            A number outside its range.
        """
        check_method(tolerance, max_steps)
        measure = measure_of(ridge)
        if measure == "misclassification":
            raise InputError(f"ridge is {ridge!r}, and a spectrum has no classes; accepted: 'optimal'")
        asked = zip(RATIOS, (samples, features, 1.0 if measure else ridge, noise), strict=True)
        given = on_one_grid(**{name: DETERMINISTIC_EQUIVALENT[name].checked(x) for name, x in asked})
        shape = given["samples"].shape
        flat = {name: np.array(x, dtype=np.float64).reshape(-1) for name, x in given.items()}
        texts, listed = {}, None

        solved = functools.partial(self._results, tolerance=tolerance, max_steps=max_steps, parallel=parallel)
        results = functools.partial(
            flat_results, solved, executor=executor_of(executor, seconds), keeps=measure is None
        )

        if measure is None:
            found = results(flat)
        else:
            best = with_best_ridge(flat, "test_error", results, power=self._power, at_border=AT_BORDER)
            found, listed = best.results, best.alternatives
            given["ridge"] = best.ridge.reshape(shape)
            texts["optimised"] = looked_for("test_error", RIDGES)
        solution = DeterministicEquivalentSolution(
            **{name: frozen(found[name].reshape(shape)) for name in COLUMNS},
            status=statuses(status_texts(found["code"]).reshape(shape)),
            iterations=frozen(found["steps"].reshape(shape)),
            parameters=ReadOnly(texts | {n: frozen(v) for n, v in given.items()}),
            alternatives=listed,
        )
        raise_if_ended(solution)
        if throw:
            solution.raise_unless_converged()
        return solution

    @property
    def _power(self) -> float:
        """E f^2."""
        return float(self.coefficients.sum()) + float(self.tail_coefficient)

    def _results(
        self, flat: dict[str, Array], tolerance: float, max_steps: int, *, parallel: bool
    ) -> dict[str, Array]:
        """Flat arrays by name; of an infinite ridge the limit, where nothing is fitted."""
        points = np.stack([flat[name] for name in RATIOS], axis=1)
        points[:, 3] += self.label_noise
        infinite = np.isinf(points[:, 2])
        noise = points[infinite, 3]
        points[infinite, 2] = 1.0
        out = np.full((points.shape[0], len(COLUMNS)), np.nan)
        steps, code = (np.zeros(points.shape[0], dtype=np.int64) for _ in range(2))
        kernel = solve_parallel if parallel else solve_points
        spectrum = (self.eigenvalues, self.coefficients, self.multiplicities)
        tail = (float(self.tail_trace), float(self.tail_largest), float(self.tail_coefficient))
        kernel(spectrum, tail, self.rank, points, tolerance, max_steps, out, steps, code)
        found = {name: out[:, j] for j, name in enumerate(COLUMNS)}
        limit = dict.fromkeys(("test_error", "bias"), self._power) | dict.fromkeys(("nu1", "nu2"), math.inf)
        for name in COLUMNS:
            found[name][infinite] = limit.get(name, 0.0)
        found["train_error"][infinite] = self._power + noise
        steps[infinite], code[infinite] = 0, 0
        return found | {"steps": steps, "code": code}


def _vector(name: str, value: ArrayLike, within: Range = NOT_NEGATIVE) -> Array:
    """A read-only array of one axis."""
    array = np.array(checked(name, value, within))
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{name} has shape {array.shape}; accepted: one axis with at least one entry")
    array.flags.writeable = False
    return array


def _number(multiplicities: Array) -> float:
    """Their sum, an integer where it is one but for rounding."""
    total = math.fsum(multiplicities)
    return float(round(total)) if abs(total - round(total)) <= _INTEGER * total else total
