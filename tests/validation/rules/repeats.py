"""Repeated campaigns on synthetic data: how often a rule passes, fails, or stays open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hermite_analytics.validation.statistics.decision import MAX_LOOKS, Status, seeds_at_look
from hermite_analytics.validation.statistics.question import Question


def rates(
    rule,
    question: Question,
    draw: Callable[[np.random.Generator, int, int], np.ndarray],
    *,
    sizes: tuple[int, ...],
    start: tuple[int, ...],
    repeats: int,
    seed: int,
    looks: int = MAX_LOOKS,
) -> Mapping[Status, float]:
    """Fractions of the verdicts; `draw(generator, size, count)` gives what one seed each measured."""
    generator = np.random.default_rng(seed)
    counts = dict.fromkeys(Status, 0)
    for _ in range(repeats):
        largest = seeds_at_look(start, looks - 1)
        samples = {d: draw(generator, d, n) for d, n in zip(sizes, largest, strict=True)}
        status = Status.INCONCLUSIVE
        for look in range(looks):
            seeds = seeds_at_look(start, look)
            seen = {d: samples[d][:n] for d, n in zip(sizes, seeds, strict=True)}
            status = rule.compare(seen, question).status
            if status is not Status.INCONCLUSIVE:
                break
        counts[status] += 1
    return {status: count / repeats for status, count in counts.items()}
