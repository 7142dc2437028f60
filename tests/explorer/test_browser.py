"""The page in a real browser: typing, sliding, errors, links, texts to take away, hostile input."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.explorer.processes import explorer

selenium = pytest.importorskip("selenium", reason="the browser is driven by selenium (extra test)")

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1200,900"
)
ACCESSIBILITY = (Path(__file__).parent / "accessibility.js").read_text(encoding="utf-8")
STOP = """
const e = document.activeElement;
if (!e || e === document.body) return null;
const style = getComputedStyle(e);
return {
  id: e.id, text: e.textContent.slice(0, 30), place: [...document.querySelectorAll("*")].indexOf(e),
  shown: e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}),
  marked: style.outlineStyle !== "none" || style.boxShadow !== "none",
};
"""
PATIENCE = 60.0  # seconds for what should take one

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no chromium with its driver is found"),
]


@pytest.fixture(scope="module")
def address():
    """With time for compilation on a busy machine: an answer that takes longer is a line instead."""
    with explorer("--seconds", "60") as (_, document):
        yield document["url"]


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
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
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

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


def test_typing_a_target_shows_its_answers(page):
    page.open()
    page.type("target", "sign(z1*z2)")
    assert page.number("leap_index") == "2" and page.number("generative_exponent") == "2"
    assert page.number("alpha_c") == "2.4674"
    assert len(page.all("#expansion .bar")) == 12  # degrees 0 to 10, and the rest
    assert len(page.all(".ladder")) == 3 and len(page.all(".ladder .order-2")) == 2
    assert page.all("#target-result math")
    assert page.one("#target-error").is_displayed() is False


def test_an_example_is_a_click_away(page):
    page.open()
    next(button for button in page.all('[data-for="target"] button') if button.text == "He3(z1)").click()
    page.settle()
    assert page.one("#target").get_attribute("value") == "He3(z1)"
    assert (page.number("leap_index"), page.number("generative_exponent")) == ("3", "1")


def test_a_fault_is_marked_where_it_is(page):
    page.open(target="z1*z2")
    page.type("target", "z1 + log(z2)")
    assert page.text("#target-error span").startswith(
        "log is accepted where its argument is shown to be positive"
    )
    assert page.text("#target-error pre").splitlines() == ["z1 + log(z2)", "     ^"]
    assert page.one("#target").get_attribute("aria-invalid") == "true"
    assert page.number("leap_index") == "2"  # what was there stays, greyed
    page.type("target", "z1 + z2")
    assert page.one("#target-error").is_displayed() is False and page.number("leap_index") == "1"


def test_sliding_moves_the_curve_and_the_address(page):
    page.open(target="z1", curve_target="tanh(2*z1)")
    seen = {page.curve()}
    for place in (40, 120, 200, 280, 360):
        before = page.curve()
        page.slide("ridge", place)
        page.until(lambda before=before: page.curve() != before)
        seen.add(page.curve())
    assert len(seen) == 6
    exact = page.one("#field-ridge").get_attribute("value")
    page.until(lambda: parse_qs(urlsplit(page.driver.current_url).fragment).get("ridge") == [exact])


def test_sliders_move_by_the_keyboard(page):
    page.open(target="z1")
    before = page.curve()
    page.one("#range-eta").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.until(lambda: page.curve() != before)
    assert page.one("#field-eta").get_attribute("value") == "2.04"


def test_an_exact_number_is_typed(page):
    page.open(target="z1")
    page.type("field-ridge", "0.012345")
    page.until(lambda: "ridge=0.012345" in page.driver.current_url)
    page.type("field-ridge", "-3")
    assert page.one("#field-ridge").get_attribute("aria-invalid") == "true"
    assert "ridge=0.012345" in page.driver.current_url


def test_a_link_restores_the_page(page):
    state = {
        "target": "z1 + He2(z1)*z2", "activation": "erf(z)", "model": "spiked-random-features",
        "curve_target": "sign(z1)", "r": "1.7", "c": "0.8", "alpha_to": "12", "spacing": "linear",
        "logy": "1",
    }  # fmt: skip
    page.open(**state)
    page.until(page.curve)
    first = page.curve()
    for name in ("target", "activation", "model", "curve_target"):
        assert page.one(f"#{name}").get_attribute("value") == state[name]
    assert page.one("#field-r").get_attribute("value") == "1.7"
    assert page.one("#logy").is_selected()
    page.one("#copy-link").click()
    kept = {name: values[0] for name, values in parse_qs(urlsplit(page.driver.current_url).fragment).items()}
    assert kept == state
    page.open(**kept)
    page.until(lambda: page.curve() == first)


def test_an_address_that_changes_is_followed(page):
    page.open(target="z1*z2", r="2", activation="relu")
    page.driver.execute_script("location.hash = '#target=He3(z1)'")
    page.until(lambda: page.read("[data-card=leap_index] .number", "textContent") == "3")
    assert page.one("#field-r").get_attribute("value") == "1"
    assert page.one("#activation").get_attribute("value") == "tanh"


def test_every_model_draws(page):
    page.open(target="z1", curve_target="z1**2 + z1")
    for option in page.all("#model option"):
        value = option.get_attribute("value")
        option.click()
        page.settle()
        shown = page.text("#curve-error")
        least = 4 if value == "dmft" else 11  # steps
        assert shown == "" and page.curve().count("L") >= least, (value, shown)


def test_the_argument_opens_and_closes(page):
    page.open(target="sign(z1*z2)")
    page.one("[data-card=generative_exponent] .why").click()
    page.until(lambda: page.all("#dialog-body h3.asked"))
    assert page.text("#dialog-body h3.asked") == "Generative exponent"
    assert page.all("#dialog-body math")
    page.one("body").send_keys(Keys.ESCAPE)
    assert not page.one("#dialog").is_displayed()


def test_texts_to_take_away(page):
    page.open(target="z1*z2", curve_target="sin(z1)")
    for section, label, expected in (
        ("#target-result", "LaTeX", r"\paragraph{Staircase.}"),
        ("#target-result", "command line", "hermite-analytics analyze 'z1*z2' --json"),
        ("#target-result", "SVG of the ladders", "<svg"),
        ("#target-result", "address of the answer", "/api/target?target=z1*z2"),
        ("#activation-result", "Python", "ha.conditional_coefficients(ha.Activation('tanh'))"),
        ("#activation-result", "SVG", "<path"),
        ("#curve-result", "Python", "GiantStep(s, f).solve(alpha0=4, eta=2, beta=1, noise=0)"),
        ("#curve-result", "JSON", '"test_error": ['),
    ):
        page.one(f'{section} [data-export="{label}"]').click()
        page.until(lambda expected=expected: expected in page.read("#dialog pre", "textContent"))
        page.one("#dialog-close").click()


def test_simulated_points_lie_on_the_curve(page):
    page.open(model="random-features", curve_target="sin(z1)", activation="tanh")
    page.one("#simulate").click()
    page.until(lambda: len(page.all("#curve-result circle.simulated")) == 10)  # two curves, five places
    page.until(lambda: "dimension 150, 4 seeds" in page.text("#simulation-note"))
    page.one('#curve-result [data-export="CSV"]').click()
    page.until(lambda: "mean of networks" in page.read("#dialog pre", "textContent"))
    page.one("#dialog-close").click()
    page.slide("beta", 300)  # points of another curve are none of this
    page.settle()
    assert page.all("#curve-result circle.simulated") == []


def test_a_simulation_is_ended(page):
    page.open(model="state-evolution", curve_target="sign(z1*z2)")
    page.one("#simulate").click()
    page.one("#cancel-simulation").click()
    assert page.text("#simulation-note") == "ended"
    assert page.one("#simulate").is_displayed() and page.all("#curve-result circle.simulated") == []


def test_a_pdf_is_saved(page):
    page.open(model="random-features", curve_target="sin(z1)")
    page.one("#save-pdf").click()
    page.until(lambda: page.text("#status") == "curve.pdf is saved")


def test_definitions_appear_by_keyboard(page):
    page.open(target="z1*z2")
    page.driver.execute_script("document.querySelector('[data-card=leap_index] .term').focus()")
    page.until(lambda: page.one("#tip").is_displayed())
    assert page.text("#tip").startswith("The first k ≥ 1 with a nonzero Hermite tensor")
    page.one("body").send_keys(Keys.TAB, Keys.ESCAPE)
    page.until(lambda: not page.one("#tip").is_displayed())


def test_hostile_input_does_nothing(page):
    for text in (
        "<img src=x onerror=\"document.title='broken'\">",
        "</script><script>document.title='broken'</script>",
        'z1"><svg onload="document.title=\'broken\'">',
        "__import__('os').system('true')",
        "javascript:document.title='broken'",
    ):
        page.open(target=text, activation=text, curve_target=text, model=text, eta=text, **{"<b>": text})
        assert page.driver.title == "hermite analytics explorer"
        assert page.text("#target-error") and page.text("#activation-error")
        assert not page.all("main img, main script, #target-error svg")
        assert page.one("#target").get_attribute("value") == text


def test_nothing_is_asked_elsewhere(page):
    page.driver.get_log("performance")
    page.open(target="sign(z1*z2)")
    messages = [entry["message"] for entry in page.driver.get_log("performance")]
    sent = [text for text in messages if '"Network.requestWillBeSent"' in text]
    assert len(sent) > 10
    assert all(f'"url":"{page.address}' in text or '"url":"about:blank' in text for text in sent)


@pytest.mark.parametrize("width", [360, 390, 800, 1200])
def test_no_width_needs_sideways_scrolling(page, width):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.open(target="sign(z1*z2) + He3(z3)", activation="gelu")
        assert page.driver.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_view_for_projectors(page):
    page.open(view="projector")
    assert page.read("#target", "tagName") and page.one("#projector").get_attribute("aria-pressed") == "true"
    large = page.driver.execute_script("return getComputedStyle(document.documentElement).fontSize")
    page.one("#projector").click()
    small = page.driver.execute_script("return getComputedStyle(document.documentElement).fontSize")
    assert float(large.removesuffix("px")) > 1.3 * float(small.removesuffix("px"))


def test_light_and_dark(page):
    page.open(target="z1")
    colour = "return getComputedStyle(document.body).backgroundColor"
    before = page.driver.execute_script(colour)
    page.one("#theme").click()
    after = page.driver.execute_script(colour)
    assert before != after
    page.open(target="z1")
    assert page.driver.execute_script(colour) == after  # it is remembered
    page.one("#theme").click()
    assert page.driver.execute_script(colour) == before


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_labels_roles_and_contrast(page, theme):
    """Names of controls and drawings, headings, references, WCAG contrast of every text that is shown."""
    page.open(target="sign(z1*z2) + He3(z3)", activation="relu", curve_target="sin(z1)")
    page.until(page.curve)
    page.driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    assert page.driver.execute_script(ACCESSIBILITY) == []
    page.one("[data-card=generative_exponent] .why").click()
    page.until(lambda: page.all("#dialog-body h3.asked"))
    assert page.driver.execute_script(ACCESSIBILITY) == []


def test_the_keyboard_goes_through_the_page_in_its_order(page):
    """Each stop is seen and marked; sections come as they stand, and the way ends."""
    page.open(target="z1*z2", curve_target="sin(z1)")
    page.until(page.curve)
    page.driver.execute_script("document.body.focus(); document.activeElement.blur()")
    seen = []
    for _ in range(200):
        page.one("body").send_keys(Keys.TAB) if not seen else page.driver.switch_to.active_element.send_keys(
            Keys.TAB
        )
        stop = page.driver.execute_script(STOP)
        if stop is None:
            break
        assert stop["shown"] and stop["marked"], stop
        seen.append(stop)
    else:
        pytest.fail("the way through the page does not end")
    places = [stop["place"] for stop in seen]
    assert places == sorted(places) and len(set(places)) == len(places)
    names = {stop["id"] for stop in seen}
    assert {"copy-link", "target", "activation", "model", "range-eta", "field-eta", "simulate"} <= names


def test_thresholds_say_why_in_formulas(page):
    page.open(target="sign(z1*z2)")
    row = page.one("#target-result tr.because")
    assert row.text.startswith("a label of 2 values: the sum of")
    assert len(page.all("#target-result tr.because math")) == 1
