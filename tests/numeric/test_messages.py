"""What is asked wrongly ends in one line that says what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.numeric import RandomFeatures, SpikedRandomFeatures, StateEvolution, simulate

MODEL = RandomFeatures("tanh(z)", "sin(z1)")
SPIKED = SpikedRandomFeatures("tanh(z)", "sin(z1)")
RUN = {"activation": "tanh", "target": "z1", "alpha0": 2, "eta": 1, "beta": 1, "alpha": 1, "ridge": 0.1}
SPIKE = {"r": 1.0, "c": 1.0, "gamma": 0.5, "beta": 1.0}


def grid():
    return MODEL.solve(alpha=[[1.0], [2.0]], beta=1, ridge=[0.1, 1])


def curve():
    return MODEL.solve(alpha=[1, 2], beta=1, ridge=1)


@pytest.mark.cases(12)
@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: ha.hermite("z1*z2", degree=2)[3, 3], "hermite(f, degree=6) has it"),
        (lambda: ha.hermite("z1*z2", degree=2)[1], "no coefficient 1 of degree 2 at most in 2 variables"),
        (lambda: grid().phase_diagram("alpha", "gamma"), "map is 'gamma'; accepted: alpha, ridge"),
        (lambda: grid().phase_diagram("alpha", "beta"), "map is 'beta'; accepted: alpha, ridge"),
        (lambda: grid().phase_diagram("alpha", "ridge", value="error"), "value is 'error'; accepted:"),
        (lambda: ha.Target("z65 + z1"), "coordinates are z1 to z64"),
        (lambda: ha.Target("x1**2"), "write z1; accepted here"),
        (lambda: ha.Target("z_2**2"), "write z2; accepted here"),
        (lambda: ha.Target("z[1]**2"), "indexing (coordinates are written z1, z2, ...) is not"),
        (lambda: ha.Target("leaky_relu(z1)"), "leaky_relu(x, slope), as in leaky_relu(z, 0.1); 1 given"),
        (lambda: ha.Target("clip"), "give its argument, as in clip(z, -1, 1)"),
        (lambda: ha.Target("sigm(z1)"), "did you mean sigmoid?"),
        (lambda: ha.Target("foo(z1)"), "unknown function 'foo'; accepted: He, sign"),
        (lambda: ha.Target("erfi(z1)"), "unknown function 'erfi'; accepted: He, sign"),
        (lambda: ha.Target("atan2(z1, z2)"), "unknown function 'atan2'; accepted: He, sign"),
        (lambda: ha.Target("prelu(z1)"), "write leaky_relu(x, slope)"),
        (lambda: ha.Target("x"), "unknown name 'x'; write z1"),
        (lambda: ha.Activation("z1"), "unknown name 'z1'; write z"),
        (lambda: ha.expectation("foo(z1)"), "unknown function 'foo'; for a product write foo*(...)"),
        (lambda: ha.expectation("tanhh(z1)"), "did you mean tanh?; for a product write tanhh*(...)"),
        (lambda: ha.expectation("k(z1)"), "write k*(...), not k(...)"),
        (lambda: ha.expectation(abs), "the Python function abs is given: write what it computes, as text"),
        (lambda: ha.compile(abs, ["z"]), "the Python function abs is given"),
        (lambda: RandomFeatures("erf", "z1", loss=abs), 'for example "log(1 + exp(-y*x))"'),
        (lambda: ha.leap_index(np.array([])), "an array of shape (0,)"),
        (lambda: ha.hermite("z1*z2")[-1, 0], "accepted: 2 degrees >= 0, one a variable"),
        (lambda: ha.hermite("z1*z2")[3, 3], "hermite(f, degree=6) has it"),
        (lambda: curve().plot(save=3), "save is 3; accepted: the name of a file"),
        (lambda: curve().plot(thresholds="x"), "thresholds is 'x'; accepted: an answer of weak_recovery"),
        (lambda: curve().to_csv("missing/folder.csv"), "cannot be written"),
        (
            lambda: simulate("giant-step", d=20, seeds=2, directions=[1, 0], **RUN),
            "directions is [1, 0]; accepted: rows of numbers, as [[1, 0]",
        ),
        (lambda: ha.Target("softmax(z1)"), "write exp(x)/(exp(x) + exp(y))"),
        (lambda: ha.weak_recovery("z1", seconds="10"), "seconds is '10'; a number > 0 is accepted"),
        (lambda: StateEvolution("z1", seconds=True), "seconds is True; a number > 0 is accepted"),
        (lambda: SPIKED.solve(alpha=1, ridge=1, step=3), "step is 3; the result of GiantStep"),
        (
            lambda: MODEL.solve(alpha=np.ones((10**6, 1)), beta=np.ones(10**7), ridge=1),
            "a grid of 1e+13 points takes some",
        ),
        (
            lambda: SPIKED.solve(alpha=np.ones((10**6, 1)), ridge=np.ones(10**7), **SPIKE),
            "solve parts of ridge one after the other",
        ),
        (lambda: MODEL.solve(alpha=[1, 2], beta=[1, 2, 3], ridge=1), "broadcast: alpha (2,), beta (3,)"),
        (lambda: SPIKED.solve(alpha=[1, 2], ridge=[1, 2, 3], **SPIKE), "broadcast: alpha (2,), ridge (3,)"),
    ],
)  # fmt: skip
def test_messages(act, message):
    with pytest.raises(HermiteAnalyticsError) as error:
        act()
    assert message in str(error.value) and "\n" not in str(error.value)
