"""The figure of the README, theory and networks, is five lines, and they run as printed."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib.figure
import pytest

README = Path(__file__).resolve().parent.parent.parent / "README.md"


def lines() -> list[str]:
    text = README.read_text(encoding="utf-8")
    _, _, below = text.partition("The figure above, theory and networks, is five lines:")
    return re.search(r"```\n(.*?)```", below, re.DOTALL)[1].splitlines()


def test_five_lines():
    assert len(lines()) == 5


@pytest.mark.slow
def test_they_draw_the_figure(tmp_path, monkeypatch):
    """Networks of dimension 600, and the line of their limit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {}
    *before, last = lines()
    exec("\n".join(before), names)
    axes = eval(last, names)
    assert (
        isinstance(axes.figure, matplotlib.figure.Figure) and (tmp_path / "curve.pdf").stat().st_size > 1000
    )
    (points,) = axes.containers
    assert points[0].get_xdata().tolist() == [0.25, 0.5, 1, 2, 4]
    assert axes.get_xlabel() == r"$\alpha = n/d$" and axes.get_xscale() == "log"
