"""A command from the record of a model: its options, --problem, and what it prints."""

from __future__ import annotations

import click

from hermite_analytics.cli.files import check_drawn, file_options, files_of
from hermite_analytics.cli.given import Given
from hermite_analytics.cli.options import json_flag, option_of, places_of
from hermite_analytics.cli.solve.answer import answer
from hermite_analytics.cli.solve.pieces import check_room
from hermite_analytics.cli.solve.problem_file import FLAG, flags_of
from hermite_analytics.cli.solve.report import report, report_file
from hermite_analytics.numeric.models import shared
from hermite_analytics.numeric.models.record import ModelRecord

__all__ = ["ModelCommand"]


class ModelCommand(click.Command):
    """`solve MODEL`.

    Parameters
    ----------
    record : ModelRecord
    """

    def __init__(self, record: ModelRecord) -> None:
        problem = click.Option(
            [FLAG],
            metavar="FILE.toml",
            expose_value=False,
            help="Flags from a file; those on the command line override them.",
        )
        options = [option_of(parameter) for parameter in shared.flags_of(record)]
        super().__init__(
            record.name, params=[*options, json_flag(), *file_options(), problem], help=record.help
        )
        self.record = record

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        path = given.get("problem")
        if isinstance(path, str):
            args = [*flags_of(path, self.record), *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        files = files_of(ctx, columns=True)
        given = Given.of(self.record, ctx)
        check_drawn(given, files)
        places = places_of(ctx)
        seconds = places.seconds
        if seconds is not None and any(p.name == "seconds" for p in self.record.parameters):
            given = given.read(seconds=seconds)
        as_json = ctx.params["as_json"]
        check_room(given, files.points)
        if files.points is None and not places.are_given:
            return report(answer(given), self.record, files, as_json=as_json)
        from hermite_analytics.cli.solve.sweep import Sweep, in_memory, into_file

        sweep = Sweep(seconds=seconds, workers=places.workers or 1, scheduler=places.scheduler)
        if files.points is None:
            return report(in_memory(given, sweep), self.record, files, as_json=as_json)
        return report_file(into_file(given, sweep, files.points), as_json=as_json)
