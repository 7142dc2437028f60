"""Targets of several coordinates and one direction become those of one coordinate, exactly."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermite_analytics import InputError, Target, hermite

# text, the same in one coordinate, its direction
ONE = (
    ("sin(z1+z2)", "sin(sqrt(2)*z1)", "(z1 + z2)/sqrt(2)"),
    ("z1+z2+z3", "sqrt(3)*z1", "(z1 + z2 + z3)/sqrt(3)"),
    ("sign(z1-z2)", "sign(z1)", "(z1 - z2)/sqrt(2)"),
    ("z1**2+2*z1*z2+z2**2", "2*z1**2", "(z1 + z2)/sqrt(2)"),
    ("relu(3*z1+4*z2)+xi/2", "xi/2 + relu(5*z1)", "(3*z1 + 4*z2)/5"),
    ("sin(z3)", "sin(z1)", "z3"),
    ("z1 - z2/3", "sqrt(10)*z1/3", "(3*z1 - z2)/sqrt(10)"),
    ("log(1+(z1-z2)**2)*tanh(z2-z1)", "-log(2*z1**2 + 1)*tanh(sqrt(2)*z1)", "(z1 - z2)/sqrt(2)"),
    ("step((z1+z2)**3)", "step(2*sqrt(2)*z1**3)", "(z1 + z2)/sqrt(2)"),
)
SEVERAL = ("z1*z2", "sin(z1+z2)+z1", "tanh(z1+z2**2)", "max(z1,z2)", "relu(z1)+relu(z2)", "norm(z1,z2)")


@pytest.mark.parametrize(("text", "reduced", "direction"), ONE)
def test_one_direction(text, reduced, direction):
    found = Target(text).in_one_coordinate()
    assert found.expression == Target(reduced).expression and found.dimension == 1
    assert dict(found.origin) == {"given_target": text, "direction": direction}
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.origin == found.origin
    moments = [hermite(f, 3) for f in (Target(text), found)]
    for degree in range(4):  # a rotation keeps the norms of the tensors
        assert abs(float(moments[0].norm_squared(degree)) - float(moments[1].norm_squared(degree))) < 1e-12


@pytest.mark.parametrize("text", SEVERAL)
def test_several_directions_are_refused(text):
    with pytest.raises(
        InputError, match=r"takes a target of z1 alone, or one that is shown to depend on one dir"
    ):
        Target(text).in_one_coordinate()


def test_one_coordinate_stays_as_it_is():
    for text in ("sin(z1)", "2", "z1**2 + xi"):
        assert Target(text).in_one_coordinate().origin == {}
    turned = Target("relu(z1)", directions=[[3, 4]]).in_one_coordinate()
    assert str(turned) == "relu(5*z1)" and turned.origin["given_target"] == "relu(3*z1 + 4*z2)"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=4), st.sampled_from(("sin", "relu", "erf", "abs")))
def test_values_are_those_of_the_target(row, name):
    row[0] = row[0] or 1
    form = " + ".join(f"({a})*z{k}" for k, a in enumerate(row, 1))
    target = Target(f"{name}({form}) + ({form})**2")
    reduced = target.in_one_coordinate()
    z = np.random.default_rng(len(row)).standard_normal((target.dimension, 5))
    v = np.array(row[: target.dimension]) / np.linalg.norm(row)
    value, along = target.function("python")(*z), reduced.function("python")(v @ z)
    sign = 1.0 if np.allclose(value, along) else -1.0  # v and -v are the same direction
    np.testing.assert_allclose(value, reduced.function("python")(sign * (v @ z)), rtol=1e-12, atol=1e-12)
