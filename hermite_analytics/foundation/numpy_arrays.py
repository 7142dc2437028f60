"""Types of arrays of numpy, under the names that signatures use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Bools", "Complex", "Function", "Integers"]

Array: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Complex: TypeAlias = NDArray[np.complex128]
Function: TypeAlias = Callable[[Array], Array]
"""Of an array, number by number; or of points along its last axis."""
