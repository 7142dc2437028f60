"""Formulas are set as mathematics: on pages, and in docstrings, where they are typed as plain text."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if "generated" not in p.parts)
# what is typed as a formula and no code: an index or a power, a mean, a root
RAW = re.compile(r"[A-Za-z0-9)\]][_^]\{|\)_\w|\b[A-Za-z0-9]{1,3}\^[\w(-]|\bE\[|\bsqrt\(")
CODE = re.compile(
    r"^```.*?^```|^\$\$.*?^ *\$\$|\$[^$]+\$|`[^`]*`|\]\([^)]*\)|^    .*?$|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)


@pytest.fixture
def plain_math(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    import plain_math

    yield plain_math
    for name in ("plain_math", "formula_reader", "formula_words"):
        sys.modules.pop(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
def test_no_formula_is_left_as_text(page):
    found = RAW.search(CODE.sub(" ", page.read_text(encoding="utf-8")))
    assert found is None, f"{page.name}: set {found[0]!r} between dollars"


@pytest.mark.parametrize(
    ("typed", "latex"),
    [
        ("mu2^2 = E sigma^2 - (E sigma)^2", r"\mu_2^2 = \mathbb{E} \sigma^2 - (\mathbb{E} \sigma)^2"),
        ("(z f)_k = f_{k+1} + k f_{k-1}", r"(z f)_k = f_{k + 1} + k f_{k - 1}"),
        ("E[E[y|z]^2]", r"\mathbb{E}[\mathbb{E}[y \mid z]^2]"),
        ("x ~ N(0, I_d)", r"x \sim \mathcal{N}(0, I_d)"),
        ("q1^ + psi^^2", r"\hat{q}_1 + \hat{\psi}^2"),
        ("<w_j, x>/|w|^2", r"\langle w_j, x \rangle / \lvert w \rvert^2"),
        (
            "zeta_k(y, x) = E[He_k(w) given Y = y] != 0",
            r"\zeta_k(y, x) = \mathbb{E}[\mathrm{He}_k(w) \text{ given } Y = y] \ne 0",
        ),
        ("a.sigma(W x)/sqrt(p)", r"a \cdot \sigma(W x) / \sqrt{p}"),
        ("h1*^2 + w_k.x_i", r"h_1^{* 2} + w_k \cdot x_i"),
        ("theta >= beta^(1/4)", r"\theta \ge \beta^{1 / 4}"),
    ],
)
def test_a_formula_in_prose(plain_math, typed, latex):
    assert (
        plain_math.inline(f"Here {typed}, as is known.", lambda found: f"${found}$")
        == f"Here ${latex}$, as is known."
    )


@pytest.mark.parametrize(
    "prose",
    [
        "a word and I, A later one, Newton's step, 4 times (11, 12), in 0.5 s",
        "the names `mu2_squared`, mu2_squared and test_error, a d-th, z-coordinates, Gauss-Hermite",
        "F. Krzakala, Y. M. Lu (arXiv 2402.04980), e.g. by `ha.analyze`, rule G20, [x](y.md#z)",
    ],
)
def test_prose_is_left_alone(plain_math, prose):
    assert plain_math.inline(prose, lambda found: f"${found}$") == prose


def test_blocks_are_rows_with_fractions(plain_math):
    rows = ["r     = e h1 sqrt(h2/alpha0)      of the rows", "c     = 1/(1 + V)^2"]
    assert plain_math.display(rows) == (
        "\\begin{aligned}\n"
        "r & = e h_1 \\sqrt{\\frac{h_2}{\\alpha_0}} \\qquad \\text{ of the rows } \\\\\n"
        "c & = \\frac{1}{(1 + V)^2}\n"
        "\\end{aligned}"
    )
    assert (
        plain_math.display(["(1/2 pi) int f dz"]) == r"(1 / 2 \pi) \int f \mathrm{d}z"
    )  # read in two ways: as typed
