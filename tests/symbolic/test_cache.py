"""Generated modules on disk: reuse, repair, concurrency, an unwritable folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermite_analytics.codegen import cache

_SOURCE = '''"""A module for the tests."""

from numba import njit


@njit(cache=True)
def scalar(x):
    return (2.0 * x + {shift},)
'''
_PROGRAM = """
import sys, time
from hermite_analytics.codegen.cache import load_module
from pathlib import Path
source = Path(sys.argv[1]).read_text()
if len(sys.argv) > 2:
    while time.time() < float(sys.argv[2]):
        pass
module = load_module(source)
value = module.scalar(1.5)[0]
hits = sum(module.scalar.stats.cache_hits.values())
print(value, hits, module.__file__)
"""


def in_a_process(folder: Path, source: str, *arguments: str) -> subprocess.Popen[str]:
    written = folder.parent / "source.txt"
    written.write_text(source)
    command = [sys.executable, "-W", "error", "-c", _PROGRAM, str(written), *arguments]
    environment = {**os.environ, "HERMITE_ANALYTICS_CACHE": str(folder)}
    pipes = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipes, stderr=pipes, text=True)


def result(process: subprocess.Popen[str]) -> tuple[float, int, Path]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    value, hits, path = out.split()
    return float(value), int(hits), Path(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for this test, in this process too."""
    place = tmp_path / "cache"
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE", str(place))
    return place


def test_the_folder_can_be_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.cache_directory() == folder
    monkeypatch.delenv("HERMITE_ANALYTICS_CACHE")
    assert cache.cache_directory().name == "kernels"


def test_a_module_is_stored_once(folder: Path) -> None:
    source = _SOURCE.format(shift=1.0)
    module = cache.load_module(source)
    assert module.scalar(2.0) == (5.0,)
    assert cache.load_module(source) is module
    (stored,) = folder.glob("*.py")
    assert stored.read_text() == source
    assert stored.stem == module.__name__ == cache.source_name(source)
    assert not list(folder.glob("*.tmp"))


def test_different_sources_have_different_names() -> None:
    names = {cache.source_name(_SOURCE.format(shift=s)) for s in (1.0, 2.0, 3.0)}
    assert len(names) == 3


@pytest.mark.slow
def test_a_second_process_compiles_nothing(folder: Path) -> None:
    source = _SOURCE.format(shift=2.0)
    first = result(in_a_process(folder, source))
    second = result(in_a_process(folder, source))
    assert first[0] == second[0] == 5.0
    assert (first[1], second[1]) == (0, 1)
    assert second[2] == first[2]
    assert second[2].parent == folder


@pytest.mark.parametrize(
    "damage", [b"", b"def scalar(", b"\xff\xfe\x00", b"raise SystemExit('foreign code ran')"]
)
def test_a_damaged_file_is_written_again(folder: Path, damage: bytes) -> None:
    source = _SOURCE.format(shift=repr(len(damage) + 10.0))
    folder.mkdir()
    path = folder / f"{cache.source_name(source)}.py"
    path.write_bytes(damage)
    assert cache.load_module(source).scalar(0.0) == (len(damage) + 10.0,)
    assert path.read_text() == source


@pytest.mark.slow
def test_damaged_machine_code_is_compiled_again(folder: Path) -> None:
    source = _SOURCE.format(shift=4.0)
    result(in_a_process(folder, source))
    damaged = [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]
    assert len(damaged) == 2
    for path in damaged:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert result(in_a_process(folder, source))[0] == 7.0
    for path in folder.rglob("*.nbi"):
        path.write_bytes(b"")
    assert result(in_a_process(folder, source))[0] == 7.0


@pytest.mark.slow
def test_several_processes_at_once(folder: Path) -> None:
    source = _SOURCE.format(shift=5.0)
    start = str(time.time() + 4)
    processes = [in_a_process(folder, source, start) for _ in range(4)]
    assert [result(p)[0] for p in processes] == [8.0] * 4
    assert len(list(folder.glob("*.py"))) == 1
    assert not list(folder.glob("*.tmp"))


def test_an_unwritable_folder_falls_back_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    occupied = tmp_path / "a file"
    occupied.write_text("in the way")
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE", str(occupied))
    cache._fallback_directory.cache_clear()
    with pytest.warns(
        RuntimeWarning, match=r"the cache folder .* cannot be written .*HERMITE_ANALYTICS_CACHE"
    ):
        module = cache.load_module(_SOURCE.format(shift=6.0))
    assert module.scalar(1.0) == (8.0,)
    assert occupied.read_text() == "in the way"
    cache.load_module(_SOURCE.format(shift=7.0))  # said once


def test_a_failed_write_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        cache._write(folder, "x = 1\n", "some_name")
    assert list(folder.iterdir()) == []


def test_a_module_that_fails_is_not_kept(folder: Path) -> None:
    source = "raise RuntimeError('on import')\n"
    for _ in range(2):
        with pytest.raises(RuntimeError, match="on import"):
            cache.load_module(source)
    assert cache.source_name(source) not in sys.modules
