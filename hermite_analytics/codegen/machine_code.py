"""Machine code of generated modules on disk, sealed: it is read back only if it is what was written.

numba's own cache unpickles whatever its files hold, and so would run what a foreign file says and fail on
one that was cut short. Here each compiled specialisation is one file, its pickle and then a SHA-256 digest
that covers the name of the file too. numba is given a file to read only after the digest was found right; any
other file is removed unread and its function compiled again.
There is no index, so processes that compile different specialisations at once do not disturb each other.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Protocol, TypeGuard

from hermite_analytics.codegen.cache_store import remove, write_atomically
from hermite_analytics.foundation.kernels_on_disk import prepare_to_load

if TYPE_CHECKING:
    from numba.core.base import BaseContext
    from numba.core.caching import FunctionCache
    from numba.core.codegen import Codegen
    from numba.core.compiler import CompileResult
    from numba.core.typing.templates import Signature

__all__ = ["SealedCache", "read_sealed", "seal", "write_sealed"]

_DIGEST_SIZE = hashlib.sha256().digest_size


def seal(module: ModuleType, folder: Path) -> None:
    """Let the compiled functions of a module that numba would cache use sealed files in `folder`."""
    if "numba.core.dispatcher" not in sys.modules:  # then the module has none
        return
    from numba.core.caching import FunctionCache

    functions = [value for value in vars(module).values() if _is_compiled(value)]
    for function in functions:
        ours = function.py_func.__module__ == module.__name__  # not one that the module imports
        if ours and isinstance(function._cache, FunctionCache):
            function._cache = SealedCache(function._cache, function.py_func, folder)


class _Compiled(Protocol):
    """A function that numba compiles."""

    py_func: FunctionType
    _cache: object


def _is_compiled(value: object) -> TypeGuard[_Compiled]:
    from numba.core.dispatcher import Dispatcher

    return isinstance(value, Dispatcher)


class SealedCache:
    """The cache of one compiled function, in place of numba's (with the methods that numba calls).

    Parameters
    ----------
    numba_cache : numba.core.caching.FunctionCache
        Knows how to take a compiled function apart, to rebuild it, and what identifies a specialisation
        (types, processor, bytecode).
    function : callable
        The Python function.
    folder : Path
    """

    def __init__(self, numba_cache: FunctionCache, function: FunctionType, folder: Path) -> None:
        self._numba = numba_cache
        self._folder = folder
        self._place = (function.__qualname__, function.__code__.co_firstlineno)
        self._stem = f"{function.__module__}.{function.__name__.strip('<>')}"
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Forget all specialisations of this function."""
        for path in self._folder.glob(f"{self._stem}.*.nbc"):
            remove(path)

    def load_overload(self, signature: Signature, target_context: BaseContext) -> CompileResult | None:
        """The compiled function of a signature, or None."""
        if not self._enabled:
            return None
        prepare_to_load(target_context)
        key = self._key(signature, target_context.codegen())
        stored = read_sealed(self._path(key))
        if not isinstance(stored, tuple) or stored[0] != key:
            return None
        return self._numba._impl.rebuild(target_context, stored[1])

    def save_overload(self, signature: Signature, compiled: CompileResult) -> None:
        """Keep a compiled function; where that is not possible (a full disk) it is only not kept."""
        if self._enabled and self._numba._impl.check_cachable(compiled):
            key = self._key(signature, compiled.codegen)
            with contextlib.suppress(OSError):
                write_sealed(self._path(key), (key, self._numba._impl.reduce(compiled)))

    def _key(self, signature: Signature, codegen: Codegen) -> tuple[object, ...]:
        return (*self._place, *self._numba._index_key(signature, codegen))

    def _path(self, key: tuple[object, ...]) -> Path:
        return self._folder / f"{self._stem}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"


def write_sealed(path: Path, value: object) -> None:
    """Write a value and the digest of its pickle."""
    from numba.core.serialize import dumps

    payload = dumps(value)
    write_atomically(path, payload + _digest(path, payload))


def read_sealed(path: Path) -> object:
    """The value of a sealed file; None if there is none. A file with another digest is removed unread."""
    from numba.core.caching import IndexDataCacheFile

    try:
        content = path.read_bytes()
    except OSError:
        return None
    payload, digest = content[:-_DIGEST_SIZE], content[-_DIGEST_SIZE:]
    if digest == _digest(path, payload):
        reader = IndexDataCacheFile(str(path.parent), path.stem, None)
        with contextlib.suppress(Exception):  # a class that has moved since: as good as no file
            return reader._load_data(path.name)  # reads up to the end of the pickle
    remove(path)
    return None


def _digest(path: Path, payload: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + b"\0" + payload).digest()
