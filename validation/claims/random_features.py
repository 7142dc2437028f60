"""Readouts on features that are not trained: random features, logistic and hinge losses, kernels, spectra."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import ONE_STEP, RISK, SMALL_STEP, smaller
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.experiments import PowerLawExperiment, RandomFeaturesExperiment

__all__ = ["quick", "studies"]

_GERACE = f"arXiv 2002.09339 (Gerace et al.); {ONE_STEP}, saddle-point equations of random features"
_EQUIVALENCE = f"{ONE_STEP}, Gaussian equivalence principle"
_DETERMINISTIC = f"arXiv 2405.15699 (Defilippis, Loureiro, Misiakiewicz); {ONE_STEP}, beyond proportional"
_RATE = "misclassification rates and losses far from a transition: smooth functionals, bias of order 1/d"


def studies() -> tuple[Study, ...]:
    """The full size."""
    return (
        _curve(),
        _equivalent(),
        _margin_loss("logistic"),
        _margin_loss("hinge"),
        _kernel_bound("network"),
        _kernel_bound("tangent"),
        _power_law("features", 2.0),
        _power_law("kernel", float("inf")),
        _power_law("few-features", 0.5),
    )


def quick() -> tuple[Study, ...]:
    """Two members: logistic regression, and one deterministic equivalent."""
    logistic = smaller(_margin_loss("logistic"), sizes=(60, 96, 144), seeds=(48, 34, 20))
    return logistic, smaller(_power_law("features", 2.0), seeds=(60, 42, 24))


def _curve() -> Study:
    return Study(
        id="random-features-curve",
        title="Ridge regression on random features: tanh network, tanh target, with label noise",
        experiment=RandomFeaturesExperiment(
            activation="tanh",
            target="tanh(z1)",
            alpha=(0.5, 1.0, 2.0, 3.0, 4.0),
            beta=2.0,
            ridge=0.1,
            noise=0.09,
            test=5.0,
        ),
        sizes=(80, 128, 192),
        seeds=(240, 168, 96),
        claims=(
            Claim(
                id="test-error",
                statement="The learning curve is the predicted one, through the interpolation peak.",
                source=_GERACE,
                observable="test_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.03),
                argument=RISK,
                mutants=("residual-dropped", "noise-dropped"),
                formula=(
                    r"E = \frac{|P_1f|^2B(\mu_1^2)+|P_{>1}f|^2+\Delta\Upsilon}{1-\Upsilon},\quad "
                    r"B(x)=\frac{s_2^2(1+\chi x)}{(x+s_2)^2}"
                ),
            ),
            Claim(
                id="train-error",
                statement="So is the training error.",
                source=_GERACE,
                observable="train_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.04),
                argument=RISK,
                mutants=("ridge-doubled", "residual-dropped", "noise-dropped"),
                formula=r"(1-t/\alpha)^2(E+\Delta)",
            ),
            Claim(
                id="overlap",
                statement="So is the overlap of the prediction with the target's linear part.",
                source=_GERACE,
                observable="psi",
                reduction="mean-ratio",
                margin=Margin(absolute=0.03),
                argument="a signed overlap with the planted direction: bias of order 1/d",
                mutants=("ridge-doubled", "residual-dropped"),
            ),
        ),
    )


def _equivalent() -> Study:
    return Study(
        id="random-features-equivalent",
        title="The same readout on Gaussian features mu_0 + mu_1 W x + mu_* xi",
        experiment=RandomFeaturesExperiment(
            activation="relu(z)",
            target="tanh(z1)",
            alpha=(0.5, 1.0, 2.0, 4.0),
            beta=2.0,
            ridge=0.1,
            features="equivalent",
            test=5.0,
        ),
        sizes=(80, 128, 192),
        seeds=(240, 168, 96),
        claims=(
            Claim(
                id="test-error",
                statement="Gaussian features have the test error of the network's features.",
                source=_EQUIVALENCE,
                observable="test_error",
                reduction="mean-ratio",
                margin=Margin(absolute=0.03),
                argument=RISK,
                mutants=("residual-dropped",),
                formula=r"\sigma(\langle w,x\rangle) \approx \mu_0+\mu_1\langle w,x\rangle+\mu_\star\xi",
            ),
        ),
    )


def _margin_loss(loss: str) -> Study:
    return Study(
        id=f"random-features-{loss}",
        title=f"Classification by the {loss} loss on random features: tanh network, sign target",
        experiment=RandomFeaturesExperiment(
            activation="tanh",
            target="sign(z1)",
            alpha=(2.0,),
            beta=1.5,
            ridge=0.1,
            loss="logistic" if loss == "logistic" else "hinge",
            test=20.0,
        ),
        sizes=(80, 128, 192),
        seeds=(320, 224, 128),
        claims=(
            Claim(
                id="test-error",
                statement="The misclassification rate is the predicted one.",
                source=_GERACE,
                observable="test_error",
                margin=Margin(relative=0.03),
                argument=_RATE,
                mutants=("residual-dropped",),
                formula=r"\arccos(M/\sqrt{Q})/\pi",
            ),
            Claim(
                id="train-error",
                statement="The training loss is the predicted one.",
                source=_GERACE,
                observable="train_error",
                margin=Margin(relative=0.04),
                argument=_RATE,
                mutants=("ridge-doubled", "residual-dropped"),
                formula=r"E_{\xi,y}[\mathcal{Z}(y,\omega_0)\,\ell(y,\eta(y,\omega_1))]",
            ),
            Claim(
                id="variance",
                statement="The variance of the field of a fresh sample is the predicted one.",
                source=_GERACE,
                observable="Q",
                margin=Margin(relative=0.06),
                argument=RISK,
                mutants=("ridge-doubled", "residual-dropped"),
                formula=r"Q = \mu_1^2 q_s+\mu_\star^2 q_w",
            ),
        ),
    )


def _kernel_bound(features: str) -> Study:
    name = {"network": "conjugate", "tangent": "tangent"}[features]
    return Study(
        id=f"kernel-bound-{name}",
        title=f"What the {name} kernel cannot learn at n ~ d",
        experiment=RandomFeaturesExperiment(
            activation="tanh",
            target="z1 + He2(z1)/2",
            alpha=(6.0,),
            beta=2.0,
            ridge=0.5,
            features="network" if features == "network" else "tangent",
            test=10.0,
        ),
        sizes=(60, 96, 144),
        seeds=(40, 28, 16),
        claims=(
            Claim(
                id="lower-bound",
                statement="Its risk stays above the squared norm of the target's nonlinear part.",
                source=f"{SMALL_STEP}, theorem: min(R_CK, R_NT) >= |P_(>1) f|^2 for n, N ~ d",
                observable="test_error",
                prediction="kernel_lower_bound",
                relation="at_least",
                margin=Margin(relative=0.03),
                argument=RISK,
                formula=(
                    r"\inf_\lambda\min\{R(f^\lambda_{CK}),R(f^\lambda_{NT})\}"
                    r" \geq \|P_{>1}f^*\|^2_{L^2}"
                ),
            ),
        ),
    )


def _power_law(name: str, features: float) -> Study:
    return Study(
        id=f"deterministic-equivalent-{name}",
        title="Random features of a power-law spectrum"
        + (", infinitely many" if features == float("inf") else f", p = {features:g} n"),
        experiment=PowerLawExperiment(
            eigenvalue_power=1.5, coefficient_power=2.2, features=features, ridge=0.01, noise=0.01
        ),
        sizes=(100, 160, 240),
        seeds=(200, 140, 80),
        claims=(
            Claim(
                id="test-error",
                statement="The test error at finite n and p is that of the deterministic equivalent.",
                source=_DETERMINISTIC,
                observable="test_error",
                margin=Margin(absolute=0.04),
                argument="the equivalent is exact up to a relative error that falls with n",
                mutants=("noise-dropped",)
                if features == float("inf")
                else ("kernel-for-features", "noise-dropped"),
                formula=(
                    r"n-\lambda/\nu_1 = \mathrm{Tr}\,\Sigma(\Sigma+\nu_2)^{-1},\ "
                    r"p-p\nu_1/\nu_2 = \mathrm{Tr}\,\Sigma(\Sigma+\nu_2)^{-1}"
                ),
            ),
            Claim(
                id="train-error",
                statement="So is the training error.",
                source=_DETERMINISTIC,
                observable="train_error",
                margin=Margin(absolute=0.1),
                argument="the equivalent is exact up to a relative error that falls with n",
                mutants=("noise-dropped",) if features < 1 else ("ridge-doubled", "noise-dropped"),
                formula=r"(1-T/n)^2(R+\sigma^2)",
            ),
        ),
    )
