"""What stands before every answer: who may ask, and what a browser may do with the page.

A page of another site that gets a name of its own to point at this address (DNS rebinding) still sends that
name in the Host header; a request that a page of another site makes says so in Sec-Fetch-Site.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hermite_analytics.explorer.replies import error_reply

__all__ = ["Guard", "is_local_name"]

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:/@\s]+)(?::\d{1,5})?")


def is_local_name(host: str, names: Iterable[str] = ()) -> bool:
    """Whether a Host header can only mean this server: an address, localhost, or a name that it was given.

    Examples
    --------
    >>> [is_local_name(h) for h in ("127.0.0.1:8642", "[::1]", "localhost", "evil.example:8642", "")]
    [True, True, True, False, False]
    """
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = match[1].strip("[]").lower()
    if name in {"localhost", *(n.lower() for n in names)}:
        return True
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


class Guard:
    """ASGI middleware: refuses requests from elsewhere, and sets the headers of all answers.

    Parameters
    ----------
    app : ASGI application
    names : iterable of str
        Further names of this server.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = tuple(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        answer = self._app if refusal is None else error_reply(*refusal)
        await answer(scope, receive, guarded)

    def _refusal(self, headers: Headers) -> tuple[int, str] | None:
        if not is_local_name(headers.get("host", ""), self._names):
            return 421, "the Host header is not a name of this server; accepted: its address, or localhost"
        from_elsewhere = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        followed_link = headers.get("sec-fetch-dest") == "document"
        if from_elsewhere and not followed_link:
            return 403, "the request comes from another site; accepted: links to this page, and its own"
        return None
