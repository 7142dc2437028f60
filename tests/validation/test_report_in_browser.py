"""The report in a headless browser: no message, figures and formulas are drawn, links lead somewhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hermite_analytics.validation.runner import run_suite
from tests.validation.synthetic import every_kind

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on this machine"),
]

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
)

# Appended to a copy of the page: what a reader would see, written into the document for --dump-dom.
PROBE = """<script>
const box = e => { const r = e.getBoundingClientRect(); return [r.width, r.height]; };
const all = q => [...document.querySelectorAll(q)];
const first = [...document.styleSheets].flatMap(s => [...s.cssRules])
  .find(r => r.cssText.includes("stroke: var(--first)"));
const seen = {
  width: innerWidth, page: document.documentElement.scrollWidth,
  figures: all("svg").map(e => [...box(e), e.querySelectorAll("path, use, text").length]),
  formulas: all("math").map(box),
  dead: all("a").map(a => a.getAttribute("href")).filter(h => !document.getElementById(h.slice(1))),
  links: all("a").length,
  ink: getComputedStyle(document.body).color, paper: getComputedStyle(document.body).backgroundColor,
  curve: getComputedStyle(document.querySelector("svg " + first.selectorText)).stroke,
};
const out = document.createElement("pre"); out.id = "probe"; out.textContent = JSON.stringify(seen);
document.body.append(out);
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    result = run_suite(every_kind(), folder / "out", workers=1)
    copy = folder / "probed.html"
    copy.write_text(result.report.read_text(encoding="utf-8").replace("</body>", f"{PROBE}</body>"))
    return copy


def look(page, tmp_path, *, width, flags=()):
    """What the probe saw, and the messages on the console."""
    command = [
        BROWSER,
        *QUIET,
        *flags,
        f"--user-data-dir={tmp_path / 'profile'}",
        f"--window-size={width},900",
    ]
    run = subprocess.run(
        [*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    probe = re.search(r'<pre id="probe">(.*?)</pre>', run.stdout, re.DOTALL)
    assert probe, run.stderr[-2000:]
    return json.loads(probe[1]), [line for line in run.stderr.splitlines() if "CONSOLE" in line]


def luminance(colour):
    """Relative luminance of WCAG 2."""
    parts = [int(x) / 255 for x in re.findall(r"\d+", colour)[:3]]
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("width", [1100, 500])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_drawn(page, tmp_path, width, scheme):
    flags = ("--blink-settings=preferredColorScheme=0",) if scheme == "dark" else ()
    seen, messages = look(page, tmp_path, width=width, flags=flags)
    assert messages == []
    assert len(seen["figures"]) == 15
    for wide, high, parts in seen["figures"]:
        assert wide > 0.75 * min(seen["width"], 1000) and high > 60 and parts > 15
    assert len(seen["formulas"]) == 12 and all(high > 15 for _, high in seen["formulas"])
    assert seen["links"] > 20 and seen["dead"] == []
    assert seen["page"] <= seen["width"]  # nothing sticks out to the side
    assert contrast(seen["ink"], seen["paper"]) > 7 and contrast(seen["curve"], seen["paper"]) > 4.5
    assert (luminance(seen["paper"]) > 0.5) == (scheme == "light")


def test_a_message_would_be_seen(page, tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text(page.read_text().replace("</body>", "<script>console.error('so')</script></body>"))
    assert look(broken, tmp_path, width=1100)[1]


def test_it_prints(page, tmp_path):
    pdf = tmp_path / "report.pdf"
    command = [BROWSER, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={pdf}"]
    subprocess.run([*command, page.as_uri()], capture_output=True, timeout=120, check=True)
    assert pdf.read_bytes().startswith(b"%PDF") and pdf.stat().st_size > 50_000


# at a phone's width: sizes of labels, what sticks out of no region that scrolls, where things stand
PHONE = """
for (const part of document.querySelectorAll("details")) part.open = true;
const labels = [...document.querySelectorAll("svg text")].map(e => {
  const m = e.getScreenCTM();
  return parseFloat(getComputedStyle(e).fontSize) * Math.hypot(m.a, m.b);
});
const cut = [...document.querySelectorAll("body *")].filter(e =>
  !e.closest(".wide, .figure, .formula, pre") && e.getBoundingClientRect().right > innerWidth + 1);
const kept = [...document.querySelectorAll("tr.claim td")].filter(e => e.scrollWidth > e.clientWidth + 1);
return {labels: Math.min(...labels), cut: cut.map(e => e.outerHTML.slice(0, 80)), kept: kept.length};
"""
ACCESSIBILITY = Path(__file__).parent.parent / "explorer" / "accessibility.js"


@pytest.fixture(scope="module")
def phone(tmp_path_factory):
    """A browser with a screen of 390 by 844."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="driven by selenium (extra test)")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    driver = shutil.which("chromedriver")
    if driver is None:
        pytest.skip("no chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*QUIET, f"--user-data-dir={tmp_path_factory.mktemp('phone')}"):
        options.add_argument(flag)
    metrics = {"width": 390, "height": 844, "pixelRatio": 2, "mobile": True, "touch": True}
    options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    found = webdriver.Chrome(options=options, service=service.Service(driver))
    yield found
    found.quit()


@pytest.mark.parametrize("of", ["every kind of claim", "the claims of the seeds"])
def test_on_a_phone(page, phone, of):
    """First the verdict and the worst cases; then all is read without a cut, and by ear and keyboard."""
    kept = Path(__file__).parent.parent.parent / "docs" / "report" / "report.html"
    phone.get((page if of == "every kind of claim" else kept).as_uri())
    top = """return [...document.querySelectorAll(".counts, ol.worst")].map(
        e => e.getBoundingClientRect().bottom)"""
    assert [0 < bottom < 844 for bottom in phone.execute_script(top)] == [True, True]
    seen = phone.execute_script(PHONE)
    assert seen["labels"] >= 8 and seen["cut"] == [] and seen["kept"] == 0
    assert phone.execute_script(ACCESSIBILITY.read_text(encoding="utf-8")) == []


def test_a_link_to_a_claim_shows_it(page, phone):
    claim = "return [...document.querySelectorAll('article h3')].at(-1).id"
    phone.get(page.as_uri())
    name = phone.execute_script(claim)
    phone.get("about:blank")
    phone.get(f"{page.as_uri()}#{name}")
    place = "return document.getElementById(arguments[0]).getBoundingClientRect().top"
    later = "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(arguments[0])))"
    phone.execute_async_script(later)
    assert 0 <= phone.execute_script(place, name) < 400
