"""Serve the explorer on a port of this computer."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from hermite_analytics.errors import InputError

__all__ = ["DEFAULT_HOST", "DEFAULT_PORT", "DEFAULT_SECONDS", "serve"]

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8642
DEFAULT_SECONDS = 10.0
_MOST_CONNECTIONS = 64
_MOST_HEADER_BYTES = 32 * 1024
_MISSING = "the explorer needs {}; install it with: pip install 'hermite-analytics[explore]'"


def serve(
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    seconds: float = DEFAULT_SECONDS,
    workers: int | None = None,
    ready: Callable[[str, int], None] | None = None,
) -> None:
    """Serve the page until the process is interrupted.

    Parameters
    ----------
    host : str
        Address to listen on; other computers can reach any but the default.
    port : int
        0 takes a free one.
    seconds : float > 0
        Time budget of an answer.
    workers : int >= 1, optional
        Processes; by default 2 to 4, as there are cores.
    ready : callable, optional
        ready(url, port), called when connections are accepted.

    Raises
    ------
    InputError
        If the port cannot be had, or starlette or uvicorn is not installed.
    """
    listening = _socket(host, port)
    try:
        from hermite_analytics.explorer.pool import prepare

        prepare()  # what workers need is loaded while the server starts
        import uvicorn

        from hermite_analytics.explorer.app import create_app
    except ModuleNotFoundError as error:
        listening.close()
        raise InputError(_MISSING.format(error.name)) from None
    chosen = workers or max(2, min(4, os.cpu_count() or 1))
    config = uvicorn.Config(
        create_app(seconds=seconds, workers=chosen, names=(host,)),
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="on",
        http="h11",
        ws="none",
        limit_concurrency=_MOST_CONNECTIONS,
        h11_max_incomplete_event_size=_MOST_HEADER_BYTES,
        timeout_graceful_shutdown=1,
    )
    with listening:
        if ready is not None:
            ready(_url(host, listening), listening.getsockname()[1])
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:  # the ordinary end
            return


def _socket(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(
            f"--port {port} of {host} cannot be had ({error.strerror or error}); "
            "accepted: another port, 0 takes a free one"
        ) from None
    # connections inherit it; else the body of an answer waits 40 ms for the receipt of its headers
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _url(host: str, listening: socket.socket) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}/"
