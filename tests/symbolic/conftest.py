"""Kernels are compiled once a session, in a cache folder of its own where the tests look into it."""

from __future__ import annotations

import functools

import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.conditional import spiked_features_kernel


@pytest.fixture(scope="session")
def spiked_kernel() -> object:
    """(activation text, target text) -> the kernel of mu0, mu1, mu2_squared, h, h1, hh."""

    @functools.cache
    def build(activation: str, target: str = "z1") -> Kernel:
        return spiked_features_kernel(Activation(activation), Target(target))

    return build
