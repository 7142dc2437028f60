"""`hermite-analytics export solve MODEL ...`: one module a model, as for `solve`."""

from __future__ import annotations

import click

from hermite_analytics.cli.lazy import LazyGroup

__all__ = ["command"]

_MODELS = {
    "spiked-random-features": ("spiked_random_features", "Errors and overlaps after the step."),
    "random-features": ("random_features", "Ridge regression on random features."),
    "state-evolution": ("state_evolution", "The overlap of Bayes-AMP."),
}


@click.group("solve", cls=LazyGroup, module="hermite_analytics.cli.export.solve", commands=_MODELS)
def command() -> None:
    """Print a solver as one file. Flags that are given become its defaults; it takes the others itself."""
