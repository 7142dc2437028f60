"""Kernels remembered by what was asked for, so that a new process skips the symbolic work.

A recipe is a small JSON file in the kernel cache: the request, the generated source, and a digest of both. It
is used only if the digest is right and the request is the same; the request includes a hash of the package's
own sources. The source then goes the way of every generated module.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from hermite_analytics.codegen import cache_store
from hermite_analytics.codegen.cache import cache_directory
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.foundation.json import JSON

__all__ = ["remembered"]


class _Fields(TypedDict):
    """What a kernel is made of."""

    source: str
    backend: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    single: bool
    error_bound: float


def remembered(request: tuple[str, ...], build: Callable[[], Kernel]) -> Kernel:
    """The kernel of a request: from its recipe, or built and noted.

    Parameters
    ----------
    request : tuple of str
        All that the kernel depends on, beside this package.
    build : callable
        Makes the kernel.
    """
    full = [_package_hash(), *request]
    path = cache_directory() / f"{cache_store.MODULE_PREFIX}{_digest(full)[:24]}.recipe.json"
    fields = _read(path, full)
    if fields is not None:
        return Kernel(**fields)
    kernel = build()
    _note(path, full, kernel)
    return kernel


@functools.cache
def _package_hash() -> str:
    """Hash of all sources of the symbolic layer and the generator."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in (root, *(p for p in sorted(root.iterdir()) if p.is_dir() and not p.is_symlink())):
        for path in sorted(folder.rglob("*.py") if folder != root else folder.glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _digest(value: JSON) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _read(path: Path, request: list[str]) -> _Fields | None:
    """The fields of the kernel; None if there is no such file, or not one of ours."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["request"] != request or content["digest"] != _digest([request, content["kernel"]]):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    cache_store.touch(path)
    fields: _Fields = content["kernel"]
    return {**fields, "arguments": tuple(fields["arguments"]), "outputs": tuple(fields["outputs"])}


def _note(path: Path, request: list[str], kernel: Kernel) -> None:
    """Keep the recipe; where that is not possible it is only not kept."""
    names = ("source", "backend", "arguments", "outputs", "single", "error_bound")
    fields = {name: getattr(kernel, name) for name in names}
    fields |= {name: list(fields[name]) for name in ("arguments", "outputs")}
    content = {"request": request, "kernel": fields, "digest": _digest([request, fields])}
    with contextlib.suppress(OSError):
        cache_store.private_folder(path.parent)
        cache_store.write_atomically(path, json.dumps(content, indent=1).encode())
