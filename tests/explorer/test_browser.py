"""The page in a real browser: typing, sliding, errors, links, simulated points, texts to take away."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("selenium", reason="the browser is driven by selenium (extra test)")

from selenium.webdriver.common.keys import Keys

from tests.explorer.browser import IN_A_BROWSER

pytestmark = IN_A_BROWSER


def test_typing_a_target_shows_its_answers(page):
    page.open()
    page.type("target", "sign(z1*z2)")
    assert page.number("leap_index") == "2" and page.number("generative_exponent") == "2"
    assert page.number("alpha_c") == "2.4674"
    assert len(page.all("#expansion .bar")) == 12  # degrees 0 to 10, and the rest
    assert len(page.all(".ladder")) == 3 and len(page.all(".ladder .order-2")) == 2
    assert page.all("#target-result math")
    assert page.one("#target-error").is_displayed() is False
    assert page.all("[data-card=generative_exponent] .reason math")  # not E[He_1 T(y)] as typed


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


def test_simulated_points_of_the_best_ridge_have_it(page):
    page.open(model="small-step", curve_target="sin(z1)", activation="tanh", noise=1, ridge_choice="optimal")
    page.until(lambda: not page.all("#curve-progress"))
    page.one("#simulate").click()
    page.until(lambda: "each at the best ridge of the curve" in page.text("#simulation-note"))
    assert len(page.all("#curve-result circle.simulated")) == 15  # three curves, five places


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


def test_thresholds_say_why_in_formulas(page):
    page.open(target="sign(z1*z2)")
    row = page.one("#target-result tr.because")
    assert row.text.startswith("a label of 2 values: the sum of")
    assert len(page.all("#target-result tr.because math")) == 1


def test_a_curve_that_takes_long_is_drawn_as_it_comes(page):
    """Its ends first; the reader can end it, and any other question takes its place."""
    page.driver.get("about:blank")
    fragment = "model=random-features&curve_target=sign(z1)&loss=logistic&ridge_choice=optimal&points=161"
    page.driver.get(f"{page.address}#{fragment}")
    page.until(lambda: "points; the others come" in page.read("#curve-progress", "textContent"))
    page.driver.execute_script("document.getElementById('end-curve').click()")
    page.until(lambda: not page.all("#end-curve") and not page.all("#curve-section[aria-busy]"))
    here, whole = page.text("#curve-progress").removesuffix(" points").split(" of ")
    assert 0 < int(here) < int(whole) and page.curve().count("L") == int(here) - 1
    page.one("#field-ridge_choice").send_keys("as set")
    page.settle()
    assert not page.all("#curve-progress") and page.curve().count("L") == int(whole) - 1
