"""What gradient descent on one batch learns: verdicts, reasons, and what forbids a direction for ever."""

from __future__ import annotations

import pytest

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence


def learned(target, activation, steps=3, **options):
    return ha.learns(target, activation, steps, schedule="full", **options)


@pytest.mark.parametrize(
    ("target", "activation", "expected"),
    [
        ("tanh(z1)", "tanh", ["learned"]),
        ("z1 + xi", "relu", ["learned"]),
        ("He3(z1)", "tanh", ["not learned", "learned"]),
        ("He3(z1)", "relu", ["not learned", "learned"]),  # by the kink: mu_3 = 0
        ("He3(z1)", "z", ["not learned"]),  # a linear network never does
        ("He3(z1)", "He2(z)", ["not learned"]),
        ("z1", "abs(z)", ["not learned"]),
        ("He2(z1) + He3(z1)", "gelu", ["not learned", "learned"]),
        ("z1 + z1*z2", "relu", ["partly learned", "learned"]),
        ("z1 + z1*z2", "gelu", ["partly learned", "learned"]),
        ("z1 + He3(z2)", "tanh", ["partly learned", "learned"]),
        ("z1 + z2**2", "relu", ["learned"]),
        ("3", "relu", []),
    ],
)
def test_steps(target, activation, expected):
    found = learned(target, activation)
    assert [row.verdict for row in found.steps] == expected
    assert all(row.evidence in (Evidence.EXACT, Evidence.PROVED) for row in found.steps)
    assert found.is_realised is (expected[-1:] in ([], ["learned"]))


@pytest.mark.parametrize("target", ["z1**2", "sign(z1*z2)", "z1*z2*z3", "He2(z1) + He4(z1)"])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_no_step_learns_where_the_label_has_no_mean_of_z(target, activation):
    found = learned(target, activation)
    assert found.steps == ()
    assert found.end.startswith("E[z | y] = 0: no step learns a direction: ")
    assert found.end.removeprefix("E[z | y] = 0: no step learns a direction: ")


def test_any_activation_is_false():
    """E[z2 | y] != 0 and relu learns z2, but an odd activation never does."""
    target = "z1 + z1*z2"
    assert ha.grand_staircase(target).bases[1] == (("1", "0"), ("0", "1"))
    assert learned(target, "relu").steps[1].realised == (("1", "0"), ("0", "1"))
    for odd in ("tanh", "erf", "z + z**3"):
        found = learned(target, odd)
        assert [row.verdict for row in found.steps] == ["partly learned"]
        assert found.steps[0].realised == (("1", "0"),)
        assert "f(-z1, z2) = -f(z1, z2)" in found.steps[0].reason
        assert found.end == "every later step adds nothing to step 1"
        assert found.is_realised is False


def test_a_shifted_label_breaks_the_symmetry():
    """Of y + 1/2 the third power sees z2, as E[y^2 z2] != 0."""
    assert learned("z1 + z1*z2 + 1/2", "tanh").steps[1].verdict == "learned"


def test_what_is_undecided_says_so():
    found = learned("z1 + z1*z2 + z1*z2*z3", "gelu")
    row = found.steps[-1]
    assert (row.verdict, row.evidence, row.realised) == ("undecided", Evidence.UNDECIDED, None)
    assert row.reason.endswith("not decided: which combination of E[y**2 z], E[y u z]")
    assert found.is_realised is None
    assert learned("He3(z1)", "sign(z)").is_realised is None
    assert learned("He3(z1)", "sin(exp(z))").steps[-1].verdict == "undecided"


def test_what_is_shown():
    found = learned("He3(z1)", "tanh")
    assert str(found).splitlines() == [
        "tanh on He3(z1), signs readout, n ~ d^1, full batch",
        "step 1: not learned, 0 of 1 new directions [mean-field limit]: E[y z] = 0",
        "step 2: learned, 1 of 1 new directions [mean-field limit]: "
        "E[sigma^(3) sigma'^2] = -0.491647446111096, E[y**3 z] != 0",
        "all directions that such steps can learn are learned",
    ]
    document = found.to_dict()
    assert (document["schedule"], document["steps"][1]["evidence"]) == ("full", "proved")
    assert ha.learns("z1", "relu").to_dict()["steps"][0]["evidence"] == "exact"


def test_neurons_with_equal_readouts_share_a_row():
    """For odd sigma also those with opposite ones: z2 and z3 come with the powers 3 and 5 of eta."""
    rows = {
        r: learned("z1 + He3(z2) + He5(z3)", "tanh", readout=r).steps[1]
        for r in ("gaussian", "signs", "equal")
    }
    assert {r: row.realised_dimension for r, row in rows.items()} == {"gaussian": 2, "signs": 1, "equal": 1}
    assert rows["signs"].verdict == "partly learned"
    assert rows["signs"].realised is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schedule": "half"}, "schedule is 'half'; accepted: one-pass, full"),
        (
            {"schedule": "full", "samples_power": 2},
            "samples_power is 2; a full batch has n ~ d samples: 1 is",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ha.InputError, match=message):
        ha.learns("z1", "relu", **options)
