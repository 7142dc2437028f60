"""Objects show themselves as formulas in notebooks."""

from __future__ import annotations

import re

import pytest
from latex2mathml.converter import convert

import hermite_analytics as ha

SHOWN = {
    "target": (lambda: ha.Target("relu(z1)*z2 + xi/2"), "y = "),
    "activation": (lambda: ha.Activation("erf(z)"), r"\sigma(z) = "),
    "closed coefficients": (lambda: ha.conditional_coefficients(ha.Activation("relu")), r"\mu_2^2 &= "),
    "open coefficients": (lambda: ha.conditional_coefficients(ha.Activation("tanh")), r"\mathbb{E}"),
    "expansion": (lambda: ha.hermite("sign(z1*z2)", degree=2), r"\frac{2}{\pi}"),
    "quantity": (lambda: ha.weak_recovery("sign(z1*z2)").stages[0].alpha_c, r"\frac{\pi^{2}}{4}"),
    "expectation": (lambda: ha.expectation("max(z1,z2,z3)"), r"\sqrt{\pi}"),
    "kernel": (lambda: ha.dual_kernel("sign"), "sin"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_latex(name):
    make, part = SHOWN[name]
    latex = make()._repr_latex_()
    assert part in latex
    assert latex.count("{") == latex.count("}")
    assert len(re.findall(r"(?<!\\)\$", latex)) % 2 == 0
    assert "<math" in convert(latex.strip("$"))


@pytest.mark.parametrize("show", [lambda a: a, lambda a: a.explain()], ids=["analysis", "explanation"])
def test_html(show):
    page = show(ha.analyze("z1*z2"))._repr_html_()
    assert page.startswith("<div") and page.endswith("</div>")
    assert r"\(" in page and "<script" not in page


def test_evidence_is_a_word():
    assert f"{ha.Evidence.PROVED}" == "proved"
