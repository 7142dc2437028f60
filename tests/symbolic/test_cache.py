"""Generated modules on disk: reuse, repair, the size limit, concurrency, folders that cannot be used."""

from __future__ import annotations

import dataclasses
import os
import pickle
import py_compile
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.codegen import cache, cache_store
from hermite_analytics.codegen.machine_code import read_sealed, write_sealed
from hermite_analytics.errors import InputError, StoreError
from hermite_analytics.symbols import kappa

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


def in_a_process(
    folder: Path, source: str, *arguments: str, warnings: str = "error"
) -> subprocess.Popen[str]:
    written = folder.parent / "source.txt"
    if not written.exists() or written.read_text() != source:  # another process may be about to read it
        written.write_text(source)
    command = [sys.executable, "-W", warnings, "-c", _PROGRAM, str(written), *arguments]
    environment = {**os.environ, "HERMITE_ANALYTICS_CACHE": str(folder)}
    pipes = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipes, stderr=pipes, text=True)


def result(process: subprocess.Popen[str]) -> tuple[float, int, Path]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    value, hits, path = out.split()
    return float(value), int(hits), Path(path)


def load_again(source: str) -> ModuleType:
    """Load a module as another process would."""
    sys.modules.pop(cache.source_name(source), None)
    return cache.load_module(source)


def hits(module: ModuleType) -> int:
    return sum(module.scalar.stats.cache_hits.values())


def test_what_only_compiled_code_calls_has_no_machine_code_of_its_own(folder: Path) -> None:
    """It is a part of that of its callers."""
    kernel = ha.compile(kappa**2, (kappa,), backend="numba")
    assert kernel(np.array([0.5, 2.0])).tolist() == [0.25, 4.0]
    assert {path.name.split(".")[1] for path in folder.glob("*.nbc")} == {"over_arrays"}


class Poison:
    """A pickle of it ends the process that reads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (77,)


def put_stored(folder: Path, letter: str, size: int, age: float) -> list[Path]:
    """A module of two files in the cache, last used `age` seconds ago."""
    folder.mkdir(exist_ok=True, mode=0o700)
    name = f"hermite_analytics_kernel_{letter * 24}"
    files = [folder / f"{name}.py", folder / f"{name}.scalar.0.nbc"]
    for path in files:
        path.write_bytes(b"x" * (size // 2))
        os.utime(path, (time.time() - age,) * 2)
    return files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for this test, in this process too."""
    place = tmp_path / "cache"
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE", str(place))
    monkeypatch.delenv("HERMITE_ANALYTICS_CACHE_LIMIT", raising=False)
    monkeypatch.setattr(cache, "_fallbacks", {})
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


def test_machine_code_is_reused_and_only_ours(folder: Path) -> None:
    source = _SOURCE.format(shift=2.5)
    first = cache.load_module(source)
    assert first.scalar(1.0) == (4.5,) and hits(first) == 0
    again = load_again(source)
    assert again is not first
    assert again.scalar(1.0) == (4.5,) and hits(again) == 1
    assert again.scalar(1) == (4.5,) and hits(again) == 1  # another specialisation
    assert len(list(folder.glob("*.scalar.*.nbc"))) == 2
    assert not list(folder.rglob("*.nbi"))
    again.scalar.recompile()
    assert again.scalar(1.0) == (4.5,)


@pytest.mark.parametrize(
    "damage", [b"", b"def scalar(", b"\xff\xfe\x00", b"raise SystemExit('foreign code ran')"]
)
def test_a_damaged_file_is_written_again(folder: Path, damage: bytes) -> None:
    source = _SOURCE.format(shift=repr(len(damage) + 10.0))
    folder.mkdir(mode=0o700)
    path = folder / f"{cache.source_name(source)}.py"
    path.write_bytes(damage)
    assert cache.load_module(source).scalar(0.0) == (len(damage) + 10.0,)
    assert path.read_text() == source


def test_foreign_bytecode_is_not_run(folder: Path, tmp_path: Path) -> None:
    source = _SOURCE.format(shift=3.5)
    folder.mkdir(mode=0o700)
    path = folder / f"{cache.source_name(source)}.py"
    path.write_text(source)
    foreign = tmp_path / "foreign.py"
    foreign.write_text("import os\nos._exit(77)\n" + "#" * 200)
    foreign.write_text(foreign.read_text()[: path.stat().st_size].ljust(path.stat().st_size, "#"))
    os.utime(foreign, (path.stat().st_mtime,) * 2)  # the stamp by which Python takes it for the source's
    py_compile.compile(str(foreign), cfile=str(folder / "__pycache__" / f"{path.stem}.cpython-311.pyc"))
    assert cache.load_module(source).scalar(0.0) == (3.5,)


def test_foreign_files_of_numba_are_not_read(folder: Path) -> None:
    source = _SOURCE.format(shift=3.75)
    written = cache.load_module(source).scalar._cache._numba._cache_file._index_path  # where numba looks
    Path(written).parent.mkdir(exist_ok=True)
    Path(written).write_bytes(pickle.dumps(Poison()))
    assert load_again(source).scalar(0.0) == (3.75,)


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "foreign"])
def test_damaged_machine_code_is_compiled_again(folder: Path, damage: str) -> None:
    source = _SOURCE.format(shift=4.0)
    load_again(source).scalar(1.5)
    (path,) = folder.glob("*.nbc")
    good = path.read_bytes()
    changed = good[:-100] + bytes([good[-100] ^ 1]) + good[-99:]
    contents = {"empty": b"", "cut": good[: len(good) // 2], "changed": changed}
    path.write_bytes(contents.get(damage, pickle.dumps(Poison())))
    module = load_again(source)
    assert module.scalar(1.5) == (7.0,) and hits(module) == 0
    module = load_again(source)
    assert module.scalar(1.5) == (7.0,) and hits(module) == 1


def test_a_sealed_file_is_known_by_its_name_too(tmp_path: Path) -> None:
    first, second = tmp_path / "first.nbc", tmp_path / "second.nbc"
    write_sealed(first, {"a": 1})
    assert read_sealed(first) == {"a": 1}
    first.rename(second)
    assert read_sealed(second) is None and not second.exists()
    assert read_sealed(second) is None


def test_machine_code_that_cannot_be_kept_still_runs(folder: Path) -> None:
    module = cache.load_module(_SOURCE.format(shift=4.25))
    shutil.rmtree(folder)
    folder.write_text("in the way")
    assert module.scalar(1.0) == (6.25,)


def test_a_full_cache_drops_what_was_used_least_recently(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest = put_stored(folder, "a", 400_000, age=3000)
    older = put_stored(folder, "b", 400_000, age=2000)
    old = put_stored(folder, "c", 400_000, age=1000)
    foreign = folder / "foreign.py"
    foreign.write_text("not ours")
    os.utime(foreign, (0, 0))
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE_LIMIT", "0.5")
    module = cache.load_module(_SOURCE.format(shift=5.25))
    assert [path.exists() for path in (*oldest, *older, *old)] == [False] * 4 + [True] * 2
    assert foreign.exists() and Path(str(module.__file__)).exists()


def test_a_folder_with_room_is_not_looked_through_at_each_write(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def evict(directory: Path, limit: int, keep: object) -> int:
        looks.append(limit)
        return 400 * 2**20

    monkeypatch.setattr(cache_store, "evict", evict)
    for k in range(30):  # 512 MiB less 400 are room for 28 modules of 4 MiB
        cache._write(cache_store.private_folder(folder), _SOURCE.format(shift=k), f"module{k}", 512 * 2**20)
    assert looks == [512 * 2**20] * 2


def test_what_is_in_use_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recent = put_stored(folder, "d", 1000, age=5)  # another process may be about to import it
    loaded = Path(str(cache.load_module(_SOURCE.format(shift=5.5)).__file__))
    os.utime(loaded, (0, 0))
    old = put_stored(folder, "e", 1000, age=5000)
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE_LIMIT", "0")
    cache.load_module(_SOURCE.format(shift=5.75))
    assert [path.exists() for path in (*recent, loaded, *old)] == [True, True, True, False, False]


def test_a_file_that_others_remove_first_is_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_stored(folder, "f", 1000, age=5000)
    stored = cache_store.stored_modules(folder)
    assert cache.clear_cache() == (1, 1000)
    assert cache_store.discard(stored[0]) == 0
    monkeypatch.setattr(cache_store, "stored_modules", lambda directory: stored)
    cache_store.evict(folder, 0, keep=())


def test_a_load_is_noted(folder: Path) -> None:
    source = _SOURCE.format(shift=6.25)
    path = Path(str(cache.load_module(source).__file__))
    os.utime(path, (1000.0, 1000.0))
    cache.load_module(source)  # loaded already: once a process
    assert path.stat().st_mtime == 1000.0
    load_again(source)
    assert path.stat().st_mtime > time.time() - 100


@pytest.mark.parametrize("text", ["many", "-1", "nan", "inf", "1e300"])
def test_a_limit_that_is_no_number_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE_LIMIT", text)
    message = f"HERMITE_ANALYTICS_CACHE_LIMIT is '{text}'; accepted: a number of MiB, 0 or more"
    with pytest.raises(InputError, match=message):
        cache.load_module(_SOURCE.format(shift=6.5))
    assert not folder.exists()


def test_the_limit_in_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.cache_limit() == 512 * 2**20
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE_LIMIT", " 1.5 ")
    assert cache.cache_limit() == 3 * 2**19


def test_entries(folder: Path) -> None:
    assert cache.cache_entries() == []
    module = cache.load_module(_SOURCE.format(shift=6.75))
    module.scalar(1.0)
    put_stored(folder, "0", 1000, age=5000)
    (folder / "foreign.py").write_text('"""Not ours."""')
    first, second = cache.cache_entries()
    assert first.name == module.__name__
    assert first.description == "A module for the tests."
    assert first.size == sum(path.stat().st_size for path in folder.glob(f"{module.__name__}.*"))
    assert abs((datetime.now(tz=UTC) - first.last_used).total_seconds()) < 100
    assert (second.name, second.size, second.description) == (
        f"hermite_analytics_kernel_{'0' * 24}",
        1000,
        "",
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.size = 0  # type: ignore[misc]


def test_the_description_is_the_first_formula(folder: Path) -> None:
    source = '"""Generated by a test.\n\nmu0 = E[tanh(z)]\nmu1 = \x1b[31m2\n"""\nscalar = None\n'
    cache.load_module(source)
    (entry,) = cache.cache_entries()
    assert entry.description == "mu0 = E[tanh(z)]"
    Path(folder / f"{entry.name}.py").write_text('"""a = \x1b[31m2')
    assert cache.cache_entries()[0].description == "a = [31m2"


def test_a_cleared_cache_is_filled_again(folder: Path) -> None:
    source = _SOURCE.format(shift=7.25)
    module = cache.load_module(source)
    assert module.scalar(1.0) == (9.25,)
    foreign = folder / "foreign.nbc"
    foreign.write_text("not ours")
    size = sum(path.stat().st_size for path in folder.glob("hermite_analytics_kernel_*"))
    assert cache.clear_cache() == (1, size)
    assert [path.name for path in folder.iterdir() if path.is_file()] == ["foreign.nbc"]
    assert module.scalar(2.0) == (11.25,)  # loaded: it goes on working
    assert module.scalar(2) == (11.25,)  # and compiles
    assert cache.load_module(source) is module
    assert load_again(source).scalar(2.0) == (11.25,)
    assert len(list(folder.glob("*.py"))) == 1
    assert cache.clear_cache()[0] == 1 and cache.clear_cache() == (0, 0)


def test_a_module_that_vanishes_is_written_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    execute, replace, removed = cache._execute, os.replace, []

    def after_removal(source: str, name: str, path: Path) -> ModuleType:
        if len(removed) < 2:
            removed.append(path)
            path.unlink()
        return execute(source, name, path)

    def without_a_file(source: str, target: str) -> None:
        if not removed:
            os.unlink(source)
            removed.append(Path(source))
        replace(source, target)

    monkeypatch.setattr(cache, "_execute", after_removal)
    monkeypatch.setattr(os, "replace", without_a_file)
    assert cache.load_module(_SOURCE.format(shift=7.5)).scalar(1.0) == (9.5,)
    assert len(removed) == 2 and len(list(folder.glob("*.py"))) == 1


def test_a_folder_that_keeps_nothing_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    execute = cache._execute

    def after_removal(source: str, name: str, path: Path) -> ModuleType:
        if path.parent == folder:
            path.unlink()
        return execute(source, name, path)

    monkeypatch.setattr(cache, "_execute", after_removal)
    with pytest.warns(RuntimeWarning, match="cannot be used .*numba finds no file"):
        assert cache.load_module(_SOURCE.format(shift=7.75)).scalar(1.0) == (9.75,)


@pytest.mark.slow
def test_several_processes_at_once(folder: Path) -> None:
    source = _SOURCE.format(shift=5.0)
    start = str(time.time() + 6)
    processes = [in_a_process(folder, source, start) for _ in range(3)]
    assert [result(p)[0] for p in processes] == [8.0] * 3
    assert len(list(folder.glob("*.py"))) == 1
    assert not list(folder.glob("*.tmp"))


@pytest.mark.slow
def test_processes_load_while_the_cache_is_cleared(folder: Path) -> None:
    # a process whose file is removed several times in a row warns and uses a folder of its own
    source = _SOURCE.format(shift=5.125)
    processes = [in_a_process(folder, source, warnings="default") for _ in range(2)]
    cleared = 0
    while any(process.poll() is None for process in processes):
        cleared += cache.clear_cache()[0]
    assert [result(p)[0] for p in processes] == [8.125] * 2
    assert cleared


def test_an_unwritable_folder_falls_back_and_says_so(folder: Path) -> None:
    folder.write_text("in the way")
    with pytest.warns(RuntimeWarning, match=r"the cache folder .* cannot be used .*HERMITE_ANALYTICS_CACHE"):
        module = cache.load_module(_SOURCE.format(shift=6.0))
    assert module.scalar(1.0) == (8.0,)
    assert folder.read_text() == "in the way"
    cache.load_module(_SOURCE.format(shift=7.0))  # said once
    with pytest.raises(StoreError, match=r"the cache folder .* cannot be read"):
        cache.cache_entries()
    with pytest.raises(StoreError, match=r"the cache folder .* cannot be read"):
        cache.clear_cache()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_is_not_used(folder: Path, mode: int) -> None:
    folder.mkdir()
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="other users may write into it, chmod go-w forbids them"):
        module = load_again(_SOURCE.format(shift=8.25))
    assert module.scalar(1.0) == (10.25,)
    assert list(folder.iterdir()) == []
    assert Path(str(module.__file__)).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
def test_a_folder_of_another_user_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(cache_store.os, "geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.warns(RuntimeWarning, match="it belongs to another user"):
        cache.load_module(_SOURCE.format(shift=8.5))
    assert list(folder.iterdir()) == []


def test_the_folder_is_private(folder: Path) -> None:
    cache.load_module(_SOURCE.format(shift=8.75))
    assert sys.platform == "win32" or folder.stat().st_mode & 0o777 == 0o700


def test_a_failed_write_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(cache_store.os, "replace", full)
    folder.mkdir()
    with pytest.raises(OSError, match="no space left"):
        cache._write(folder, "x = 1\n", "some_name", 0)
    assert list(folder.iterdir()) == []


def test_a_module_that_fails_is_not_kept(folder: Path) -> None:
    source = "raise RuntimeError('on import')\n"
    for _ in range(2):
        with pytest.raises(RuntimeError, match="on import"):
            cache.load_module(source)
    assert cache.source_name(source) not in sys.modules
