"""Who may ask, and what a browser is told."""

from __future__ import annotations

import re

import pytest

from hermite_analytics.explorer.guard import is_local_name

GOOD = ["127.0.0.1", "127.0.0.1:8642", "localhost:1", "LOCALHOST", "[::1]:8642", "192.168.1.7:80"]
BAD = [
    "", "evil.example", "evil.example:8642", "127.0.0.1.evil.example", "localhost.e.example", "127.0.0.1@e",
    "127.0.0.1:8642:1", "[::1", "127.0.0.1:", "127.0.0.1/evil", "xn--localhost-", "0x7f.1 ", "\u0661",
]  # fmt: skip


@pytest.mark.parametrize("host", GOOD)
def test_local_names(client, host):
    assert is_local_name(host)
    assert client.get("/api/about", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", BAD)
def test_other_names_are_refused(client, host):
    assert not is_local_name(host)
    if host.isascii():
        for path in ("/", "/api/about", "/static/main.js"):
            assert client.get(path, headers={"host": host}).status_code == 421


def test_a_given_name_is_local():
    assert is_local_name("my.computer:80", ["My.Computer"]) and not is_local_name("my.computer")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none", "sec-fetch-dest": "document"}, 200),
        ({"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}, 200),  # a link that was followed
        ({"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"}, 403),
        ({"sec-fetch-site": "same-site", "sec-fetch-dest": "empty"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe"}, 403),
    ],
)
def test_requests_of_other_sites_are_refused(client, headers, status):
    assert client.get("/api/about", headers=headers).status_code == status


@pytest.mark.parametrize("path", ["/", "/static/style.css", "/api/about", "/api/target", "/nothing"])
def test_headers(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy and "http:" not in policy and "*" not in policy
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers


def test_the_page_asks_nobody_else(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    names = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert names and all(name.startswith("/static/") for name in names)
    seen = {name.removeprefix("/static/") for name in names}
    for name in sorted(seen):
        seen |= imports(client, name)
    for name in sorted(seen):
        text = client.get(f"/static/{name}").text
        addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
        addresses -= {"https://arxiv.org/abs/${part}"}  # a link to a paper, for the reader to follow
        assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}, name
    assert (
        "onclick=" not in page.text
        and "<style" not in page.text
        and not re.search(r"<script(?! type)", page.text)
    )


def imports(client, name):
    """The modules that a script imports, and theirs."""
    found = set(re.findall(r'from "\./([\w.]+)"', client.get(f"/static/{name}").text))
    return found.union(*(imports(client, other) for other in found))


def test_scripts_use_no_door_for_markup(client):
    for name in sorted(imports(client, "main.js") | {"main.js"}):
        text = client.get(f"/static/{name}").text
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
        ):
            assert word not in text, (name, word)
