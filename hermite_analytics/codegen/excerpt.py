"""The text of functions of this library, with all that they use, for files that run without it.

Only top-level definitions are taken: functions, classes and constants. What a module imports from this
library is followed; what it imports from elsewhere becomes an import of the file.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Excerpt", "excerpt"]

_PACKAGE = "hermite_analytics"


@dataclass(slots=True)
class Excerpt:
    """Import lines and definitions, each in an order in which Python can run them.

    Attributes
    ----------
    imports : list of str
    definitions : dict
        Name -> text; several names may have one text, as in `a, b = 1, 2`.
    """

    imports: list[str] = field(default_factory=list)
    definitions: dict[str, str] = field(default_factory=dict)
    _owners: dict[str, str] = field(default_factory=dict)

    def add(self, module: str, names: Iterable[str]) -> None:
        """Add definitions of a module, after those that they use.

        Raises
        ------
        ValueError
            If two modules define the same name in two ways.
        """
        source = _read(module)
        for name in names:
            if name in source.outside:
                line = source.outside[name]
                self.imports += [] if line in self.imports else [line]
            elif name in source.inside:
                self.add(source.inside[name], [name])
            elif name in source.texts:
                self._define(module, source, name)

    def _define(self, module: str, source: _Source, name: str) -> None:
        owner = self._owners.setdefault(name, module)
        if owner != module and _read(owner).texts[name] != source.texts[name]:
            raise ValueError(f"{name} is defined in {owner} and in {module}")
        if name in self.definitions:
            return
        self.definitions[name] = ""  # a function may call itself
        self.add(module, source.uses[name])
        del self.definitions[name]
        self.definitions[name] = source.texts[name]

    def import_lines(self) -> str:
        """Sorted imports: those of the standard library, then numpy."""
        modules: dict[str, list[str]] = {}
        for line in self.imports:
            module, _, name = line.removeprefix("from ").partition(" import ")
            if name:
                modules.setdefault(f"from {module} import ", []).append(name)
        lines = sorted(line for line in self.imports if not line.startswith("from "))
        lines += sorted(start + ", ".join(sorted(names)) for start, names in modules.items())
        groups = [[line for line in lines if ("numpy" in line) == numpy] for numpy in (False, True)]
        return "\n\n".join("\n".join(group) for group in groups if group)

    def needs(self, library: str) -> bool:
        """Whether a library is imported."""
        return any(f" {library}" in line for line in self.imports)

    def constants(self) -> list[str]:
        """Texts of the constants: they stand at the top of a file, and use no function of it."""
        return [text for text in dict.fromkeys(self.definitions.values()) if not _is_function(text)]

    def functions(self) -> list[str]:
        """Texts of functions and classes."""
        return [text for text in dict.fromkeys(self.definitions.values()) if _is_function(text)]


def _is_function(text: str) -> bool:
    return text.startswith(("def ", "class ", "@"))


def excerpt(module: str, names: Iterable[str]) -> Excerpt:
    """Definitions of a module with all that they use.

    Parameters
    ----------
    module : str
        Dotted name of a module of this library.
    names : iterable of str

    Examples
    --------
    >>> found = excerpt("hermite_analytics.codegen.standalone_backend.special", ["normal_cdf"])
    >>> print(found.import_lines())
    import math
    <BLANKLINE>
    import numpy as np
    from numpy.typing import NDArray
    >>> list(found.definitions)
    ['Array', 'ERFC_SQUARES', 'ERFC_WEIGHTS', 'erfc', 'normal_cdf']
    """
    found = Excerpt()
    found.add(module, names)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A module: texts of its definitions, the names each uses, and where its imports come from."""

    texts: dict[str, str]
    uses: dict[str, list[str]]
    inside: dict[str, str]
    outside: dict[str, str]


@functools.cache
def _read(module: str) -> _Source:
    text = inspect.getsource(importlib.import_module(module))
    found = _Source(texts={}, uses={}, inside={}, outside={})
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
            found.inside.update({a.name: str(node.module) for a in node.names})
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                one = ast.unparse(
                    ast.Import([alias])
                    if isinstance(node, ast.Import)
                    else ast.ImportFrom(node.module, [alias], 0)
                )
                found.outside[alias.asname or alias.name] = one
        else:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            body = "\n".join(lines[first - 1 : node.end_lineno])
            for name in _defined(node):
                found.texts[name] = body
                found.uses[name] = [n for n in _used(node) if n != name]
    return found


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = (n for t in targets if t is not None for n in ast.walk(t))
    return [n.id for n in names if isinstance(n, ast.Name) and n.id != "__all__"]


def _used(node: ast.stmt) -> list[str]:
    """Names in the order of the text, those of annotations too."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(n.id for n in sorted(found, key=lambda n: (n.lineno, n.col_offset))))
