"""`hermite-analytics solve MODEL ...`: one grid of results. Each model is a module of its own."""

from __future__ import annotations

import click

from hermite_analytics.cli.solve.problem_file import ProblemGroup

__all__ = ["command"]

_MODELS = {
    "giant-step": ("giant_step", "(alpha0, eta, beta) to (r, c, gamma)."),
    "spiked-random-features": ("spiked_random_features", "Errors and overlaps after the step."),
    "bounds": ("bounds", "Bounds on the test error."),
    "spectrum": ("spectrum", "Eigenvalues of features, kernel or weights."),
    "random-features": ("random_features", "Any convex loss on random features."),
    "small-step": ("small_step", "Spikes and risks of a step of order 1."),
    "large-step": ("large_step", "tau* of a step of order sqrt(p)."),
    "deterministic-equivalent": ("deterministic_equivalent", "Ridge regression, any n and p, spectrum k^-a."),
    "sgd-flow": ("sgd_flow", "Overlaps under one-pass SGD, with or without reuse."),
    "three-layer": ("three_layer", "Exponents of a target of three layers."),
    "scaling-law": ("scaling_law", "Exponents of ridge regression for spectra k^-a."),
    "state-evolution": ("state_evolution", "Overlaps and errors of Bayes-AMP."),
}


@click.group("solve", cls=ProblemGroup, module="hermite_analytics.cli.solve", commands=_MODELS)
def command() -> None:
    """Solve a model in the limit d -> infinity. Comma lists give all combinations, the last flag fastest.

    --problem FILE.toml takes the flags, and the model if none is named, from a file.
    """
