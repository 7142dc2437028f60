"""`hermite-analytics simulate PROTOCOL ...`: means over seeds. Each protocol is a module of its own.

A new protocol is a line of the table below and a module with `command`, made of the options and of `run` in
`common.py`; `docs/simulator.md` says what else there is to do.
"""

from __future__ import annotations

import click

from hermite_analytics.cli.lazy import ModuleGroup

__all__ = ["command"]

_PROTOCOLS = {
    "giant-step": ("giant_step", "A network after one or several gradient steps of order d."),
    "spiked-random-features": ("spiked_random_features", "Random features with a given spike."),
    "sgd": ("sgd", "One-pass SGD on the first layer, beside solve sgd-flow."),
    "reuse": ("reuse", "Gradient descent that sees a sample more than once."),
    "amp": ("amp", "Approximate message passing on data of a teacher."),
    "spectral": ("spectral", "The spectral method with the best preprocessing."),
    "three-layer": ("three_layer", "A target of three layers, learned by one, two or three layers."),
    "random-features": ("random_features", "Random features with a square, logistic or hinge loss."),
    "small-step": ("small_step", "A network after gradient steps of order 1."),
}


@click.group("simulate", cls=ModuleGroup, module="hermite_analytics.cli.simulate", commands=_PROTOCOLS)
def command() -> None:
    """Simulate a protocol at finite size; comma lists give all combinations, the last flag fastest."""
