"""What the processes of a pool may run in tests: workers that misbehave when they are told to."""

from __future__ import annotations

import json
import os
import time

from hermite_analytics.explorer.messages import WARM_UP, Kind, Reply
from hermite_analytics.explorer.worker import _set_alarm


def stubborn(connection, seconds):
    """Echoes its parameters; `how` of a question, or its target, says what else it does."""
    connection.send_bytes(Reply(kind=Kind.READY, body=b"{}").packed())
    while True:
        try:
            parameters = json.loads(connection.recv_bytes())["parameters"]
        except EOFError:
            return
        how = parameters.get("how", parameters.get("target"))
        if how in ("hangs", "holds the interpreter"):
            connection.send_bytes(Reply(kind=Kind.KNOWN, body=b'{"so": "far"}').packed())
        if how == "hangs":
            time.sleep(1e6)
        elif how == "holds the interpreter":
            7 ** (10**9)  # one operation of many hours that hears no signal
        elif how == "dies":
            os._exit(1)
        elif how == "sleeps a little":
            time.sleep(0.3)
        body = json.dumps({"pid": os.getpid(), **parameters}).encode()
        connection.send_bytes(Reply(kind=Kind.DONE, body=body, retires=how == "retires").packed())


def counting(connection, seconds):
    """Answers how often it was asked to warm up, and asks for nothing more."""
    connection.send_bytes(Reply(kind=Kind.READY, body=b"{}").packed())
    warmed = 0
    while True:
        try:
            asked = json.loads(connection.recv_bytes())
        except EOFError:
            return
        warmed += asked["question"] == WARM_UP
        document = {"topic": None, "more": False, "warmed": warmed, "pid": os.getpid()}
        connection.send_bytes(Reply(kind=Kind.DONE, body=json.dumps(document).encode()).packed())


def forgotten(connection, seconds):
    """A worker whose server is gone while it holds the interpreter: the system ends it."""
    _set_alarm(seconds)
    7 ** (10**9)


def never_ready(connection, seconds):
    """A worker that cannot start."""
    os._exit(1)
