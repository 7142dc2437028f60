"""An experiment whose truth is known: T + a/d + noise/sqrt(d), along a curve or not."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.validation.claims import Claim, Prediction, Study, Suite
from hermite_analytics.validation.decision import Margin


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticCell:
    """One size; with the stop file "exit" the process that runs it dies."""

    truth: tuple[float, ...]
    slope: float
    noise: float
    size: int
    stop: str

    def run(self, seed: int) -> Mapping[str, ArrayLike]:
        if self.stop == "exit":
            os._exit(3)
        if self.stop and Path(self.stop).exists():
            raise KeyboardInterrupt
        generator = np.random.default_rng([seed, self.size])
        truth = np.array(self.truth)
        common = self.noise * generator.standard_normal() / np.sqrt(self.size)
        values = truth * (1 + common) + self.slope / self.size
        return {"error": values if len(truth) > 1 else values[0], "process": float(os.getpid())}


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticExperiment:
    """The theory says `theory`, the simulation tends to `truth`."""

    truth: tuple[float, ...] = (2.0,)
    theory: tuple[float, ...] = (2.0,)
    slope: float = 5.0
    noise: float = 0.3
    stop: str = ""

    @property
    def identity(self) -> str:
        return json.dumps({**asdict(self), "stop": ""}, sort_keys=True)

    def cell(self, size: int) -> SyntheticCell:
        return SyntheticCell(truth=self.truth, slope=self.slope, noise=self.noise, size=size, stop=self.stop)

    def predict(self, mutant: str | None = None) -> Prediction:
        factor = 1.5 if mutant else 1.0
        values = np.array(self.theory) * factor
        return Prediction(values={"error": values if len(values) > 1 else values[0]}, errors={"error": 1e-9})

    def abscissa(self) -> tuple[str, tuple[float, ...]] | None:
        return (
            ("alpha", tuple(float(k + 1) for k in range(len(self.theory)))) if len(self.theory) > 1 else None
        )

    def refined(self, values: tuple[float, ...]) -> SyntheticExperiment:
        theory = np.interp(values, np.arange(len(self.theory)) + 1.0, self.theory)
        return replace(self, theory=tuple(float(value) for value in theory))

    def parameters(self) -> tuple[tuple[str, str], ...]:
        return (("noise", f"{self.noise:g}"),)

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        return f"run({size}, {seeds}, {first_seed})"


def claim(**changes: object) -> Claim:
    """A claim on the synthetic experiment."""
    plain = Claim(
        id="error",
        statement="The error is as predicted, for every <activation> & target.",
        source="a synthetic law",
        observable="error",
        margin=Margin(relative=0.05),
        argument="the bias is a/d by construction",
        mutants=("wrong",),
        formula=r"E = T + \frac{a}{d}",
    )
    return replace(plain, **changes)


def study(name: str = "first", experiment: SyntheticExperiment | None = None, **changes: object) -> Study:
    """A study of the synthetic experiment."""
    plain = Study(
        id=name,
        title=f"Study {name}",
        experiment=experiment or SyntheticExperiment(),
        sizes=(50, 80, 120),
        seeds=(6, 5, 4),
        claims=(claim(),),
    )
    return replace(plain, **changes)


def suite(*studies: Study) -> Suite:
    """A suite of them."""
    return Suite(name="synthetic", title="Synthetic claims", studies=studies)
