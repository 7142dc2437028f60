"""`hermite-analytics explore` as a process: its document, real HTTP, its end."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import socket
import sys

import jsonschema
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.explorer.server import serve
from hermite_analytics.schemas import schema
from tests.explorer.processes import all_end, children, explorer


def fetched(port, path, host=None, raw=b""):
    """(status, body) over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={} if host is None else {"Host": host})
        reply = connection.getresponse()
        return reply.status, reply.read()


@pytest.mark.slow
def test_the_command_serves_until_it_is_interrupted():
    with explorer() as (process, document):
        jsonschema.Draft202012Validator(schema("explore")).validate(document)
        port = document["port"]
        assert document["host"] == "127.0.0.1" and document["url"] == f"http://127.0.0.1:{port}/"
        assert fetched(port, "/")[0] == 200
        assert fetched(port, "/", host="evil.example")[0] == 421
        status, body = fetched(port, "/api/target?target=z1*z2")
        assert status == 200 and json.loads(body)["analysis"]["leap_index"]["value"] == 2
        assert fetched(port, "/api/target?target=" + "z" * 60_000)[0] in (400, 431)
        with socket.create_connection(("127.0.0.1", port), timeout=60) as rubbish:
            rubbish.sendall(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")
            assert b" 400 " in rubbish.recv(4096)
        assert fetched(port, "/")[0] == 200
        workers = children(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
    assert all_end(workers)


@pytest.mark.slow
def test_workers_end_with_a_server_that_is_killed():
    with explorer() as (process, document):
        fetched(document["port"], "/api/target?target=z1")
        workers = children(process.pid)
        assert workers
        process.kill()
        process.wait(60)
        assert all_end(workers)


def test_a_port_that_is_taken_is_one_line(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = run("explore", "--port", str(port))
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"hermite-analytics: --port {port} of 127.0.0.1 cannot be had (")
    assert (
        outcome.err.endswith("; accepted: another port, 0 takes a free one\n")
        and outcome.err.count("\n") == 1
    )


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(
        InputError, match=r"needs uvicorn; install it with: pip install 'hermite-analytics\[explore"
    ):
        serve(port=0)
