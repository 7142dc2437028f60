"""The unit of a label: what is taken off and divided out, and that thresholds do not depend on it."""

from __future__ import annotations

import pytest
import sympy

from hermite_analytics import weak_recovery
from hermite_analytics.label.reduction.size import NormalLabel, normal_label
from hermite_analytics.symbols import xi
from hermite_analytics.target import Target

z1, z2, z3 = sympy.symbols("z1 z2 z3", real=True)
ORDINARY = ["z1", "z1**2 - 1", "He4(z1)", "2 + z1*z2", "sign(z1*z2)", "z1*relu(z2)", "z1 + z2/10**9", "3"]
UNITS = [
    ("z1*z2/10**8", "z1*z2", 0, -8),
    ("10**9*z1*z2", "z1*z2", 0, 9),
    ("1 + z1*z2/10**8", "z1*z2", 1, -8),
    ("10**12 + z1**2", "z1**2", 10**12, 0),
    ("pi*(10**9 + z1)", "pi*z1", sympy.pi * 10**9, 0),
    ("(step(z1)+step(z2))/10**13", "step(z1)+step(z2)", 0, -13),
    ("z1**2/10**8 + xi/10**8", "z1**2 + xi", 0, -8),
    ("max(z1,z2)/10**9 - z3/10**9", "max(z1,z2) - z3", 0, -9),
    ("step(z1 - 7)/10**13", "step(z1 - 7)", 0, -13),  # no sample is above 7
    ("10**200*z1**2", "z1**2", 0, 200),
    ("exp(z1 - 30)", "10**13*exp(z1 - 30)", 0, -13),
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_labels_stay(text):
    label = Target(text).expression
    assert normal_label(label) == NormalLabel(signal=label)


@pytest.mark.parametrize(("text", "signal", "offset", "exponent"), UNITS)
def test_units(text, signal, offset, exponent):
    label = Target(text).expression
    found = normal_label(label)
    assert (found.offset, found.scale) == (offset, sympy.Integer(10) ** exponent)
    assert found.signal == Target(signal).expression
    assert sympy.expand(found.offset + found.scale * found.signal - label) == 0


def test_noise_is_part_of_the_size():
    found = normal_label(z1 / 10**12 + xi)
    assert found == NormalLabel(signal=z1 / 10**12 + xi)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("target", "alpha"),
    [
        ("(step(abs(z1)-1)+step(abs(z1)-2))/10**13", [0.6126285349]),
        ("He4(z1)/10**13", [0.6448504699]),
        ("z1**2/10**8+xi/10**8", [0.6465905984]),
        ("(z1**2+sign(z1*z2*z3))/10**10 + 10**6", [0.5751663523, 2.4674011003]),
        ("max(z1,z2)/10**9-z3/10**9", [0, 0.5]),
    ],
)
def test_thresholds(target, alpha):
    found = [float(s.alpha_c) for s in weak_recovery(target).stages]
    assert found == pytest.approx(alpha, abs=1e-9)


@pytest.mark.slow
def test_steps_of_second_order_beside_trivial_ones():
    """(step(z1) + step(z2))/10^13 had 5.8e32 as its second threshold."""
    scaled, plain = (weak_recovery(t).stages[1] for t in ("(step(z1)+step(z2))/10**13", "step(z1)+step(z2)"))
    assert float(scaled.alpha_c) == float(plain.alpha_c)
