"""Kernels remembered by their request: a second process builds nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.codegen import recipes
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.codegen.recipes import remembered
from hermite_analytics.symbols import z

REQUEST = ("a test", "2*z + 1")
_PROGRAM = """
from hermite_analytics.codegen import recipes

recipes._package_hash = lambda: "this version"

def build():
    raise SystemExit("built again")

kernel = recipes.remembered(("a test", "2*z + 1"), build)
print(kernel(1.5), kernel.backend, kernel.arguments, kernel.outputs, kernel.error_bound)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "kernels"
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE", str(place))
    return place


def build() -> Kernel:
    return ha.compile(2 * z + 1, (z,), backend="python")


def refused() -> Kernel:
    pytest.fail("the kernel was built again")


def counting(calls: list[int]) -> Callable[[], Kernel]:
    def counted() -> Kernel:
        calls.append(1)
        return build()

    return counted


def recipe(folder: Path) -> Path:
    (found,) = folder.glob("*.recipe.json")
    return found


def test_the_second_time_nothing_is_built(folder: Path) -> None:
    first = remembered(REQUEST, build)
    again = remembered(REQUEST, refused)
    assert again.source == first.source
    assert (again.arguments, again.outputs, again.single) == (("z",), ("value",), True)
    assert again(1.5) == first(1.5) == 4.0
    assert recipe(folder).is_file()


@pytest.mark.slow
def test_another_process_builds_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "_package_hash", lambda: "this version")  # sources may change meanwhile
    remembered(REQUEST, build)
    environment = {**os.environ, "HERMITE_ANALYTICS_CACHE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _PROGRAM], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4.0 python ('z',) ('value',) 0.0")


def test_another_request_is_built(folder: Path) -> None:
    remembered(REQUEST, build)
    calls: list[int] = []
    remembered((*REQUEST, "other"), counting(calls))
    assert calls == [1]
    assert len(list(folder.glob("*.recipe.json"))) == 2


def test_the_sources_of_the_package_are_part_of_the_request(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered(REQUEST, build)
    monkeypatch.setattr(recipes, "_package_hash", lambda: "another version")
    calls: list[int] = []
    remembered(REQUEST, counting(calls))
    assert calls == [1]


def changed_kernel(text: str) -> str:
    content = json.loads(text)
    content["kernel"]["source"] = "raise SystemExit('foreign code')\n"
    return json.dumps(content)


def changed_request(text: str) -> str:
    content = json.loads(text)
    content["request"][-1] = "3*z"
    return json.dumps(content)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[1, 2]",
        lambda text: "null",
        lambda text: '{"request": []}',
        lambda text: "\x00\x01",
        changed_kernel,
        changed_request,
    ],
    ids=["half", "empty", "list", "null", "other fields", "binary", "other source", "other request"],
)
def test_a_damaged_or_foreign_recipe_is_ignored_and_replaced(
    folder: Path, damage: Callable[[str], str]
) -> None:
    remembered(REQUEST, build)
    path = recipe(folder)
    whole = path.read_text()
    path.write_text(damage(whole))
    calls: list[int] = []
    assert remembered(REQUEST, counting(calls))(1.5) == 4.0
    assert calls == [1]
    assert path.read_text() == whole
    remembered(REQUEST, refused)


def test_bytes_that_are_no_text(folder: Path) -> None:
    remembered(REQUEST, build)
    recipe(folder).write_bytes(b"\xff\xfe\x00")
    calls: list[int] = []
    assert remembered(REQUEST, counting(calls))(1.5) == 4.0
    assert calls == [1]


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file stands in its place: nothing is kept, and the kernel works."""
    place = tmp_path / "occupied"
    place.write_text("")
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE", str(place))
    calls: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the modules, which go to a temporary folder
        for _ in range(2):
            assert remembered((*REQUEST, "nowhere"), counting(calls))(1.5) == 4.0
    assert calls == [1, 1]
    assert place.read_text() == ""


def test_recipes_are_no_modules_in_the_listing(folder: Path) -> None:
    kernel = remembered(REQUEST, lambda: ha.compile(sympy.sin(z) + 7, (z,), backend="python"))
    assert kernel.backend == "python"
    names = [entry.name for entry in ha.codegen.cache.cache_entries()]  # type: ignore[attr-defined]
    assert len(names) == len(set(names)) <= 1
    assert ha.codegen.cache.clear_cache()[0] >= 1  # type: ignore[attr-defined]
    assert not list(folder.glob("*.recipe.json"))
