"""A command from the record of a protocol."""

from __future__ import annotations

from dataclasses import replace

import click

from hermite_analytics.cli.files import check_drawn, file_options, files_of
from hermite_analytics.cli.given import Given
from hermite_analytics.cli.options import json_flag, option_of, places_of
from hermite_analytics.cli.simulate.runs import simulate
from hermite_analytics.numeric.models import shared
from hermite_analytics.numeric.models.record import Record

__all__ = ["ProtocolCommand"]

_WHERE = (
    replace(shared.SECONDS, help="Time on the wall after which no further seeds are begun; those done count"),
    replace(shared.WORKERS, help="Processes that share the seeds"),
    replace(shared.SCHEDULER, help="Address of a Dask scheduler whose workers share the seeds"),
)


class ProtocolCommand(click.Command):
    """`simulate PROTOCOL`.

    Parameters
    ----------
    record : Record
    """

    def __init__(self, record: Record) -> None:
        options = [option_of(parameter) for parameter in (*record.parameters, *_WHERE)]
        super().__init__(record.name, params=[*options, json_flag(), *file_options()], help=record.help)
        self.record = record

    def invoke(self, ctx: click.Context) -> object:
        files = files_of(ctx)
        given = Given.of(self.record, ctx)
        check_drawn(given, files)
        return simulate(given, files, places_of(ctx), as_json=ctx.params["as_json"])
