"""`StateEvolution.export`: the overlap of Bayes-AMP for one label as one file.

Source: arXiv 1708.03395, in the form of docs/state_evolution.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.exported.document import Constant, Document
from hermite_analytics.numeric.exported.flags import Flag

if TYPE_CHECKING:
    from hermite_analytics.numeric.bayes.state_evolution.model import StateEvolution

__all__ = ["state_evolution_file"]

_MODEL = """\
    inputs      x ~ N(0, I/d), weights w ~ N(0, I), one coordinate z = w.x
    label       y = g({coordinate}) = {target}
    ratio       alpha = n/d"""
_EQUATIONS = """\
    m = alpha F(m)/(1 + alpha F(m)),   F(m) = E_(omega ~ N(0, m)) E_(y | omega) g_out(y, omega, 1 - m)^2
    g_out(y, omega, V) = d/domega log E_(z ~ N(omega, V)) P(y | z) = (E[z | y] - omega)/V
    E[z | y] = sum_i z_i p_i/sum_i p_i over all z_i with g(z_i) = y
    p_i = exp(-(z_i - omega)^2/(2 V))/|g'(z_i)|;  for a value of positive probability z is in its intervals"""
_LABEL = "LABEL = Label(PLACE, WEIGHTS, POINTS, LOG_WEIGHTS, ATOMS)"
_SOLVE = '''\
def solve(alphas: list[float]) -> list[dict[str, float]]:
    """The overlap that AMP reaches at each alpha, and the residual of its equation."""
    alpha_of = overlap_values(LABEL, STARTS_AT_ZERO)
    rows = []
    for alpha in alphas:
        stays = STARTS_AT_ZERO and alpha <= WEAK_RECOVERY
        m = 0.0 if stays else overlap_of(alpha, alpha_of, EXACT_SHARE)
        gain = alpha * m / ((1.0 - m) * alpha_of(m)) if 0.0 < m < 1.0 else 0.0  # alpha F(m)
        residual = abs(m - gain / (1.0 + gain)) if 0.0 < m < 1.0 else 0.0
        rows.append({"alpha": alpha, "overlap": m, "residual": residual})
    return rows'''


def state_evolution_file(model: StateEvolution) -> str:
    """The text of the file; the law of the label stands in it as a table.

    Parameters
    ----------
    model : StateEvolution
        A label of one coordinate without noise.

    Raises
    ------
    UnsupportedExpression
        For other labels.
    """
    model.channel.require_information(model.target)
    one, label = model._overlaps.one, model._overlaps.seen.overlap_map
    text = getattr(model.target, "text", model.target)
    tables = _tables(label) if len(model.channel.rows) == 1 else None
    if one is None or tables is None:
        raise UnsupportedExpression(
            f"state evolution is exported for labels of one coordinate without noise; the label is {text}"
        )
    (row,) = model.channel.rows
    coordinate = " + ".join(f"{x:.15g} z{j + 1}" for j, x in enumerate(row)) if len(row) > 1 else "z1"
    names = ("PLACE", "WEIGHTS", "POINTS", "LOG_WEIGHTS", "ATOMS")
    comments = (
        "a coordinate with the label of each node",
        "of the nodes; they sum to the probability of labels that are no atoms",
        "all coordinates with the label of each node",
        "-log|g'| there; -1e300 where there is no point",
        "intervals of the coordinate, for each value of positive probability",
    )
    zero = one.starts_at_zero
    constants = [
        Constant(
            name="STARTS_AT_ZERO", value=zero, comment="whether E[z | y] = 0, so that m = 0 is a fixed point"
        ),
        Constant(
            name="WEAK_RECOVERY", value=float(one.weak_recovery), comment="alpha below which m = 0 is stable"
        ),
        Constant(name="EXACT_SHARE", value=float(one.exact_share), comment="lim (1 - m) F(m) at m -> 1"),
        *(Constant(name=n, value=v, comment=c) for n, v, c in zip(names, tables, comments, strict=True)),
    ]
    return Document(
        model="state-evolution",
        summary="State evolution of Bayes-AMP: the overlap with the hidden direction.",
        sections=[
            "The overlap m that AMP reaches from a small one in the limit n, d -> infinity, for",
            _MODEL.format(coordinate=coordinate, target=text),
            "The fixed points solve",
            _EQUATIONS,
            "as alpha(m) = m/((1 - m) F(m)): the first one from below is what the iteration reaches. The law "
            "of this label stands below as a table: nodes of a quadrature over its values, with all "
            "coordinates that have them, found by hermite_analytics. Everything else is computed here.",
            "Source: J. Barbier et al., Optimal errors and phase transitions in high-dimensional generalized "
            "linear models (arXiv 1708.03395). Overlaps agree with the library to 1e-10.",
        ],
        constants=constants,
        formulas=[],
        functions=[_LABEL, _SOLVE],
        solver=(
            "hermite_analytics.numeric.exported.state_evolution_solver",
            ["Label", "overlap_values", "overlap_of"],
        ),
        tools=(
            "hermite_analytics.codegen.standalone_backend.special",
            ["np", "normal_cdf", "normal_density"],
        ),
        flags=[Flag(name="alpha", low=0.0, open_low=True, several=True, help="n/d, a comma list of numbers")],
        body="        rows = solve(args.alpha)",
        shown=("alpha", "overlap"),
    ).text()


def _tables(label: Any) -> tuple[Any, ...] | None:
    """place, weights, points, log_weights, atoms of a label without noise; None of another one."""
    case = label.channel if isinstance(label, LabelMap) else None
    if isinstance(case, SheetChannel) and len(case.sheets) == 1:
        nodes = case.nodes(1)
        atoms = [list(zip(a.low.tolist(), a.high.tolist(), strict=True)) for a in case.atoms()]
        return nodes.place, nodes.weights, nodes.points, nodes.log_weights, atoms
    if isinstance(case, BoxChannel) and case.dimension == 1 and not case.noise:
        (edges,), values = case.edges, case.label
        boxes = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
        atoms = [[b for b, v in zip(boxes, values, strict=True) if v == k] for k in range(case.count)]
        nothing = np.zeros(0)
        return nothing, nothing, np.zeros((0, 1)), np.zeros((0, 1)), atoms
    return None
