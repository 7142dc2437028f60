"""`RandomFeatures.export`: ridge regression on random features as one file.

Source: S. Mei and A. Montanari, arXiv 1908.05355, in the form of docs/random_features.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.numeric.exported.document import Constant, Document
from hermite_analytics.numeric.exported.flags import Flag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermite_analytics.numeric.models.random_features.model import RandomFeatures

__all__ = ["random_features_file"]

_FLAGS = (
    Flag(name="beta", low=0.0, open_low=True, help="p/d, neurons"),
    Flag(name="ridge", low=0.0, help="lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2; 0 is the limit"),
    Flag(name="noise", low=0.0, value=0.0, help="variance of the label noise"),
)
_NETWORK = """\
    inputs      x ~ N(0, I_d), labels y = f(x) + noise
    features    phi_j(x) = sigma(w_j.x), w_j uniform on the unit sphere
    readout     a minimises sum_i (y_i - a.phi(x_i)/sqrt p)^2 + ridge |a|^2
    ratios      alpha = n/{scale}, beta = p/{scale}
    activation  sigma(z) = {activation}
    target      f(x) = {target}"""
_EQUATIONS = """\
    t(s) = mu1^2/(mu1^2 + s) + mu2^2/s,   t2 = (mu1^2/(mu1^2 + s2))^2
    alpha - ridge/s1 = t(s2),   beta (1 - s1/s2) = t(s2)
    Upsilon = (beta/alpha) [(t/beta)^2 + (1 - t/beta)^2 t2/(beta - t2)]
    chi = [mu1^2/(mu1^2 + s2)^2 + mu2^2/s2^2]/(beta - t2),   B = s2^2 (1 + chi mu1^2)/(mu1^2 + s2)^2
    test error = [LEARNABLE B + NEVER_LEARNED + noise Upsilon]/(1 - Upsilon)
    training error = (1 - t/alpha)^2 (test error + noise)"""
_SOLVE = '''\
def solve(alpha: float, *, beta: float, ridge: float, noise: float) -> dict[str, float]:
    """Both errors; `noise` is the variance of all label noise."""
    norms = {"first": MU1**2, "second": MU2_SQUARED, "level": LEARNABLE, "above": NEVER_LEARNED}
    found = errors_at(alpha, beta, ridge, noise, **norms)
    return {"alpha": alpha, "beta": beta, "ridge": ridge, "noise": noise, **found}'''
_BODY = """\
        common = {"beta": args.beta, "ridge": args.ridge, "noise": args.noise + TARGET_NOISE}
        rows = [solve(alpha, **common) for alpha in args.alpha]"""


def random_features_file(model: RandomFeatures, values: Mapping[str, float | None]) -> str:
    """The text of the file.

    Parameters
    ----------
    model : RandomFeatures
        Square loss.
    values : mapping
        Defaults of the file's flags beta, ridge, noise; what is None has to be given when the file runs.

    Raises
    ------
    UnsupportedExpression
        Another loss.
    InputError
        A default outside its range.
    """
    if not model.loss.is_square:
        raise UnsupportedExpression(f"a file is exported for the square loss; loss is {model.loss}")
    if model.flips > 0.0:
        raise UnsupportedExpression(f"a file is exported for labels as they are; flips is {model.flips:g}")
    features, norms, degree = model.features, model.norms, model.degree
    given = {name: value for name, value in values.items() if value is not None}
    alpha = Flag(name="alpha", low=0.0, open_low=True, several=True, help="n/d, a comma list of numbers")
    shown = _NETWORK.format(
        activation=model.activation.expression,
        target=model.target.text,
        scale="d" if degree == 1 else f"(number of harmonics of degree {degree})",
    )
    return Document(
        model="random-features",
        summary="Ridge regression on random features: test and training error.",
        sections=[
            "Both errors of the readout in the limit n, p, d -> infinity, for",
            shown,
            "Activation and target enter by norms of their parts of Hermite degree k, the numbers at the "
            f"top; k = {degree}: mu1 = E[He_k sigma]/sqrt(k!), mu2^2 the squared norm of sigma above k, "
            "LEARNABLE that of f at k.",
            "With the unknowns s1, s2 > 0:",
            _EQUATIONS,
            "Source: S. Mei, A. Montanari, The generalization error of random features regression "
            "(arXiv 1908.05355). Errors agree with the library to 1e-10.",
        ],
        constants=[
            Constant(name="MU1", value=features.slope, comment=f"E[He_{degree} sigma]/sqrt({degree}!)"),
            Constant(name="MU2_SQUARED", value=features.residual, comment=f"of sigma above degree {degree}"),
            Constant(name="LEARNABLE", value=norms.level, comment=f"|P_{degree} f|^2"),
            Constant(
                name="NEVER_LEARNED",
                value=norms.above + norms.unlearned(features),
                comment=f"|P_(>{degree}) f|^2, and lower degrees that sigma does not have",
            ),
            Constant(name="TARGET_NOISE", value=norms.noise, comment="variance of the noise in the target"),
        ],
        formulas=[],
        functions=[_SOLVE],
        solver=("hermite_analytics.numeric.exported.random_features_solver", ["errors_at"]),
        tools=None,
        flags=[alpha, *(replace(f, value=given.get(f.name, f.value)) for f in _FLAGS)],
        body=_BODY,
        shown=("alpha", "test_error", "train_error"),
    ).text()
