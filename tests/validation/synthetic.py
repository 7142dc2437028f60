"""An experiment whose truth is known: T + a/d + noise/sqrt(d), along a curve or not."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

import numpy as np

from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.statistics.decision import Margin
from hermite_analytics.validation.statistics.rules import Direction, Limit, Median, Slope, SuccessRate
from hermite_analytics.validation.suites.claim import Claim
from hermite_analytics.validation.suites.study import Study, Suite
from tests.validation.synthetic_cell import SyntheticCell


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticExperiment:
    """The theory says `theory`, the simulation tends to `truth`."""

    truth: tuple[float, ...] = (2.0,)
    theory: tuple[float, ...] = (2.0,)
    slope: float = 5.0
    noise: float = 0.3
    stop: str = ""
    pause: float = 0.0

    @property
    def identity(self) -> str:
        numbers = {name: value for name, value in asdict(self).items() if name != "pause"}
        return json.dumps({**numbers, "stop": ""}, sort_keys=True)

    def cell(self, size: int) -> SyntheticCell:
        return SyntheticCell(
            truth=self.truth,
            slope=self.slope,
            noise=self.noise,
            size=size,
            stop=self.stop,
            pause=self.pause,
        )

    def predict(self, mutant: str | None = None) -> Prediction:
        factor = 1.5 if mutant else 1.0
        values = np.array(self.theory) * factor
        return Prediction(
            values={
                "error": values if len(values) > 1 else values[0],
                "decay": np.array(-1.0 * factor),
                "signal": np.array(0.0),
            },
            errors={"error": 1e-9},
        )

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


def every_kind() -> Suite:
    """A suite that shows all there is in a report: each verdict and rule, curves, bounds, missing numbers."""
    curve = SyntheticExperiment(truth=(2.0, 1.0, 0.5), theory=(2.0, 1.0, 0.5), noise=0.4)
    return suite(
        study(),
        study("curve", curve, claims=(claim(reduction="mean-ratio"),), title="Curve <b>&</b>"),
        study("wrong", SyntheticExperiment(theory=(1.5,), noise=0.2)),
        study("open", SyntheticExperiment(noise=2.0), looks=1, claims=(claim(margin=Margin(absolute=1.2)),)),
        study("nothing", SyntheticExperiment(noise=float("nan")), looks=1),
        study(
            "bounds",
            SyntheticExperiment(noise=0.25),
            claims=(
                claim(id="low", relation="at_least", mutants=(), formula=""),
                claim(id="high", relation="at_most", margin=Margin(absolute=9.0)),
            ),
        ),
        study("far", SyntheticExperiment(theory=(0.1,)), claims=(claim(relation="at_least"),)),
        study(
            "rules",
            SyntheticExperiment(noise=0.35),
            sizes=(50, 100, 200),
            seeds=(16, 12, 8),
            claims=(
                claim(id="log", rule=Limit(scale="log", exponents=(1.0, 0.5)), margin=Margin(relative=0.3)),
                claim(id="rate", rule=SuccessRate(threshold=1.0), margin=None, mutants=()),
                claim(id="median", rule=Median(), margin=Margin(absolute=0.3)),
                claim(id="slope", observable="decay", rule=Slope(), margin=Margin(absolute=0.15)),
                claim(id="unlearned", observable="signal", rule=Direction(), margin=None, mutants=()),
            ),
        ),
    )
