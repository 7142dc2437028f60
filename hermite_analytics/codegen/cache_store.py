"""The files of the kernel cache: a private folder, atomic writes, and what is removed when it is full.

Files of one module share its name: `NAME.py` is the generated source, `NAME.*` what belongs to it. Files
of other names are never touched. Another process may remove or replace any of them at any time.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from hermite_analytics.errors import InputError

__all__ = [
    "MODULE_PREFIX",
    "StoredModule",
    "discard",
    "evict",
    "private_folder",
    "remove",
    "size_limit",
    "stored_modules",
    "touch",
    "write_atomically",
]

MODULE_PREFIX = "hermite_analytics_kernel_"
_OURS = re.compile(rf"({MODULE_PREFIX}[0-9a-f]{{24}})\..+")
_LIMIT = "HERMITE_ANALYTICS_CACHE_LIMIT"
_DEFAULT_LIMIT = 512  # MiB
_IN_USE = 60.0  # seconds in which another process may be about to import what it wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredModule:
    """One module and all its files.

    Attributes
    ----------
    name : str
    files : tuple of (Path, int)
        Each with its bytes.
    last_used : float
        Seconds since the epoch of the last load or write.
    """

    name: str
    files: tuple[tuple[Path, int], ...]
    last_used: float

    @property
    def size(self) -> int:
        return sum(size for _, size in self.files)


def private_folder(directory: Path) -> Path:
    """The folder, made if need be.

    Raises
    ------
    OSError
        If it cannot be made, belongs to another user, or others may write into it: what it holds is run.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    if sys.platform != "win32":
        status = directory.stat()
        if status.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "it belongs to another user")
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(errno.EPERM, "other users may write into it, chmod go-w forbids them")
    return directory


def size_limit() -> int:
    """Bytes that the cache may hold: HERMITE_ANALYTICS_CACHE_LIMIT in MiB, or 512 MiB.

    Raises
    ------
    InputError
        If the environment variable is not a number of MiB.
    """
    text = os.environ.get(_LIMIT, "").strip()
    try:
        limit = float(text) if text else float(_DEFAULT_LIMIT)
    except ValueError:
        limit = -1.0
    if not 0.0 <= limit < 1e12:
        raise InputError(f"{_LIMIT} is {text[:40]!r}; accepted: a number of MiB, 0 or more")
    return int(limit * 2**20)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that readers see whole or not at all."""
    prefix = path.name.split(".")[0] + "."
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        remove(Path(temporary))
        raise


def remove(path: Path) -> bool:
    """Remove a file; False if it stays, or was removed by another process."""
    try:
        path.unlink()
    except OSError:
        return False
    return True


def touch(path: Path) -> None:
    """Note that a module is used now (not in a folder that can only be read)."""
    with contextlib.suppress(OSError):
        os.utime(path)


def stored_modules(directory: Path) -> list[StoredModule]:
    """All modules of a cache folder, the least recently used first; none if there is no folder.

    Raises
    ------
    OSError
        If it is not a folder, or cannot be read.
    """
    found: dict[str, list[tuple[Path, os.stat_result]]] = {}
    for name, path, status in _files(directory):
        found.setdefault(name, []).append((path, status))
    modules = [_module(name, files) for name, files in found.items()]
    return sorted(modules, key=lambda module: (module.last_used, module.name))


def _module(name: str, files: list[tuple[Path, os.stat_result]]) -> StoredModule:
    return StoredModule(
        name=name,
        files=tuple((path, status.st_size) for path, status in files),
        last_used=max(status.st_mtime for _, status in files),
    )


def _files(directory: Path) -> Iterator[tuple[str, Path, os.stat_result]]:
    for folder in (directory, directory / "__pycache__"):
        with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                ours = _OURS.fullmatch(entry.name)
                with contextlib.suppress(FileNotFoundError):
                    if ours and not entry.is_dir(follow_symlinks=False):
                        yield ours[1], Path(entry.path), entry.stat(follow_symlinks=False)


def evict(directory: Path, limit: int, keep: Container[str]) -> int:
    """Remove the least recently used modules until at most `limit` bytes are left; the bytes that are left.

    Modules named in `keep` stay, and so do those used within the last minute: another process may be
    about to import them.
    """
    modules = stored_modules(directory)
    size = sum(module.size for module in modules)
    recent = time.time() - _IN_USE
    for module in modules:
        if size <= limit:
            break
        if module.name not in keep and module.last_used < recent:
            size -= discard(module)
    return size


def discard(module: StoredModule) -> int:
    """Remove the files of a module, the source last; the bytes freed."""
    files = sorted(module.files, key=lambda file: file[0].suffix == ".py")
    return sum(size for path, size in files if remove(path))
