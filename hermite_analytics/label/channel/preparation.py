"""The channel of a target: its coordinates, the kind of its label, and what the next stage is."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.errors import InputError, ParseError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.foundation.clock import TIME_ENDED, TimeEnded, allowed, limited, share
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.label.cases.found import Found
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.cases.values.joint import JointChannel
from hermite_analytics.label.channel.first import first_law
from hermite_analytics.label.channel.regression import Regression, regression_of
from hermite_analytics.label.moments import LabelCase, LabelMoments
from hermite_analytics.label.orders.climb import climb
from hermite_analytics.label.reduction.equivalent import reduced
from hermite_analytics.label.reduction.frame import Frame, frames
from hermite_analytics.label.reduction.problem import ANYWHERE, Problem
from hermite_analytics.label.reduction.size import NormalLabel, normal_label
from hermite_analytics.label.reduction.stairs import with_finite_stairs
from hermite_analytics.label.shape import Shape, shapes
from hermite_analytics.label.symmetries import LabelSymmetry, label_symmetries
from hermite_analytics.label_noise import averaged
from hermite_analytics.language.kinks import STAIRS
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target
from hermite_analytics.target.whole import whole_expression

__all__ = ["Channel", "channel_of"]


DEFAULT_SECONDS = 300.0  # oscillating labels take two minutes
_BESIDE = 30.0  # seconds at most, for what is known beside the law: orders, symmetries, E[y | z]
_SHARE = 0.3  # of the time left, for the first step of the grand staircase
_SYMMETRIES = 0.2  # of the time left
_NUMBERS = "an affine map of y is as good as y"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """The label of a target as a channel of orthonormal coordinates.

    Attributes
    ----------
    rows : ndarray, shape (q, r)
        Coordinate k is (row k).z; rows are orthonormal.
    kind : LabelCase
        The law of the label: SheetChannel (preimages along one coordinate), BoxChannel (values on boxes),
        SoftChannel (noise, one or two coordinates), SteepChannel (little noise, two), PlaneChannel (level
        curves and regions of two coordinates), SolvedChannel (points and lines). Each has `at(labels)`,
        which gives moments at any omega, shape (n, q), and V, shape (q, q).
    seen : tuple of int
        The coordinates that `kind` is a channel of, in its order. The others are known only once the first
        one is known exactly.
    then : tuple of (BoxChannel or other kind, coordinates, share of the labels), or None
        The channel of the other coordinates once the seen one is known.
    joint : tuple of (JointChannel, coordinates), or None
        Where others than the seen coordinate enter through finitely many values: the channel of all of them
        together, the seen one first.
    regression : Regression or None
        E[y | z]; None where the label noise is not averaged.
    symmetries : tuple of LabelSymmetry
        Signed permutations of the coordinates that keep the law of the label up to a renaming.
    signal : sympy expression
        The label that `kind` is of, in the coordinates w1, w2, ..: (y - offset)/scale, or an equivalent one.
    label : str
        The same as text.
    offset, scale : float
        0 and 1 where y is of ordinary size: then `kind` is of y itself.
    first_order : int, math.inf or None
        The least k with E[He_k(w) | y] != 0 in the coordinates that are seen, by the grand staircase of the
        label; inf where there is none, None where that is not proved.
    leading_order : int, math.inf or None
        The same for all coordinates together: the order of the first step, in whatever directions.
    has_variance : bool or None
        Whether E[E[y | z]^2] is finite; None if that is not decided.
    reasons : tuple of str
        How the label was simplified.
    """

    rows: Array
    kind: LabelCase
    seen: tuple[int, ...]
    then: tuple[LabelCase, tuple[int, ...], float] | None
    joint: tuple[JointChannel, tuple[int, ...]] | None
    regression: Regression | None
    symmetries: tuple[LabelSymmetry, ...]
    signal: Expr
    label: str
    offset: float
    scale: float
    first_order: float | None
    leading_order: float | None
    has_variance: bool | None
    reasons: tuple[str, ...]

    @property
    def followed(self) -> tuple[int, ...]:
        """The coordinates that moments are of, in their order.

        Examples
        --------
        >>> channel_of("z1**2 + sign(z1*z2*z3)").followed
        (0, 1, 2)
        """
        return self.seen if self.joint is None else self.joint[1]

    def at(self, labels: Array, *, alone: bool = False) -> LabelMoments:
        """The labels of a data set: moments of the coordinates that are `followed`, at any omega and V.

        Parameters
        ----------
        labels : ndarray, shape (n,)
            Of the target.
        alone : bool
            Of the coordinates that are `seen` only, where others enter through finitely many values.

        Raises
        ------
        InputError
            If a label is a value that the target does not take.
        UnsupportedExpression
            If the channel is that of an equivalent label, or has no moments at any omega and V.

        Examples
        --------
        >>> at = channel_of("sign(z1)").at(np.array([1.0, -1.0]))
        >>> at(np.array([[0.0], [0.5]]), np.eye(1)).g.round(6).ravel().tolist()
        [0.797885, -1.141078]
        """
        if self.reasons:
            raise UnsupportedExpression(
                "the channel of the target is prepared for an equivalent label: give the labels of the "
                f"target {self.label} instead, with w_k = (row k of channel_of(target).rows).z"
            )
        case = self.kind if alone or self.joint is None else self.joint[0]
        in_unit = self.offset == 0 and self.scale == 1
        try:
            return case.at(labels if in_unit else (labels - self.offset) / self.scale)
        except InputError as refused:
            if in_unit:
                raise
            raise InputError(f"{refused}, where y stands for (y - {self.offset:g})/{self.scale:g}") from None

    def require_information(self, target: Target | str) -> None:
        """Refuse labels that are proved to be independent of z: their grand staircase has no step.

        Raises
        ------
        InputError
            Naming the target.
        """
        if self.leading_order == math.inf:
            raise InputError(
                f"the labels of {target} do not depend on z; a target with information about z is accepted"
            )


def channel_of(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, equivalent: bool = False
) -> Channel:
    """Prepare the channel of a target.

    Source: arXiv:2306.05139 and 2405.15480 for the channel of Bayes-AMP; the coarea formula.

    Parameters
    ----------
    target : Target or str
        Label noise xi included.
    seconds : float > 0
    equivalent : bool
        Prefer a simpler label that says the same, z1*z2 for tanh(3*z1*z2): overlaps and thresholds are those
        of the target, and no two labels are too close to be told apart; data sets need the label itself.

    Raises
    ------
    UnsupportedExpression
        For a label whose law no engine covers; the message lists what is covered.

    Examples
    --------
    >>> channel = channel_of("z2**2")
    >>> channel.rows.tolist(), type(channel.kind).__name__
    ([[0.0, 1.0]], 'SheetChannel')
    >>> found = channel.at(np.array([4.0]))(np.array([[0.5]]), np.array([[0.5]]))
    >>> round(float(found.g[0, 0]), 12)  # (2 tanh(omega sqrt(y)/V) - omega)/V
    2.856110320303
    """
    f = Target.of(target)
    refusals: list[str] = []
    try:
        with limited(seconds):
            for asked, candidates in _rounds(f):
                for frame in candidates:
                    try:
                        found = _prepared(frame, simplest=equivalent, asked=asked)
                    except UnsupportedExpression as refused:
                        refusals.append(str(refused))
                        continue
                    if found is not None:
                        _require_seen_steps(f, found)
                        return found
    except TimeEnded:
        raise UnsupportedExpression(f"the channel of {f} is not prepared: {TIME_ENDED}") from None
    if refusals:
        raise UnsupportedExpression(f"the channel of {f}: {refusals[-1]}")
    raise UnsupportedExpression(
        f"the channel of {f} has no engine: labels of up to 8 coordinates are taken, and those of more if "
        "they depend on up to 8 linear forms"
    )


def _rounds(f: Target) -> Iterator[tuple[list[Shape], list[Frame]]]:
    """Shapes that are asked in all frames before others, and these: floors as they stand, then as steps."""
    if f.expression.has(*STAIRS):
        whole = list(frames(whole_expression(f), f.dimension))
        yield [shape for shape in shapes() if shape.takes_floors], whole
    opened = list(frames(with_finite_stairs(f.expression), f.dimension))
    for along_axes in (True, False):
        yield [shape for shape in shapes() if shape.along_axes == along_axes], opened


def _prepared(frame: Frame, *, simplest: bool, asked: Sequence[Shape]) -> Channel | None:
    normal = normal_label(frame.signal)
    frame = dataclasses.replace(frame, signal=normal.signal)
    given = Problem(signal=frame.signal, unknown=frame.coordinates, known=()).with_signal(frame.signal)
    plain = reduced(given)
    problems = [plain, given] if simplest else [given, plain]
    if plain.informative != 1:  # a gate that was taken off: F(M) would be that of the labels it lets through
        problems = [given]
    for problem in problems:
        found = first_law(problem, frame.coordinates, asked=asked)
        if found is None:
            continue
        places = tuple(frame.coordinates.index(w) for w in found.seen)
        reasons = problem.reasons or (() if problem.signal == given.signal else (_NUMBERS,))
        alone = isinstance(found.kind, BoxChannel) or not any(shape.along_axes for shape in asked)
        if alone and len(places) < len(frame.coordinates):
            frame = frame.restricted(places)
            places = tuple(range(len(places)))
            known = {*frame.coordinates, xi}
            problem = problem.with_signal(
                problem.signal.xreplace(dict.fromkeys(problem.signal.free_symbols - known, ANYWHERE))
            )
        with allowed(_BESIDE):
            return _channel(problem, frame, found, places, normal=normal, reasons=reasons)
    return None


def _channel(
    problem: Problem,
    frame: Frame,
    found: Found,
    places: tuple[int, ...],
    *,
    normal: NormalLabel,
    reasons: tuple[str, ...],
) -> Channel:
    then = found.then
    leading_order, first_order = _orders(problem.signal, frame.coordinates, places)
    return Channel(
        rows=np.array([[float(x) for x in row] for row in frame.rows]).reshape(len(frame.rows), -1),
        kind=found.kind,
        seen=places,
        then=None
        if then is None
        else (then.kind, tuple(map(frame.coordinates.index, then.coordinates)), then.share),
        joint=None
        if found.joint is None
        else (found.joint[0], tuple(map(frame.coordinates.index, found.joint[1]))),
        regression=regression_of(frame, float(normal.scale)),
        symmetries=_symmetries(problem.signal, frame),
        signal=problem.signal,
        label=str(problem.signal),
        offset=float(normal.offset),
        scale=float(normal.scale),
        first_order=first_order,
        leading_order=leading_order,
        has_variance=_has_variance(frame),
        reasons=reasons,
    )


def _symmetries(label: Expr, frame: Frame) -> tuple[LabelSymmetry, ...]:
    try:
        with limited(share(_SYMMETRIES)):
            return label_symmetries(label, frame.coordinates)
    except TimeEnded:
        return (LabelSymmetry(matrix=np.eye(len(frame.coordinates)), sign=1),)


def _orders(
    label: Expr, coordinates: Sequence[Symbol], seen: Sequence[int]
) -> tuple[float | None, float | None]:
    """The order of the first step, and the same where its directions are the coordinates that are seen."""
    own = label.xreplace({w: variable(j + 1) for j, w in enumerate(coordinates)})
    try:
        with allowed(share(_SHARE)):
            found = climb(Target(str(own)), max_degree=None, first_only=True)
    except (ParseError, UndefinedQuantity):  # no mean, or too long a text
        return None, None
    if not found.steps:
        return (math.inf, math.inf) if found.is_decided else (None, None)
    order, span = found.steps[0].order, found.steps[0].span
    learned = {j for row in span.rows for j, entry in enumerate(row) if entry != 0}
    return order, order if learned == set(seen) and span.dimension == len(seen) else None


def _has_variance(frame: Frame) -> bool | None:
    closed, rest = averaged(frame.signal)
    return integrability(closed, frame.coordinates, 2).finite if rest == 0 else None


def _require_seen_steps(f: Target, found: Channel) -> None:
    """A floor whose steps are all left out is no label that says nothing."""
    kind = found.kind
    if f.expression.has(*STAIRS) and isinstance(kind, BoxChannel) and len(kind.values) == 1:
        raise UnsupportedExpression(f"{f} is one number but for a probability of 1e-16, which is not seen")
