"""CUDA kernels run in numba's simulator, which numba chooses when it is imported.

The compiled kernels of the CPU are the same with it. `NUMBA_ENABLE_CUDASIM=0 pytest -m gpu` runs those of a
device.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-draws", action="store_true", help="all random draws of each test, not a sample of them"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked `draws(n)` the first n draws are run, with --all-draws all of them."""
    if config.getoption("all_draws"):
        return
    drawn: Counter[str] = Counter()
    left_out = []
    for item in items:
        mark = item.get_closest_marker("draws")
        if mark is None:
            continue
        name = item.nodeid.split("[")[0]
        drawn[name] += 1
        if drawn[name] > mark.args[0]:
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
