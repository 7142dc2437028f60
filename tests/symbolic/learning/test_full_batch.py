"""What gradient descent on one batch learns: verdicts, reasons, and what forbids a direction for ever."""

from __future__ import annotations

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Evidence
from hermite_analytics.losses.registry import LOSSES
from hermite_analytics.numeric import DMFT


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


def verdicts(target, activation, schedule, steps=4, loss="square"):
    found = ha.learns(target, activation, steps, schedule=schedule, loss=loss)
    assert all(row.evidence in (Evidence.EXACT, Evidence.PROVED) for row in found.steps)
    return [row.verdict for row in found.steps]


NOT, PART, ALL = "not learned", "partly learned", "learned"


@pytest.mark.cases(11)
@pytest.mark.parametrize("loss", ["square", "correlation"])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("full", [NOT, ALL]),
        ("minibatch:0.5", [NOT, ALL]),
        ("twice", [NOT, ALL]),
        ("epochs:1", [NOT, ALL]),
        ("epochs:3", [NOT, NOT, NOT, ALL]),  # samples come back at the fourth step
        ("one-pass:1", []),
        ("extra-gradient:0.1", [ALL]),  # the look-ahead has seen the samples
        ("extra-gradient:0", [NOT, ALL]),
    ],
)
def test_he3_is_seen_when_samples_come_back(schedule, expected, activation, loss):
    assert verdicts("He3(z1)", activation, schedule, loss=loss) == expected


def test_schedules_climb_their_staircase():
    """z2 of z1 + z1 z2 is of order 1 given z1: fresh samples do for relu, and nothing does for tanh."""
    target = "z1 + z1*z2"
    assert verdicts(target, "relu", "one-pass:2") == [ALL, ALL]
    assert verdicts(target, "tanh", "one-pass:2") == [ALL, NOT]
    assert verdicts(target, "relu", "epochs:3") == [PART, ALL]
    assert verdicts(target, "relu", "extra-gradient:0.1") == [ALL]
    for schedule in ("minibatch:0.3", "twice", "epochs:2", "extra-gradient:0.1"):
        assert verdicts(target, "tanh", schedule) == [PART]
    found = ha.learns(target, "tanh", 3, schedule="one-pass:2")
    assert found.is_realised is False and found.end == "every later step adds nothing to step 2"
    assert ha.learns(target, "tanh", 1, schedule="extra-gradient:-1").is_realised is None


def test_fresh_samples_have_no_memory_of_a_label():
    """E[y z2] = 0 and E[y z2 | z1] = 0, but E[y**3 z2] != 0: seen from the third step of two blocks on."""
    found = ha.learns("z1 + He3(z2)", "tanh", 4, schedule="epochs:2")
    assert [row.realised_dimension for row in found.steps] == [1, 0, 1]
    assert "E[y**3 z] != 0" in found.steps[2].reason
    assert verdicts("z1 + He3(z2)", "tanh", "one-pass:1") == [ALL]
    assert verdicts("z1 + z2*z3 + z2", "gelu", "one-pass:1", steps=2) == [ALL, ALL]
    third = ha.learns("z1 + z2*z3 + z2", "gelu", 3, schedule="one-pass:1").steps[2]
    assert third.verdict == "undecided"


@pytest.mark.parametrize("loss", ["logistic", "softplus(-y*x)", "log(cosh(y - x))", "abs(y - x)"])
def test_what_no_loss_learns(loss):
    assert ha.learns("sign(z1*z2)", "relu", schedule="full", loss=loss).end.startswith("E[z | y] = 0: ")
    assert verdicts("sign(z1)", "abs(z)", "full", loss=loss) == [NOT]


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("target", "loss", "expected"),
    [
        ("sign(z1)", "logistic", [ALL]),
        ("sign(z1)", "hinge", [ALL]),
        ("He3(z1)", "huber:1", [ALL]),  # E[clip(y) z] != 0 in the first step, where E[y z] = 0
        ("He3(z1)", "quantile:0.9", [ALL]),
        ("He3(z1)", "exp(x) - y*x", [NOT, ALL]),  # its slope is affine in y, as that of the square
    ],
)
def test_other_losses_see_a_function_of_the_label(target, loss, expected):
    assert verdicts(target, "tanh", "full", loss=loss) == expected


@pytest.mark.slow
def test_what_a_loss_shows_may_be_open():
    (row,) = ha.learns("z1 + z1*z2", "relu", schedule="full", loss="huber:1").steps
    assert (row.verdict, row.evidence) == ("undecided", Evidence.UNDECIDED)
    seen = "small readouts see s = -l'(0, y); mu_1 = 1/2, E[s z] != 0; not decided: what other readouts see"
    assert row.reason.startswith(seen)


def test_a_loss_that_is_not_even_has_no_mirror():
    even, uneven = (
        ha.learns("z1**3", "tanh", 1, schedule="full", loss=loss) for loss in ("abs(y - x)", "exp(x) - y*x")
    )
    assert even.loss == "abs(y - x)" and even.to_dict()["loss"] == "abs(y - x)"
    assert str(uneven).startswith("tanh on z1**3, signs readout, n ~ d^1, full batch, loss exp(x) - y*x")


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


@pytest.mark.slow
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


@pytest.mark.slow
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
        ({"schedule": "half"}, "schedule is 'half'; accepted: one-pass, full, minibatch:b"),
        ({"schedule": "epochs:1.5"}, "accepted: epochs:B with an integer B"),
        ({"loss": "correlation"}, "loss is 'correlation'; the giant steps of schedule one-pass take square"),
        ({"schedule": "full", "loss": "hinge"}, "the loss hinge takes labels 1 and -1 only"),
        (
            {"schedule": "full", "loss": "huber:0"},
            "'huber:0' has the threshold 0; huber:D with a number D > 0 is accepted",
        ),
        (
            {"schedule": "full", "loss": "squared"},
            "loss is 'squared'; accepted: correlation, square, huber:D, quantile:tau, logistic, hinge, or",
        ),
        (
            {"schedule": "full", "samples_power": 2},
            "samples_power is 2; the schedule full has n ~ d samples: 1 is",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ha.InputError, match=message):
        ha.learns("z1", "relu", **options)


@pytest.mark.slow
def test_third_steps_have_more_products():
    """y^3 has A/2 at the second step and 5 A/2 + B at the third: not the multiple 5 of the first product."""
    x, w = np.polynomial.hermite_e.hermegauss(120)
    w, t = w / w.sum(), np.tanh(x)
    first, second, third = 1 - t**2, -2 * t * (1 - t**2), (1 - t**2) * (6 * t**2 - 2)
    a, b = w @ (third * first**2), w @ (first * second**2)
    model = DMFT("tanh", "He3(z1)")
    runs = [
        model.solve(alpha=3, eta=eta, steps=3, tolerance=1e-9).overlap.ravel() for eta in (0.0025, 0.00125)
    ]
    ratios = [m[3] / m[2] for m in runs]
    assert (4 * ratios[1] - ratios[0]) / 3 == pytest.approx((2.5 * a + b) / (0.5 * a), rel=2e-3)


@pytest.mark.parametrize("record", LOSSES.values(), ids=lambda record: record.name)
def test_every_loss_with_a_name_is_its_text(record):
    """Also one that is new: nothing here lists them."""
    named, written = record.name, record.text
    if record.parameter is not None:
        named, written = f"{named}:0.5", written.replace(record.parameter.symbol, "0.5")
    found = [ha.learns("sign(z1)", "tanh", 1, schedule="full", loss=loss) for loss in (named, written)]
    assert found[0].loss == named and found[0].steps == found[1].steps


def test_losses_that_are_the_square_by_another_name():
    for loss in ("(y - x)**2", "3*(x - y)**2", "x**2 - 2*x*y"):
        assert verdicts("He3(z1)", "tanh", "full", 2, loss=loss) == verdicts("He3(z1)", "tanh", "full", 2)
    assert verdicts("He3(z1)", "tanh", "full", 2, loss="-x*y") == [NOT, "learned"]


def test_look_aheads_of_samples_are_refused():
    with pytest.raises(InputError, match=r"reuse is 0\.1; .*Accepted: 0"):
        ha.learns("He3(z1)", "tanh", schedule="full", reuse=0.1)
