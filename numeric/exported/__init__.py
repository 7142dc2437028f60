"""Models as single files of Python that need numpy only: the code beside a paper."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EXPORTED"]

EXPORTED: Mapping[str, tuple[str, ...]] = {
    "spiked-random-features": (
        "activation", "target", "alpha0", "eta", "r", "c", "gamma", "beta", "ridge", "noise",
        "step_convention",
    ),
    "random-features": ("activation", "target", "beta", "ridge", "noise", "degree"),
    "state-evolution": ("target",),
}  # fmt: skip
"""The models that export themselves, with those of their parameters that a file may fix."""
