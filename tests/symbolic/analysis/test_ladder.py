"""Ladders: drawn in text and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import hermite_analytics as ha
from hermite_analytics.analysis.ladder import Ladder, Rung, ladders, text_of
from hermite_analytics.analysis.ladder_svg import svg_of

GROUND = Rung(dimension=0, basis="{0}", order=None, unlocked_by="")
SVG = "{http://www.w3.org/2000/svg}"


def ladder(*rungs: Rung, title: str = "steps", end: str = "it ends", is_open: bool = False) -> Ladder:
    return Ladder(title=title, rungs=(GROUND, *rungs), end=end, is_open=is_open)


def test_side_by_side():
    plane = Rung(dimension=2, basis="(1, 0) (0, 1)", order=2, unlocked_by="c_(2, 0) = 2")
    line = Rung(dimension=1, basis="(1, 0)", order=1, unlocked_by="c_(1, 0) = 1")
    first, second = ladder(plane, title="a"), ladder(line, plane, title="b")
    third = ladder(title="c", is_open=True)
    assert text_of((first, second, third)).splitlines() == [
        "a                              b                              c",
        "ends: it ends                  ends: it ends                  open: it ends",
        "2 |==| (1, 0) (0, 1)           2 |==| (1, 0) (0, 1)",
        "  |  | order 2: c_(2, 0) = 2     |  | order 2: c_(2, 0) = 2",
        "  |  |                         1 |==| (1, 0)",
        "  |  |                           |  | order 1: c_(1, 0) = 1",
        "0 |==| {0}                     0 |==| {0}                     0 |==| {0}",
    ]


def test_a_row_of_numbers_is_not_broken():
    rows = " ".join(f"({i}, 0, 0, 1)" for i in range(6))
    drawn = text_of((ladder(Rung(dimension=6, basis=rows, order=1, unlocked_by="")),))
    assert all(line.count("(") == line.count(")") for line in drawn.splitlines())


def test_what_it_says_of_a_target():
    a = ha.analyze("z1 + z2 + z1*z2")
    classic, leap, grand = ladders(a)
    assert [r.dimension for r in classic.rungs] == [0, 1]
    assert [r.dimension for r in leap.rungs] == [0, 1, 2] == [r.dimension for r in grand.rungs]
    assert leap.rungs[2].unlocked_by == "C_2[(-1, 1)^2] = -2" and leap.rungs[2].order == 2
    text = a.ladder()
    titles = ["staircase (n ~ d)", "leap decomposition", "grand staircase"]
    assert [text.splitlines()[0].find(title) >= 0 for title in titles] == [True] * 3
    assert "order 2: C_2[(-1, 1)^2] =" in text
    assert a.ladder() in str(a)


def test_svg_is_one_well_formed_element():
    root = ET.fromstring(ha.analyze("z1 + z2 + z1*z2").ladder_svg())
    assert root.tag == f"{SVG}svg"
    lines = root.findall(f"{SVG}line")
    assert len(lines) == 2 * 3 + (2 + 3 + 3)  # rails, and a rung a subspace
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    for line in lines:
        assert all(0 <= float(line.attrib[x]) <= width for x in ("x1", "x2"))
        assert all(0 <= float(line.attrib[y]) <= height for y in ("y1", "y2"))
    assert all(0 < float(t.attrib["y"]) <= height for t in root.iter(f"{SVG}text"))


def test_svg_escapes_and_keeps_the_whole_text():
    reason = 'a < b & "c" ' * 40
    root = ET.fromstring(svg_of((ladder(Rung(dimension=1, basis="(1)", order=3, unlocked_by=reason)),)))
    titles = [t.text for t in root.iter(f"{SVG}title")]
    assert f"order 3: {reason}" in titles


def test_svg_of_an_open_staircase_is_dashed():
    assert "stroke-dasharray" in svg_of((ladder(is_open=True),))
    assert "stroke-dasharray" not in svg_of((ladder(),))
