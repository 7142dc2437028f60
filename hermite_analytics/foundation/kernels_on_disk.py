"""Compiled loops that are kept on disk as long as nothing changes that went into them.

numba renews what it keeps of a function when the function's own file changes, not when one that it calls, or
a constant that it reads, changes in another file: an old kernel would then be loaded, and answer wrongly.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from hermite_analytics.foundation.clock import excuse_compilation, excused
from hermite_analytics.foundation.loops_as_arrays import as_arrays

if TYPE_CHECKING:
    from numba.core.base import BaseContext
    from numba.core.caching import FunctionCache
    from numba.core.compiler import CompileResult
    from numba.core.types import Type
    from numba.core.typing.templates import Signature

__all__ = ["Kernel", "by_arrays", "kept", "prepare_to_load"]

F = TypeVar("F", bound=Callable[..., object])


_BY_ARRAYS: ContextVar[bool] = ContextVar("_BY_ARRAYS", default=False)


@contextmanager
def by_arrays() -> Iterator[None]:
    """Nothing is compiled meanwhile: kernels run as Python, those that sum as statements on arrays.

    What divides by zero or leaves the reals raises there unless numpy's numbers do it.
    """
    token = _BY_ARRAYS.set(True)
    try:
        yield
    finally:
        _BY_ARRAYS.reset(token)


def kept(signature: object = None, *, sums: bool = False, **options: Any) -> Callable[[F], F]:
    """`numba.njit(signature, cache=True, **options)`, where callees and constants elsewhere count as source.

    Nothing is compiled or loaded, nor numba imported, before the first call. With a signature, or a list of
    them, the function is then compiled for these, and for no other. Division by zero gives inf or NaN, as in
    numpy. `sums`: whether its loops are sums that `loops_as_arrays` understands.
    """

    def decorate(function: F) -> F:
        return cast(F, Kernel(cast(FunctionType, function), signature, options, sums=sums))

    return decorate


class Kernel:
    """A function that numba compiles, or loads, when it is called first or when one that calls it is.

    Parameters
    ----------
    function : function
    signature : signature, list of them, or None
        Of numba, or as text in the names of its types.
    options : dict
        Of `numba.njit`.
    sums : bool
        Whether its loops are sums over nodes.
    """

    def __init__(
        self, function: FunctionType, signature: object, options: dict[str, Any], *, sums: bool
    ) -> None:
        functools.update_wrapper(self, function)
        self._function, self._signature, self._options, self._sums = function, signature, options, sums
        self._made: Any = None

    def __call__(self, *arguments: object) -> object:
        """The value; kernels among the arguments are handed on as what numba made of them."""
        if _BY_ARRAYS.get():
            return self._python(*arguments)
        return self.dispatcher(*[a.dispatcher if type(a) is Kernel else a for a in arguments])

    def __reduce__(self) -> str:
        return self._function.__qualname__  # of its module

    @functools.cached_property
    def _python(self) -> Callable[..., object]:
        """The function where nothing is compiled."""
        return as_arrays(self._function) if self._sums else self._function

    @property
    def _numba_type_(self) -> Type:
        """What numba asks of a value that compiled code names: it may call this one."""
        found: Type = self.dispatcher._numba_type_
        return found

    @property
    def dispatcher(self) -> Any:
        """What numba makes of the function; the function itself with NUMBA_DISABLE_JIT.

        Two threads that ask at once may both make one: a lock here and that of numba's compiler, each held
        by a thread that waits for the other's, would be worse.
        """
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self) -> Any:
        with excused():
            from numba import njit

            excuse_compilation()  # by limits that began before numba was there
            made = njit(cache=True, error_model="numpy", **self._options)(self._function)
        if not hasattr(made, "_cache"):
            return made
        cache, file = made._cache, made._cache._cache_file
        file._source_stamp = _stamp(self, file._source_stamp)
        cache.load_overload = functools.partial(_load, cache)
        if self._signature is not None:
            for one in self._signature if isinstance(self._signature, list) else [self._signature]:
                made.compile(one)
            made.disable_compile()
        return made

    @functools.cached_property
    def sources(self) -> tuple[str, tuple[Kernel, ...]]:
        """A hash of its file and of what it reads elsewhere; the kernels that it may call."""
        function = self._function
        found = sorted(_read(function.__code__, function.__globals__), key=lambda pair: pair[0])
        path = function.__code__.co_filename
        digest = hashlib.sha256(_content(path, os.stat(path).st_mtime_ns).encode())
        for name, value in found:
            if isinstance(value, np.ndarray):
                part = f"{value.dtype}{value.shape}{value.tobytes().hex()}"
            elif isinstance(value, int | float | str | tuple | np.generic):
                part = repr(value)
            elif (cache := getattr(getattr(value, "_cache", None), "_cache_file", None)) is not None:
                part = str(cache._source_stamp)  # a function of numba's own
            else:
                continue
            digest.update(f"{name}={part};".encode())
        return digest.hexdigest(), tuple(value for _, value in found if isinstance(value, Kernel))


def prepare_to_load(context: BaseContext) -> None:
    """All that machine code needs to run, where numba's own caches read the rules of its compiler too.

    Those take as long to read as numba to import; what is compiled reads them first. Under numba's lock.
    """
    from numba.core.runtime import rtsys

    with excused():
        rtsys.initialize(context)


def _load(cache: FunctionCache, signature: Signature, context: BaseContext) -> CompileResult | None:
    """`FunctionCache.load_overload` without the rules."""
    prepare_to_load(context)
    with cache._guard_against_spurious_io_errors():
        found: CompileResult | None = cache._load_overload(signature, context)
        return found
    return None


@functools.lru_cache(maxsize=1024)
def _content(path: str, changed: int) -> str:
    """A hash of a file, read again when its time of change is another."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _stamp(kernel: Kernel, own: object) -> str:
    """A hash of numba's own stamp and of everything in other places that machine code is made of."""
    reached, left = {}, [kernel]
    while left:
        one = left.pop()
        if one not in reached:
            reached[one], called = one.sources
            left += called
    return hashlib.sha256(repr([own, *sorted(reached.values())]).encode()).hexdigest()


def _read(code: CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """(name, value) of the globals that code reads, and of what it takes from modules among them."""
    for name in code.co_names:
        value = scope.get(name)
        yield name, value
        if isinstance(value, ModuleType):
            for part in code.co_names:
                yield f"{name}.{part}", getattr(value, part, None)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _read(inner, scope)
