"""Curves of a function given on polynomial patches: arcs, with the weights of the coarea formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers
from hermite_analytics.foundation.panels import legendre_fit
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.plane.boxes import divided, graph_axes, pairs
from hermite_analytics.label.cases.plane.clipping import ARC_NODES, arc_nodes
from hermite_analytics.label.cases.plane.graphs import graph_points
from hermite_analytics.label.cases.plane.patches import Patches, located, patches_of

__all__ = ["MOST_OF_BOUNDARY", "TURN", "followed", "turned_patches", "zero_curve"]

_ANGLE = 0.3719
TURN = np.array([[math.cos(_ANGLE), -math.sin(_ANGLE)], [math.sin(_ANGLE), math.cos(_ANGLE)]])
_UNRESOLVED = 1e-9  # probability of patches that fit no polynomial
_MOST_BOXES = 40_000  # for one label: beside a critical value of many points each takes some hundreds
_AT_ONCE = 512  # labels that share boxes: two threads of short arrays wait for each other
_PATCHES = 256  # of which the nearest to the origin come first
_BOXES = 1024  # between looks at the clock
_PAIRS = 2048  # of a box and a label, whose arcs stay in the processor's cache
_LEAST_BOX = 0.5**56
_ROUGH = 1e-11  # square of the last coefficients of an arc's density, which the rule's error is like
_LEAST_DIVIDED = 0.5**24  # of a box, for that
_ENDS = np.array([[0.0, 1.0, 0.0, 1.0, 0.5], [0.0, 0.0, 1.0, 1.0, 0.5]])
MOST_OF_BOUNDARY = 5000  # for a curve that has finitely many singular points
_LEAST_DENSITY = 1e-290


def turned_patches(function: Callable[[Array], Array], lines: Sequence[Sequence[float]] = ()) -> Patches:
    """Patches of the function of a boundary, in axes along which nothing runs: w = TURN w'.

    Raises
    ------
    UnsupportedExpression
        If the function is not smooth off the lines, which are those of w.
    """
    turned = [(*(np.array(line[:2]) @ TURN).tolist(), line[2]) for line in lines]
    patches = patches_of(lambda w: function(w @ TURN.T), turned)
    if patches.unresolved > _UNRESOLVED:
        raise UnsupportedExpression(
            f"a boundary of the label is no smooth curve: patches of probability {patches.unresolved:.1e} "
            "fit no polynomial"
        )
    return patches


def zero_curve(patches: Patches, parts: int) -> Array:
    """Arcs of the curve g = 0, shape (n, 10, 2), each cut into some equal parts of its parameter."""
    nodes = (np.arange(parts)[:, None] + arc_nodes()).ravel() / parts
    _, points, _ = followed(patches, np.zeros(1), nodes, most=MOST_OF_BOUNDARY)
    return points.reshape(-1, ARC_NODES, 2)


def followed(
    patches: Patches,
    labels: Array,
    nodes: Array,
    *,
    most: int = _MOST_BOXES,
    least: Array | None = None,
    share: float = 0.0,
) -> tuple[Integers, Array, Array]:
    """(label of each arc, points and log density at the nodes of each arc); none beyond so many boxes.

    Parameters
    ----------
    patches : Patches
    labels : ndarray, shape (n,)
    nodes : ndarray
        Of each arc, in (0, 1).
    most : int
        Boxes for one label.
    least : ndarray, shape (n,), or None
        Arcs of smaller density of y, of w ~ N(0, I), are left out.
    share : float
        And arcs with a smaller share of the density of their label.
    """
    order = np.argsort(labels, kind="stable")  # nan last
    order = order[: np.count_nonzero(~np.isnan(labels))]
    levels = np.ascontiguousarray(labels[order], dtype=np.float64)
    rare = np.zeros(len(levels)) if least is None else np.ascontiguousarray(least[order])
    low, high = patches.coefficients.min((1, 2)), patches.coefficients.max((1, 2))
    middle = np.linalg.norm(patches.corners.mean(1), axis=1)
    areas = _largest_areas(patches.corners)

    def arcs_of(part: slice) -> tuple[Integers, Array, Array]:
        reached = np.flatnonzero((low < levels[part][-1]) & (high >= levels[part][0]))
        reached = reached[np.argsort(middle[reached], kind="stable")]
        following = _Following(
            patches=patches,
            areas=areas,
            labels=levels[part],
            nodes=nodes,
            tail=legendre_fit(ARC_NODES)[-2:] if nodes.size == ARC_NODES else None,
            most=most,
            least=rare[part],
            share=share,
        )
        return following.arcs(reached)

    starts = range(0, len(levels), _AT_ONCE)
    found = in_threads(arcs_of, [slice(a, a + _AT_ONCE) for a in starts])
    counts = np.concatenate([np.zeros(0, dtype=np.int64), *(f[0] for f in found)])
    points = np.concatenate([np.zeros((0, nodes.size, 2)), *(f[1] for f in found)])
    logs = np.concatenate([np.zeros((0, nodes.size)), *(f[2] for f in found)])
    return np.repeat(order, counts), points, logs


@dataclass(frozen=True, slots=True)
class _Boxes:
    """Parts of patches, with the labels that reach them: first to last - 1.

    Coefficients are of a polynomial less `base`.
    """

    coefficients: Array
    place: Array  # corner and sizes in the parameters of the patch
    patch: Integers
    base: Array
    first: Integers
    last: Integers

    @classmethod
    def joined(cls, parts: Sequence[_Boxes]) -> _Boxes:
        return cls(*(np.concatenate([getattr(b, f.name) for b in parts]) for f in fields(cls)))

    def __len__(self) -> int:
        return len(self.patch)

    def chosen(self, which: Integers | slice) -> _Boxes:
        return _Boxes(*(getattr(self, field.name)[which] for field in fields(self)))

    def narrowed(self, labels: Array) -> _Boxes:
        """Without labels below or above all coefficients."""
        c, n = self.coefficients, len(labels)
        low, high = c.min((1, 2)), c.max((1, 2))
        padded = np.concatenate([labels, [math.inf]])
        first, last = (np.searchsorted(labels, bound + self.base, "right") for bound in (low, high))
        for place, bound in ((first, low), (last, high)):  # what counts is the label less the base
            moved = True
            while moved:
                down = (place > 0) & (labels[place - 1] - self.base > bound)
                up = (place < n) & (padded[place] - self.base <= bound)
                place += up.astype(np.int64) - down
                moved = bool(down.any() or up.any())
        first, last = np.maximum(first, self.first), np.minimum(last, self.last)
        return replace(self, first=first, last=last).chosen(np.flatnonzero(first < last))

    def divided(self, labels: Array) -> _Boxes:
        """Halves or quarters. Rounding is then that of the differences within the box."""
        base = labels[(self.first + self.last) // 2]
        lowered = self.coefficients - (base - self.base)[:, None, None]
        coefficients, place, source = divided(lowered, self.place)
        return _Boxes(
            coefficients, place, self.patch[source], base[source], self.first[source], self.last[source]
        )


@dataclass(frozen=True, slots=True)
class _Graphs:
    """Boxes in which curves are graphs over the first parameter, the second one of the patch where turned."""

    boxes: _Boxes
    turned: Bools
    slopes: Array  # at least, of the polynomial

    @classmethod
    def of(cls, boxes: _Boxes, axes: Integers, slopes: Array) -> _Graphs:
        which = np.flatnonzero(axes >= 0)
        some, turned = boxes.chosen(which), axes[which] == 1
        some.coefficients[turned] = some.coefficients[turned].swapaxes(1, 2)
        return cls(some, turned, slopes[which])

    @classmethod
    def joined(cls, parts: Sequence[_Graphs]) -> _Graphs:
        boxes = _Boxes.joined([g.boxes for g in parts])
        return cls(boxes, *(np.concatenate([getattr(g, k) for g in parts]) for k in ("turned", "slopes")))

    def of_labels(self, which: Integers, labels: Integers) -> _Boxes:
        """Boxes as they were, each for one label."""
        some = self.boxes.chosen(which)
        some.coefficients[self.turned[which]] = some.coefficients[self.turned[which]].swapaxes(1, 2)
        return replace(some, first=labels, last=labels + 1)

    @property
    def pairs(self) -> int:
        """Of a box and a label."""
        return int((self.boxes.last - self.boxes.first).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Following:
    """The curves of increasing labels, which share the boxes.

    One is divided until it is a graph for all those that reach it. `tail`, shape (2, n): values at the nodes
    of a rule -> the last coefficients in Legendre polynomials; None where the nodes are those of no rule.
    """

    patches: Patches
    areas: Array
    labels: Array
    nodes: Array
    tail: Array | None
    most: int
    least: Array
    share: float

    def arcs(self, reached: Integers) -> tuple[Integers, Array, Array]:
        """(number of arcs of each label, points, log density); none of labels that took too many boxes."""
        boxes, mass = np.zeros(len(self.labels), dtype=np.int64), np.zeros(len(self.labels))
        starts = range(0, len(reached), _PATCHES)
        waiting = [self._whole(reached[a : a + _PATCHES]) for a in reversed(starts)]
        graphs: list[_Graphs] = []
        again: list[_Boxes] = []
        count = 0  # of the pairs of graphs
        found = [(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, self.nodes.size, 3)))]
        while waiting:
            check_time()
            some = waiting.pop()
            if len(some) > _BOXES:
                waiting.append(some.chosen(slice(_BOXES, None)))
                some = some.chosen(slice(_BOXES))
            some = self._counted(some.narrowed(self.labels), boxes)
            axes, slopes = graph_axes(some.coefficients, some.first, some.last, self.labels, some.base)
            graphs.append(_Graphs.of(some, axes, slopes))
            count += graphs[-1].pairs
            following = some.chosen(np.flatnonzero((axes < 0) & (some.place[:, 2:].prod(1) > _LEAST_BOX)))
            if len(following):
                waiting.append(following.divided(self.labels))
            if not waiting or count > _PAIRS:
                together = _Graphs.joined(graphs)
                graphs, count = [], 0
                for finished, rough in self._arcs_in(together, boxes, mass):
                    found.append(finished)
                    again += [rough] if len(rough) else []
            if again and not waiting:
                waiting.append(_Boxes.joined(again).divided(self.labels))
                again = []
        owner, density, arcs = (np.concatenate(x) for x in zip(*found, strict=True))
        kept = np.flatnonzero((boxes[owner] <= self.most) & (density >= self._least(mass)[owner]))
        kept = kept[np.argsort(owner[kept], kind="stable")]
        arcs = arcs[kept]
        logs = np.log(np.maximum(arcs[..., 2], _LEAST_DENSITY))
        return np.bincount(owner[kept], minlength=len(boxes)), np.ascontiguousarray(arcs[..., :2]), logs

    def _whole(self, patch: Integers) -> _Boxes:
        count = len(patch)
        return _Boxes(
            coefficients=self.patches.coefficients[patch],
            place=np.tile([0.0, 0.0, 1.0, 1.0], (count, 1)),
            patch=patch,
            base=np.zeros(count),
            first=np.zeros(count, dtype=np.int64),
            last=np.full(count, len(self.labels)),
        )

    def _counted(self, some: _Boxes, boxes: Integers) -> _Boxes:
        """Without those that only labels reach which took too many."""
        changes = np.bincount(some.first, minlength=len(boxes) + 1)
        changes -= np.bincount(some.last, minlength=len(boxes) + 1)
        boxes += np.cumsum(changes)[:-1]
        alive = np.concatenate([[0], np.cumsum(boxes <= self.most)])
        return some.chosen(np.flatnonzero(alive[some.last] > alive[some.first]))

    def _arcs_in(
        self, found: _Graphs, boxes: Integers, mass: Array
    ) -> Iterator[tuple[tuple[Integers, Array, Array], _Boxes]]:
        """(label of each arc, its density, that at points), and boxes on whose arcs a rule is not accurate.

        The density of each label so far is added to.
        """
        graphs, turns = found.boxes, found.turned
        corners = self.patches.corners[graphs.patch]
        largest = self.areas[graphs.patch] * graphs.place[:, 2:].prod(1) / found.slopes
        largest *= _weights(graphs.place, corners)
        box, label = pairs(graphs.first, graphs.last)
        wanted = (boxes[label] <= self.most) & (largest[box] >= self._least(mass)[label])
        box, label = box[wanted], label[wanted]
        for start in range(0, len(box), _PAIRS):
            check_time()
            part = slice(start, start + _PAIRS)
            levels = self.labels[label[part]] - graphs.base[box[part]]
            pair, x, y, density = graph_points(graphs.coefficients, box[part], levels, self.nodes)
            pair += start
            place, turned = graphs.place[box[pair], :, None], turns[box[pair]][:, None]
            s, t = np.where(turned, y, x), np.where(turned, x, y)
            s, t = place[:, 0] + place[:, 2] * s, place[:, 1] + place[:, 3] * t
            u, v, area = located(corners[box[pair]], s, t)
            density *= area
            density *= place[:, 2] * place[:, 3]
            # of y, of w ~ N(0, I), to about a tenth
            along = density * np.exp(-0.5 * (u * u + v * v)) / (2 * math.pi)
            whole, owner = along.mean(1), label[pair]
            np.add.at(mass, owner, whole)
            again = self._rough_pairs(along, pair - start, mass[owner])
            again = again[: len(levels)] & (graphs.place[box[part], 2:].prod(1) > _LEAST_DIVIDED)
            kept = np.flatnonzero(~again[pair - start] & (whole >= self._least(mass)[owner]))
            which = start + np.flatnonzero(again)
            yield (
                (owner[kept], whole[kept], np.stack([u[kept], v[kept], density[kept]], axis=2)),
                found.of_labels(box[which], label[which]),
            )

    def _rough_pairs(self, along: Array, pair: Integers, mass: Array) -> Bools:
        """Of each pair of a box and a label, whether an arc's density has more than a polynomial follows."""
        found = np.zeros(_PAIRS, dtype=bool)
        if self.tail is not None:
            tail = np.abs(along @ self.tail.T).max(1, initial=0.0)
            found[pair[tail**2 > _ROUGH * along.mean(1) * mass]] = True
        return found

    def _least(self, mass: Array) -> Array:
        return np.asarray(np.maximum(self.least, self.share * mass))


def _largest_areas(corners: Array) -> Array:
    """The largest area element of each quadrilateral: it is a linear function of the parameters."""
    along, up = corners[:, [1, 3]] - corners[:, [0, 2]], corners[:, [2, 3]] - corners[:, [0, 1]]
    areas = along[:, :, None, 0] * up[:, None, :, 1] - along[:, :, None, 1] * up[:, None, :, 0]
    return np.asarray(np.abs(areas).max((1, 2)))


def _weights(place: Array, corners: Array) -> Array:
    """A bound of the density of N(0, I) on each box."""
    s, t = (place[:, k, None] + place[:, 2 + k, None] * _ENDS[k] for k in range(2))
    u, v, _ = located(corners, s, t)
    radius = np.hypot(u - u[:, -1:], v - v[:, -1:]).max(1)
    nearest = np.maximum(0.0, np.hypot(u[:, -1], v[:, -1]) - radius)
    return np.asarray(np.exp(-0.5 * nearest**2) / (2 * math.pi))
