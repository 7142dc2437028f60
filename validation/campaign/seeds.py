"""Which seeds a study uses: consecutive ones from a start that its experiment and size determine."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable

from hermite_analytics.validation.statistics.decision import MAX_LOOKS, seeds_at_look
from hermite_analytics.validation.suites.study import Study

__all__ = ["first_seed", "seed_blocks"]

# The simulator takes 32-bit seeds; the last million leaves room to count upwards.
_SEEDS = 2**32 - 10**6


def first_seed(identity: str, size: int, attempt: int = 0) -> int:
    """First of the consecutive seeds of one experiment and size.

    Examples
    --------
    >>> first_seed("an experiment", 100) == first_seed("an experiment", 200)
    False
    """
    suffix = f"|{attempt}" if attempt else ""
    digest = hashlib.sha256(f"{identity}|{size}{suffix}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % _SEEDS


def seed_blocks(studies: Iterable[Study]) -> dict[tuple[str, int], int]:
    """First seed by (study id, size); no two blocks share a seed, so that no two claims share a draw.

    Hashes put the blocks apart; in the rare case that two meet, the later one is hashed again. A block has
    room for all looks, so that a larger budget continues where a smaller one ended.
    """
    starts: dict[tuple[str, int], int] = {}
    taken: list[tuple[int, int]] = []
    for study in studies:
        for size, count in zip(study.sizes, seeds_at_look(study.seeds, MAX_LOOKS - 1), strict=True):
            attempt = 0
            start = first_seed(study.experiment.identity, size)
            while _meets(taken, start, start + count):
                attempt += 1
                start = first_seed(study.experiment.identity, size, attempt)
            taken.insert(bisect_left(taken, (start, 0)), (start, start + count))
            starts[study.id, size] = start
    return starts


def _meets(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether [start, end) meets one of the disjoint sorted intervals."""
    index = bisect_left(taken, (start, 0))
    before = index > 0 and taken[index - 1][1] > start
    return before or (index < len(taken) and taken[index][0] < end)
