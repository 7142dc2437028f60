"""What stands in a folder of the package: so that a new file there needs no line elsewhere."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

__all__ = ["found_at", "names_in", "records_in"]


class Named(Protocol):
    """What records have."""

    @property
    def name(self) -> str:
        """Its own among the records of its kind."""


R = TypeVar("R", bound=Named)


def names_in(path: Iterable[str], first: Sequence[str] = (), *, folders: bool = False) -> tuple[str, ...]:
    """The modules of a package, or its packages, by name: some in a given order, then the others.

    Parameters
    ----------
    path : iterable of str
        `__path__` of the package.
    first : sequence of str
        Names that stand in front, in the order in which messages say them.
    folders : bool
        Whether packages are asked for.

    Raises
    ------
    ValueError
        If one of `first` is not there.

    Examples
    --------
    >>> from hermite_analytics import foundation
    >>> names_in(foundation.__path__, ("shapes",))[:3]
    ('shapes', 'account', 'arrays')
    """
    found = sorted(module.name for module in pkgutil.iter_modules(path) if module.ispkg == folders)
    if missing := set(first) - set(found):
        raise ValueError(f"no {', '.join(sorted(missing))} in {list(path)}: {', '.join(found)}")
    return (*first, *(name for name in found if name not in first))


def records_in(package: str, path: Iterable[str], kind: type[R], *, some: bool = False) -> Mapping[str, R]:
    """The records of the folders of a package by name, in the order of the alphabet.

    They stand in the module `record` of each folder.

    Parameters
    ----------
    package, path : str, iterable of str
        Its `__name__` and `__path__`.
    kind : type
        Of the records: those that the modules `record` name in their `__all__`.
    some : bool
        Whether folders may be without a record, as parts of the others.

    Raises
    ------
    ValueError
        If two have one name.

    Examples
    --------
    >>> from hermite_analytics.label import cases
    >>> from hermite_analytics.label.shape import Shape
    >>> list(records_in(cases.__name__, cases.__path__, Shape, some=True))
    ['line', 'parts', 'plane', 'sampled', 'space', 'stepped', 'values']
    """
    found = sorted(_records(package, path, kind, some=some), key=lambda record: record.name)
    by_name = {record.name: record for record in found}
    if len(by_name) < len(found):
        raise ValueError(f"two records of {package} have one name: {[record.name for record in found]}")
    return MappingProxyType(by_name)


def _records(package: str, path: Iterable[str], kind: type[R], *, some: bool) -> Iterator[R]:
    for folder in names_in(path, folders=True):
        home = f"{package}.{folder}.record"
        if some and importlib.util.find_spec(home) is None:
            continue
        module = importlib.import_module(home)
        named = (getattr(module, name) for name in module.__all__)
        yield from (value for value in named if isinstance(value, kind))


def found_at(package: str, place: str) -> Any:
    """What a record names as "module:name.name" below a package, imported when it is asked for.

    Examples
    --------
    >>> found_at("hermite_analytics", "foundation.folders:found_at").__name__
    'found_at'
    """
    module, _, path = place.partition(":")
    found: Any = importlib.import_module(f"{package}.{module}")
    for part in path.split("."):
        found = getattr(found, part)
    return found
