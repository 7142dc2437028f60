"""What stands in a folder of the package: so that a new file there needs no line elsewhere."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Sequence

__all__ = ["names_in"]


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
