"""One explorer for all tests here, with one worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the explorer needs starlette (extra explore)")
pytest.importorskip("httpx2", reason="starlette's test client needs httpx2 (extra test)")

from starlette.testclient import TestClient

from hermite_analytics.explorer import create_app
from tests.cli.conftest import run as run
from tests.explorer.browser import address as address
from tests.explorer.browser import driver as driver
from tests.explorer.browser import page as page

BASE = "http://127.0.0.1:8642"


@dataclass(frozen=True)
class Reply:
    status: int
    document: Any
    headers: Any


@pytest.fixture(scope="package")
def client() -> Iterator[TestClient]:
    """A worker with 20 seconds: no answer below comes near them."""
    with TestClient(create_app(seconds=20.0, workers=1), base_url=BASE) as found:
        yield found


@pytest.fixture
def get(client: TestClient) -> Callable[..., Reply]:
    """get("target", target="z1") -> status, JSON and headers."""

    def call(path: str, **parameters: Any) -> Reply:
        reply = client.get(f"/api/{path}", params=parameters)
        return Reply(reply.status_code, reply.json(), reply.headers)

    return call
