"""Labels of three coordinates that are seen through noise: own posteriors, and other maps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from sympy import Abs, Max, Rational, S, sign, symbols

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.added_noise import AddedNoise, added_noise
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.blocks_map import BlocksMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of, sampled_map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.status import Rule, Status
from hermite_analytics.symbols import xi

W = symbols("w1 w2 w3", real=True)
W1, W2, W3 = W


def rises(edge, deviation):
    """P(v + deviation xi > edge)."""
    return lambda v: ndtr((v - edge) / deviation)


@pytest.mark.parametrize(
    ("label", "value", "deviation", "largest"),
    [
        (W1 * W2 + W3 + xi / 2, W1 * W2 + W3, 0.5, None),
        (Max(W1, W2 * W3) - 3 * xi, Max(W1, W2 * W3), 3.0, None),
        (sign(W1 * W2 * W3 - 2 * xi + 1), W1 * W2 * W3, 2.0, rises(-1.0, 2.0)),
        (
            sign(Abs(W1 + W2 * W3 + xi) - 1),
            W1 + W2 * W3,
            1.0,
            lambda v: rises(1.0, 1.0)(v) + 1 - rises(-1.0, 1.0)(v),
        ),
        (  # edges that are close
            sign(Abs(W1 + W2 * W3 + xi / 5) - Rational(1, 400)),
            W1 + W2 * W3,
            0.2,
            lambda v: rises(0.0025, 0.2)(v) + 1 - rises(-0.0025, 0.2)(v),
        ),
        (sign(W1 + xi / 2) + sign(2 * W1 + xi - 4000), W1, 0.5, rises(2000.0, 0.5)),
    ],
)
def test_the_value_that_noise_is_added_to(label, value, deviation, largest):
    """With the probability of the largest label, by the normal distribution function."""
    found = added_noise(label, W)
    assert found is not None
    assert found[0] - value == 0
    assert found[1].deviation == deviation
    if largest is None:
        assert not found[1].likelihoods
        return
    v = np.array([-3.0, -1.0, 0.0, 0.04, 1.7, 1999.6])
    law = found[1].law(v, 1)
    assert law[:, -1] == pytest.approx(largest(v), abs=1e-14)
    assert law.sum(axis=1) == pytest.approx(np.ones(len(v)), abs=1e-14)


@pytest.mark.parametrize(
    "label",
    [
        W1 * W2 * W3,  # no noise
        W1 * W2 * (1 + xi),  # that depends on the coordinates
        sign(W1 + xi) * sign(W2 + xi),  # two sums
        sign(W1 + xi) * W2,  # values beside it
        sign(sign(W1) + xi * W2),
        W1 + xi**2,
        sign((W1 + W2 * W3 + xi / 5) ** 2 - Rational(1, 400)),  # an average without a closed form
        S.One,
    ],
)
def test_no_such_value(label):
    assert added_noise(label, W) is None


def test_the_law_of_what_is_seen():
    """Rows of the sum 1, however far values are apart; refused where doubles do not tell y from v."""
    values = np.array([-1e8, -3.0, -2.8, 0.0, 0.1, 8.0, 1e9])
    for level in (0, 1):
        law = AddedNoise(deviation=0.3).law(values, level)
        assert law.sum(axis=1) == pytest.approx(np.ones(7), abs=1e-7)
        assert law.shape[1] < 200
    with pytest.raises(UnsupportedExpression, match="probability 1"):
        AddedNoise(deviation=0.3).law(np.array([0.0, 1e18]), 1)


def rule(count):
    """Points of N(0, I) in three coordinates: a product of Gauss-Hermite rules without its faint points."""
    x, w = np.polynomial.hermite_e.hermegauss(count)
    w /= w.sum()
    points = np.stack(np.meshgrid(x, x, x, indexing="ij"), -1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel()
    keep = weights > 1e-12
    return points[keep], weights[keep]


def own_map(overlaps):
    """The diagonal of F of sign(z1*z2*z3 + 2*xi): P(y = 1 | z) = Phi(z1 z2 z3/2); omega in one octant."""
    m = np.array(overlaps)
    (u, weights), (t, outer) = rule(40), rule(16)
    octant = (t > 0).all(axis=1)
    found = np.zeros(3)
    for omega, weight in zip(t[octant] * np.sqrt(m), 8 * outer[octant], strict=True):
        p = ndtr((omega + np.sqrt(1 - m) * u).prod(axis=1) / 2)
        first = weights * p @ (u / np.sqrt(1 - m))
        total = weights @ p
        found += weight * first**2 * (1 / total + 1 / (1 - total))
    return found


@pytest.mark.slow
def test_a_parity_that_is_seen_through_noise():
    found = map_of(channel_of("sign(z1*z2*z3+2*xi)"))[0].overlap_map
    assert isinstance(found, LabelMap)
    overlaps = (0.6, 0.5, 0.4)
    here = np.diag(found(np.diag(overlaps)))
    assert here == pytest.approx(own_map(overlaps), rel=5e-5)  # with finer rules the same to 1e-5
    assert here == pytest.approx(np.diag(found(np.diag(overlaps), level=0)), rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("label", ["z1*z2*z3+xi/2", "z1*z2+z3+xi/2"])
def test_surfaces_and_transforms_say_the_same(label):
    channel = channel_of(label)
    transforms = map_of(channel)[0].overlap_map
    assert isinstance(transforms, BlocksMap | PartsMap)
    surfaces = LabelMap.of_space(channel.kind.surfaces.channel(), channel.symmetries)
    for m in (0.05, 0.3):
        matrix = m * np.eye(3)
        assert surfaces(matrix) == pytest.approx(transforms(matrix), rel=2e-5, abs=1e-8)
    assert surfaces.exact_share == 0
    assert surfaces.tangents() is None


@pytest.mark.slow
def test_state_evolution_of_a_kink_behind_noise():
    """Within the errors of sampled maps (`SampledMap.error`), and far more precise."""
    label = "max(z1*z2,z3)+xi/2"
    model = StateEvolution(label)
    found, sampled = model._overlaps.seen, sampled_map_of(channel_of(label))
    matrix = np.diag([0.3, 0.3, 0.3])
    error = np.diag(sampled.overlap_map.error(matrix))
    assert np.all(np.abs(np.diag(found.at(matrix) - sampled.at(matrix))) < error)
    solution = model.solve(alpha=2.0)
    assert solution.status is Status.CONVERGED and solution.rule is Rule.QUADRATURE
    assert solution.numerical_error < 1e-4
    first, second = solution.overlap[:2, :2], solution.overlap[2, 2]
    assert first == pytest.approx(np.full((2, 2), first[0, 0]), abs=1e-4)  # z1 + z2 is seen, z1 - z2 is not
    assert 0.05 < first[0, 0] < 0.15 and 0.4 < second < 0.55


@pytest.mark.slow
def test_little_noise_is_left_to_sampling():
    kind = map_of(channel_of("max(z1*z2,z3)+xi/100"))[0].overlap_map
    assert not isinstance(kind, LabelMap)
