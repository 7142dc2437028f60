"""AMP against state evolution, weak-recovery thresholds, the grand staircase."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import SIMPLE_FUNCTIONS, smaller
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.experiments import AMPExperiment, SpectralExperiment
from hermite_analytics.validation.rules import Median, SuccessRate

__all__ = ["quick", "studies"]

_EVOLUTION = f"{SIMPLE_FUNCTIONS}, Bayes-AMP and its state evolution; arXiv 2405.15480"
_CLASSES = f"{SIMPLE_FUNCTIONS}, trivial, easy and hard functions; arXiv 2405.15480"
_STAIRCASE = f"{SIMPLE_FUNCTIONS}, grand staircase; arXiv 2405.15480"
_AWAY = "far from a transition: bias of order 1/d"
_FIXED_POINT = r"M = \hat M(I+\hat M)^{-1},\ \hat M = \alpha F(M)"


def studies() -> tuple[Study, ...]:
    """The full size."""
    return (
        _overlap("sign-3", "sign(z1)", 3.0, 0.02, "a trivial function"),
        _overlap("sign-1", "sign(z1)", 1.0, 0.025, "a trivial function"),
        _overlap("he3", "He3(z1)", 0.5, 0.03, "a trivial function that SGD finds hard"),
        _recovery("square-below", "z1**2", 0.35, above=False),
        _recovery("square-above", "z1**2", 1.5, above=True),
        _recovery("parity-2-below", "sign(z1*z2)", 1.9, above=False),
        _recovery("parity-2-above", "sign(z1*z2)", 8.0, above=True),
        _hard_parity(),
        _spectral_above(),
        _spectral_below(),
        *_grand_staircase(),
    )


def quick() -> tuple[Study, ...]:
    """One member: AMP on the sign."""
    sign = _overlap("sign-3", "sign(z1)", 3.0, 0.02, "a trivial function")
    return (smaller(sign, sizes=(150, 300, 600), seeds=(24, 16, 8)),)


def _overlap(name: str, target: str, alpha: float, margin: float, kind: str) -> Study:
    return Study(
        id=f"amp-{name}",
        title=f"AMP on {target} at alpha = {alpha:g}: {kind}",
        experiment=AMPExperiment(target=target, alpha=alpha),
        sizes=(250, 500, 1000),
        seeds=(24, 16, 10),
        claims=(
            Claim(
                id="overlap",
                statement="The squared cosine of AMP's estimate is that of state evolution.",
                source=_EVOLUTION,
                observable="overlap",
                margin=Margin(absolute=margin),
                argument=_AWAY,
                mutants=("alpha-doubled", "alpha-halved"),
                formula=_FIXED_POINT,
            ),
        ),
    )


def _recovery(name: str, target: str, alpha: float, *, above: bool) -> Study:
    return Study(
        id=f"amp-{name}",
        title=f"AMP on {target} at alpha = {alpha:g}, {'above' if above else 'below'} its threshold",
        experiment=AMPExperiment(target=target, alpha=alpha, start="spectral"),
        sizes=(200, 400),
        seeds=(40, 40),
        looks=2,
        claims=(
            Claim(
                id="recovered" if above else "not-recovered",
                statement="Runs find the directions." if above else "Runs find nothing.",
                source=_CLASSES,
                observable="overlap",
                rule=SuccessRate(threshold=0.5 if target == "z1**2" else 0.4),
                argument="an easy function: success above alpha_c, none below; bracketed, not extrapolated",
                mutants=("alpha-doubled",) if name == "parity-2-below" else (),
                formula=r"\alpha_c^{-1} = \|F\|,\ F(M) = E[G M G],\ G = E[HH^\top-I|Y]",
            ),
        ),
    )


def _hard_parity() -> Study:
    return Study(
        id="amp-parity-3",
        title="AMP on sign(z1 z2 z3) at alpha = 4: a hard function",
        experiment=AMPExperiment(target="sign(z1*z2*z3)", alpha=4.0, start="informed", start_overlap=0.05),
        sizes=(150, 300),
        seeds=(40, 40),
        looks=2,
        claims=(
            Claim(
                id="not-learned",
                statement="From a small overlap AMP does not find the directions of a 3-parity.",
                source=_CLASSES,
                observable="overlap",
                rule=SuccessRate(threshold=0.4),
                argument="a hard function, alpha_c infinite: no success at any alpha of order 1",
                formula=r"E[HH^\top-I|Y] = 0 \Rightarrow \alpha_c = \infty",
            ),
        ),
    )


def _spectral_above() -> Study:
    return Study(
        id="spectral-above",
        title="The spectral start on z1^2 at alpha = 0.9, above alpha_c = 1/2",
        experiment=SpectralExperiment(target="z1**2", alpha=0.9),
        sizes=(200, 320, 480),
        seeds=(48, 32, 20),
        claims=(
            Claim(
                id="overlap",
                statement="The best preprocessing has the predicted overlap.",
                source=_CLASSES,
                observable="overlap",
                margin=Margin(absolute=0.04),
                argument="an outlier's eigenvector: bias of order 1/d",
                mutants=("threshold-doubled",),
                formula=r"\alpha_c = E[(E[H^2|Y]-1)^2]^{-1} = 1/2",
            ),
        ),
    )


def _spectral_below() -> Study:
    return Study(
        id="spectral-below",
        title="The spectral start on z1^2 at alpha = 0.25, below alpha_c = 1/2",
        experiment=SpectralExperiment(target="z1**2", alpha=0.25),
        sizes=(200, 320, 480),
        seeds=(48, 32, 20),
        claims=(
            Claim(
                id="no-overlap",
                statement="Below the threshold no overlap is left.",
                source=_CLASSES,
                observable="overlap",
                relation="at_most",
                margin=Margin(absolute=0.05),
                argument="a squared cosine that tends to 0: bias of order 1/d",
            ),
        ),
    )


def _grand_staircase() -> tuple[Study, ...]:
    target = "z1**2 + sign(z1*z2*z3)"
    between = Study(
        id="grand-staircase-between",
        title="AMP on z1^2 + sign(z1 z2 z3) at alpha = 1.2, above alpha_1 = 0.575",
        experiment=AMPExperiment(target=target, alpha=1.2, start="informed", start_overlap=0.1),
        sizes=(800, 1600),
        seeds=(32, 20),
        claims=(
            Claim(
                id="first-direction",
                statement="The first direction has the overlap of state evolution.",
                source=_STAIRCASE,
                observable="overlap1",
                margin=Margin(absolute=0.06),
                rule=Median(),
                argument="a part of the runs stays at 0, which fades slower than 1/d: medians leave it out",
                mutants=("alpha-doubled", "alpha-halved"),
                formula=_FIXED_POINT,
            ),
        ),
    )
    above = Study(
        id="grand-staircase-above",
        title="AMP on z1^2 + sign(z1 z2 z3) at alpha = 1.8",
        experiment=AMPExperiment(target=target, alpha=1.8, start="informed", start_overlap=0.1),
        sizes=(200, 400),
        seeds=(40, 40),
        looks=2,
        claims=(
            Claim(
                id="first-direction-exact",
                statement="The first direction is known exactly before the others: they then are a 2-parity.",
                source=_STAIRCASE,
                observable="overlap1",
                rule=SuccessRate(threshold=0.9),
                argument="past its spinodal at alpha = 1.40 the first direction is recovered exactly",
                mutants=("alpha-halved",),
                formula=r"\alpha_1 \approx 0.575 < \alpha < \alpha_2 = \pi^2/4",
            ),
        ),
    )
    second = Study(
        id="grand-staircase-second",
        title="AMP on z1^2 + sign(z1 z2 z3) at alpha = 6, above alpha_2 = 2.47",
        experiment=AMPExperiment(
            target=target, alpha=6.0, start="spectral", damping=0.2, damping_steps=40, iterations=300
        ),
        sizes=(200, 400, 800),
        seeds=(24, 16, 10),
        looks=4,
        claims=(
            Claim(
                id="all-directions",
                statement="With the first direction exact, the others are learned as those of a 2-parity.",
                source=_STAIRCASE,
                observable="overlap",
                margin=Margin(absolute=0.03),
                argument=_AWAY,
                mutants=("alpha-halved",),
                formula=r"\alpha_2 = \pi^2/4 < \alpha",
            ),
        ),
    )
    return between, above, second
