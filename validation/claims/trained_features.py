"""The risk on trained features: Gaussian equivalence after steps of order 1, and steps of order sqrt N."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import RISK, SINGULAR, SMALL_STEP, smaller
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.experiments import EquivalenceExperiment, LargeStepExperiment

__all__ = ["quick", "studies"]


def studies() -> tuple[Study, ...]:
    """The full size."""
    return (
        _figure_kernel(),
        _several_steps(),
        _large_step("tanh", "tanh"),
        _large_step("erf(z)", "erf"),
        _rate(),
    )


def quick() -> tuple[Study, ...]:
    """One member: a large step beats kernels."""
    return (smaller(_large_step("tanh", "tanh"), sizes=(40, 64, 96), seeds=(32, 22, 12)),)


def _figure_kernel() -> Study:
    return Study(
        id="small-step-figure-kernel",
        title="The published spectrum of the kernel: softplus network, tanh target, psi_1 = 3/2, psi_2 = 5/4",
        experiment=EquivalenceExperiment(
            activation="softplus(z)", target="tanh(z1)", eta=4.0, alpha=1.5, beta=1.25, ridge=0.2, test=5.0
        ),
        sizes=(120, 192, 288),
        seeds=(60, 42, 24),
        claims=(
            Claim(
                id="singular-value",
                statement="The outlier of the kernel stands where Gaussian equivalence puts it.",
                source=f"{SMALL_STEP}, figure of the kernel's spectrum (eta = 2 of the undivided loss)",
                observable="kernel_singular_value",
                margin=Margin(relative=0.03),
                argument=SINGULAR,
                mutants=("gradient-factor",),
                formula=r"s_1(\Phi) = \sqrt{\zeta(m)}",
            ),
            Claim(
                id="equivalence",
                statement="The risk is that of the Gaussian equivalent, also for this activation, not odd.",
                source=f"{SMALL_STEP}, Gaussian equivalence for trained features",
                observable="ratio",
                margin=Margin(absolute=0.03),
                argument=RISK,
                formula=r"|R_{CK}(\lambda)-R_{GE}(\lambda)| \to 0",
            ),
        ),
    )


def _several_steps() -> Study:
    return Study(
        id="small-steps",
        title="Several steps of order 1: relu network, tanh target, t = 1, 2, 3",
        experiment=EquivalenceExperiment(
            activation="relu(z)",
            target="tanh(z1)",
            eta=2.0,
            alpha=4.0,
            beta=2.0,
            ridge=0.2,
            steps=(1.0, 2.0, 3.0),
            test=5.0,
        ),
        sizes=(80, 128, 192),
        seeds=(60, 42, 24),
        claims=(
            Claim(
                id="equivalence",
                statement="The network's features and their Gaussian equivalents have the same risk.",
                source=f"{SMALL_STEP}, Gaussian equivalence after t steps; figure of the risk against t",
                observable="ratio",
                reduction="mean",
                margin=Margin(absolute=0.03),
                argument=RISK,
                formula=r"|R_{CK}(\lambda)-R_{GE}(\lambda)| \to 0",
            ),
            Claim(
                id="improvement",
                statement="The risk keeps falling with the number of steps.",
                source=f"{SMALL_STEP}, figure of the risk against t",
                observable="risk_after",
                reduction="log-slope",
                expected=-0.25,
                relation="at_most",
                margin=Margin(absolute=0.05),
                argument=RISK,
            ),
            Claim(
                id="above-the-kernel-bound",
                statement="The risk stays above what kernels can reach.",
                source=f"{SMALL_STEP}, R_GD >= |P_(>1) f|^2 for steps of order 1",
                observable="risk_after",
                prediction="kernel_lower_bound",
                reduction="mean",
                relation="at_least",
                margin=Margin(relative=0.03),
                argument=RISK,
                formula=r"R \geq \|P_{>1}f^*\|^2",
            ),
        ),
    )


def _large_step(activation: str, name: str) -> Study:
    return Study(
        id=f"large-step-{name}",
        title=f"A step of order sqrt N: {name} network, {name} target",
        experiment=LargeStepExperiment(
            activation=activation, target=f"{name}(z1)", eta=4.0, alpha=(12.0,), beta=2.0, ridge=1.0, test=5.0
        ),
        sizes=(50, 80, 120),
        seeds=(40, 28, 16),
        claims=(
            Claim(
                id="beats-kernels",
                statement="One large step takes the risk below what rotationally invariant kernels reach.",
                source=f"{SMALL_STEP}, large learning rate: R_GD < |P_(>1) f|^2 for {name} and {name}",
                observable="risk_after",
                prediction="kernel_lower_bound",
                relation="at_most",
                margin=Margin(relative=0.01),
                argument=RISK,
                formula=r"R_{GD}(\lambda) < \|P_{>1}f^*\|^2",
            ),
        ),
    )


def _rate() -> Study:
    return Study(
        id="large-step-rate",
        title="A step of order sqrt N with erf for erf: the risk falls like d/n",
        experiment=LargeStepExperiment(
            activation="erf(z)",
            target="erf(z1)",
            eta=4.0,
            alpha=(8.0, 16.0, 32.0),
            beta=1.0,
            ridge=1.0,
            test=5.0,
        ),
        sizes=(40, 64, 96),
        seeds=(20, 14, 8),
        claims=(
            Claim(
                id="rate",
                statement="The risk falls at least like 1/psi_1, for tau* = 0.",
                source=f"{SMALL_STEP}, large learning rate: R_GD <= C/psi_1 for erf and erf",
                observable="risk_after",
                reduction="log-slope",
                expected=-1.0,
                relation="at_most",
                margin=Margin(absolute=0.15),
                argument="a ratio of errors, smooth functionals of resolvents: bias of order 1/d",
                formula=r"R_{GD}(\lambda) \leq 16\tau^*+C(\sqrt{\tau^*/\psi_1}+1/\psi_1),\ \tau^*=0",
            ),
        ),
    )
