"""CUDA kernels run in numba's simulator, which numba chooses when it is imported.

The compiled kernels of the CPU are the same with it. `NUMBA_ENABLE_CUDASIM=0 pytest -m gpu` runs those of a
device.
"""

from __future__ import annotations

import os
from collections import defaultdict

import pytest

os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")


@pytest.fixture(autouse=True, scope="session")
def _compiled_from_the_first_point() -> None:
    """Kernels of solvers are compiled at once: when they are depends on what a process was asked before.

    `test_auto.py` and `test_first_points.py` ask for the first points as users do.
    """
    from hermite_analytics.codegen.auto_backend import tiers

    tiers.FEW_POINTS = 0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-draws", action="store_true", help="all random draws of each test, not a sample of them"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked `draws(n)` n draws are run, with --all-draws all of them.

    They are the first n, with `draws(n, spread=True)` n evenly spread over the table of the test: over the
    rows of a list, or over a grid of several parameters.
    """
    if config.getoption("all_draws"):
        return
    drawn: defaultdict[str, list[tuple[pytest.Item, pytest.Mark]]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("draws")
        if mark is not None:
            drawn[item.nodeid.split("[")[0]].append((item, mark))
    left_out = {item for found in drawn.values() for item in _beyond(found)}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def _beyond(drawn: list[tuple[pytest.Item, pytest.Mark]]) -> list[pytest.Item]:
    """What is not among the draws of one test that are run."""
    mark = drawn[0][1]
    count, total = min(mark.args[0], len(drawn)), len(drawn)
    run = {(k * total) // count for k in range(count)} if mark.kwargs.get("spread") else set(range(count))
    return [item for k, (item, _) in enumerate(drawn) if k not in run]
