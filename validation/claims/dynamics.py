"""One-pass SGD against its flow, reuse of data, and the first layer of a three-layer network."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import SIMPLE_FUNCTIONS, smaller
from hermite_analytics.validation.decision import Margin, Relation
from hermite_analytics.validation.experiments import ReuseExperiment, SGDExperiment, ThreeLayerExperiment
from hermite_analytics.validation.rules import Slope

__all__ = ["quick", "studies"]

_FLOW = f"{SIMPLE_FUNCTIONS}, one-pass SGD and its information exponent; arXiv 2305.18502"
_REUSE = f"{SIMPLE_FUNCTIONS}, data repetition; arXiv 2405.15459"
_FULL_BATCH = f"{SIMPLE_FUNCTIONS}, full-batch theorem (n = 3 d); arXiv 2402.03220"
_TREE = f"{SIMPLE_FUNCTIONS}, advantage of depth; arXiv 2502.13961"
_SMOOTH = "the overlap follows its flow up to fluctuations of order d^(-1/2) and a bias of order 1/d"
_SQUARE = "a squared cosine that noise alone gives is of order 1/d"


def studies() -> tuple[Study, ...]:
    """The full size."""
    return (
        _flow(),
        _information_exponent_two(),
        _information_exponent_three(),
        _reuse(),
        _no_reuse(),
        _full_batch("tanh", 1),
        _full_batch("He3", 1),
        _full_batch("He3", 2),
        *(_tree(kappa) for kappa in (1.25, 1.5, 1.75)),
    )


def quick() -> tuple[Study, ...]:
    """Three members: the flow, reuse of data, and the crossing at d^(3/2)."""
    return (
        smaller(_flow(), sizes=(120, 250, 500), seeds=(32, 20, 12)),
        smaller(_reuse(), sizes=(128, 256, 512), seeds=(100, 60, 32)),
        smaller(_tree(1.5), sizes=(36, 64, 144), seeds=(48, 32, 16)),
    )


def _flow() -> Study:
    return Study(
        id="sgd-flow",
        title="One-pass SGD, erf network and target: the overlap against time",
        experiment=SGDExperiment(
            activation="erf(z/sqrt(2))",
            target="erf(z1/sqrt(2))",
            rate=1.5,
            overlap=0.2,
            time=(1.0, 2.0, 3.0, 5.0),
        ),
        sizes=(250, 500, 1000),
        seeds=(40, 24, 16),
        claims=(
            Claim(
                id="overlap",
                statement="The overlap follows the flow at t = 1, 2, 3, 5.",
                source=_FLOW,
                observable="overlap",
                reduction="mean",
                margin=Margin(absolute=0.015),
                argument=_SMOOTH,
                mutants=("noise-dropped", "rate-doubled"),
                formula=r"\dot m = \gamma(1-m^2)\phi^\prime(m)-\frac{\gamma^2}{2}m\,N(m)",
            ),
        ),
    )


def _information_exponent_two() -> Study:
    return Study(
        id="sgd-information-exponent-2",
        title="One-pass SGD on He2: escape from a small overlap",
        experiment=SGDExperiment(
            activation="He2(z)",
            target="He2(z1)",
            rate=0.1,
            overlap=0.3,
            time=(1.0, 2.0, 4.0),
            loss="correlation",
        ),
        sizes=(250, 500, 1000),
        seeds=(80, 48, 32),
        claims=(
            Claim(
                id="overlap",
                statement="The overlap grows as its flow says: exponentially, in O(log d) from d^(-1/2).",
                source=_FLOW,
                observable="overlap",
                reduction="mean",
                margin=Margin(absolute=0.016),
                argument=_SMOOTH,
                mutants=("rate-doubled",),
                formula=r"\dot m \approx \gamma\,\mu_2(\sigma)\mu_2(g)\,m",
            ),
        ),
    )


def _information_exponent_three() -> Study:
    return Study(
        id="sgd-information-exponent-3",
        title="One-pass SGD on He3 with n of order d from a random start",
        experiment=SGDExperiment(
            activation="He3(z)",
            target="He3(z1)",
            rate=0.02,
            overlap=0.0,
            time=(5.0,),
            loss="correlation",
            random_start=True,
        ),
        sizes=(125, 250, 500),
        seeds=(80, 48, 32),
        claims=(
            Claim(
                id="not-learned",
                statement="No overlap is left as d grows: information exponent 3 needs n of order d^2.",
                source=_FLOW,
                observable="overlap_squared",
                relation="at_most",
                margin=Margin(absolute=0.01),
                argument=_SQUARE,
                formula=r"n = d^{\ell-1}\ \ (\ell\geq 3)",
            ),
        ),
    )


def _reuse() -> Study:
    return Study(
        id="reuse-he3",
        title="SGD with a look-ahead on the same sample learns He3 in O(d) samples",
        experiment=ReuseExperiment(activation="relu", target="He3(z1)"),
        sizes=(256, 512, 1024),
        seeds=(100, 60, 32),
        claims=(
            Claim(
                id="cosine",
                statement="The published setting ends at the overlap of its flow, whatever the dimension.",
                source=_REUSE,
                observable="cosine1",
                margin=Margin(absolute=0.006),
                argument=_SMOOTH,
                mutants=("no-reuse",),
                formula=r"D(0) = E[h_*\,T(g(h_*))] \neq 0,\ k^* = 1",
            ),
        ),
    )


def _no_reuse() -> Study:
    return Study(
        id="no-reuse-he3",
        title="The same without the look-ahead",
        experiment=ReuseExperiment(activation="relu", target="He3(z1)", method="sgd", reuse=0.0),
        sizes=(128, 256, 512),
        seeds=(100, 60, 32),
        claims=(
            Claim(
                id="not-learned",
                statement="One pass leaves no overlap as d grows.",
                source=_REUSE,
                observable="squared1",
                relation="at_most",
                margin=Margin(absolute=0.0012),
                argument=_SQUARE,
            ),
        ),
    )


# (expected, relation, margin, statement)
_BATCHES: dict[tuple[str, int], tuple[float, Relation, float, str]] = {
    ("tanh", 1): (0.03, "at_least", 0.01, "One iteration learns tanh, whatever the dimension."),
    ("He3", 1): (0.0, "equal", 0.015, "One iteration learns nothing of He3."),
    ("He3", 2): (-0.012, "at_most", 0.006, "A second iteration on the same batch learns He3."),
}


def _full_batch(target: str, uses: int) -> Study:
    expected, relation, margin, statement = _BATCHES[target, uses]
    return Study(
        id=f"full-batch-{target.lower()}-{uses}",
        title=f"One batch of 3 d samples, used {'once' if uses == 1 else 'twice'}: {target}",
        experiment=ReuseExperiment(
            activation="relu",
            target=f"{target}(z1)",
            method="batch-reuse",
            reuse=float(uses),
            alpha=3.0,
            rate=0.1,
        ),
        sizes=(250, 500, 1000),
        seeds=(160, 100, 60),
        claims=(
            Claim(
                id="not-learned" if relation == "equal" else "learned",
                statement=statement,
                source=_FULL_BATCH,
                observable="cosine1",
                expected=expected,
                relation=relation,
                margin=Margin(absolute=margin),
                argument="a signed overlap with the planted direction: bias of order 1/d",
                formula=r"E[h_*\,\mathcal{T}(g(h_*))] \neq 0",
            ),
        ),
    )


# (id, statement, exponent of d in the share that is found, relation, margin)
_TREES: dict[float, tuple[str, str, float, Relation, float]] = {
    1.25: ("no-recovery", "Below n = d^(3/2) they are lost as d grows.", -0.3, "at_most", 0.1),
    1.5: ("crossing", "At n = d^(3/2) the share that is found does not move with d.", 0.0, "equal", 0.15),
    1.75: ("recovery", "Above n = d^(3/2) more of them is found as d grows.", 0.05, "at_least", 0.04),
}


def _tree(kappa: float) -> Study:
    name, statement, exponent, relation, margin = _TREES[kappa]
    return Study(
        id=f"three-layer-{kappa:g}",
        title=f"Three-layer target: the first layer's directions by their spectral proxy, n = d^{kappa:g}",
        experiment=ThreeLayerExperiment(kappa=kappa),
        sizes=(64, 121, 256),
        seeds=(32, 20, 10),
        claims=(
            Claim(
                id=name,
                statement=statement,
                source=_TREE,
                observable="recovered",
                rule=Slope(),
                expected=exponent,
                relation=relation,
                margin=Margin(absolute=margin),
                argument="the exponent of d changes sign where the first layer finds its directions",
                formula=r"n \gg d^{1+\epsilon}",
            ),
        ),
    )
