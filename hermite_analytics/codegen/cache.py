"""Generated modules on disk: named by the hash of their content, reused across processes.

A module is only imported if its content is exactly the source that was just generated, so a corrupt or
foreign file is rewritten and never run. Writing goes through a temporary file and an atomic rename, so
any number of processes may generate the same kernel at once. numba caches machine code beside it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import pickle
import sys
import tempfile
import warnings
from pathlib import Path
from types import ModuleType

import platformdirs

__all__ = ["cache_directory", "load_module"]


def cache_directory() -> Path:
    """Folder of the generated modules; HERMITE_ANALYTICS_CACHE overrides the user's cache folder."""
    override = os.environ.get("HERMITE_ANALYTICS_CACHE")
    return Path(override) if override else Path(platformdirs.user_cache_dir("hermite_analytics")) / "kernels"


@functools.cache
def _support_hash() -> str:
    """Hash of the modules that generated code calls: numba inlines them into what it caches."""
    digest = hashlib.sha256()
    for folder in ("numba_backend", "array_backend"):
        digest.update((Path(__file__).parent / folder / "special.py").read_bytes())
    return digest.hexdigest()


def source_name(source: str) -> str:
    """Module name of a generated source: a hash of it, of the support code and of the versions."""
    import numba
    import numpy

    digest = hashlib.sha256(source.encode())
    for part in (_support_hash(), numba.__version__, numpy.__version__, sys.version):
        digest.update(part.encode())
    return f"hermite_analytics_kernel_{digest.hexdigest()[:24]}"


@functools.lru_cache(maxsize=1024)
def load_module(source: str) -> ModuleType:
    """Import the module with exactly this source, writing it to the cache first if need be.

    Where the cache folder cannot be written a private temporary folder is used, compiled code is not
    kept between processes, and a `RuntimeWarning` says so.
    """
    name = source_name(source)
    if name in sys.modules:
        return sys.modules[name]
    path = _stored(source, name)
    _drop_truncated(path)
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise ImportError(f"the generated module {path} cannot be loaded")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # numba looks the module up by name while it loads its cache
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _drop_truncated(path: Path) -> None:
    """Remove numba's files of this module that were cut short: numba would fail on them, not recompile."""
    for file in (path.parent / "__pycache__").glob(f"{path.stem}.*.nb[ic]"):
        if not file.read_bytes().endswith(pickle.STOP):
            file.unlink(missing_ok=True)


def _stored(source: str, name: str) -> Path:
    directory = cache_directory()
    try:
        return _write(directory, source, name)
    except OSError as error:
        return _write(_fallback_directory(directory, str(error)), source, name)


@functools.cache
def _fallback_directory(directory: Path, reason: str) -> Path:
    warnings.warn(
        f"the cache folder {directory} cannot be written ({reason}); compiled kernels are kept "
        "for this process only (HERMITE_ANALYTICS_CACHE names another folder)",
        RuntimeWarning,
        stacklevel=2,
    )
    return Path(tempfile.mkdtemp(prefix="hermite_analytics_"))


def _write(directory: Path, source: str, name: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = directory / f"{name}.py"
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == source:
        return path
    handle, temporary = tempfile.mkstemp(dir=directory, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path
