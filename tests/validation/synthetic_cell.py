"""The cells of the synthetic experiment: all that a worker process needs for them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticCell:
    """One size; with the stop file "exit" the process that runs it dies."""

    truth: tuple[float, ...]
    slope: float
    noise: float
    size: int
    stop: str
    pause: float = 0.0

    def run(self, seed: int) -> Mapping[str, ArrayLike]:
        if self.stop == "exit":
            os._exit(3)
        if self.stop and Path(self.stop).exists():
            raise KeyboardInterrupt
        time.sleep(self.pause)
        generator = np.random.default_rng([seed, self.size])
        truth = np.array(self.truth)
        common = self.noise * generator.standard_normal() / np.sqrt(self.size)
        values = truth * (1 + common) + self.slope / self.size
        return {
            "error": values if len(truth) > 1 else values[0],
            "process": float(os.getpid()),
            "decay": float(np.exp(0.1 * generator.standard_normal()) / self.size),
            "signal": generator.chisquare(1, 41) / self.size,
        }
