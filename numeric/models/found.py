"""Records are found where they stand: in the module `record` of each folder of models, or of protocols."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

from hermite_analytics.numeric.models.record import Record

__all__ = ["records_in"]

R = TypeVar("R", bound=Record)


def records_in(package: str, path: Iterable[str], kind: type[R]) -> Mapping[str, R]:
    """The records of the folders of a package by name, in the order of the alphabet.

    Parameters
    ----------
    package, path : str, iterable of str
        Its `__name__` and `__path__`.
    kind : type
        Of the records: those that the modules `record` name in their `__all__`.

    Raises
    ------
    ValueError
        If two have one name.

    Examples
    --------
    >>> from hermite_analytics.numeric import models
    >>> from hermite_analytics.numeric.models.record import ModelRecord
    >>> found = records_in(models.__name__, models.__path__, ModelRecord)
    >>> found["large-step"].factory
    'models.small_step.large_step:LargeStep'
    """
    found = sorted(_records(package, path, kind), key=lambda record: record.name)
    by_name = {record.name: record for record in found}
    if len(by_name) < len(found):
        raise ValueError(f"two records of {package} have one name: {[record.name for record in found]}")
    return MappingProxyType(by_name)


def _records(package: str, path: Iterable[str], kind: type[R]) -> Iterator[R]:
    for folder in pkgutil.iter_modules(path):
        if folder.ispkg:
            module = importlib.import_module(f"{package}.{folder.name}.record")
            named = (getattr(module, name) for name in module.__all__)
            yield from (value for value in named if isinstance(value, kind))
