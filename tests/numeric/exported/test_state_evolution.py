"""Exported state evolution of labels of one coordinate."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import InputError, UnsupportedExpression
from hermite_analytics.numeric import StateEvolution
from tests.standalone import check_lint, rows_of

FAST = ("z1**2", "sign(z1)")
OTHERS = ("relu(z1)", "He3(z1)", "sign(z1**2 - 1)", "(z1 + z2)**2", "max(abs(z1), 1)", "tanh(z1)")
SOME = [pytest.mark.slow, pytest.mark.draws(3, spread=True)]


def overlaps(path, alphas):
    return [row["overlap"] for row in rows_of(path, "--alpha", ",".join(map(repr, alphas)))]


@pytest.mark.slow
@pytest.mark.parametrize("label", [*FAST, *(pytest.param(t, marks=SOME) for t in OTHERS)])
def test_agrees_with_the_library(label, tmp_path):
    model = StateEvolution(label)
    path = model.export(tmp_path / "overlap.py")
    alphas = [0.3, 0.6, 1.0, 1.2, 5.0]
    exact = np.trace(model.solve(alpha=alphas).overlap, axis1=1, axis2=2)
    assert overlaps(path, alphas) == pytest.approx(exact, abs=1e-10)


@pytest.mark.slow
def test_below_and_above_the_jump(tmp_path):
    """AMP stops at the maximum of alpha(m), which lies between nodes of the table of overlaps."""
    model = StateEvolution("z1**2")
    path = model.export(tmp_path / "overlap.py")
    (top,) = (s for s in model.curve().spinodals if s.kind == "maximum")
    below, above = overlaps(path, [top.alpha - 1e-4, top.alpha + 1e-4])
    exact = model.solve(alpha=[top.alpha - 1e-4, top.alpha + 1e-4]).overlap[:, 0, 0]
    assert below == pytest.approx(exact[0], abs=1e-10) and above == exact[1] == 1.0


def test_file(tmp_path):
    path = StateEvolution("z1**2").export(tmp_path / "overlap.py")
    check_lint(path)
    docstring = path.read_text(encoding="utf-8").split('"""')[1]
    for part in ("y = g(z1) = z1**2", "arXiv 1708.03395", "stands below as a table"):
        assert part in docstring


@pytest.mark.cases(2)
@pytest.mark.parametrize("label", ["z1 + xi/2", "z1*z2", "z1 + sign(z2)"])
def test_other_labels_are_refused(label, tmp_path):
    with pytest.raises(
        UnsupportedExpression, match="for labels of one coordinate without noise; the label is"
    ):
        StateEvolution(label).export(tmp_path / "overlap.py")


def test_a_label_that_says_nothing(tmp_path):
    with pytest.raises(InputError, match="do not depend"):
        StateEvolution("sign(xi)").export(tmp_path / "overlap.py")
