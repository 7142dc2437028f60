"""`hermite-analytics doctor`: what an answer depends on beside its input."""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import re
import sys
from importlib import metadata
from typing import TypedDict

import click

from hermite_analytics import __version__
from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.errors import HermiteAnalyticsError

__all__ = ["command"]

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OPENBLAS_THREAD_TIMEOUT",
)
_DEVICE_LIBRARIES = ("torch", "cupy", "numba_cuda")


@click.command("doctor")
@json_option
def command(as_json: bool) -> int:
    """Report versions, threads, devices, and the cache of compiled kernels; exit status 1 if one is missing.

    What it finds wrong is listed last, each with what to do.
    """
    document = _document()
    if as_json:
        print_json(document)
    else:
        _print(document)
    return int(bool(document["problems"]))


class _Package(TypedDict):
    name: str
    version: str | None
    wanted: str
    extras: list[str]


class _Threads(TypedDict):
    cores: int | None
    usable: int | None
    numba: int
    environment: dict[str, str]


class _Device(TypedDict):
    library: str
    device: str | None
    name: str | None
    error: str | None


class _Cache(TypedDict):
    folder: str
    limit: int | None
    bytes: int | None
    modules: int | None
    error: str | None


class _Document(TypedDict):
    hermite_analytics: str
    python: str
    platform: str
    packages: list[_Package]
    threads: _Threads
    devices: list[_Device]
    cache: _Cache
    problems: list[str]


def _document() -> _Document:
    packages, problems = _packages()
    cache = _cache()
    if cache["error"] is not None:
        problems.append(f"the cache cannot be used: {cache['error']}")
    return {
        "hermite_analytics": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": packages,
        "threads": _threads(),
        "devices": _devices(),
        "cache": cache,
        "problems": problems,
    }


def _packages() -> tuple[list[_Package], list[str]]:
    """Each package that we ask for, with its version and extra; what is missing of the core is a problem."""
    found: dict[str, _Package] = {}
    problems = []
    for requirement in metadata.requires("hermite-analytics") or []:
        text, _, marker = requirement.partition(";")
        match = _NAME.match(text)
        name = match[0] if match else text
        extra = re.search(r"extra == ['\"](.+?)['\"]", marker)
        version = _version(name)
        if version is None and extra is None:
            problems.append(f"{name} is missing: pip install {text.strip()!r}")
        entry: _Package = {
            "name": name,
            "version": version,
            "wanted": text[len(name) :].strip(),
            "extras": [],
        }
        found.setdefault(name, entry)["extras"] += [] if extra is None else [extra[1]]
    return list(found.values()), problems


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _threads() -> _Threads:
    from numba import config

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cores": os.cpu_count(),
        "usable": usable,
        "numba": int(config.NUMBA_NUM_THREADS),
        "environment": {name: os.environ[name] for name in _THREAD_VARIABLES if name in os.environ},
    }


def _devices() -> list[_Device]:
    """The CPU, and what the libraries for graphics processors see; a library that fails says how."""
    found: list[_Device] = [
        {
            "library": "numpy",
            "device": "cpu",
            "name": platform.processor() or platform.machine(),
            "error": None,
        }
    ]
    for library in _DEVICE_LIBRARIES:
        if library in sys.modules or importlib.util.find_spec(library) is not None:
            found += _devices_of(library)
    return found


def _devices_of(library: str) -> list[_Device]:
    try:
        names = _DEVICE_NAMES[library]()
    except Exception as error:  # a driver that is missing or old fails in its own ways
        text = " ".join(str(error).split())[:200] or type(error).__name__
        return [{"library": library, "device": None, "name": None, "error": text}]
    if not names:
        return [{"library": library, "device": None, "name": None, "error": None}]
    return [
        {"library": library, "device": f"cuda:{number}", "name": name, "error": None}
        for number, name in enumerate(names)
    ]


def _torch_devices() -> list[str]:
    import torch

    return [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]


def _cupy_devices() -> list[str]:
    cupy = importlib.import_module("cupy")
    runtime = cupy.cuda.runtime
    count = runtime.getDeviceCount()
    return [runtime.getDeviceProperties(k)["name"].decode() for k in range(count)]


def _numba_devices() -> list[str]:
    cuda = importlib.import_module("numba.cuda")
    if not cuda.is_available():
        return []
    return [
        device.name.decode() if isinstance(device.name, bytes) else str(device.name) for device in cuda.gpus
    ]


_DEVICE_NAMES = {"torch": _torch_devices, "cupy": _cupy_devices, "numba_cuda": _numba_devices}


def _cache() -> _Cache:
    from hermite_analytics.codegen.cache import cache_directory, cache_entries, cache_limit

    document: _Cache = {
        "folder": str(cache_directory()),
        "limit": None,
        "bytes": None,
        "modules": None,
        "error": None,
    }
    try:
        entries = cache_entries()
        document["limit"], document["modules"] = cache_limit(), len(entries)
        document["bytes"] = sum(e.size for e in entries)
    except HermiteAnalyticsError as error:
        document["error"] = " ".join(str(error).split())
    return document


def _print(document: _Document) -> None:
    click.echo(f"hermite-analytics {document['hermite_analytics']}, Python {document['python']}")
    click.echo(document["platform"])
    threads = document["threads"]
    set_by = "".join(f", {name}={value}" for name, value in threads["environment"].items())
    click.echo(
        f"\nthreads: {threads['usable']} of {threads['cores']} cores, numba {threads['numba']}{set_by}"
    )
    click.echo("\npackages:")
    for package in document["packages"]:
        extras = f"  (extra {', '.join(package['extras'])})" if package["extras"] else ""
        click.echo(f"  {package['name']:<22} {package['version'] or 'not installed'}{extras}")
    click.echo("\ndevices:")
    for entry in document["devices"]:
        name = entry["name"] or (f"fails: {entry['error']}" if entry["error"] else "no CUDA device")
        click.echo(f"  {entry['library']:<22} {entry['device'] or '-'}  {name}")
    _print_cache(document["cache"])
    for problem in document["problems"]:
        click.echo(f"\nproblem: {problem}")


def _print_cache(cache: _Cache) -> None:
    click.echo(f"\ncache: {cache['folder']}")
    if cache["bytes"] is not None and cache["limit"] is not None:
        used, limit = cache["bytes"] / 2**20, cache["limit"] / 2**20
        click.echo(f"  {used:.4g} MiB of {limit:.4g} MiB in {cache['modules']} kernels")
