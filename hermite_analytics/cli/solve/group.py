"""The group of models: a command is made from a record when it is asked for, or named in a problem file."""

from __future__ import annotations

from typing import Unpack

import click

from hermite_analytics.cli.lazy import Described, LazyGroup
from hermite_analytics.cli.solve.problem_file import model_of, named_file
from hermite_analytics.numeric.models import MODELS

__all__ = ["ModelGroup"]


class ModelGroup(LazyGroup):
    """A group of models that also take their flags, and their own name, from a file."""

    def __init__(self, **rest: Unpack[Described]) -> None:
        lines = {name: record.summary for name, record in MODELS.items()}
        super().__init__(lines=lines, **rest)

    def load(self, name: str) -> click.Command:
        from hermite_analytics.cli.solve.model_command import ModelCommand

        return ModelCommand(MODELS[name])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        path = named_file(args)
        if path is not None and args[0].startswith("-"):  # no model on the command line
            args = [model_of(path, self.list_commands(ctx)), *args]
        return super().parse_args(ctx, args)
