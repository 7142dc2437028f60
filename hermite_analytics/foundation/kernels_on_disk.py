"""Compiled loops that are kept on disk as long as nothing changes that went into them.

numba renews what it keeps of a function when the function's own file changes, not when one that it calls, or
a constant that it reads, changes in another file: an old kernel would then be loaded, and answer wrongly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any, TypeVar

import numpy as np
from numba import njit

__all__ = ["kept"]

F = TypeVar("F", bound=Callable[..., object])


def kept(signature: object = None, **options: Any) -> Callable[[F], F]:
    """`numba.njit(signature, cache=True, **options)`, where callees and constants elsewhere count as source.

    With a signature, or a list of them, the function is compiled at once, and for no other. Division by zero
    gives inf or NaN, as in numpy.
    """

    def decorate(function: F) -> F:
        dispatcher = njit(cache=True, error_model="numpy", **options)(function)
        if not hasattr(dispatcher, "_cache"):  # NUMBA_DISABLE_JIT: the function itself
            return dispatcher  # type: ignore[no-any-return]
        file = dispatcher._cache._cache_file
        file._source_stamp = _stamp(function, file._source_stamp)
        for one in signature if isinstance(signature, list) else [signature]:
            if one is not None:
                dispatcher.compile(one)
        if signature is not None:
            dispatcher.disable_compile()
        return dispatcher  # type: ignore[no-any-return]

    return decorate


def _stamp(function: Any, own: object) -> str:
    """A hash of numba's own stamp and of everything in other places that machine code is made of."""
    digest = hashlib.sha256(repr(own).encode())
    for name, value in sorted(_read(function.__code__, function.__globals__), key=lambda pair: pair[0]):
        file = getattr(getattr(value, "_cache", None), "_cache_file", None)
        if file is not None:
            part = str(file._source_stamp)
        elif isinstance(value, np.ndarray):
            part = f"{value.dtype}{value.shape}{value.tobytes().hex()}"
        elif isinstance(value, int | float | str | tuple | np.generic):
            part = repr(value)
        else:
            continue
        digest.update(f"{name}={part};".encode())
    return digest.hexdigest()


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
