"""The giant step beyond the file of claims: label noise, biases, letters, the features' spectrum."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import GIANT_STEP_PAPER, ONE_STEP, RISK, smaller
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.experiments import (
    GiantStepExperiment,
    SpectrumExperiment,
    SpikedRandomFeaturesExperiment,
)

__all__ = ["quick", "studies"]

_ROW = "a smooth function of means over neurons and samples: bias of order 1/d"


def studies() -> tuple[Study, ...]:
    """The full size."""
    return _noise(), _bias(), _vocabulary(), _features_with_a_bias(), _features_with_letters(), _spectrum()


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


def _bias() -> Study:
    return Study(
        id="network-bias",
        title="A network after a step, whose neurons have a bias of 1/2 when the readout is fitted",
        experiment=GiantStepExperiment(
            activation="tanh",
            target="sin(z1)",
            alpha0=8.0,
            eta=2.0,
            beta=1.0,
            alpha=(1.0, 2.0, 4.0),
            ridge=0.3,
            bias=0.5,
            test=5.0,
        ),
        sizes=(60, 96, 144),
        seeds=(120, 84, 48),
        claims=tuple(
            Claim(
                id=f"{name}-error",
                statement=f"A bias gives the predicted {name} error along the curve.",
                source=f"{GIANT_STEP_PAPER}, appendix C, eqs (130)-(132)",
                observable=f"{name}_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.06),
                argument=RISK,
                mutants=("bias-dropped",),
                formula=r"\varphi_k = \mu_0+\mu_1\,w_k x+\mu_2\,\xi_k\ \text{at}\ r\kappa+b",
            )
            for name in ("test", "train")
        ),
    )


def _features_with_a_bias() -> Study:
    return Study(
        id="features-bias",
        title="Spiked random features with a bias of 1/2: tanh, target sin",
        experiment=SpikedRandomFeaturesExperiment(
            activation="tanh",
            target="sin(z1)",
            r=1.4,
            c=1.2,
            gamma=0.8,
            beta=1.0,
            alpha=(1.0, 2.0, 4.0),
            ridge=0.3,
            bias=0.5,
            test=8.0,
        ),
        sizes=(60, 96, 144),
        seeds=(200, 140, 80),
        claims=(
            *(
                Claim(
                    id=f"{name}-error",
                    statement=f"A bias is a shift of r kappa in every coefficient: the {name} error follows.",
                    source=f"{GIANT_STEP_PAPER}, appendix C, eqs (130)-(132)",
                    observable=f"{name}_error",
                    reduction="mean-ratio",
                    margin=Margin(relative=0.03),
                    argument=RISK,
                    mutants=mutants,
                    formula=r"\mu_i(\kappa) = \mu_i(r\kappa+b,\ c)",
                )
                for name, mutants in (
                    ("test", ("bias-dropped",)),
                    ("train", ("bias-dropped", "ridge-doubled")),
                )
            ),
            Claim(
                id="zeta",
                statement="It lets the readout see the spike in the bulk: zeta grows twentyfold.",
                source=f"{GIANT_STEP_PAPER}, appendix C, eqs (130)-(132)",
                observable="zeta",
                reduction="mean-ratio",
                margin=Margin(relative=0.1),
                argument="an overlap, a smooth functional of resolvents: bias of order 1/d",
                mutants=("bias-dropped", "zeta-dropped"),
            ),
        ),
    )


def _features_with_letters() -> Study:
    return Study(
        id="features-letters",
        title="Spiked random features with letters 1 and -2: relu, target cos + z",
        experiment=SpikedRandomFeaturesExperiment(
            activation="relu(z)",
            target="cos(z1)+z1",
            r=1.3,
            c=(1.1, 1.4),
            gamma=0.9,
            beta=1.0,
            alpha=(1.0, 2.0, 4.0),
            ridge=0.3,
            letters=((1.0, 0.5), (-2.0, 0.5)),
            test=8.0,
        ),
        sizes=(60, 96, 144),
        seeds=(200, 140, 80),
        claims=tuple(
            Claim(
                id=f"{name}-error",
                statement=f"A vocabulary of two letters gives the predicted {name} error along the curve.",
                source=f"{GIANT_STEP_PAPER}, appendix D, eqs (32), (133)-(164); {ONE_STEP}, initialisation",
                observable=f"{name}_error",
                reduction="mean-ratio",
                margin=Margin(relative=0.03),
                argument=RISK,
                mutants=mutants,
                formula=r"\varphi_k = \mu_0(\omega_k r\kappa)+\mu_1(\omega_k r\kappa)\,w_k x+\mu_2\,\xi_k",
            )
            for name, mutants in (("test", ("one-letter",)), ("train", ("one-letter", "ridge-doubled")))
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
