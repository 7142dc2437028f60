"""`hermite-analytics solve MODEL ...`: one grid of results. Each command is made from the model's record."""

from __future__ import annotations

import click

from hermite_analytics.cli.solve.group import ModelGroup

__all__ = ["command"]


@click.group("solve", cls=ModelGroup)
def command() -> None:
    """Solve a model in the limit d -> infinity. Comma lists give all combinations, the last flag fastest.

    --problem FILE.toml takes the flags, and the model if none is named, from a file.
    """
