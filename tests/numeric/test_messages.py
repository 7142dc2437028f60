"""What is asked wrongly ends in one line that says what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.numeric import RandomFeatures, SpikedRandomFeatures, StateEvolution

MODEL = RandomFeatures("tanh(z)", "sin(z1)")
SPIKED = SpikedRandomFeatures("tanh(z)", "sin(z1)")
SPIKE = {"r": 1.0, "c": 1.0, "gamma": 0.5, "beta": 1.0}


def grid():
    return MODEL.solve(alpha=[[1.0], [2.0]], beta=1, ridge=[0.1, 1])


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
