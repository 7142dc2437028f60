"""The classes that public functions return, found by the annotations of what `__all__` lists."""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator

import hermite_analytics as ha
import hermite_analytics.numeric
import hermite_analytics.validation
from hermite_analytics.rendering import Result

PACKAGES = (ha, ha.numeric, ha.validation)


def import_all() -> None:
    """Every module below the command line and the explorer, so that all classes are there."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not re.search(r"\.(cli|explorer|__main__)\b", module.name):
                importlib.import_module(module.name)


def kinds_of_results(of: type = Result) -> Iterator[type]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds_of_results(kind)


def returned_classes() -> dict[type, str]:
    """Each class of this library that is returned by a public function, a public method of a public class,
    or a method or attribute of a result; and by which."""
    found: dict[type, str] = {}
    waiting: list[tuple[type, str]] = []
    for package in PACKAGES:
        for name in package.__all__:
            public = getattr(package, name)
            if inspect.isclass(public):
                waiting.append((public, name))
            elif inspect.isfunction(public):
                waiting += [(kind, f"{name}()") for kind in _returned(public)]
                found |= dict.fromkeys(_returned(public), f"{name}()")
    seen: set[type] = set()
    while waiting:
        kind, way = waiting.pop()
        if kind in seen or issubclass(kind, enum.Enum | Exception):
            continue
        seen.add(kind)
        for name, others in _members(kind):
            found |= {other: f"{way}.{name}" for other in others if other not in found}
            if issubclass(kind, Result):
                waiting += [(other, f"{way}.{name}") for other in others if issubclass(other, Result)]
            else:
                waiting += [(other, f"{way}.{name}") for other in others]
    return {kind: way for kind, way in found.items() if not issubclass(kind, enum.Enum)}


def _members(kind: type) -> Iterator[tuple[str, list[type]]]:
    """Methods; of results also properties and fields."""
    for base in kind.__mro__:
        if not base.__module__.startswith("hermite_analytics") or base is Result:
            continue
        for name, member in vars(base).items():
            if name.startswith("_") and name not in ("__getitem__", "__iter__"):
                continue
            if inspect.isfunction(member):
                yield name, _returned(member)
            elif isinstance(member, property) and member.fget and issubclass(kind, Result):
                yield name, _returned(member.fget)
        if issubclass(kind, Result):
            for name, annotation in vars(base).get("__annotations__", {}).items():
                if not name.startswith("_"):
                    yield name, _classes(annotation, base.__module__)


def _returned(function) -> list[type]:
    return _classes(function.__annotations__.get("return", ""), function.__module__)


def _classes(annotation: object, module: str) -> list[type]:
    words = re.findall(r"[A-Za-z_]\w*", annotation if isinstance(annotation, str) else str(annotation))
    known = [_resolved(word, module) for word in words]
    return [k for k in known if inspect.isclass(k) and str(k.__module__).startswith("hermite_analytics")]


def _resolved(word: str, module: str) -> object:
    there = vars(sys.modules[module]).get(word)
    if there is None and word in (imports := _imports(module)):  # for the checker of types only
        return getattr(importlib.import_module(imports[word]), word, None)
    return there


@functools.cache
def _imports(module: str) -> dict[str, str]:
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        (alias.asname or alias.name): node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
