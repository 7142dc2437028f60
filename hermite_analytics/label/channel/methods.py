"""Channels of labels with a special form: one coordinate, boxes, discrete coordinates beside one, noise."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.committee.counts import counted_parts
from hermite_analytics.label.cases.found import Found, Then
from hermite_analytics.label.cases.line.coordinate import GAUSSIAN
from hermite_analytics.label.cases.line.functions import along, pieces_between
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.soft.case import added, soft_label
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.cases.values.joint import JointChannel
from hermite_analytics.label.cases.values.latent import (
    LatentCell,
    averages,
    beside_values,
    latent_coordinates,
)
from hermite_analytics.label.exact.signs import split_signs
from hermite_analytics.label.exact.zeros import in_elementary_functions
from hermite_analytics.label.reduction.equivalent import reduced
from hermite_analytics.label.reduction.problem import ANYWHERE, Problem
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = [
    "boxes",
    "constant",
    "one_coordinate",
    "with_noise",
]

_MOST_BOXES = 4096
_SAME = 1e-9
_ROUNDING = 1e-12  # of a value of the label


def _is_even(problem: Problem) -> bool:
    """Whether one coordinate enters evenly; the noise has the law of its negative."""
    if len(problem.unknown) != 1:
        return False
    (w,) = problem.unknown
    signal = in_elementary_functions(problem.signal)
    mirrored = [signal.subs(image, simultaneous=True) for image in ({w: -w}, {w: -w, xi: -xi})]
    return any(expanded(split_signs(m - signal)) == 0 for m in mirrored)


def constant(coordinates: tuple[Symbol, ...]) -> Found:
    """A label that says nothing: one box."""
    edges = tuple(np.array([-np.inf, np.inf]) for _ in coordinates)
    label = np.zeros((1,) * len(edges), dtype=np.int64)
    return Found(BoxChannel(edges=edges, label=label, values=np.zeros(1)), coordinates)


def with_noise(problem: Problem) -> Found | None:
    """One coordinate and noise, or a l + h(w) + b xi with an even h."""
    if len(problem.unknown) == 1:
        kind = soft_label(problem)
        return None if kind is None else Found(kind, problem.unknown)
    if len(problem.unknown) != 2 or problem.noise in (0, None):
        return None
    signal = problem.signal.subs(xi, 0)
    for alone, w in (problem.unknown, problem.unknown[::-1]):
        linear = linear_part(signal, alone)
        # M stays diagonal by the reflection of w
        if linear is not None and linear[1] != 0 and _is_even(problem.with_signal(linear[0])):
            kind = added(linear[0], (w,), abs(float(problem.noise)), float(linear[1]))
            return None if kind is None else Found(kind, (alone, w))
    return None


def _sheet(signal: Expr, w: Symbol, probability: float, first: Array, second: Array) -> LabelSheet:
    function = along(signal, w)
    pieces = pieces_between(function, GAUSSIAN.low, GAUSSIAN.high)
    return LabelSheet.of(function, pieces, probability, first, second)


def boxes(problem: Problem) -> Found | None:
    """Finitely many values, and noise beside them where there are several coordinates."""
    if problem.noise is None or not 0 < len(problem.unknown) <= 3:
        return None
    signal, noise = problem.signal.subs(xi, 0), abs(float(problem.noise))
    if noise and len(problem.unknown) == 1:
        return None  # `with_noise`
    latent = latent_coordinates(signal, problem.unknown)
    if len(latent) < len(problem.unknown):
        return None
    box = _box_channel(signal, problem.unknown, latent, noise)
    if box is None:
        return None
    if len(problem.unknown) > 1 and not box.keeps_axes():
        box = dataclasses.replace(box, separate=counted_parts(problem.signal, problem.unknown))
    return Found(box, problem.unknown)


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
    distinct = ordered[np.diff(ordered, prepend=-np.inf) > _ROUNDING * np.maximum(1.0, np.abs(ordered))]
    label = np.argmin(np.abs(values[..., None] - distinct), axis=-1)
    edges = tuple(_edges(latent[w]) for w in unknown)
    return BoxChannel(edges=edges, label=label.astype(np.int64), values=distinct, noise=noise)


def _edges(cells: Sequence[LatentCell]) -> Array:
    """The ends of consecutive intervals."""
    return np.array([cells[0].low, *(c.high for c in cells)])


def one_coordinate(problem: Problem) -> Found | None:
    """One coordinate, perhaps beside others that enter through finitely many values."""
    found = None if problem.signal.has(xi) else beside_values(problem.signal, problem.unknown)
    if found is None or len(found.latent) == 1:  # of two coordinates level curves follow both
        return None
    main, hidden, groups = found.main, tuple(found.latent), found.groups
    sheets = tuple(_sheet(signal, main, *averages(cells)) for signal, cells in groups.items())
    if not any(p.slope for s in sheets for p in s.pieces):
        return _without(problem, main, sheets, found.latent) if hidden else None
    kind = SheetChannel(sheets=sheets, mirror=_mirror(list(groups), main, sheets))
    if not hidden:
        return Found(kind, (main,))
    sheet = {cells: k for k, boxes in enumerate(groups.values()) for cells in boxes}
    index = [sheet[cells] for cells in itertools.product(*found.latent.values())]
    joint = _all_together(kind, list(found.latent.values()), index)
    return Found(
        kind,
        (main,),
        _once_known(problem, main, hidden),
        None if joint is None else (joint, (main, *hidden)),
    )


def _all_together(
    kind: SheetChannel, hidden: Sequence[tuple[LatentCell, ...]], sheet: Sequence[int]
) -> JointChannel | None:
    """With the sheet of each box; integrals over boxes are of up to three coordinates."""
    if len(hidden) > (2 if kind.atoms() else 3):
        return None
    return JointChannel(
        main=kind,
        edges=tuple(map(_edges, hidden)),
        sheet=np.array(sheet, dtype=np.int64).reshape([len(cells) for cells in hidden]),
    )


def _without(
    problem: Problem, main: Symbol, sheets: Sequence[LabelSheet], latent: dict[Symbol, tuple[LatentCell, ...]]
) -> Found | None:
    """A continuous coordinate that only seems to enter, as in max(min(w1, 0), step(w2))."""
    if any(len({p.at_low for p in s.pieces}) > 1 for s in sheets):
        return None
    hidden = tuple(latent)
    box = _box_channel(problem.signal.xreplace({main: ANYWHERE}), hidden, latent)
    return None if box is None else Found(box, hidden)


def _mirror(signals: Sequence[Expr], w: Symbol, sheets: Sequence[LabelSheet]) -> tuple[int, ...]:
    """The sheet with g_s(-w) as its label, for each of them; empty where one has none."""
    plain = [in_elementary_functions(s) for s in signals]
    found = []
    for k, signal in enumerate(plain):
        image = signal.subs(w, -w)
        same = (
            j
            for j, other in enumerate(plain)
            if abs(sheets[j].probability - sheets[k].probability) < _SAME
            and expanded(split_signs(image - other)) == 0
        )
        found.append(next(same, -1))
    apart = all(p.low > -_SAME or p.high < _SAME for s in sheets for p in s.pieces if p.slope)
    return tuple(found) if apart and min(found) >= 0 else ()


def _once_known(problem: Problem, main: Symbol, hidden: tuple[Symbol, ...]) -> Then | None:
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
    return None if box is None else Then(box, rest.unknown, float(share))
