"""Warm worker processes, each ended when an answer takes longer than its time budget.

A process that is past its budget is killed, whatever it does, and a new one takes its place. Questions about
one topic go to the worker that answered the last one about it, which still holds what it computed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import multiprocessing
import multiprocessing.forkserver
import time
from collections import deque
from collections.abc import Callable, Coroutine
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TYPE_CHECKING

import anyio.to_thread

from hermite_analytics.explorer.messages import WARM_UP, Given, Kind, Reply
from hermite_analytics.explorer.worker import serve

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

__all__ = ["Busy", "Late", "Lost", "Pool", "prepare"]

Serve = Callable[[Connection, float], None]

_LOG = logging.getLogger(__name__)
_SLICE = 0.1  # seconds between two looks at the clock
_REST = 1.0  # seconds between two looks for a worker that has nothing to do
_GRACE = 0.5  # seconds for an answer that nobody waits for any more
_START_SECONDS = 300.0  # the first use of a solver on a computer compiles it
_MOST_FAILED_STARTS = 3
_REMEMBERED = 64
_ENDS = (Kind.DONE, Kind.REFUSED, Kind.FAILED)
_FORKED = "forkserver" in multiprocessing.get_all_start_methods()
_LOADED = "hermite_analytics.explorer.loaded"


def prepare() -> None:
    """Start the process that workers are forked from, where the system can; it loads what they need."""
    if _FORKED:
        multiprocessing.get_context("forkserver").set_forkserver_preload([_LOADED])
        multiprocessing.forkserver.ensure_running()


def _context() -> ForkServerContext | SpawnContext:
    return multiprocessing.get_context("forkserver") if _FORKED else multiprocessing.get_context("spawn")


class Late(Exception):
    """The time budget ended; `known` is JSON of what was found until then."""

    def __init__(self, known: bytes) -> None:
        super().__init__("the time budget ended")
        self.known = known


class Lost(Exception):
    """The process ended without an answer."""


class Busy(Exception):
    """No worker became free."""


class _Worker:
    """The end of a worker process that is held here."""

    def __init__(self, serve: Serve, seconds: float) -> None:
        context = _context()
        self._connection, other = context.Pipe()
        self._process = context.Process(
            target=serve, args=(other, seconds), name="hermite-analytics worker", daemon=True
        )
        self._process.start()
        other.close()
        self.topics: deque[str] = deque(maxlen=_REMEMBERED)

    def send(self, message: bytes) -> None:
        try:
            self._connection.send_bytes(message)
        except OSError:
            raise Lost from None

    def receive(self, seconds: float) -> Reply | None:
        """A message, or None if there is none within the time."""
        try:
            if self._connection.poll(seconds):
                return Reply.unpacked(self._connection.recv_bytes())
        except (EOFError, OSError):
            raise Lost from None
        return None

    def wait_until_ready(self, seconds: float) -> None:
        reply = self.receive(seconds)
        if reply is None or reply.kind != Kind.READY:
            raise Lost

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        _close(self._connection)


class Pool:
    """Worker processes for questions, as an asynchronous context.

    Parameters
    ----------
    workers : int >= 1
    seconds : float > 0
        Time budget of an answer, and the longest wait for a free worker once there has been one.
    serve : callable
        serve(connection, seconds) is what a process runs; importable by name.
    """

    def __init__(self, *, workers: int, seconds: float, serve: Serve = serve) -> None:
        self.seconds = seconds
        self._serve = serve
        self._size = workers
        self._all: set[_Worker] = set()
        self._idle: list[_Worker] = []  # the one that has rested longest first
        self._warming: set[_Worker] = set()
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed_starts = 0
        self._has_started = self._is_closing = False

    async def __aenter__(self) -> Pool:
        prepare()
        for _ in range(self._size):
            self._hire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_closing = True
        while self._all or self._tasks:  # a worker that is just being started is ended when it is there
            for worker in tuple(self._all):
                await self._dismiss(worker)
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=_SLICE)

    async def ask(self, question: str, parameters: Given, *, topic: str, abandoned: asyncio.Event) -> Reply:
        """The worker's reply.

        Parameters
        ----------
        question : str
            The name of an answer.
        parameters : mapping
        topic : str
            Questions of one topic go to one worker where that is possible.
        abandoned : asyncio.Event
            Set when nobody waits for the answer.

        Raises
        ------
        Late, Lost, Busy
        """
        message = json.dumps({"question": question, "parameters": parameters}).encode()
        worker = await self._take(topic)
        try:
            reply = await self._converse(worker, message, abandoned)
        except BaseException:
            self._replace(worker)
            raise
        if reply.retires:
            self._replace(worker)
        else:
            await self._give(worker)
            self._warm_up(worker)
        return reply

    async def _take(self, topic: str) -> _Worker:
        try:
            patience = self.seconds if self._has_started else _START_SECONDS
            async with asyncio.timeout(patience), self._changed:
                await self._changed.wait_for(lambda: self._idle or self._is_broken)
                if not self._idle:
                    self._failed_starts = _MOST_FAILED_STARTS - 1  # one more try for who asks next
                    self._hire()
                    raise Lost
                knowing = [worker for worker in self._idle if topic in worker.topics]
                worker = (knowing or self._idle)[0]
                self._idle.remove(worker)
        except TimeoutError:
            raise Busy from None
        worker.topics.append(topic)
        return worker

    async def _give(self, worker: _Worker) -> None:
        async with self._changed:
            self._idle.append(worker)
            self._changed.notify()

    async def _converse(self, worker: _Worker, message: bytes, abandoned: asyncio.Event) -> Reply:
        end = time.monotonic() + self.seconds
        known, is_loading = b"null", False
        await anyio.to_thread.run_sync(worker.send, message)
        while (left := end - time.monotonic()) > 0:
            reply = await anyio.to_thread.run_sync(worker.receive, min(left, _SLICE))
            if reply is not None and reply.kind in _ENDS:
                return reply
            if reply is not None and reply.kind == Kind.KNOWN:
                known = reply.body
            elif reply is not None:  # what is loaded and compiled first is no part of the answer's time
                is_loading = reply.kind == Kind.LOADING
                end = time.monotonic() + (_START_SECONDS if is_loading else self.seconds)
            if abandoned.is_set() and not is_loading:
                end = min(end, time.monotonic() + _GRACE)
                abandoned = asyncio.Event()  # the grace begins once
        raise Late(known)

    def _replace(self, worker: _Worker) -> None:
        self._in_background(self._dismiss(worker))
        self._hire()

    def _hire(self) -> None:
        if not self._is_closing:
            self._in_background(self._hired())

    async def _hired(self) -> None:
        """One more worker, when it is ready; a few tries, as memory may be short for a while."""
        worker = await anyio.to_thread.run_sync(_Worker, self._serve, self.seconds)
        self._all.add(worker)
        try:
            await anyio.to_thread.run_sync(worker.wait_until_ready, _START_SECONDS)
        except Lost:
            await self._dismiss(worker)
            self._failed_starts += not self._is_closing
            if not self._is_closing:
                _LOG.error("a worker process ended before it was ready")
            if not self._is_broken:
                self._hire()
            async with self._changed:
                self._changed.notify_all()
            return
        self._failed_starts, self._has_started = 0, True
        await self._give(worker)
        self._warm_up(worker)

    def _warm_up(self, worker: _Worker) -> None:
        if self._size > 1 and worker not in self._warming:
            self._warming.add(worker)
            self._in_background(self._warm(worker))

    async def _warm(self, worker: _Worker) -> None:
        """Let it load what no one has asked for yet, and compile what many points need, while nobody asks."""
        try:
            await self._warmed(worker)
        finally:
            self._warming.discard(worker)

    async def _warmed(self, worker: _Worker) -> None:
        message = json.dumps({"question": WARM_UP, "parameters": {}}).encode()
        while worker in self._all and not self._is_closing:
            await asyncio.sleep(_REST)
            async with self._changed:
                if worker not in self._idle or len(self._idle) < self._size:
                    continue
                self._idle.remove(worker)
            try:
                await anyio.to_thread.run_sync(worker.send, message)
                reply = await anyio.to_thread.run_sync(worker.receive, _START_SECONDS)
                if reply is None:
                    raise Lost
            except Lost:
                if not self._is_closing:
                    self._replace(worker)
                return
            done = json.loads(reply.body)
            if done.get("topic") is not None:
                worker.topics.append(done["topic"])
            await self._give(worker)
            if not done.get("more"):
                return

    async def _dismiss(self, worker: _Worker) -> None:
        if worker in self._all:
            self._all.discard(worker)
            await anyio.to_thread.run_sync(worker.end)

    @property
    def _is_broken(self) -> bool:
        return self._failed_starts >= _MOST_FAILED_STARTS

    def _in_background(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _close(connection: Connection) -> None:
    with contextlib.suppress(OSError):  # closed before, after the other end went away
        connection.close()
