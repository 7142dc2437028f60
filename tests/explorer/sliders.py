"""How long the explorer's curve takes to follow a slider, in a real browser.

    python -m tests.explorer.sliders

needs selenium, chromium and its driver. The first kernels are compiled in the pauses that it makes. The
slider of points says how many a curve has at most: where round places stay, no curve moves.
"""

from __future__ import annotations

import statistics
import tempfile
import time

from tests.explorer.browser import CHROMIUM, DRIVER, FLAGS, Page
from tests.explorer.processes import explorer

MODELS = ("giant-step", "spiked-random-features", "random-features", "small-step", "state-evolution")
PLACES = range(150, 260, 20)
PAUSE = 0.05
REST = 20.0  # seconds for what is loaded and compiled while nobody asks
MOVE = """
const [name, place, done] = arguments;
const curve = () => document.querySelector("#curve-result .curve-0")?.getAttribute("d");
const before = curve(), range = document.getElementById("range-" + name), start = performance.now();
new MutationObserver((_, observer) => {
  if (curve() && curve() !== before) { observer.disconnect(); done(performance.now() - start); }
}).observe(document.body, { subtree: true, childList: true, attributes: true });
range.value = place;
range.dispatchEvent(new Event("input", { bubbles: true }));
setTimeout(() => done(null), 2000);
"""


def main() -> None:
    """Print the medians and the longest moves, in milliseconds."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS.split(), f"--user-data-dir={tempfile.mkdtemp()}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with explorer("--seconds", "60", "--workers", "2") as (_, document):
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        driver.set_script_timeout(60)
        page = Page(driver, document["url"])
        start = time.monotonic()
        driver.get(document["url"])
        page.until(page.curve)
        print(f"first curve of the page: {time.monotonic() - start:.1f} s")
        time.sleep(REST)
        for model in MODELS:
            page.open(target="z1", model=model)
            page.until(page.curve)
            for slider in page.all("#curve-section [id^=range-]"):
                name = slider.get_attribute("id").removeprefix("range-")
                moves = []
                for place in PLACES:
                    moves.append(driver.execute_async_script(MOVE, name, place))
                    time.sleep(PAUSE)
                found = [move for move in moves if move is not None]
                times = f"{statistics.median(found):5.0f} {max(found):6.0f}" if found else "no curve moved"
                print(f"{model:24} {name:12} {times} ({len(found)} of {len(moves)} moves)")
        driver.quit()


if __name__ == "__main__":
    main()
