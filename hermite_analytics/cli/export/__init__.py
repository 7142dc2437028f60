"""`hermite-analytics export ...`: files of Python that run without this library."""

from __future__ import annotations

import click

from hermite_analytics.cli.lazy import ModuleGroup

__all__ = ["command"]

_KINDS = {"solve": ("solve", "A solver: kernels, equations, and the remaining flags.")}


@click.group("export", cls=ModuleGroup, module="hermite_analytics.cli.export", commands=_KINDS)
def command() -> None:
    """Print one file of Python: the code beside a paper."""
