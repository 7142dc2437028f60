"""Generated modules on disk: named by the hash of their content, reused across processes.

What runs is always the source that was just generated: the file beside it is compared with the source and
rewritten if it differs, and Python's own bytecode files are not read. Machine code is kept beside it in
sealed files (see `machine_code`). Writing is atomic, so any number of processes may generate, load and
remove the same kernel at once. The folder is private; the least recently used modules leave it when it
holds more than its limit.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib.abc
import importlib.util
import os
import shutil
import sys
import tempfile
import threading
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import platformdirs

from hermite_analytics.codegen import cache_store
from hermite_analytics.codegen.machine_code import seal
from hermite_analytics.errors import StoreError

__all__ = [
    "CacheEntry",
    "cache_directory",
    "cache_entries",
    "cache_limit",
    "clear_cache",
    "load_module",
    "source_name",
]

_ATTEMPTS = 5  # each fails only if another process removes the file within milliseconds
_NO_PLACE = "cannot cache function"  # numba, if the file is gone or it may not write beside it
_LOADING = threading.RLock()


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One generated module in the cache folder.

    Attributes
    ----------
    name : str
    description : str
        What it computes: the first formula of its docstring.
    size : int
        Bytes on disk, machine code included.
    last_used : datetime
        When a process last loaded it or added to it (UTC).
    """

    name: str
    description: str
    size: int
    last_used: datetime


def cache_directory() -> Path:
    """Folder of the generated modules; HERMITE_ANALYTICS_CACHE overrides the user's cache folder."""
    override = os.environ.get("HERMITE_ANALYTICS_CACHE")
    if override:
        return Path(override).absolute()
    return Path(platformdirs.user_cache_dir("hermite_analytics")) / "kernels"


def cache_limit() -> int:
    """Bytes that the cache may hold: 512 MiB, or HERMITE_ANALYTICS_CACHE_LIMIT (in MiB)."""
    return cache_store.size_limit()


def cache_entries() -> list[CacheEntry]:
    """The modules in the cache folder, the most recently used first.

    Raises
    ------
    StoreError
        If the folder cannot be read.
    """
    return [
        CacheEntry(
            name=module.name,
            description=_description(cache_directory() / f"{module.name}.py"),
            size=module.size,
            last_used=datetime.fromtimestamp(module.last_used, tz=UTC),
        )
        for module in reversed(_stored_modules())
        if any(path.suffix == ".py" for path, _ in module.files)  # not a recipe
    ]


def clear_cache() -> tuple[int, int]:
    """Remove all modules from the cache folder; kernels that are loaded go on working.

    Returns
    -------
    (int, int)
        Modules removed, and bytes freed.

    Raises
    ------
    StoreError
        If the folder cannot be read.
    """
    freed = [cache_store.discard(module) for module in _stored_modules()]
    return sum(size > 0 for size in freed), sum(freed)


def _stored_modules() -> list[cache_store.StoredModule]:
    directory = cache_directory()
    try:
        return cache_store.stored_modules(directory)
    except OSError as error:
        raise StoreError(f"the cache folder {directory} cannot be read ({_reason(error)})") from None


def _description(path: Path) -> str:
    """The first formula of a module's docstring, else its title; nothing of a foreign file is run."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(2000)
    except OSError:
        return ""
    if not head.startswith('"""'):
        return ""
    lines = [line for line in head[3:].split('"""')[0].splitlines() if line.strip()]
    line = next((line for line in lines if " = " in line), lines[0] if lines else "")
    return "".join(ch for ch in line if ch.isprintable())


@functools.cache
def _support_hash() -> str:
    """Hash of the modules that generated code calls: numba inlines them into what it caches."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*_backend/*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


@functools.cache
def _versions() -> tuple[str, ...]:
    """Of what makes and runs machine code: as installed, nothing is imported for them."""
    return *map(version, ("numba", "llvmlite", "numpy")), sys.version


def source_name(source: str) -> str:
    """Module name of a generated source: a hash of it, of the support code and of the versions."""
    digest = hashlib.sha256(source.encode())
    for part in (_support_hash(), *_versions()):
        digest.update(part.encode())
    return f"{cache_store.MODULE_PREFIX}{digest.hexdigest()[:24]}"


def load_module(source: str) -> ModuleType:
    """Import the module with exactly this source, writing it to the cache first if need be.

    Where the cache folder cannot be written, or others may write into it, a private temporary folder is
    used, compiled code is not kept between processes, and a `RuntimeWarning` says so.

    Raises
    ------
    InputError
        If HERMITE_ANALYTICS_CACHE_LIMIT is not a number of MiB.
    """
    name = source_name(source)
    with _LOADING:
        found = sys.modules.get(name)
        return _load(source, name, cache_limit()) if found is None else found


def _load(source: str, name: str, limit: int) -> ModuleType:
    directory = cache_directory()
    for _ in range(_ATTEMPTS):
        try:
            path = _write(cache_store.private_folder(directory), source, name, limit)
        except OSError as error:
            reason = _reason(error)
            if isinstance(error, FileNotFoundError):  # removed by another process while it was written
                continue
            break
        try:
            return _execute(source, name, path)
        except (OSError, RuntimeError) as error:
            if path.is_file() and _NO_PLACE not in str(error):
                raise
            reason = "numba finds no file, or none that it may write beside"
    fallback = _fallback_directory(directory, reason)
    return _execute(source, name, _write(fallback, source, name, limit))


def _execute(source: str, name: str, path: Path) -> ModuleType:
    loader = _Loader(source, path)
    specification = importlib.util.spec_from_file_location(name, path, loader=loader)
    if specification is None:
        raise ImportError(f"the generated module {path} cannot be loaded")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # numba looks the module up by name while it rebuilds its functions
    try:
        loader.exec_module(module)
        seal(module, path.parent)
    except BaseException:
        del sys.modules[name]
        raise
    cache_store.touch(path)
    return module


class _Loader(importlib.abc.ExecutionLoader):
    """Loads a module from the source in memory: neither its file nor Python's bytecode files are read."""

    def __init__(self, source: str, path: Path) -> None:
        self._source = source
        self._path = path

    def get_source(self, fullname: str) -> str:
        return self._source

    def get_filename(self, fullname: str) -> str:
        return str(self._path)


def _write(directory: Path, source: str, name: str, limit: int) -> Path:
    path = directory / f"{name}.py"
    content = source.encode()
    if not _holds(path, content):
        cache_store.write_atomically(path, content)
        with contextlib.suppress(OSError):
            _make_room(directory, limit, name)
    return path


_LARGEST = 4 * 2**20  # bytes that no module comes to, with its machine code
_room: dict[tuple[Path, int], int] = {}  # what may be written before a folder is looked through again


def _make_room(directory: Path, limit: int, name: str) -> None:
    """Evict where what was written since the last look may fill the folder: a look reads all of it."""
    left = _room.get((directory, limit), 0) - _LARGEST
    if left < 0:
        left = limit - cache_store.evict(directory, limit, keep={name, *sys.modules})
    _room[directory, limit] = left


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


_fallbacks: dict[Path, Path] = {}


def _fallback_directory(directory: Path, reason: str) -> Path:
    """A temporary folder in place of `directory`, the same for the whole process."""
    if directory not in _fallbacks:
        warnings.warn(
            f"the cache folder {directory} cannot be used ({reason}); compiled kernels are kept "
            "for this process only (HERMITE_ANALYTICS_CACHE names another folder)",
            RuntimeWarning,
            stacklevel=2,
        )
        _fallbacks[directory] = Path(tempfile.mkdtemp(prefix="hermite_analytics_"))
        atexit.register(_remove_folder, _fallbacks[directory], os.getpid())
    return _fallbacks[directory]


def _remove_folder(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child leaves it to its parent
        shutil.rmtree(directory, ignore_errors=True)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
