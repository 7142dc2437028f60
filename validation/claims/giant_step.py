"""The giant step beyond the file of claims: label noise, a vocabulary of readouts, the features' spectrum."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import GIANT_STEP_PAPER, ONE_STEP, RISK, smaller
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.experiments import GiantStepExperiment, SpectrumExperiment

__all__ = ["quick", "studies"]

_ROW = "a smooth function of means over neurons and samples: bias of order 1/d"


def studies() -> tuple[Study, ...]:
    """The full size."""
    return _noise(), _vocabulary(), _spectrum()


def quick() -> tuple[Study, ...]:
    """One member: the spectrum."""
    return (smaller(_spectrum(), seeds=(32, 22, 12)),)


def _noise() -> Study:
    return Study(
        id="network-noise",
        title="A network after a step, labels with noise of variance 1/4 in both stages",
        experiment=GiantStepExperiment(
            activation="tanh",
            target="sin(z1)",
            alpha0=4.0,
            eta=2.0,
            beta=1.0,
            alpha=(1.0, 2.0, 4.0),
            ridge=0.1,
            noise=0.25,
            test=5.0,
        ),
        sizes=(60, 96, 144),
        seeds=(120, 84, 48),
        claims=(
            Claim(
                id="gamma",
                statement="The noise lowers the overlap of spike and target as predicted.",
                source=f"{GIANT_STEP_PAPER}, Result 3.1 with noisy labels",
                observable="gamma",
                margin=Margin(relative=0.03),
                argument=_ROW,
                mutants=("gamma-one",),
                formula=r"\gamma = h_1^*/\sqrt{(h_2^*+\Delta)/\alpha_0+(h_1^*)^2}",
            ),
            Claim(
                id="test-error",
                statement="The learning curve under noise is the predicted one.",
                source=f"{GIANT_STEP_PAPER}, Result 3.3 with noisy labels",
                observable="test_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.05),
                argument=RISK,
                mutants=("gamma-one",),
            ),
            Claim(
                id="train-error",
                statement="So is the training error.",
                source=f"{GIANT_STEP_PAPER}, Result 3.3 with noisy labels",
                observable="train_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.06),
                argument=RISK,
                mutants=("ridge-doubled",),
            ),
        ),
    )


def _vocabulary() -> Study:
    return Study(
        id="network-vocabulary",
        title="A network after a step with readouts of two values, 1/2 and 2",
        experiment=GiantStepExperiment(
            activation="tanh",
            target="sin(z1)",
            alpha0=8.0,
            eta=2.0,
            beta=1.0,
            alpha=(2.0, 4.0),
            ridge=5.0,
            letters=((0.5, 0.5), (2.0, 0.5)),
            test=5.0,
        ),
        sizes=(100, 160, 240),
        seeds=(100, 70, 40),
        claims=(
            Claim(
                id="test-error",
                statement="A finite vocabulary of readouts has the predicted learning curve.",
                source=f"{GIANT_STEP_PAPER}, appendix D, eqs (32), (133)-(164); {ONE_STEP}, initialisation",
                observable="test_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.09),
                argument=RISK,
                mutants=("one-letter",),
                formula=r"\varphi_k = \mu_0(\omega_k r\kappa)+\mu_1(\omega_k r\kappa)\,w_k x+\mu_2\,\xi_k",
            ),
            Claim(
                id="train-error",
                statement="So does its training error.",
                source=f"{GIANT_STEP_PAPER}, appendix D, eqs (32), (133)-(164)",
                observable="train_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.1),
                argument=RISK,
                mutants=("one-letter",),
            ),
        ),
    )


def _spectrum() -> Study:
    return Study(
        id="feature-spectrum",
        title="Eigenvalues of the features after a giant step",
        experiment=SpectrumExperiment(activation="tanh", r=1.2, c=1.1, alpha=2.0, beta=1.0, z=-0.1),
        sizes=(80, 128, 192),
        seeds=(80, 56, 32),
        claims=(
            Claim(
                id="bulk",
                statement="The Stieltjes transform of the bulk is the predicted one.",
                source=f"{GIANT_STEP_PAPER}, appendix F, eqs (173)-(190); {ONE_STEP}, spectral properties",
                observable="stieltjes",
                margin=Margin(relative=0.02),
                argument="a trace of a resolvent: bias of order 1/d",
                mutants=("no-step", "residual-dropped"),
                formula=r"g(z) = V_2|_{\lambda=-z}",
            ),
            Claim(
                id="outlier",
                statement="One eigenvalue grows like n, at the rate E mu_0(kappa)^2.",
                source=f"{GIANT_STEP_PAPER}, appendix F, eq (191)",
                observable="outlier",
                margin=Margin(relative=0.05),
                argument="a quadratic form of means: bias of order 1/d",
                mutants=("no-step", "residual-dropped"),
                formula=r"\lambda_1(\Phi^\top\Phi/p) \simeq n\,E[\mu_0(\kappa)^2]",
            ),
        ),
    )
