"""Simulation of the finite-size experiments that the solvers have a theory for.

`simulate` repeats a protocol over seeds. A protocol is a frozen object with `run(seed)`; it picks its random
numbers by (seed, purpose) from counter-based streams, so that a result depends on neither the chunks, the
order nor the process in which it was computed.
"""

from __future__ import annotations

from hermite_analytics.numeric.simulator.protocol import SimulationProtocol
from hermite_analytics.numeric.simulator.registry import PROTOCOLS, make_protocol, protocol_class
from hermite_analytics.numeric.simulator.results import Estimate, Simulation
from hermite_analytics.numeric.simulator.running import run_seeds
from hermite_analytics.numeric.simulator.simulation import simulate
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = [
    "PROTOCOLS",
    "Estimate",
    "GaussianStream",
    "Purpose",
    "Simulation",
    "SimulationProtocol",
    "make_protocol",
    "protocol_class",
    "run_seeds",
    "simulate",
]
