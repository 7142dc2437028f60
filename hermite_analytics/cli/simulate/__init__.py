"""`hermite-analytics simulate PROTOCOL ...`: means over seeds. Each command is made from a record."""

from __future__ import annotations

from typing import Unpack

import click

from hermite_analytics.cli.lazy import Described, LazyGroup
from hermite_analytics.numeric.protocols import PROTOCOLS

__all__ = ["command"]


class _ProtocolGroup(LazyGroup):
    """The protocols; a command is made from a record when it is asked for."""

    def __init__(self, **rest: Unpack[Described]) -> None:
        lines = {name: record.summary for name, record in PROTOCOLS.items()}
        super().__init__(lines=lines, **rest)

    def load(self, name: str) -> click.Command:
        from hermite_analytics.cli.simulate.protocol_command import ProtocolCommand

        return ProtocolCommand(PROTOCOLS[name])


@click.group("simulate", cls=_ProtocolGroup)
def command() -> None:
    """Simulate a protocol at finite size; comma lists give all combinations, the last flag fastest."""
