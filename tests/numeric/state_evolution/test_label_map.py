"""F of labels with nodes: symmetries and rules must not change it."""

import itertools

import numpy as np
import pytest
from sympy import symbols

from hermite_analytics.label.cases.space.pieces import piecewise_label
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.numeric.bayes.maps import label_map
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.label_sums import OmegaAxis, label_sums
from hermite_analytics.numeric.bayes.maps.mirrors import Mirrors, best_axes
from hermite_analytics.numeric.bayes.maps.point_grid import RULES, parts_of, spread

MATRICES = [
    np.diag([0.2, 0.7]),
    np.array([[0.3, 0.1], [0.1, 0.3]]),
    np.array([[0.5, -0.2], [-0.2, 0.1]]),
]


@pytest.mark.slow
@pytest.mark.draws(5, spread=True)  # every label and every matrix
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("text", ["z1*z2", "abs(z1)*z2", "max(z1*z2,z1**2-1)", "z1*step(z1**2+z2**2-2)"])
def test_symmetries_hold_for_any_overlap_matrix(text, matrix):
    """Half of the labels stand for all only if M has the symmetry too; else F is asked at its image as well.

    Nodes on curves need not be symmetric themselves: what is left is their error.
    """
    channel = channel_of(text, equivalent=True)
    assert len(channel.symmetries) > 1
    found = LabelMap.of_points(channel.kind, channel.symmetries)(matrix)
    assert found == pytest.approx(LabelMap.of_points(channel.kind, ())(matrix), abs=3e-9)


def product_map(m):
    """F(m I) of z1*z2: rules of their own in log|y|, log|z1| and omega, along z1 and z2."""
    v, h = 1 - m, 0.25 * np.sqrt(1 - m)
    t = h * np.arange(-np.ceil(9 / h), np.ceil(9 / h) + 1)
    omega, weights = np.sqrt(m) * t, h * np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
    s = np.arange(-36, 2.6, 0.06)
    one = np.concatenate([np.exp(s), -np.exp(s)])

    def density(z):
        return np.exp(-((z[:, None] - omega) ** 2) / (2 * v)) / np.sqrt(2 * np.pi * v)

    p, total = density(one), np.zeros(2)
    slope = p * (one[:, None] - omega) / v
    for y in np.exp(np.arange(-36, 4.2, 0.08)):  # -y is its mirror image
        other = 0.06 * density(y / one)  # dz1/|z1|
        z, g = p.T @ other, slope.T @ other
        square = np.divide(g**2, z, out=np.zeros_like(z), where=z > 1e-280)
        total += 2 * 0.08 * y * np.array([weights @ z @ weights, weights @ square @ weights])
    assert total[0] == pytest.approx(1, abs=1e-12)
    return total[1]


@pytest.mark.slow
def test_product_beside_rules_of_another_kind():
    """Zeros of a label's density at complex omega are close where its mirrors are not along its lines."""
    channel = channel_of("z1*z2")
    found = LabelMap.of_points(channel.kind, channel.symmetries)(0.7 * np.eye(2))
    assert found == pytest.approx(product_map(0.7) * np.eye(2), rel=1e-8)


SOME = [pytest.mark.slow, pytest.mark.draws(2, spread=True)]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["z1*z2", "z1*z2+cos(z1)", "sign(z1)*z2+z2**2", "sin(z1)+z2**2+xi/2"])
@pytest.mark.parametrize(("level", "tolerance"), [(0, 1e-6), pytest.param(1, 1e-10, marks=SOME)])
def test_spread_points_give_what_each_point_gives(monkeypatch, text, level, tolerance):
    found = LabelMap.of_points(channel_of(text, equivalent=True).kind, ())
    for matrix in MATRICES:
        values = []
        for by_grid in (True, False):
            monkeypatch.setattr(label_map, "pays", lambda *_, by_grid=by_grid: by_grid)
            values.append(found(matrix, level=level))
        assert values[0] == pytest.approx(values[1], rel=tolerance, abs=tolerance)


@pytest.mark.slow
def test_surfaces_for_any_overlap_matrix():
    """The label z1 z2 z3 changes its sign with each coordinate; this M does not keep that."""
    w = symbols("w1 w2 w3", real=True)
    label = piecewise_label(w[0] * w[1] * w[2], w)
    m = np.array([[0.4, 0.15, 0.1], [0.15, 0.3, 0.0], [0.1, 0.0, 0.2]])
    symmetries = label_symmetries(w[0] * w[1] * w[2], w)
    found = LabelMap.of_space(SpaceChannel.of(label, symmetries), symmetries)(m, level=0)
    plain = LabelMap.of_space(SpaceChannel.of(label), ())(m, level=0)
    assert found == pytest.approx(plain, rel=1e-5, abs=1e-5)


def test_mirrors_of_axes():
    """Of {1, -1} one half line is enough and nothing vanishes; of the group of the octants all and all."""
    opposite = Mirrors.along(np.eye(3), [-np.eye(3)])
    assert opposite.half_lines == (True, False, False)
    assert not opposite.absent.any()
    group = [np.diag(s) for s in np.array(np.meshgrid(*[[1.0, -1.0]] * 3)).reshape(3, -1).T]
    all_signs = Mirrors.along(np.eye(3), group)
    assert all_signs.half_lines == (True, True, True)
    assert (all_signs.absent == ~np.eye(3, dtype=bool)).all()


@pytest.mark.parametrize(
    "signs",
    [
        [],
        [(-1, -1, -1)],
        [(1, -1, 1)],
        [(-1, -1, 1), (-1, 1, -1), (1, -1, -1)],
        list(itertools.product([1, -1], repeat=3)),
    ],
)
def test_parts_add_up_to_the_average_over_the_mirrors(signs):
    mirrors = Mirrors.along(np.eye(3), [np.diag(s).astype(float) for s in signs])
    assert len(mirrors.signs) * len(mirrors.parities) == len(mirrors.signs) * len(mirrors.corners) == 8
    assert len({tuple(row) for c in mirrors.corners for row in c * mirrors.signs}) == 8
    table = np.random.default_rng(0).random((5, 3, 7))
    images = [np.flip(table, tuple(np.flatnonzero(s < 0))) for s in mirrors.signs]
    total = np.zeros_like(table)
    for part, parity in zip(
        parts_of(table, mirrors, [n // 2 for n in table.shape]), mirrors.parities, strict=True
    ):
        for axis, odd in enumerate(parity):
            low = np.flip(part, axis)
            if odd:
                part = np.concatenate([-low, np.zeros_like(low).take([0], axis), part], axis)
            else:
                part = np.concatenate([low, part.take(range(1, part.shape[axis]), axis)], axis)
        total += part
    assert total == pytest.approx(np.mean(images, axis=0))


def test_octants_give_what_the_whole_grid_gives():
    """The points of a label with the symmetries of z1 z2 z3: by mirrors or without, one entry or all."""
    pairs = [s for s in itertools.product([1, -1], repeat=3) if np.prod(s) > 0]
    images = [np.array(p) * s for p in itertools.permutations([0.4, -1.3, 0.9]) for s in pairs]
    rule, m = RULES[3][0], 0.5
    grid = rule.grid(m)
    lines = [OmegaAxis.of(m, grid, rule)] * 3
    table = spread([grid] * 3, np.array(images), np.full(len(images), 1 / len(images)))

    def found(signs, table=table, **options):
        mirrors = Mirrors.along(np.eye(3), [np.diag(s).astype(float) for s in signs])
        parts = [part[..., None] for part in parts_of(table, mirrors, [grid.half] * 3)]
        return label_sums(parts, lines, mirrors, floor=rule.floor, **options)

    plain = found([])
    assert np.trace(plain) > 0.1
    assert found(pairs) == pytest.approx(plain, rel=1e-9, abs=1e-12)
    assert found(pairs, alike=True) == pytest.approx(plain, rel=1e-9, abs=1e-12)
    folded, masses = Mirrors(np.array(pairs)).folded(np.array(images), np.full(len(images), 4 / len(images)))
    on_half = spread([grid] * 3, folded, masses, Mirrors(np.array(pairs)).half_lines)
    assert on_half.size < 0.4 * table.size
    assert found(pairs, table=on_half) == pytest.approx(plain, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("z", [[0.4, -1.3], [-0.01, 0.02], [2.5, 5.8], [-2.0, 0.0]])
@pytest.mark.parametrize(("level", "tolerance"), [(0, 3e-6), (1, 1e-9)])
def test_narrow_axes(z, level, tolerance):
    """One point beside an overlap close to 1: F is known, and its matrices are kept near the diagonal."""
    rule, overlaps, z = RULES[2][level], np.array([0.03, 0.999]), np.array(z)
    grids = [rule.grid(m) for m in overlaps]
    lines = [OmegaAxis.of(m, g, rule) for m, g in zip(overlaps, grids, strict=True)]
    assert len(lines[0].plain[0].blocks) == 1 < len(lines[1].plain[0].blocks)
    assert max(block.shape[1] for _, block in lines[1].plain[0].blocks) < grids[1].half / 4
    none = Mirrors.along(np.eye(2), [])
    table = spread(grids, z[None], np.ones(1))
    parts = [part[..., None] for part in parts_of(table, none, [g.half for g in grids])]
    exact = np.outer(z, z) + np.diag(overlaps / (1 - overlaps))
    found = label_sums(parts, lines, none, floor=rule.floor)
    assert found == pytest.approx(exact, rel=tolerance, abs=tolerance * 50)


@pytest.mark.parametrize("matrix", [np.diag([0.03, 0.97]), np.diag([0.98, 0.02])])
def test_points_on_a_grid_and_points_by_themselves(matrix, monkeypatch):
    """Labels of z1*z2 by products of matrices and by visits of each point."""
    channel = channel_of("z1*z2", equivalent=True)
    found = []
    for spreads in (True, False):
        monkeypatch.setattr(label_map, "pays", lambda *_, spreads=spreads: spreads)
        found.append(LabelMap.of_points(channel.kind, channel.symmetries)(matrix, level=1))
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-9)
    assert found[0].max() > 3


def test_axes_with_most_mirrors():
    """z1 z2 keeps its labels in the exchange of z1 and z2: along (1, 1) and (1, -1) it has two mirrors."""
    exchange = np.array([[0.0, 1.0], [1.0, 0.0]])
    even = [np.eye(2), -np.eye(2), exchange, -exchange]
    values, axes = best_axes(0.3 * np.eye(2), np.eye(2), even)
    assert values == pytest.approx([0.3, 0.3])
    assert np.abs(axes) == pytest.approx(np.full((2, 2), np.sqrt(0.5)))
    values, axes = best_axes(np.diag([0.3, 0.2]), np.eye(2), even)
    assert values.tolist() == [0.3, 0.2]
