"""Small figures say and draw what large ones did."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hermite_analytics.validation.report.compact import compact
from hermite_analytics.validation.report.svg import FIRST, svg_figure


def page() -> str:
    with svg_figure(4, 2, "a test") as drawn:
        left, right = drawn.figure.subplots(1, 2)
        left.plot([0, 1, 2], [0.1, 0.4, 0.2], "o-", color=FIRST, label="theory")
        right.errorbar([1, 2], [3, 4], [0.1, 0.2], capsize=2)
        left.legend()
    return f"<html><head></head><body>{drawn.svg}</body></html>"


def texts(figure: str) -> list[str]:
    return re.findall(r">([^<>\s][^<>]*)<", re.sub(r"<style.*?</style>", "", figure, flags=re.DOTALL))


def test_a_third_of_the_space_and_all_of_the_text():
    large = page()
    small = compact(large)
    assert len(small) < 0.5 * len(large)
    assert texts(small) == texts(large)
    ElementTree.fromstring(re.search(r"<svg.*?</svg>", small, re.DOTALL)[0])


def test_styles_names_and_marks_are_there():
    small = compact(page())
    figure = re.search(r"<svg.*?</svg>", small, re.DOTALL)[0]
    rules = dict(re.findall(r"\.(g\d+)\{([^}]*)\}", small))
    assert set(re.findall(r'class="(\w+)"', figure)) == set(rules)
    assert any("var(--first)" in rule for rule in rules.values())
    assert set(re.findall(r"(?:url\(|href=\")#(\w+)", figure)) == set(re.findall(r' id="(\w+)"', figure))
    # two axes: the ticks of both, along and upright, in one path of marks that are 3.5 points long
    ticks = "".join(re.findall(r'd="((?:M[-\d. ]+[vh]-?3\.5)+)"', figure))
    assert ticks.count("v3.5") >= 4 and ticks.count("h-3.5") >= 4
