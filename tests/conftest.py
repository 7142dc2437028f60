"""CUDA kernels run in numba's simulator, which numba chooses when it is imported.

The compiled kernels of the CPU are the same with it. `NUMBA_ENABLE_CUDASIM=0 pytest -m gpu` runs those of a
device.
"""

from __future__ import annotations

import os

os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")
