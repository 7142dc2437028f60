"""The page in a real browser: widths, light and dark, keyboard, screen readers, hostile input, no network."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="the browser is driven by selenium (extra test)")

from selenium.webdriver.common.keys import Keys

from tests.explorer.browser import IN_A_BROWSER

pytestmark = IN_A_BROWSER
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


@pytest.mark.draws(2, spread=True)
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
