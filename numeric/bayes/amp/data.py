"""Data as the user gives them: checked once, on their own array library and device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import array_api_compat
import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Array, Namespace, Values

__all__ = ["Data", "start_normals"]

_START = 0x414D50  # beside the seed: whoever drew a teacher from the seed alone does not start at it
_ENOUGH = 1000  # entries, to judge their scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Inputs of any array API library, labels on the host.

    Attributes
    ----------
    xp : module
        The array namespace of the inputs.
    x : array of float64, shape (n, d)
        Rows N(0, I_d).
    y : ndarray of float64, shape (n,)
    """

    xp: Namespace
    x: Array
    y: NDArray[np.float64]

    @classmethod
    def of(cls, x: Values, y: Values) -> Data:
        """Check shapes, numbers and scale.

        Raises
        ------
        InputError
            Naming what is wrong.
        """
        xp, inputs = _with_namespace(x)
        if inputs.ndim != 2 or 0 in inputs.shape:
            raise InputError(f"x has the shape {tuple(inputs.shape)}: (n, d) is accepted, a sample a row")
        labels = _host(y)
        n, d = inputs.shape
        if labels.shape != (n,):
            raise InputError(f"y has the shape {labels.shape}: ({n},) is accepted, a label a row of x")
        inputs = xp.astype(inputs, xp.float64, copy=False)
        size = float(xp.mean(inputs * inputs))
        if not (np.isfinite(size) and np.isfinite(labels).all()):
            raise InputError("x or y has entries that are no finite numbers")
        if size == 0 or (n * d >= _ENOUGH and not 0.5 < size < 2.0):
            raise InputError(
                f"the entries of x have the mean square {size:.3g}: inputs x ~ N(0, I_d) are accepted "
                "(those of variance 1/d times sqrt(d))"
            )
        return cls(xp=xp, x=inputs, y=labels)

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.x.shape[0])

    @property
    def d(self) -> int:
        """Dimension."""
        return int(self.x.shape[1])

    def device(self, values: NDArray[np.float64]) -> Array:
        """A host array beside the inputs."""
        return self.xp.asarray(np.ascontiguousarray(values), device=array_api_compat.device(self.x))

    def host(self, values: Values) -> NDArray[np.float64]:
        """An array beside the inputs, on the host."""
        return _host(values)

    def of_samples(self, weights: Array) -> Array:
        """X W for W of shape (d, q): as W^T X^T, which takes half the time for a few columns."""
        return (weights.T @ self.x.T).T

    def of_weights(self, values: Array) -> Array:
        """X^T P for P of shape (n, q): as P^T X, which takes half the time for a few columns."""
        return (values.T @ self.x).T

    def directions(self, teacher: Values, columns: int) -> NDArray[np.float64]:
        """The teacher as a host array of shape (d, columns).

        Raises
        ------
        InputError
            If it has another shape, or columns that are not independent.
        """
        w = _host(teacher)
        w = w[:, None] if w.ndim == 1 else w
        if w.shape != (self.d, columns):
            raise InputError(
                f"the teacher has the shape {w.shape}: ({self.d}, {columns}) is accepted, column k the "
                "direction of z_k"
            )
        if not np.isfinite(w).all() or np.linalg.matrix_rank(w) < columns:
            raise InputError("the teacher's columns are not independent finite directions")
        return w


def _with_namespace(values: Values) -> tuple[Namespace, Array]:
    """An array of its own library, or of numpy where it is of none."""
    try:
        return array_api_compat.array_namespace(values), cast("Array", values)
    except TypeError:
        found = np.asarray(values)
        return array_api_compat.array_namespace(found), cast("Array", found)


def _host(values: Values) -> NDArray[np.float64]:
    if array_api_compat.is_torch_array(values) or array_api_compat.is_cupy_array(values):
        values = array_api_compat.to_device(values, "cpu")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("the labels or directions are no array of numbers") from None


def start_normals(seed: int, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Standard normals of a start: not those of `default_rng(seed)`, from which a user may draw a teacher."""
    return np.random.default_rng([seed, _START]).standard_normal(shape)
