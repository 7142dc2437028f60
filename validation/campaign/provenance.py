"""What a result came from: versions of the code, of the libraries, and the machine."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable

import hermite_analytics as ha

__all__ = ["code_version", "environment"]

# The code that computes cells: simulator, the experiments' cells, and the printers of compiled functions.
_SOURCES = (
    ("hermite_analytics.numeric", "simulator"),
    ("hermite_analytics.validation", "experiments"),
    ("hermite_analytics", "codegen"),
)
_LIBRARIES = ("numpy", "scipy", "numba", "sympy")


@functools.cache
def code_version() -> str:
    """Version of the code that computes cells: the package's, and a hash of the source behind cells."""
    digest = hashlib.sha256()
    for package, name in _SOURCES:
        for path, entry in _python_files(files(package) / name, name):
            digest.update(path.encode() + entry.read_bytes())
    return f"{ha.__version__}+{digest.hexdigest()[:12]}"


def _python_files(entry: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The source files below a folder, or the file itself, in a fixed order."""
    if entry.is_dir():
        for child in sorted(entry.iterdir(), key=lambda child: child.name):
            yield from _python_files(child, f"{path}/{child.name}")
    elif entry.name.endswith(".py") and entry.is_file():
        yield path, entry


def environment(workers: str) -> Mapping[str, str]:
    """Versions and machine, without names of host or user."""
    versions = {}
    for package in _LIBRARIES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "hermite_analytics": code_version(),
        "Python": platform.python_version(),
        **versions,
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(os.cpu_count() or 1),
        "workers": workers,
    }


def _processor() -> str:
    """Model of the processor, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
