"""Types of arrays of numpy, under the names that signatures use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Bools", "Complex", "Function", "Integers"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
Complex = NDArray[np.complex128]
Function = Callable[[Array], Array]
"""Of an array, number by number; or of points along its last axis."""
