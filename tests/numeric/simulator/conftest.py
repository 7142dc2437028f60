"""Fixtures of the simulator's tests."""

import array_api_strict
import pytest

from hermite_analytics.numeric.simulator import backend


@pytest.fixture
def strict_device(monkeypatch):
    """The name of a device whose arrays allow what the array API standard says, and nothing else."""
    place = array_api_strict.Device("CPU_DEVICE")
    monkeypatch.setitem(backend.LOADERS, "strict", lambda number: (array_api_strict, place))
    return "strict"
