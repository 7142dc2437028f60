"""CUDA kernels run in numba's simulator, which numba chooses when it is imported.

The compiled kernels of the CPU are the same with it. `NUMBA_ENABLE_CUDASIM=0 pytest -m gpu` runs those of a
device.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")


_ALL_POINTS = 10**15
_THRESHOLDS = (20_000, 10, 10)  # of the collector of garbage


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Kernels of solvers are arrays in fast tests, as users meet them first; also in what fixtures compute.

    In slow ones those with quadratures are compiled, which takes some seconds each. Slow tests that ask them
    for few points, and not for compiled loops, are marked `arrays`. Which of them answers never depends on
    what a process was asked before. `test_auto.py` and `test_first_points.py` ask for both.
    """
    from hermite_analytics.codegen.auto_backend import tiers

    marked = item.get_closest_marker
    tiers.FEW_POINTS = 0 if marked("slow") and not marked("arrays") else _ALL_POINTS
    tiers.FEW_VALUES = _ALL_POINTS
    tiers.FEW_SOLUTIONS = 0


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Nothing that is imported and collected is garbage: no collection looks for it meanwhile.

    Where no bytecode of the tests is kept yet, most of the time goes into rewriting their assertions. Two
    processes that run all tests share it: the second one imports the files from the last one on, until it
    meets the bytecode of the first.
    """
    gc.disable()
    try:
        if session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            worker = getattr(session.config, "workerinput", {}).get("workerid")
            if worker == "gw1":
                _import_from_the_last_one()
        return (yield)
    finally:
        gc.enable()


def _import_from_the_last_one() -> None:
    root = Path(__file__).parent
    for path in sorted(root.rglob("test_*.py"), reverse=True):
        # what cannot be imported is reported where it is collected
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """No examples are looked for in the docstrings of tests."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def pytest_collection_finish() -> None:
    """What is imported and collected stays: collections of what tests leave need not look through it.

    Nor do they come as often as by default: they took 5 % of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


def pytest_sessionfinish() -> None:
    gc.unfreeze()  # what is imported last may ask who holds its objects


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-draws", action="store_true", help="all random draws of each test, not a sample of them"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose what is run of long tables, and when.

    Of a test marked `draws(n)` n draws are run, with --all-draws all of them. Of one marked `cases(n)`, n are
    run by `make test` and the others are slow, as are the examples on the pages of docs/.

    The first of `draws` are run, with `draws(n, spread=True)` n evenly spread over the table of the test, a
    list or a grid of parameters; `cases` are always spread.
    """
    if not config.getoption("all_draws"):
        left_out = set(_beyond_those_of("draws", items))
        if left_out:
            config.hook.pytest_deselected(items=[item for item in items if item in left_out])
            items[:] = [item for item in items if item not in left_out]
    pages = [item for item in items if item.path.suffix == ".md" and "docs" in item.path.parts]
    for item in [*_beyond_those_of("cases", items), *pages]:
        item.add_marker(pytest.mark.slow)


def _beyond_those_of(name: str, items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """What is beyond the number in the mark of this name, for each test that has it."""
    drawn: defaultdict[str, list[tuple[pytest.Item, pytest.Mark]]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker(name)
        if mark is not None:
            drawn[item.nodeid.split("[")[0]].append((item, mark))
    for found in drawn.values():
        yield from _beyond(found)


def _beyond(drawn: list[tuple[pytest.Item, pytest.Mark]]) -> list[pytest.Item]:
    """What is not among the draws of one test that are run."""
    mark = drawn[0][1]
    count, total = min(mark.args[0], len(drawn)), len(drawn)
    spread = mark.name == "cases" or mark.kwargs.get("spread")
    run = {(k * total) // count for k in range(count)} if spread else set(range(count))
    return [item for k, (item, _) in enumerate(drawn) if k not in run]
