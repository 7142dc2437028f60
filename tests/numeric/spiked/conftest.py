"""The pair of functions of most tests."""

from __future__ import annotations

import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.numeric import SpikedRandomFeatures


@pytest.fixture(scope="session")
def model() -> SpikedRandomFeatures:
    return SpikedRandomFeatures(Activation("tanh(z)"), Target("sin(z1)"))
