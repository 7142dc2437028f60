"""The channel of a target: its coordinates, the kind of its label, and what the next stage is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr, Symbol

from hermite_analytics.calculus.clock import TIME_ENDED, TimeEnded, limited
from hermite_analytics.calculus.closed_form import expanded
from hermite_analytics.channel.boxes import BoxChannel
from hermite_analytics.channel.frame import Frame, frames
from hermite_analytics.channel.separable import Term, kinks_of, separated
from hermite_analytics.channel.sheets import LabelSheet, SheetChannel
from hermite_analytics.channel.smooth import NoisyChannel, SoftChannel
from hermite_analytics.codegen import compile
from hermite_analytics.enclosure import Budget
from hermite_analytics.errors import ParseError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.label_noise import averaged
from hermite_analytics.language.integrability import integrability
from hermite_analytics.law import grand_staircase
from hermite_analytics.law.cells import finite_cells
from hermite_analytics.law.zeros import in_elementary_functions
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target
from hermite_analytics.thresholds.functions import along, pieces_between
from hermite_analytics.thresholds.latent import LatentCell, branches, latent_coordinates
from hermite_analytics.thresholds.problem import Problem
from hermite_analytics.thresholds.reduction import reduced, split_signs

__all__ = ["Channel", "channel_of"]

Array = NDArray[np.float64]
Kind = SheetChannel | BoxChannel | SoftChannel | NoisyChannel

DEFAULT_SECONDS = 30.0
_SHARE = 0.3  # of the time left, for the grand staircase
_END = 9.5
_MOST_BOXES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """The label of a target as a channel of orthonormal coordinates.

    Attributes
    ----------
    rows : ndarray, shape (q, r)
        Coordinate k is (row k).z; rows are orthonormal.
    kind : SheetChannel, BoxChannel, SoftChannel or NoisyChannel
        The law of the label.
    seen : tuple of int
        The coordinates that `kind` is a channel of, in its order. The others are known only once the first
        one is known exactly.
    then : tuple of (BoxChannel or other kind, coordinates, share of the labels), or None
        The channel of the other coordinates once the seen one is known.
    regression : tuple of Term, or None
        E[y | z] in products of functions of one coordinate; None where it is not of that form.
    label : str
        The label that `kind` is of, in the coordinates w1, w2, ..: y itself, or an equivalent one.
    first_order : int, math.inf or None
        The least k with E[He_k(w) | y] != 0 in the coordinates that are seen, by the grand staircase of the
        label; inf where there is none, None where that is not proved.
    has_variance : bool or None
        Whether E[E[y | z]^2] is finite; None if that is not decided.
    reasons : tuple of str
        How the label was simplified.
    """

    rows: Array
    kind: Kind
    seen: tuple[int, ...]
    then: tuple[Kind, tuple[int, ...], float] | None
    regression: tuple[Term, ...] | None
    label: str
    first_order: float | None
    has_variance: bool | None
    reasons: tuple[str, ...]


def channel_of(target: Target | str, *, seconds: float = DEFAULT_SECONDS) -> Channel:
    """Prepare the channel of a target.

    Source: arXiv:2306.05139 and 2405.15480 for the channel of Bayes-AMP; the coarea formula.

    Parameters
    ----------
    target : Target or str
        Label noise xi included.
    seconds : float > 0

    Raises
    ------
    UnsupportedExpression
        For a label whose law no engine covers; the message lists what is covered.

    Examples
    --------
    >>> channel = channel_of("z2**2")
    >>> channel.rows.tolist(), type(channel.kind).__name__
    ([[0.0, 1.0]], 'SheetChannel')
    >>> log_z, g, _ = channel.kind.moments(4.0, np.array([0.5]), 0.5)
    >>> round(float(g[0]), 12)  # (2 tanh(omega sqrt(y)/V) - omega)/V
    2.856110320303
    """
    f = Target(target) if isinstance(target, str) else target
    budget = Budget(seconds=seconds)
    try:
        with limited(budget):
            for frame in frames(f.expression, f.dimension):
                found = _prepared(frame, budget)
                if found is not None:
                    return found
    except TimeEnded:
        raise UnsupportedExpression(f"the channel of {f} is not prepared: {TIME_ENDED}") from None
    raise UnsupportedExpression(
        f"the channel of {f} has no engine: state evolution takes labels of one coordinate (noise added or "
        "inside signs), labels of finitely many values with each kink in one of up to three coordinates, a "
        "coordinate beside others that enter through finitely many values, and a*z1 + h(z2) with an even h "
        "in orthogonal coordinates; simulate it by AMP"
    )


def _prepared(frame: Frame, budget: Budget) -> Channel | None:
    given = Problem(signal=frame.signal, unknown=frame.coordinates, known=()).with_signal(frame.signal)
    equivalent = reduced(given)
    methods = (_constant, _noisy, _one_coordinate, _boxes, _with_discrete, _soft)
    for method, problem in ((m, p) for p in (given, equivalent) for m in methods):
        found = method(problem, frame, budget)
        if found is not None:
            kind, seen, then = found
            places = tuple(frame.coordinates.index(w) for w in seen)
            rest = None if then is None else (then[0], tuple(map(frame.coordinates.index, then[1])), then[2])
            return Channel(
                rows=np.array([[float(x) for x in row] for row in frame.rows]).reshape(len(frame.rows), -1),
                kind=kind,
                seen=places,
                then=rest,
                regression=separated(frame.signal, frame.coordinates, budget=budget),
                label=str(problem.signal),
                first_order=_first_order(problem.signal, frame.coordinates, places, budget),
                has_variance=_has_variance(frame, budget),
                reasons=problem.reasons,
            )
    return None


def _first_order(
    label: Expr, coordinates: Sequence[Symbol], seen: Sequence[int], budget: Budget
) -> float | None:
    """The order of the first step, where its directions are the coordinates that are seen."""
    own = label.xreplace({w: variable(j + 1) for j, w in enumerate(coordinates)})
    try:
        steps = grand_staircase(Target(str(own)), seconds=budget.part(_SHARE).seconds)
    except (ParseError, UndefinedQuantity):  # no mean, or too long a text
        return None
    if not steps.orders:
        return math.inf if steps.limit_dimension == 0 else None
    learned = {j for row in steps.bases[1] for j, entry in enumerate(row) if entry != "0"}
    return steps.orders[0] if learned == set(seen) and steps.dimensions[1] == len(seen) else None


def _has_variance(frame: Frame, budget: Budget) -> bool | None:
    closed, rest = averaged(frame.signal, budget=budget)
    return integrability(closed, frame.coordinates, 2).finite if rest == 0 else None


def _is_even(problem: Problem) -> bool:
    """Whether one coordinate enters evenly; the noise has the law of its negative."""
    if len(problem.unknown) != 1:
        return False
    (w,) = problem.unknown
    signal = in_elementary_functions(problem.signal)
    mirrored = [signal.subs(image, simultaneous=True) for image in ({w: -w}, {w: -w, xi: -xi})]
    return any(expanded(split_signs(m - signal)) == 0 for m in mirrored)


Then = tuple[Kind, tuple[Symbol, ...], float] | None
Found = tuple[Kind, tuple[Symbol, ...], Then] | None
Method = Callable[[Problem, Frame, Budget], Found]


def _constant(problem: Problem, frame: Frame, budget: Budget) -> Found:
    """A label that says nothing: one box."""
    if problem.unknown:
        return None
    edges = tuple(np.array([-np.inf, np.inf]) for _ in frame.coordinates)
    label = np.zeros((1,) * len(edges), dtype=np.int64)
    return BoxChannel(edges=edges, label=label, values=np.zeros(1)), frame.coordinates, None


def _noisy(problem: Problem, frame: Frame, budget: Budget) -> Found:
    """h(w) + b xi, or a l + h(w) + b xi with an even h."""
    noise = problem.noise
    if noise is None or len(problem.unknown) > 2:
        return None
    signal = problem.signal.subs(xi, 0)
    if len(problem.unknown) == 2:
        for alone, w in (problem.unknown, problem.unknown[::-1]):
            slope = signal.diff(alone)
            rest = problem.with_signal(signal.subs(alone, 0))
            # M stays diagonal by the reflection of w
            if slope.is_number and slope != 0 and _is_even(rest):
                return _additive(signal.subs(alone, 0), w, float(slope), abs(float(noise))), (alone, w), None
        return None
    if noise == 0:
        return None
    return _additive(signal, problem.unknown[0], 0.0, abs(float(noise))), problem.unknown, None


def _additive(h: Expr, w: Symbol, slope: float, noise: float) -> NoisyChannel:
    function = along(h, w)
    return NoisyChannel(
        edges=kinks_of(function.kinks),
        value=function.value,
        derivative=function.slope,
        slope=slope,
        noise=noise,
    )


def _one_coordinate(problem: Problem, frame: Frame, budget: Budget) -> Found:
    if len(problem.unknown) != 1 or problem.signal.has(xi):
        return None
    sheet = _sheet(problem.signal, problem.unknown[0], 1.0, np.zeros(0), np.zeros((0, 0)))
    if all(p.slope == 0 for p in sheet.pieces):
        return None
    return SheetChannel(sheets=(sheet,), even=_is_even(problem)), problem.unknown, None


def _sheet(signal: Expr, w: Symbol, probability: float, first: Array, second: Array) -> LabelSheet:
    function = along(signal, w)
    return LabelSheet(
        probability=probability,
        value=_full(function.value),
        slope=_full(function.slope),
        pieces=pieces_between(function, -_END, _END),
        first=first,
        second=second,
    )


def _full(function: Callable[..., Array]) -> Callable[[Array], Array]:
    def values(z: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(function(z), dtype=np.float64), np.shape(z)).copy()

    return values


def _boxes(problem: Problem, frame: Frame, budget: Budget) -> Found:
    if problem.noise is None or not 0 < len(problem.unknown) <= 3:
        return None
    signal, noise = problem.signal.subs(xi, 0), abs(float(problem.noise))
    latent = latent_coordinates(signal, problem.unknown)
    if len(latent) < len(problem.unknown):
        return None
    box = _box_channel(signal, problem.unknown, latent, noise)
    return None if box is None else (box, problem.unknown, None)


def _box_channel(
    signal: Expr,
    unknown: Sequence[Symbol],
    latent: dict[Symbol, tuple[LatentCell, ...]],
    noise: float = 0.0,
) -> BoxChannel | None:
    shape = tuple(len(latent[w]) for w in unknown)
    if np.prod(shape) > _MOST_BOXES:
        return None
    kernel = compile(signal, tuple(unknown), backend="array")
    points = np.meshgrid(*(np.array([float(c.point) for c in latent[w]]) for w in unknown), indexing="ij")
    values = np.broadcast_to(np.asarray(kernel(*points), dtype=np.float64), shape)
    ordered = np.sort(values, axis=None)
    distinct = ordered[np.diff(ordered, prepend=-np.inf) > 1e-9 * np.maximum(1.0, np.abs(ordered))]
    label = np.argmin(np.abs(values[..., None] - distinct), axis=-1)
    edges = tuple(_edges(latent[w]) for w in unknown)
    return BoxChannel(edges=edges, label=label.astype(np.int64), values=distinct, noise=noise)


def _edges(cells: Sequence[LatentCell]) -> Array:
    """The ends of consecutive intervals, from their probabilities."""
    from scipy.special import ndtri

    inner = np.cumsum([c.probability for c in cells])[:-1]
    return np.concatenate([[-np.inf], ndtri(inner), [np.inf]])


def _with_discrete(problem: Problem, frame: Frame, budget: Budget) -> Found:
    """One coordinate beside others that enter through finitely many values."""
    if problem.signal.has(xi):
        return None
    latent = latent_coordinates(problem.signal, problem.unknown)
    others = [w for w in problem.unknown if w not in latent]
    if len(others) != 1 or not latent:
        return None
    mixed = branches(problem.signal, latent)
    if mixed is None:
        return None
    (main,), hidden = others, tuple(latent)
    groups: dict[Expr, list[tuple[LatentCell, ...]]] = {}
    for branch in mixed:
        groups.setdefault(branch.signal, []).append(branch.cells)
    sheets = tuple(_sheet(signal, main, *_averages(cells)) for signal, cells in groups.items())
    return SheetChannel(sheets=sheets), (main,), _once_known(problem, main, hidden)


def _averages(group: Sequence[tuple[LatentCell, ...]]) -> tuple[float, Array, Array]:
    """(probability, E[v], E[v v^T - I]) of the discrete coordinates in any of some boxes."""
    total, first, second = 0.0, np.zeros(len(group[0])), np.zeros((len(group[0]),) * 2)
    for cells in group:
        p = float(np.prod([c.probability for c in cells]))
        one = np.array([c.first for c in cells])
        two = np.outer(one, one)
        np.fill_diagonal(two, [c.second for c in cells])
        total, first, second = total + p, first + p * one, second + p * two
    return total, first / total, second / total


def _once_known(problem: Problem, main: Symbol, hidden: tuple[Symbol, ...]) -> Then:
    """The channel of the discrete coordinates once the other one is known; None if it depends on it."""
    known = Symbol("x1", real=True)
    rest = reduced(Problem(signal=problem.signal.xreplace({main: known}), unknown=hidden, known=(known,)))
    share = rest.informative
    if rest.known or not share.is_number or not rest.unknown or len(rest.unknown) > 3:
        return None
    latent = latent_coordinates(rest.signal, rest.unknown)
    if len(latent) < len(rest.unknown):
        return None
    box = _box_channel(rest.signal, rest.unknown, latent)
    return None if box is None else (box, rest.unknown, float(share))


def _soft(problem: Problem, frame: Frame, budget: Budget) -> Found:
    """Finitely many values with the noise inside: P(y | w) in closed form."""
    if len(problem.unknown) != 1 or not problem.signal.has(xi):
        return None
    (w,) = problem.unknown
    try:
        cells = finite_cells(problem.signal, (w, xi), budget=budget)
    except UnsupportedExpression:
        return None
    if cells is None:
        return None
    functions, edges = [], []
    for cell in cells:
        closed, rest = averaged(sympy.expand(cell.indicator), budget=budget)
        if rest != 0:
            return None
        function = along(closed, w)
        functions.append(_full(function.value))
        edges.append(kinks_of(function.kinks))
    return SoftChannel(edges=np.unique(np.concatenate(edges)), likelihoods=tuple(functions)), (w,), None
