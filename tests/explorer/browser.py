"""The page in a real browser, with what the tests do to it; needs selenium, chromium and its driver."""

from __future__ import annotations

import shutil
import time
from urllib.parse import quote

import pytest

from tests.explorer.processes import explorer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1200,900"
)
PATIENCE = 60.0  # seconds for what should take one

IN_A_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no chromium with its driver is found"),
]


@pytest.fixture(scope="package")
def address():
    """With time for compilation on a busy machine: an answer that takes longer is a line instead."""
    with explorer("--seconds", "60") as (_, document):
        yield document["url"]


@pytest.fixture(scope="package")
def driver(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield found
    found.quit()


class Page:
    """The page, with what the tests do to it."""

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    def open(self, **state):
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        fragment = "&".join(f"{name}={quote(str(value))}" for name, value in state.items())
        self.driver.get(f"{self.address}#{fragment}")
        self.until(lambda: self.one("html").get_attribute("data-ready") == "yes")
        self.settle()
        return self

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def text(self, selector):
        return self.one(selector).text

    def until(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, "the page does not get there"
            time.sleep(0.03)

    def settle(self):
        """Until nothing is asked any more."""
        time.sleep(0.35)  # the pause after typing
        self.until(
            lambda: (
                not self.all("section[aria-busy]")
                and self.driver.execute_script("return document.readyState") == "complete"
            )
        )

    def type(self, field, text):
        from selenium.webdriver.common.keys import Keys

        element = self.one(f"#{field}")
        element.send_keys(Keys.CONTROL, "a")
        element.send_keys(text)
        self.settle()

    def number(self, card):
        return self.text(f"[data-card={card}] .number")

    def slide(self, name, place):
        """Move a slider as a hand does: to a place between 0 and 400, with its event."""
        self.driver.execute_script(
            "const e = document.getElementById('range-' + arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true}));", name, place,
        )  # fmt: skip

    def curve(self):
        return self.read("#curve-result .curve-0", "getAttribute('d')")

    def read(self, selector, what):
        """In one step, as the page may draw again between two."""
        return self.driver.execute_script(
            f"return document.querySelector(arguments[0])?.{what} ?? ''", selector
        )

    def complaints(self):
        """Errors of scripts and of the content policy; an answer that is an error is none."""
        found = [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]
        return [text for text in found if "Failed to load resource" not in text or "/api/" not in text]


@pytest.fixture
def page(driver, address):
    found = Page(driver, address)
    yield found
    assert found.complaints() == []
