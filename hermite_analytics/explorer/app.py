"""The web application: the page, its files, and the endpoints, each answered by a worker."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hermite_analytics import __version__
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.guard import Guard
from hermite_analytics.explorer.kept import kept
from hermite_analytics.explorer.messages import Kind, topic_of
from hermite_analytics.explorer.models import MODELS
from hermite_analytics.explorer.parameters import read
from hermite_analytics.explorer.pool import Busy, Late, Lost, Pool
from hermite_analytics.explorer.replies import error_reply, json_reply
from hermite_analytics.explorer.words import DEFINITIONS, EXAMPLES, START

__all__ = ["create_app"]

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_STATUS = {Kind.DONE: 200, Kind.REFUSED: 400, Kind.FAILED: 500}


def create_app(*, seconds: float = 10.0, workers: int = 2, names: Iterable[str] = ()) -> ASGIApp:
    """The application; its lifespan starts and ends the workers.

    Parameters
    ----------
    seconds : float > 0
        Time budget of an answer.
    workers : int >= 1
        Processes.
    names : iterable of str
        Names of this server beside its addresses and localhost.
    """
    pool = Pool(workers=workers, seconds=seconds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with pool:
            yield

    async def answer(request: Request) -> Response:
        return await _answer(request, pool)

    async def about(request: Request) -> Response:
        return json_reply(_about(seconds, workers))

    routes = [
        Route("/", _page),
        Route("/static/{name}", _page),
        Route("/api/about", about),
        Route("/api/{path:path}", answer),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _refused})
    return Guard(app, names)


async def _answer(request: Request, pool: Pool) -> Response:
    """Of one endpoint: 400 what was asked is at fault, 500 the library is, 503 there was no time."""
    endpoint = ENDPOINTS.get(request.path_params["path"])
    if endpoint is None:
        raise HTTPException(404)
    try:
        parameters = read(request.query_params.multi_items(), endpoint.parameters)
    except HermiteAnalyticsError as error:
        return error_reply(400, str(error), kind=type(error).__name__)
    topic = topic_of(parameters)
    asked = {**endpoint.fixed, **parameters}
    if (known := kept(request.path_params["path"], asked)) is not None:
        return json_reply(known, _STATUS[Kind.DONE])
    try:
        async with _abandoned(request) as abandoned:
            reply = await pool.ask(endpoint.question, asked, topic=topic, abandoned=abandoned)
    except Late as late:
        text = (
            f"the answer takes more than {pool.seconds:g} s, its time budget; a simpler input may be answered"
        )
        return error_reply(503, text, kind="time", known=json.loads(late.known))
    except Lost:
        return error_reply(503, "the process of the answer ended, perhaps for want of memory", kind="process")
    except Busy:
        return error_reply(503, "all workers are busy; try again in a moment", kind="busy")
    return json_reply(reply.body, _STATUS[reply.kind])


@asynccontextmanager
async def _abandoned(request: Request) -> AsyncIterator[asyncio.Event]:
    """An event that is set when the client goes away."""
    gone = asyncio.Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        gone.set()

    watching = asyncio.create_task(watch())
    try:
        yield gone
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


async def _page(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    found = _static_files().get(name)
    if found is None:
        raise HTTPException(404)
    return Response(found, media_type=_TYPES[name.rpartition(".")[2]])


@functools.cache
def _static_files() -> Mapping[str, bytes]:
    """The files of the page by name; nothing else is ever served."""
    folder = files("hermite_analytics.explorer") / "static"
    found = [entry for entry in folder.iterdir() if entry.name.rpartition(".")[2] in _TYPES]
    return {entry.name: entry.read_bytes() for entry in found}


def _about(seconds: float, workers: int) -> dict[str, object]:
    """What the page is built from."""
    return {
        "version": __version__,
        "seconds": seconds,
        "workers": workers,
        "endpoints": [endpoint.describe(path) for path, endpoint in ENDPOINTS.items()],
        "models": [model.describe() for model in MODELS.values()],
        "definitions": dict(DEFINITIONS),
        "examples": dict(EXAMPLES),
        "start": dict(START),
    }


async def _refused(request: Request, error: Exception) -> Response:
    """Unknown paths and methods."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    accepted = ", ".join(["/", "/api/about", *(f"/api/{path}" for path in ENDPOINTS)])
    texts = {404: f"there is no such page; accepted: {accepted}", 405: "the method is not accepted; use GET"}
    return error_reply(status, texts.get(status, "the request is not understood"))
