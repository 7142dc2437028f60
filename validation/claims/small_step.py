"""One gradient step of order 1: the spikes of weights and kernel, and the gain in risk."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import (
    BULK_EDGE,
    OVERLAP,
    RISK,
    SINGULAR,
    SMALL_STEP,
    smaller,
)
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.experiments import SmallStepExperiment
from hermite_analytics.validation.rules import Limit, Slope

__all__ = ["quick", "studies"]

_EDGE = Limit(exponents=(2 / 3,))


def studies() -> tuple[Study, ...]:
    """The full size."""
    return (
        _spike(),
        _kernel_spike(),
        _below(),
        _figure_weights(),
        _wide(),
        _decomposition(),
    )


def quick() -> tuple[Study, ...]:
    """One member: the spike of the weights and the risk before it; that after it takes more seeds."""
    study = _spike()
    kept = ("theta1", "weights-alignment", "weights-bulk", "risk-before")
    return (smaller(study, seeds=(40, 28, 16), claims=kept),)


_TANH = SmallStepExperiment(
    activation="tanh", target="tanh(z1)", eta=8.0, alpha=4.0, beta=2.0, ridge=0.2, noise=0.09, test=5.0
)


def _spike() -> Study:
    return Study(
        id="small-step-spike",
        title="A step of order 1 above the threshold: tanh network, tanh target",
        experiment=_TANH,
        sizes=(80, 128, 192),
        seeds=(80, 56, 32),
        claims=(
            Claim(
                id="theta1",
                statement="The rank-one part of the step has the predicted strength theta_1.",
                source=f"{SMALL_STEP}, theorem on the spiked weights",
                observable="weights_theta1",
                margin=Margin(relative=0.03),
                argument="the squared length is a mean over samples: bias of order 1/d",
                mutants=("theta1-misprint", "theta1-noiseless", "gradient-factor"),
                formula=r"\theta_1 = \eta\mu_1\sqrt{\mu_1^{*2} + E[y^2]/\psi_1}",
            ),
            Claim(
                id="weights-spike",
                statement="The largest singular value of the weights leaves the bulk to where it should.",
                source=f"{SMALL_STEP}, theorem on the spiked weights",
                observable="weights_singular_value",
                margin=Margin(relative=0.03),
                argument=SINGULAR,
                mutants=("theta1-misprint", "theta1-noiseless", "gradient-factor"),
                formula=r"s_1(W_1) = \sqrt{(1+\theta_1^2)(\psi_2+\theta_1^2)}/\theta_1",
            ),
            Claim(
                id="weights-alignment",
                statement="Its singular vector has the predicted overlap with the target's linear part.",
                source=f"{SMALL_STEP}, theorem on the spiked weights",
                observable="weights_alignment",
                margin=Margin(absolute=0.025),
                argument=OVERLAP,
                mutants=("theta1-misprint", "alignment-with-gradient"),
                formula=(
                    r"|\langle u_1,\beta_*\rangle|^2 = \frac{\theta_2^2}{\theta_1^2}"
                    r"\left(1-\frac{\psi_2+\theta_1^2}{\theta_1^2(\theta_1^2+1)}\right)"
                ),
            ),
            Claim(
                id="weights-bulk",
                statement="The step leaves the bulk of the weights' spectrum as it was.",
                source=f"{SMALL_STEP}, figure of the weights' spectrum (Marchenko-Pastur)",
                observable="weights_resolvent",
                margin=Margin(relative=0.01),
                argument="a trace of a resolvent: bias of order 1/d",
                formula=r"\frac{1}{d}\mathrm{tr}(W_1W_1^\top+1)^{-1} = (\sqrt{\psi_2^2+4}-\psi_2)/2",
            ),
            Claim(
                id="risk-before",
                statement="Ridge regression on the initial features has the predicted risk.",
                source=f"{SMALL_STEP}, R_0(lambda) of the proportional limit (arXiv 1908.05355)",
                observable="risk_before",
                margin=Margin(relative=0.03),
                argument=RISK,
                mutants=("ridge-doubled",),
                formula=(
                    r"R_0 = \frac{\mu_1^{*2}B(\mu_1^2)+\mu_2^{*2}"
                    r"+\sigma_\varepsilon^2\Upsilon}{1-\Upsilon}"
                ),
            ),
            Claim(
                id="risk-after",
                statement="Ridge regression on the features after the step has the predicted risk.",
                source=f"{SMALL_STEP}, theorem on R_0 - R_GD for steps of order 1",
                observable="risk_after",
                margin=Margin(relative=0.04),
                argument=RISK,
                mutants=("no-step",),
                formula=(
                    r"R = \frac{\mu_1^{*2}((1-c_2)B(\mu_1^2)+c_2B(m))+\mu_2^{*2}"
                    r"+\sigma_\varepsilon^2\Upsilon}{1-\Upsilon}"
                ),
            ),
            Claim(
                id="train-after",
                statement="Its training error is as predicted.",
                source=f"{SMALL_STEP}, closed form derived in docs/random_features.md",
                observable="train_after",
                margin=Margin(relative=0.04),
                argument=RISK,
                mutants=("no-step", "ridge-doubled"),
                formula=r"(1-T/\psi_1)^2(R+\sigma_\varepsilon^2)",
            ),
            Claim(
                id="gain",
                statement="The step lowers the risk by the predicted amount delta.",
                source=f"{SMALL_STEP}, theorem on R_0 - R_GD for steps of order 1",
                observable="gain",
                margin=Margin(relative=0.15),
                argument=RISK,
                mutants=("no-step", "ridge-doubled"),
                formula=r"\delta = \mu_1^{*2}c_2\,[B(\mu_1^2)-B(m)]/(1-\Upsilon) \geq 0",
            ),
            Claim(
                id="above-the-kernel-bound",
                statement="After a step of order 1 the risk stays above what kernels can reach.",
                source=f"{SMALL_STEP}, R_0 >= R_GD >= |P_(>1) f|^2",
                observable="risk_after",
                prediction="kernel_lower_bound",
                relation="at_least",
                margin=Margin(relative=0.03),
                argument=RISK,
                formula=r"R \geq \|P_{>1}f^*\|^2",
            ),
        ),
    )


def _kernel_spike() -> Study:
    return Study(
        id="small-step-kernel-spike",
        title="The spike of the kernel after a step of order 1",
        experiment=SmallStepExperiment(
            activation="tanh",
            target="tanh(z1)",
            eta=8.0,
            alpha=4.0,
            beta=2.0,
            ridge=0.2,
            noise=0.09,
            test=0.1,
        ),
        sizes=(120, 190, 290),
        seeds=(60, 42, 24),
        claims=(
            Claim(
                id="singular-value",
                statement="The largest singular value of the features on fresh data is the predicted one.",
                source=f"{SMALL_STEP}, conjecture on the kernel's spike; closed form derived",
                observable="kernel_singular_value",
                margin=Margin(relative=0.05),
                argument=SINGULAR,
                mutants=("theta1-misprint", "gradient-factor", "no-step"),
                formula=r"s_1(\Phi) = \sqrt{\zeta(\mu_1^2(1+\theta_1^2/\psi_2))}",
            ),
            Claim(
                id="alignment",
                statement="Its left singular vector has the predicted overlap with the labels.",
                source=f"{SMALL_STEP}, conjecture on the kernel's spike; closed form derived",
                observable="kernel_alignment",
                margin=Margin(absolute=0.03),
                argument=OVERLAP,
                mutants=("theta1-misprint", "no-step"),
                formula=(
                    r"\langle u_1, y/|y|\rangle^2 = \frac{\mu_1^{*2}c_2\zeta'(m)}"
                    r"{\psi_1E[y^2](1+\tau(m)/\psi_2)}"
                ),
            ),
            Claim(
                id="bulk-edge",
                statement="The second singular value stays at the edge of the initial kernel's bulk.",
                source=f"{SMALL_STEP}, figure of the kernel's spectrum",
                observable="kernel_second_value",
                prediction="kernel_edge",
                rule=_EDGE,
                margin=Margin(relative=0.03),
                argument=BULK_EDGE,
                formula=r"s_2(\Phi) = \sqrt{\zeta(x_c)},\ \zeta'(x_c)=0",
            ),
        ),
    )


def _below() -> Study:
    return Study(
        id="small-step-below-threshold",
        title="A step of order 1 below the threshold theta_1 = psi_2^(1/4)",
        experiment=SmallStepExperiment(
            activation="tanh",
            target="tanh(z1)",
            eta=2.0,
            alpha=4.0,
            beta=2.0,
            ridge=0.2,
            noise=0.09,
            test=5.0,
        ),
        sizes=(80, 128, 192),
        seeds=(80, 56, 32),
        claims=(
            Claim(
                id="no-spike",
                statement="The largest singular value of the weights stays at the edge of the bulk.",
                source=f"{SMALL_STEP}, theorem on the spiked weights",
                observable="weights_singular_value",
                rule=_EDGE,
                margin=Margin(relative=0.02),
                argument=BULK_EDGE,
                formula=r"s_1(W_1) = 1+\sqrt{\psi_2}\ \ (\theta_1\leq\psi_2^{1/4})",
            ),
            Claim(
                id="no-alignment",
                statement="Its singular vector does not align with the target.",
                source=f"{SMALL_STEP}, theorem on the spiked weights",
                observable="weights_alignment",
                margin=Margin(absolute=0.03),
                argument="a squared overlap that tends to 0: bias of order 1/d",
                mutants=("gradient-factor",),
                formula=r"|\langle u_1,\beta_*\rangle| \to 0",
            ),
            Claim(
                id="gain-without-spike",
                statement="The risk is lowered by the predicted amount although there is no spike.",
                source=f"{SMALL_STEP}, theorem on R_0 - R_GD: delta vanishes only with eta, mu_1 or mu_1*",
                observable="gain",
                margin=Margin(relative=0.15),
                argument=RISK,
                mutants=("no-step", "gradient-factor"),
                formula=r"\delta(\eta,\lambda,\psi_1,\psi_2) > 0",
            ),
        ),
    )


def _figure_weights() -> Study:
    return Study(
        id="small-step-figure-weights",
        title="The published spectrum of the weights: tanh network, relu target, (psi_1, psi_2) = (4, 2)",
        experiment=SmallStepExperiment(
            activation="tanh",
            target="relu(z1)",
            eta=2.0,
            alpha=4.0,
            beta=2.0,
            ridge=0.2,
            gradient_factor=2,
            test=5.0,
        ),
        sizes=(100, 160, 240),
        seeds=(160, 112, 64),
        claims=(
            Claim(
                id="spike",
                statement="With the gradient of the undivided loss the published setting shows its outlier.",
                source=f"{SMALL_STEP}, figure of the weights' spectrum",
                observable="weights_singular_value",
                margin=Margin(relative=0.011),
                argument=SINGULAR,
                mutants=("gradient-factor",),
                formula=r"s_1(W_1) = \sqrt{(1+\theta_1^2)(\psi_2+\theta_1^2)}/\theta_1",
            ),
            Claim(
                id="alignment",
                statement="The outlier aligns with the linear part of the target.",
                source=f"{SMALL_STEP}, figure of the weights' spectrum",
                observable="weights_alignment",
                margin=Margin(absolute=0.06),
                argument=OVERLAP,
                mutants=("gradient-factor", "alignment-with-gradient"),
            ),
            Claim(
                id="mean-in-the-risk",
                statement="With a centred activation the mean of the labels stays in the risk.",
                source=f"{SMALL_STEP}, closed form derived in docs/random_features.md",
                observable="risk_after",
                margin=Margin(relative=0.03),
                argument=RISK,
                formula=r"\mu_2^{*2} \to \mu_2^{*2}+\mu_0^{*2}",
            ),
        ),
    )


def _wide() -> Study:
    return Study(
        id="small-step-wide",
        title="A step of order 1 on a wide network",
        experiment=SmallStepExperiment(
            activation="tanh",
            target="tanh(z1)",
            eta=4.0,
            alpha=2.0,
            beta=10.0,
            ridge=0.2,
            noise=0.09,
            test=5.0,
        ),
        sizes=(40, 64, 96),
        seeds=(60, 42, 24),
        claims=(
            Claim(
                id="gain-vanishes",
                statement="The improvement is the predicted small one: it vanishes with the width.",
                source=f"{SMALL_STEP}, proposition: delta -> 0 as psi_2 -> infinity",
                observable="gain",
                margin=Margin(absolute=0.004),
                argument=RISK,
                mutants=("gradient-factor",),
                formula=r"\delta(\eta,\lambda,\psi_1,\psi_2)\to 0\ \ (\psi_2\to\infty)",
            ),
        ),
    )


def _decomposition() -> Study:
    return Study(
        id="small-step-decomposition",
        title="The first gradient is a rank-one matrix A and a rest B of smaller operator norm",
        experiment=SmallStepExperiment(
            activation="tanh",
            target="tanh(z1)",
            eta=4.0,
            alpha=4.0,
            beta=2.0,
            ridge=0.2,
            noise=0.09,
            test=0.1,
        ),
        sizes=(60, 120, 240),
        seeds=(40, 28, 16),
        claims=(
            Claim(
                id="operator-norm",
                statement="The operator norm of B over that of A falls like d^(-1/2).",
                source=f"{SMALL_STEP}, proposition on the gradient matrix (sqrt N |G - A| <~ |G|)",
                observable="weights_remainder_operator",
                rule=Slope(),
                expected=-0.5,
                margin=Margin(absolute=0.1),
                argument="a ratio of norms without a logarithm at these sizes",
                formula=r"\sqrt N\,\|G_0-A\| \lesssim \|G_0\|",
            ),
            Claim(
                id="frobenius-norm",
                statement="The Frobenius norm of B over that of A tends to a constant of order 1.",
                source=f"{SMALL_STEP}, |A|_F and |B|_F of one order; constant derived",
                observable="weights_remainder_frobenius",
                margin=Margin(relative=0.05),
                argument="squared norms are means over samples and neurons: bias of order 1/d",
                formula=(
                    r"\frac{\|B\|_F^2}{\|A\|_F^2} = \frac{\mathrm{Var}\,\sigma'(z)\;E[y^2]/\psi_1}"
                    r"{\mu_1^2(\mu_1^{*2}+E[y^2]/\psi_1)}"
                ),
            ),
        ),
    )
