"""Labels F(h) of two coordinates with F constant between many places: all points of h between two of them.

The law of h is a quadrature over its level curves, between the places of F too: the curves between two of
these are the points of one label. Labels of few values have regions, which resolve their borders better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Dummy, Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.found import Found
from hermite_analytics.label.cases.plane.case import plane_case
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.sampled.solved import SolvedChannel, solved_channel
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.moments import LabelMoments
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.language.kinks import JUMPS
from hermite_analytics.symbols import xi

__all__ = ["SteppedChannel", "stepped_label"]

Array = NDArray[np.float64]

_FEW = 8  # places of F
_SAME = 1e-12


@dataclass(frozen=True)
class SteppedChannel:
    """y = F(h(w1, w2)), F constant between its places.

    Attributes
    ----------
    curves : PlaneChannel
        The law of h, with the places of F among its singular labels.
    places : ndarray, shape (n,)
        Of F, increasing.
    values : ndarray, shape (n + 1,)
        Of F: below, between and above them.
    value : function of points, shape (..., 2)
        The label.
    """

    curves: PlaneChannel
    places: Array
    values: Array
    value: Callable[[Array], Array]
    dimension = 2

    @property
    def exact_share(self) -> float:
        """0: labels of positive probability never determine a direction."""
        return 0.0

    @cached_property
    def _drawn(self) -> SolvedChannel:
        return solved_channel(self.value, 2)

    def at(self, labels: Array) -> LabelMoments:
        """The labels of a data set, shape (n,), by averages over draws."""
        return self._drawn.at(labels)

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """Labels with points close enough along curves for N(omega, V) of a width `size`; levels 0 and 1.

        Across them the curves of a level are the same at every size: a width that is small beside the
        distance of the places of F shows as a difference of the levels, before the finer one is off.
        """
        nodes = self.curves.label_nodes(level, size)
        of_node = self.values[np.searchsorted(self.places, nodes.labels)]
        labels, owner = np.unique(np.repeat(of_node, np.diff(nodes.starts)), return_inverse=True)
        order = np.argsort(owner, kind="stable")
        return LabelNodes(
            labels=labels,
            starts=np.concatenate([[0], np.cumsum(np.bincount(owner))]).astype(np.int64),
            points=nodes.points[order],
            masses=nodes.masses[order],
            defect=nodes.defect,
        )


def stepped_label(problem: Problem) -> Found | None:
    """None of labels of another form, of few values, or where the law of h is not found.

    Examples
    --------
    >>> from hermite_analytics.language.functions import step
    >>> w1, w2 = sympy.symbols("w1 w2", real=True)
    >>> label = sympy.Add(*(step(w1 * w2 - k) for k in range(-5, 6)))
    >>> found = stepped_label(Problem(signal=label, unknown=(w1, w2), known=())).kind
    >>> nodes = found.label_nodes(0)
    >>> nodes.labels.tolist() == list(range(12)), bool(abs(nodes.masses.sum() - 1) < 1e-6)
    (True, True)
    """
    signal, coordinates = problem.signal, problem.unknown
    if len(coordinates) != 2 or signal.has(xi) or problem.known:
        return None
    found = _steps(signal, coordinates)
    if found is None:
        return None
    inner, places, values = found
    try:
        curves = plane_case(inner, (coordinates[0], coordinates[1]))
    except UnsupportedExpression:
        return None
    if curves is None or curves.regions is not None or not len(curves.singular):
        return None
    inside = places[(places > curves.singular[0]) & (places < curves.singular[-1])]
    apart = [p for p in inside if np.abs(curves.singular - p).min() > _SAME * max(1.0, abs(p))]
    singular = np.sort(np.append(curves.singular, apart))
    is_odd = curves.odd is not None and np.allclose(singular, -singular[::-1], rtol=_SAME, atol=_SAME)
    case = SteppedChannel(
        curves=replace(curves, singular=singular, odd=curves.odd if is_odd else None),
        places=places,
        values=values,
        value=function_of_points(signal, coordinates),
    )
    return Found(case, coordinates)


def _steps(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[Expr, Array, Array] | None:
    """(h, the places of F, its values): all coordinates stand in jumps, whose arguments are affine in h."""
    signal = signal.replace(lambda e: e.is_Mul and _signs(e), _joined)
    jumps = sorted((e for e in signal.atoms(sympy.Function) if isinstance(e, JUMPS)), key=str)
    if len(jumps) <= _FEW:
        return None
    t = Dummy("t", real=True)
    inner: Expr | None = None
    places, outer = [], {}
    for jump in jumps:
        number, rest = jump.args[0].as_independent(*coordinates, as_Add=True)
        inner = rest if inner is None else inner
        ratio = rest / inner
        slope = sympy.cancel(ratio) if ratio.free_symbols else ratio
        if not (number.is_number and slope.is_number) or not set(coordinates) <= inner.free_symbols:
            return None
        places.append(float(-number / slope))
        outer[jump] = jump.func(number + slope * t, *jump.args[1:])
    function = signal.xreplace(outer)
    if inner is None or function.xreplace(dict.fromkeys(outer.values(), sympy.S.One)).free_symbols:
        return None
    found = np.unique(places)
    between = np.concatenate([[found[0] - 1], 0.5 * (found[1:] + found[:-1]), [found[-1] + 1]])
    return inner, found, np.asarray(compile(function, (t,), backend="array")(between), dtype=np.float64)


def _signs(product: Expr) -> list[Expr]:
    return [e for e in product.args if isinstance(e, sympy.sign)]


def _joined(product: Expr) -> Expr:
    """sign(a) sign(b) as sign(a b)."""
    signs = _signs(product)
    rest = [e for e in product.args if e not in signs]
    return sympy.Mul(*rest, sympy.sign(sympy.Mul(*(e.args[0] for e in signs))))
