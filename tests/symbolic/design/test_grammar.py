"""The enumeration, and what a sketch proves, against the library's own answers."""

from __future__ import annotations

import pytest

import hermite_analytics as ha
from hermite_analytics.designs.constructions import constructions
from hermite_analytics.designs.grammar import enumerated
from hermite_analytics.designs.request import Request
from hermite_analytics.designs.sketches import excluded_by, sketch_of
from hermite_analytics.designs.thresholds import _alpha
from hermite_analytics.target import Target

SMALL = [c for size in range(1, 4) for c in enumerated(size, 3)]


def test_enumeration_by_size():
    assert [c.text for c in enumerated(1, 3)] == ["z1"]
    assert [c.text for c in enumerated(2, 1)] == ["He2(z1)", "abs(z1)", "sign(z1)", "relu(z1)", "step(z1)"]
    assert all(c.size == 5 for c in enumerated(5, 3))
    texts = [c.text for size in range(1, 7) for c in enumerated(size, 3)]
    assert len(texts) == len(set(texts))
    assert {"z1 + z2", "sign(z1*z2)", "z1 + z1*z2", "abs(z1) + sign(z1)", "-abs(z1) + He2(z2)"} & set(texts)


def test_no_two_are_equal_up_to_names():
    texts = {c.text for c in enumerated(4, 2)}
    assert "z1*He3(z2)" in texts and "z2*He3(z1)" not in texts


def test_texts_are_targets_of_the_stated_width():
    for candidate in (c for size in range(1, 5) for c in enumerated(size, 3)):
        assert Target(candidate.text).dimension == candidate.width


@pytest.mark.parametrize("candidate", SMALL, ids=[c.text for c in SMALL])
def test_what_a_sketch_excludes_is_excluded(candidate):
    """Every exclusion is confirmed by the answers of the library, and none hits a true property."""
    first = ha.information_exponent(candidate.text).value
    leap = ha.leap_complexity(candidate.text).value
    generative = ha.generative_exponent(candidate.text).value
    iso = ha.isotropic_leap(candidate.text).value
    for name, value in [
        ("information_exponent", first),
        ("leap_complexity", leap),
        ("isotropic_leap", iso),
        ("generative_exponent", generative),
    ]:
        if value is not None:
            assert excluded_by(Request(**{name: value}), candidate) is None
    steps = ha.staircase(candidate.text)
    if steps.limit_dimension is not None:
        assert excluded_by(Request(staircase=steps.dimensions), candidate) is None
    for other in range(1, 5):
        if other != first:
            assert excluded_by(Request(information_exponent=other), candidate) == "information_exponent"


def test_sketch_of_cancelling_terms():
    by_text = {c.text: c for size in range(1, 7) for c in enumerated(size, 1)}
    sketch = sketch_of(by_text["z1 + He3(z1)"])
    assert sketch.nonzero == {(1,), (3,)} and not sketch.open and sketch.is_whole
    assert sketch.first_order() == 1
    mixed = sketch_of(by_text["z1 + sign(z1)"])
    assert (1,) in mixed.open and (3,) in mixed.nonzero and not mixed.is_whole


def test_constructions_are_targets_of_the_stated_width():
    requests = [
        Request(information_exponent=k, generative_exponent=j) for k in range(1, 6) for j in range(1, k + 1)
    ]
    requests += [Request(leap_orders=o) for o in ((1,), (2, 1), (1, 1, 3), (3, 2, 1))]
    requests += [Request(leap_complexity=1, isotropic_leap=k) for k in (2, 3, 4)]
    requests += [Request(grand_orders=o) for o in ((1, 2), (2, 2), (2, 3))]
    for request in requests:
        found = constructions(request)
        assert found
        for candidate in found:
            assert Target(candidate.text).dimension == candidate.width, candidate.text


@pytest.mark.parametrize("orders", [(2, 1), (1, 2), (3, 1), (2, 1, 1), (1, 1, 2), (3, 2)])
def test_chains_have_their_orders(orders):
    chains = [c for c in constructions(Request(leap_orders=orders)) if len(c.terms or ()) == len(orders)]
    texts = [c.text for c in chains if "sign" not in c.text and c.width == len(orders)]
    assert any(ha.leap_decomposition(text).orders == orders for text in texts)


def test_the_tuned_family_has_its_closed_form():
    """The float that guides the search agrees with the closed form, one and two steps."""
    for levels, t in [(1, "3/2"), (2, "1")]:
        text = " + ".join(f"step(abs(z1) - {i}*{t})" for i in range(1, levels + 1))
        exact = ha.weak_recovery(text).alpha_c
        value = {"3/2": 1.5, "1": 1.0}[t]
        assert abs(exact.value - _alpha(levels, value)) < 1e-9
    assert abs(_alpha(2, 1.0) - 0.6126285349) < 1e-9
