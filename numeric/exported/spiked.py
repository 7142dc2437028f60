"""`SpikedRandomFeatures.export`: the curve after a giant step as one file.

Source: arXiv 2402.04980, Results 3.1 to 3.3, in the closed form of docs/theory.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hermite_analytics.conditional import (
    conditional_coefficients,
    feature_points,
    hermite_data,
    target_data,
    teacher_averages,
)
from hermite_analytics.errors import HermiteAnalyticsError, InputError, UnsupportedExpression
from hermite_analytics.numeric.exported.document import Constant, Document, Formula
from hermite_analytics.numeric.exported.flags import Flag
from hermite_analytics.numeric.models.giant_step.model import STEP_CONVENTIONS, GiantStep
from hermite_analytics.numeric.models.spiked.changes import UNSETTLED
from hermite_analytics.numeric.models.spiked.tables import MOST_LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermite_analytics.numeric.models.spiked.model import SpikedRandomFeatures

__all__ = ["spiked_file"]

_FROM_STEP, _SPIKE = ("alpha0", "eta"), ("r", "c", "gamma")
_FLAGS = (
    Flag(name="alpha0", low=0.0, help="n0/d, samples of the step"),
    Flag(name="eta", low=0.0, help="step size over d"),
    Flag(name="r", help="strength of the spike"),
    Flag(name="c", low=0.0, open_low=True, help="squared norm of a bulk row"),
    Flag(name="gamma", low=-1.0, high=1.0, help="overlap of spike and target"),
    Flag(name="beta", low=0.0, open_low=True, help="p/d, neurons"),
    Flag(name="ridge", low=0.0, open_low=True, help="lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2"),
    Flag(name="noise", low=0.0, value=0.0, help="variance of the label noise"),
)
_NETWORK = """\
    inputs      x ~ N(0, I_d), labels y = g(theta.x) + noise, |theta| = 1
    features    phi_j(x) = sigma(w_j.x), w_j = (row j of W) + r v, |v| = 1, v.theta = gamma; |row of W|^2 = c
    readout     a minimises sum_i (y_i - a.phi(x_i)/sqrt p)^2 + ridge |a|^2 over n fresh samples
    ratios      alpha = n/d, beta = p/d
    activation  sigma(z) = {activation}
    target      g(z1) = {target}"""
_STEP = """\
    P = E g^2 + noise,  h1 = E sigma'(z),  hcheck = Var sigma'(z),  g1 = E z g(z),  e = {effective}
    r = e h1 sqrt(P/alpha0 + g1^2),  c = 1 + e^2 (P/alpha0) hcheck,  gamma = g1/sqrt(P/alpha0 + g1^2)"""
_FEATURES = """\
    mu0 = E_z sigma(s),  mu1 = E_z sigma'(s),  mu2^2 = E_z sigma(s)^2 - mu0^2 - c mu1^2
    s = r kappa + sqrt(c) z
    h = E_z g(u),  h1 = E_z z g(u),  hh = E_z g(u)^2,  u = gamma kappa + sqrt(1 - gamma^2) z"""
_SADDLE = """\
    w = 1/(1 + mu1^2 V1 + mu2^2 V2),   cc = mu0 m + kappa mu1 zeta
    R2 = hh - 2 cc h + cc^2 - 2 mu1 psi h1 + mu1^2 q1 + mu2^2 q2 + noise
    s = (alpha/beta) E[mu1^2 w],   t = ridge + (alpha/beta) E[mu2^2 w],   b = t + s c (1 - beta)
    V2 = 2/(b + sqrt(b^2 + 4 t s c beta)),   V1 = c V2/(1 + beta s c V2)
    q1^ = (alpha/beta) E[mu1^2 R2 w^2],   q2^ = (alpha/beta) E[mu2^2 R2 w^2]
    zeta^ = (alpha/sqrt beta) E[kappa mu1 (h - cc) w],   psi^ = (alpha/sqrt beta) E[mu1 h1 w]
    m = E[mu0 (h - kappa mu1 zeta) w]/E[mu0^2 w],   zeta = sqrt(beta) c zeta^ V2,   psi = sqrt(beta) psi^ V1
    X = 1 - beta s^2 V1^2,   A0 = V2^2/X,   A1 = V1^2/(c X),   A2 = beta V1^2 + A1 V1^2/(c V2^2)
    q1 = (q1^ + psi^^2) A2 + (q2^ + c zeta^^2) A1,   q2 = (q1^ + psi^^2) A1 + (q2^ + c zeta^^2) A0
    test error = E[R2] - noise,   training error = E[R2 w^2]"""
_GIANT_STEP = '''\
def giant_step(alpha0: float, eta: float, beta: float, noise: float) -> tuple[float, float, float]:
    """(r, c, gamma) after one gradient step of size eta d on alpha0 d samples."""
    if alpha0 == 0.0:
        return 0.0, 1.0, 0.0
    step = {effective}
    share = (TARGET_POWER + noise) / alpha0
    norm = math.sqrt(share + TARGET_SLOPE**2)
    gamma = TARGET_SLOPE / norm if norm > 0.0 else 0.0
    return step * SLOPE * norm, 1.0 + step**2 * share * SLOPE_VARIANCE, gamma'''
_TABLE = '''\
def functions_of_kappa(r: float, c: float, gamma: float, level: int) -> Functions:
    """All functions of kappa at the nodes of a rule, which each level refines."""
    kappa, weight = gaussian_rule(features_of(r, c, gamma, KINKS, TARGET_KINKS), level)
    mu0, mu1, mu2_squared = conditional_coefficients(kappa, c, r)
    if abs(gamma) < 1.0:
        h, h1, hh = teacher_averages(kappa, gamma)
    else:  # no average is left
        h = target(gamma * kappa)
        h1, hh = np.zeros_like(h), h**2
    return Functions(weight, kappa, mu0, mu1, mu2_squared, h, h1, hh)'''
_SOLVE = '''\
def solve(
    alpha: float, *, beta: float, ridge: float, r: float, c: float, gamma: float, noise: float
) -> dict[str, float]:
    """The saddle point, with the rule over kappa refined until no result changes by more than 1e-12.

    What they changed by is reported as `numerical_error`. Refinements widen the range of kappa too: results
    that change by more than 1e-2 in the last one are infinite averages. `noise` is the variance of all label
    noise.
    """
    ratios = {"alpha": alpha, "beta": beta, "ridge": ridge, "noise": noise, "r": r, "c": c, "gamma": gamma}
    before: dict[str, float] = {}
    for level in range(MOST_LEVELS):
        functions = functions_of_kappa(r, c, gamma, level)
        found = saddle_point(functions, alpha=alpha, beta=beta, ridge=ridge, noise=noise, c=c)
        change = relative_change(before, found, TARGET_POWER) if before else math.inf
        if change <= 1e-12:
            break
        before = found
    if not (math.isfinite(found["test_error"]) and math.isfinite(found["train_error"])):
        raise ArithmeticError("an error is no finite number")
    if change > UNSETTLED:
        raise ArithmeticError(f"averages over kappa do not settle, the last refinement changes {change:.2g}")
    return {**ratios, **found, "numerical_error": change}'''
_BODY = """\
        noise = args.noise + TARGET_NOISE
        r, c, gamma = {spike}
        common = {{"beta": args.beta, "ridge": args.ridge, "r": r, "c": c, "gamma": gamma, "noise": noise}}
        rows = [solve(alpha, **common) for alpha in args.alpha]"""
_SOLVER = ("saddle_point", "features_of", "relative_change", "Functions", "math")


def spiked_file(
    model: SpikedRandomFeatures, values: Mapping[str, float | None], *, step_convention: str = "paper"
) -> str:
    """The text of the file.

    Parameters
    ----------
    model : SpikedRandomFeatures
        Square loss, one letter, no bias, Gaussian rows.
    values : mapping
        Defaults of the file's flags alpha0, eta, r, c, gamma, beta, ridge, noise; what is None has to be
        given when the file runs.
    step_convention : {"paper", "notebook"}

    Raises
    ------
    InputError
        Both a step and a spike, an unknown convention.
    UnsupportedExpression
        Another loss, letters, a bias.
    """
    _check(model)
    if step_convention not in STEP_CONVENTIONS:
        raise InputError(
            f"unknown step convention {step_convention!r}; accepted: {', '.join(STEP_CONVENTIONS)}"
        )
    by_step = _is_by_step(model, values)
    effective = "eta / beta" if step_convention == "paper" else "eta"
    _, slope, second = target_data(model.target)
    inner, outer = feature_points(model.activation, model.target)
    g, z1 = model.target.single_index()
    constants = [
        Constant(name="TARGET_POWER", value=second, comment="E g(z)^2"),
        Constant(
            name="TARGET_NOISE",
            value=float(model.target.noise_variance),
            comment="of the noise in the target",
        ),
        Constant(name="KINKS", value=inner, comment="of sigma, in its argument"),
        Constant(name="TARGET_KINKS", value=outer, comment="of g"),
        Constant(name="MOST_LEVELS", value=MOST_LEVELS, comment="refinements of the rule over kappa"),
        Constant(name="UNSETTLED", value=UNSETTLED, comment="change in the last one: no average there"),
    ]
    if by_step:
        data = hermite_data(model.activation, model.target)
        constants[:0] = [
            Constant(name="SLOPE", value=data.slope, comment="E sigma'(z)"),
            Constant(name="SLOPE_VARIANCE", value=data.slope_variance, comment="Var sigma'(z)"),
            Constant(name="TARGET_SLOPE", value=slope, comment="E z g(z)"),
        ]
    shown = _NETWORK.format(activation=model.activation.expression, target=g)
    sections = ["Both errors of the readout in the limit n, p, d -> infinity, for", shown]
    if by_step:
        sections += [
            "The spike is that of one gradient step on n0 = alpha0 d samples (Result 3.1, eqs 8-12):",
            _STEP.format(effective=effective.replace(" ", "")),
        ]
    sections += [
        "With kappa = v.x ~ N(0, 1) and z ~ N(0, 1) independent of it (Result 3.2, eqs 13-16):",
        _FEATURES,
        "The saddle point (Result 3.3, eqs 17-25, the bulk averages in closed form); E is over kappa:",
        _SADDLE,
        "(V1, V2) is a fixed point by itself, found by iteration; (m, zeta) and (q1, q2) are linear.",
        "Source: H. Cui et al., Asymptotics of feature learning in two-layer networks after one "
        "gradient-step (arXiv 2402.04980). Errors and overlaps agree with the library to 1e-10.",
    ]
    spike = "giant_step(args.alpha0, args.eta, args.beta, noise)" if by_step else "args.r, args.c, args.gamma"
    return Document(
        model="spiked-random-features",
        summary="Ridge regression on spiked random features: test and training error.",
        sections=sections,
        constants=constants,
        formulas=[
            Formula(
                name="conditional_coefficients",
                expressions=conditional_coefficients(model.activation),
                arguments=("kappa", "c", "r"),
                docstring="mu0, mu1, mu2^2 of the activation.",
            ),
            Formula(
                name="teacher_averages",
                expressions=teacher_averages(model.target),
                arguments=("kappa", "gamma"),
                docstring="h, h1, hh of the target, for |gamma| < 1.",
            ),
            Formula(name="target", expressions={"g": g}, arguments=(z1.name,), docstring="The target g."),
        ],
        functions=[*([_GIANT_STEP.format(effective=effective)] if by_step else []), _TABLE, _SOLVE],
        solver=("hermite_analytics.numeric.exported.spiked_solver", _SOLVER),
        tools=("hermite_analytics.numeric.gaussian_rule", ["gaussian_rule"]),
        flags=_flags(values, by_step),
        body=_BODY.format(spike=spike),
        shown=("alpha", "test_error", "train_error"),
    ).text()


def _check(model: SpikedRandomFeatures) -> None:
    refused = {
        "loss": model.loss if model.loss != "square" else None,
        "letters": None if getattr(model.letters, "is_uniform", False) else "several",
        "bias": model.bias if model.bias != 0.0 else None,
        "bulk": model.bulk if model.bulk != "gaussian" else None,
        "flips": f"{model.flips:g}" if model.flips > 0.0 else None,
    }
    for name, value in refused.items():
        if value is not None:
            raise UnsupportedExpression(
                "a file is exported for the square loss, one letter, no bias, Gaussian rows and labels as "
                f"they are; {name} is {value}"
            )


def _is_by_step(model: SpikedRandomFeatures, values: Mapping[str, float | None]) -> bool:
    """Whether the file makes the spike from a step: what was given decides, else whether there is a step."""
    steps, spikes = ([n for n in names if values.get(n) is not None] for names in (_FROM_STEP, _SPIKE))
    if steps and spikes:
        raise InputError(f"{steps[0]} and {spikes[0]} exclude each other: give the step or the spike")
    if spikes:
        return False
    try:
        GiantStep(model.activation, model.target)
        if not model.activation.is_odd:
            raise UnsupportedExpression(
                f"a file makes the step of an odd activation, and {model.activation.text} is not shown to be "
                "odd; give r, c, gamma"
            )
    except HermiteAnalyticsError:
        if steps:
            raise
        return False
    return True


def _flags(values: Mapping[str, float | None], by_step: bool) -> list[Flag]:
    left_out = _SPIKE if by_step else _FROM_STEP
    alpha = Flag(
        name="alpha", low=0.0, open_low=True, several=True, help="n/d, one number or several with commas"
    )
    given = {name: value for name, value in values.items() if value is not None}
    return [alpha, *(replace(f, value=given.get(f.name, f.value)) for f in _FLAGS if f.name not in left_out)]
