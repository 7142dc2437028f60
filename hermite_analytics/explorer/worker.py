"""A worker process: questions in, JSON answers out, one at a time, under limits that the system enforces."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection

from hermite_analytics.explorer.documents import encoded
from hermite_analytics.explorer.messages import WARM_UP, Kind, Reply, Turn, answered

__all__ = ["serve"]

_MEMORY_LIMIT = 4 * 2**30  # bytes of address space
_MARGIN = 2.0  # seconds after the budget at which the system ends the process, should nobody else


def serve(connection: Connection, seconds: float, share: int | None = None) -> None:
    """Answer questions until the other end closes.

    Parameters
    ----------
    connection : Connection
        Takes {"question": name, "parameters": {...}} as JSON, gives packed replies.
    seconds : float
        Time budget of an answer; who asks kills the process at it.
    share : int, optional
        Which part of the first questions of the page it answers before it says that it is ready, and then the
        topics of these; other workers do the others, and what is left is done when the server asks for it.
        By default all of it comes first.
    """
    _set_limits()
    from hermite_analytics.explorer.answers import ANSWERS, warm_ups

    def report(known: Mapping[str, object]) -> None:
        connection.send_bytes(Reply(kind=Kind.KNOWN, body=encoded(known)).packed())

    turn = Turn(seconds=seconds, report=report)
    with contextlib.suppress(EOFError, BrokenPipeError):
        first, rest = warm_ups(seconds, share)
        topics = [step.run() for step in first]
        connection.send_bytes(Reply(kind=Kind.READY, body=encoded({"topics": topics})).packed())
        while True:
            question = json.loads(connection.recv_bytes())
            if question["question"] == WARM_UP:
                topics = [step.run() for step in rest]
                connection.send_bytes(Reply(kind=Kind.DONE, body=encoded({"topics": topics})).packed())
                continue
            _set_alarm(seconds + _MARGIN)
            reply = answered(ANSWERS[question["question"]], question["parameters"], turn)
            _set_alarm(0)
            connection.send_bytes(reply.packed())


def _set_limits() -> None:
    """Ctrl-C is the server's business; memory is limited where the system can."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = _MEMORY_LIMIT if hard == resource.RLIM_INFINITY else min(_MEMORY_LIMIT, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _set_alarm(seconds: float) -> None:
    """The system ends the process then, in whatever code it is; 0 takes the alarm back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
