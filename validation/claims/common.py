"""Texts that several families of claims share, and smaller copies of studies."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from hermite_analytics.validation.claim import Study

__all__ = [
    "BULK_EDGE",
    "CHANCE",
    "GIANT_STEPS",
    "GIANT_STEP_PAPER",
    "ONE_STEP",
    "OVERLAP",
    "RISK",
    "SIMPLE_FUNCTIONS",
    "SINGULAR",
    "SMALL_STEP",
    "smaller",
]

# Sources.
SMALL_STEP = "arXiv 2205.01445 (Ba et al., one gradient step improves the representation)"
ONE_STEP = "talk 'Learning features with two-layer neural networks, one step at a time'"
GIANT_STEPS = "arXiv 2305.18270 and talk 'Learning two-layer networks, one (giant) step at a time'"
GIANT_STEP_PAPER = "arXiv 2402.04980 (asymptotics of feature learning after one gradient step)"
SIMPLE_FUNCTIONS = "talk 'How neural networks learn simple functions'"

# Why the bias is of order 1/d.
RISK = "errors are smooth functionals of resolvents, whose bias starts at 1/d"
SINGULAR = "a singular value outside the bulk is a smooth functional of resolvents: bias of order 1/d"
OVERLAP = "a squared overlap, a smooth functional of resolvents: bias of order 1/d"
BULK_EDGE = "the edge of a spectrum: bias of order d^(-2/3)"
CHANCE = "the squared cosine with a direction that is not learned is of order 1/d"


def smaller(
    study: Study,
    *,
    sizes: tuple[int, ...] | None = None,
    seeds: tuple[int, ...] | None = None,
    looks: int | None = None,
    claims: Sequence[str] | None = None,
) -> Study:
    """A copy with other sizes, seeds or looks, and with the named claims only."""
    kept = study.claims if claims is None else tuple(c for c in study.claims if c.id in set(claims))
    return dataclasses.replace(
        study,
        sizes=study.sizes if sizes is None else sizes,
        seeds=study.seeds if seeds is None else seeds,
        looks=study.looks if looks is None else looks,
        claims=kept,
    )
