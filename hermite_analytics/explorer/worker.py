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


def serve(connection: Connection, seconds: float) -> None:
    """Answer questions until the other end closes.

    Parameters
    ----------
    connection : Connection
        Takes {"question": name, "parameters": {...}} as JSON, gives packed replies. What a question needs is
        loaded before its time begins; without a question, when the server asks for it, more is loaded, and
        kernels are compiled that were asked for many points.
    seconds : float
        Time budget of an answer.
    """
    _set_limits()
    from hermite_analytics.codegen.auto_backend.tiers import compiled_when_idle
    from hermite_analytics.explorer.answers import ANSWERS, WarmUps

    def send(kind: Kind, document: Mapping[str, object]) -> None:
        connection.send_bytes(Reply(kind=kind, body=encoded(document)).packed())

    turn = Turn(seconds=seconds, report=lambda known: send(Kind.KNOWN, known))
    warm_ups = WarmUps(seconds)
    with compiled_when_idle(), contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        send(Kind.READY, {})
        while True:
            asked = json.loads(connection.recv_bytes())
            question, parameters = asked["question"], asked["parameters"]
            if question == WARM_UP:
                topic, more = warm_ups.load()
                send(Kind.DONE, {"topic": topic, "more": more})
                continue
            if (path := warm_ups.needs(question, parameters)) is not None:
                send(Kind.LOADING, {})
                warm_ups.load(path)
                send(Kind.READY, {})
            _set_alarm(seconds + _MARGIN)
            reply = answered(ANSWERS[question], parameters, turn)
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
