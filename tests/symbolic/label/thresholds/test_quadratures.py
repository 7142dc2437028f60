"""The quadratures behind the thresholds, each against an integral or a sum of another kind."""

from __future__ import annotations

import dataclasses
import itertools
import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import sympy
from scipy import integrate, special

from hermite_analytics.argument import text_of
from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.evidence import Evidence
from hermite_analytics.gaussian.homogeneity import homogeneous_degree
from hermite_analytics.label.cases.homogeneous.case import homogeneous_law
from hermite_analytics.label.cases.line.coordinate import radius
from hermite_analytics.label.cases.line.functions import along, pieces_between
from hermite_analytics.label.cases.line.noisy import sources_of_noise
from hermite_analytics.label.cases.line.preimages import label_quadrature
from hermite_analytics.label.cases.line.sheet_panels import PanelRule
from hermite_analytics.label.cases.parts.case import structured_law
from hermite_analytics.label.cases.plane.lines import planar_label
from hermite_analytics.label.cases.plane.quadratic import form_matrix, planar_form
from hermite_analytics.label.cases.values.latent import beside_values, latent_coordinates
from hermite_analytics.label.cases.values.noisy import under_noise
from hermite_analytics.label.operator import (
    operator_matrix,
    symmetric_basis,
    top_eigenvalue,
)
from hermite_analytics.label.quadrature import LabelQuadrature, mixture
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds import weak_recovery
from hermite_analytics.label.thresholds.discrete import by_finite_values
from hermite_analytics.label.thresholds.numeric import one_coordinate
from hermite_analytics.label.thresholds.outer import adaptive_average, outer_nodes, segments
from hermite_analytics.label.thresholds.result import estimated, exact_threshold, infinite_threshold
from hermite_analytics.label.thresholds.scale_identity import fisher_information
from hermite_analytics.label.thresholds.single import single_label
from hermite_analytics.language.kinks import opened
from tests.symbolic.label.bins import top_in_bins

w1, w2, w3, x1 = sympy.symbols("w1 w2 w3 x1", real=True)


def one(signal, *unknown, known=()):
    return single_label(Problem(signal=signal, unknown=unknown or (w1,), known=known))


class TestOperator:
    def test_matrix_is_that_of_the_map(self):
        rng = np.random.default_rng(3)
        g = rng.normal(size=(5, 3, 3))
        g = g + g.transpose(0, 2, 1)
        p = rng.random(5)
        nodes = LabelQuadrature(weights=p, first=np.zeros((5, 3)), second=g)
        basis = symmetric_basis(3)
        direct = [[sum(p[k] * np.trace(a @ g[k] @ b @ g[k]) for k in range(5)) for b in basis] for a in basis]
        assert operator_matrix(nodes) == pytest.approx(np.array(direct))
        assert np.einsum("aij,bij->ab", basis, basis) == pytest.approx(np.eye(6))

    def test_the_top_eigenvalue(self):
        second = np.array([np.diag([2.0, 1.0]), np.diag([-2.0, -1.0])])
        nodes = LabelQuadrature(weights=np.full(2, 0.5), first=np.zeros((2, 2)), second=second)
        assert top_eigenvalue(nodes) == pytest.approx(4.0)

    def test_mixtures(self):
        part = LabelQuadrature(weights=np.ones(1), first=np.zeros((1, 1)), second=np.ones((1, 1, 1)))
        whole = mixture([part, part], [0.25, 0.7])
        assert whole.mass_defect == pytest.approx(0.05)


class TestOneCoordinate:
    @pytest.mark.parametrize(
        ("signal", "alpha"),
        [
            (w1**2, 0.5),
            (w1**4 - 6 * w1**2, 0.6448504699023041),
            (sympy.cos(w1), 0.5090963825621286),
            (sympy.cos(w1 / sympy.sqrt(2)), 0.5000554463565782),
        ],
    )
    def test_thresholds(self, signal, alpha):
        found, defect = one(signal).quadrature(level=1)
        assert 1 / top_eigenvalue(found) == pytest.approx(alpha, rel=1e-11)
        assert defect < 1e-10
        assert abs(found.weights @ found.second[:, 0, 0]) < 1e-12

    def test_a_first_moment(self):
        """E[E[z|y]^2] of He3: 0.6678316716; of tanh: 1; of relu: 1/2 + 1/pi."""
        for signal, power in [
            (w1**3 - 3 * w1, 0.6678316716),
            (sympy.tanh(w1), 1.0),
            (sympy.Max(w1, 0), 0.5 + 1 / math.pi),
        ]:
            found, _ = one(signal).quadrature(level=1)
            assert found.weights @ found.first[:, 0] ** 2 == pytest.approx(power, abs=1e-9)

    def test_an_atom_beside_a_sheet(self):
        """relu(|z| - 1): the atom has E[z^2 - 1; |z| < 1] = -2 phi(1); beyond it |z| is known."""
        found, _ = one(sympy.Max(sympy.Abs(w1) - 1, 0)).quadrature(level=1)
        density = mpmath.npdf
        inside = mpmath.quad(lambda t: (t * t - 1) * density(t), [-1, 1])
        mass = mpmath.quad(density, [-1, 1])
        beyond = 2 * mpmath.quad(lambda t: (t * t - 1) ** 2 * density(t), [1, 12])
        assert top_eigenvalue(found) == pytest.approx(float(inside**2 / mass + beyond), rel=1e-12)

    def test_a_lost_piece_is_seen(self):
        label = one(sympy.cos(w1))
        [sheet] = label.sheets()
        short = dataclasses.replace(sheet, pieces=sheet.pieces[:3] + sheet.pieces[4:])
        rule = PanelRule(nodes=56, widest=2.5, narrow=1.25, negligible=1e-18, coarser=1e-6)
        assert label_quadrature([sheet], rule, label.coordinate)[1] < 1e-10
        _, defect = label_quadrature([short], rule, label.coordinate)
        assert defect > 1e-5

    def test_the_radius(self):
        """|R^2 - 2| in two dimensions: R^2/2 is exponential with mean 1, its preimages 1 +- t."""
        found, _ = one(sympy.Abs(w1**2 + w2**2 - 2), w1, w2).quadrature(level=1)
        low = mpmath.quad(lambda t: 2 * mpmath.cosh(t) * mpmath.exp(-1) * (t * mpmath.tanh(t)) ** 2, [0, 1])
        high = mpmath.quad(lambda t: mpmath.exp(-1 - t) * t * t, [1, mpmath.inf])
        assert top_eigenvalue(found) == pytest.approx(float(low + high), rel=1e-11)
        assert radius(3).low == 0

    def test_discrete_coordinates(self):
        cells = latent_coordinates(w1**2 + sympy.sign(w2 - 1) * sympy.sign(w1), [w1, w2])
        assert list(cells) == [w2]
        assert sum(c.probability for c in cells[w2]) == pytest.approx(1)
        assert sum(c.probability * c.first for c in cells[w2]) == pytest.approx(0, abs=1e-15)
        assert sum(c.probability * c.second for c in cells[w2]) == pytest.approx(0, abs=1e-15)
        assert [str(b) for b in beside_values(w1 + sympy.sign(w2), (w1, w2)).groups] == ["w1 - 1", "w1 + 1"]


def top_beside_signs(power, *, shift=0.0, size=1.0, nodes=300):
    """1/alpha_c of s2 (z1 - shift)^power + size s2 s3, s = sign(z2), sign(z3): roots in closed form.

    Labels are told apart by their differences. Panels end at the inflections and at the other roots of their
    labels, where nodes cluster like the power 8 of the distance.
    """

    def root(v):
        return np.sign(v) * np.abs(v) ** (1 / power)

    x, w = np.polynomial.legendre.leggauss(nodes)
    low, high = (special.betainc(8, 8, (1 + s * x) / 2) for s in (1, -1))
    share = w / 2 * ((1 - x * x) / 4) ** 7 / special.beta(8, 8)
    ends = sorted({-10.0, -3.0, 0.0, root(2 * size), -root(2 * size), 3.0, 10.0})
    u = np.concatenate([np.where(x < 0, a + (b - a) * low, b - (b - a) * high) for a, b in pairwise(ends)])
    p = np.concatenate([(b - a) * share for a, b in pairwise(ends)])
    signs = list(itertools.product((1, -1), repeat=2))
    mean = math.sqrt(2 / math.pi)  # of |z2|
    tensor = np.zeros((3, 3, 3, 3))
    for s2, s3 in signs:
        total, second = np.zeros(len(u)), np.zeros((3, 3, len(u)))
        for t2, t3 in signs:
            there = t2 * root(s2 * u**power + size * (s2 * s3 - t2 * t3))
            weight = np.exp(-((there + shift) ** 2) / 2) / np.maximum(np.abs(there), 1e-60) ** (power - 1)
            w1, w2, w3 = there + shift, t2 * mean, t3 * mean
            total += weight
            second += weight * np.array(
                [
                    [w1 * w1 - 1, w1 * w2, w1 * w3],
                    [w1 * w2, 0 * u, 0 * u + w2 * w3],
                    [w1 * w3, 0 * u + w2 * w3, 0 * u],
                ]
            )
        g = second / total
        density = np.exp(-((u + shift) ** 2) / 2) / math.sqrt(2 * math.pi) / 4
        tensor += np.einsum("n,abn,cdn->adbc", p * density, g, g)  # (a, d) <- (b, c): G M G
    return float(np.linalg.eigvals(tensor.reshape(9, 9)).real.max())


class TestSlowPlaces:
    """Inflections without slope: the density of the label is infinite there, without a critical point."""

    @pytest.mark.cases(1)
    @pytest.mark.parametrize(
        ("power", "shift", "size", "alpha"),
        [  # alpha by mpmath with 30 digits
            (3, 0, 1, 0.4762898916356839),
            (3, 0, 2, 0.48606432307505576),
            (5, 0, 1, 0.4635159579820864),
            (3, 1, 1, 0.9569418877226589),
        ],
    )
    def test_beside_signs(self, power, shift, size, alpha):
        assert 1 / top_beside_signs(power, shift=shift, size=size) == pytest.approx(alpha, abs=1e-9)
        signal = (w1 - shift) ** power * sympy.sign(w2) + size * sympy.sign(w2) * sympy.sign(w3)
        found, defect = one(signal, w1, w2, w3).quadrature(level=1)
        assert 1 / top_eigenvalue(found) == pytest.approx(alpha, abs=2e-12)
        assert defect < 1e-10

    def test_all_coordinates_determined(self):
        """tanh^3(z1) s2 + s2 s3: the label tells tanh(z1) s2 and s2 s3 apart, and 1/alpha = 2 + (2/pi)^2."""
        signal = sympy.tanh(w1) ** 3 * sympy.sign(w2) + sympy.sign(w2) * sympy.sign(w3)
        found, _ = one(signal, w1, w2, w3).quadrature(level=1)
        assert top_eigenvalue(found) == pytest.approx(2 + 4 / math.pi**2, rel=1e-11)

    @pytest.mark.cases(1)
    @pytest.mark.parametrize("frequency", [2, 3, 4])
    def test_beside_maxima_that_share_a_label(self, frequency):
        """cos(k z): y does not tell points within 1e-8 of a maximum from it.

        Its preimages are (2 pi j +- t)/k, and equal steps of t over a period converge geometrically.
        """
        t, turns = math.pi * (np.arange(2000) + 0.5) / 2000, 2 * math.pi * np.arange(-25, 26)[:, None]
        z = np.concatenate([turns + t, turns - t]) / frequency
        p = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) / frequency
        power = float(((p * (z * z - 1)).sum(0) ** 2 / p.sum(0)).sum() * math.pi / len(t))
        found, _ = one(sympy.cos(frequency * w1)).quadrature(level=1)
        assert top_eigenvalue(found) == pytest.approx(power, rel=0, abs=1e-14)

    @pytest.mark.slow
    def test_a_derivative_of_which_rounding_is_left(self):
        """(z1^2 - 1)^3 expanded: within 1e-8 of its inflections at 1 and -1 the slope is 0 or noise."""
        plain, expanded = (w1**2 - 1) ** 3, w1**6 - 3 * w1**4 + 3 * w1**2
        tops = [
            top_eigenvalue(structured_law(f + w2**2, (w1, w2))(2).quadrature()) for f in (plain, expanded)
        ]
        assert tops[1] == pytest.approx(tops[0], rel=1e-11)
        mixed = [
            top_eigenvalue(one(f + sympy.sign(w1) * sympy.sign(w2), w1, w2).quadrature(level=1)[0])
            for f in (plain, expanded)
        ]
        assert mixed[1] == pytest.approx(mixed[0], rel=1e-9)


class TestPieces:
    def test_kinks_and_critical_points(self):
        f = along(sympy.Max(w1**2 - 1, 0) + sympy.sign(w1), w1)
        pieces = pieces_between(f, -3, 3)
        assert [p.slope for p in pieces] == [-1, 0, 0, 1]
        assert [p.low for p in pieces] == pytest.approx([-3, -1, 0, 1], abs=1e-14)

    def test_a_kink_that_turns_back_at_another(self):
        """|w| = 1/1000 lies between two points of the grid: sign(|w| - 1/1000) was a slope from 0 on."""
        pieces = pieces_between(along(sympy.sign(abs(w1) - sympy.Rational(1, 1000)), w1), -9.5, 9.5)
        assert [p.slope for p in pieces] == [0, 0, 0]
        assert [p.high for p in pieces[:2]] == pytest.approx([-0.001, 0.001], abs=1e-14)

    def test_narrow_values_beside_a_known_coordinate(self):
        """sign(x + |w| - 1): given x < 1 the label says whether |w| < 1 - x."""

        def power(x):
            a = 1 - x
            inside = special.ndtr(a) - special.ndtr(-a)
            density = math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
            weight = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
            return weight * (2 * a * density) ** 2 / (inside * 2 * special.ndtr(-a))

        alpha = 1 / integrate.quad(power, -9, 1, epsabs=1e-14, epsrel=1e-12, points=[-4, 0])[0]
        problem = Problem(signal=sympy.sign(x1 + abs(w1) - 1), unknown=(w1,), known=(x1,))
        found = one_coordinate(problem).alpha
        assert found.value == pytest.approx(alpha, rel=1e-11)
        assert found.error < 1e-6

    def test_too_many(self):
        with pytest.raises(UnsupportedExpression, match="more than 400 monotone pieces"):
            pieces_between(along(sympy.sin(300 * w1), w1), -9, 9)

    def test_opened_kinks(self):
        plain, signs = opened(sympy.Max(w1, w2, 0))
        point = {w1: sympy.Rational(1, 3), w2: -2}
        values = dict(signs)
        while plain.free_symbols - {w1, w2}:
            plain = plain.xreplace({s: sympy.sign(a) for s, a in values.items()})
        assert plain.subs(point) == sympy.Rational(1, 3)


class TestDiscrete:
    def test_a_label_of_three_values(self):
        """step(|z|-1) + step(|z|-2): the closed form against the three cells by quadrature."""
        f = sum((1 + sympy.sign(sympy.Abs(w1) - k)) / 2 for k in (1, 2))
        found = by_finite_values(Problem(signal=f, unknown=(w1,), known=()))
        total = 0
        for a, b in [(0, 1), (1, 2), (2, 12)]:
            p = 2 * mpmath.quad(mpmath.npdf, [a, b])
            total += (2 * mpmath.quad(lambda t: (t * t - 1) * mpmath.npdf(t), [a, b])) ** 2 / p
        assert float(found.alpha) == pytest.approx(float(1 / total), rel=1e-12)
        assert found.alpha.evidence is Evidence.EXACT

    def test_no_information(self):
        f = sympy.sign(w1) * sympy.sign(w2) * sympy.sign(w3)
        found = by_finite_values(Problem(signal=f, unknown=(w1, w2, w3), known=()))
        assert found.alpha.value == math.inf

    def test_noise_mixes_the_values(self):
        """Far apart, the values are read off; close together, little is left."""
        g = np.array([[[-1.0]], [[1.0]]]) / 2
        law = LabelQuadrature(weights=np.full(2, 0.5), first=np.zeros((2, 1)), second=g)
        apart, close = (under_noise(np.array([-v, v]), law, 1.0) for v in (50, 0.01))
        assert top_eigenvalue(apart) == pytest.approx(0.25, rel=1e-12)
        assert top_eigenvalue(close) < 1e-4


class TestNoise:
    def test_one_coordinate(self):
        for signal, noise, alpha in [(w1**2, 1.0, 0.6465905984), (sympy.Abs(w1), 0.5, 0.7740222985)]:
            label = one(signal)
            found = under_noise(*sources_of_noise(label.sheets(), label.coordinate, noise), noise)
            assert 1 / top_eigenvalue(found) == pytest.approx(alpha, rel=1e-9)
            assert found.mass_defect < 1e-11


class TestTwoCoordinates:
    @pytest.mark.parametrize("eigenvalues", [(1.0, 2.0), (1.0, -0.3)])
    def test_quadratic_forms(self, eigenvalues):
        """Mass 1, and E[G(y)] = E[w w^T - I] = 0."""
        nodes = planar_form(np.array(eigenvalues))
        assert nodes.mass_defect < 1e-13
        assert nodes.weights @ nodes.second.reshape(-1, 4) == pytest.approx(np.zeros(4), abs=1e-12)

    def test_matrix(self):
        half = sympy.Rational(1, 2)
        assert form_matrix(w1**2 + w1 * w2 - 3, (w1, w2)) == sympy.Matrix([[1, half], [half, 0]])
        assert form_matrix(w1**2 + w2, (w1, w2)) is None
        assert form_matrix(sympy.cos(w1), (w1,)) is None

    def test_fisher_information_of_one_and_two_factors(self):
        """One factor: E[(z^2 - 1)^2] = 2; two: 1/alpha_c(z1 z2) - 1 (the off-diagonal part is 1 + J)."""
        assert fisher_information(2)[0] == pytest.approx(1 / 0.5937510982222572 - 1, rel=1e-10)

    def test_the_largest_size_or_a_number(self):
        """max(|w1|, |w2|, 1): an atom on the square, beyond it the label of order statistics."""
        edge, inner = mpmath.npdf(1), mpmath.erf(mpmath.sqrt(0.5))
        atom = (-2 * edge / inner) ** 2 * inner**2  # G_11 = E[w^2 - 1; |w| < 1]/P(|w| < 1)

        def node(y):  # one coordinate is y, the other below it
            small = -2 * y * mpmath.npdf(y) / mpmath.erf(y / mpmath.sqrt(2))
            a = (y * y - 1 + small) / 2
            return 4 * mpmath.npdf(y) * mpmath.erf(y / mpmath.sqrt(2)) * a * a

        expected = float(atom + mpmath.quad(node, [1, 2, 4, 9]))
        found = weak_recovery("max(abs(z1), abs(z2), 1)").alpha_c
        assert abs(1 / found.value - expected) < 1e-9 and found.error < 1e-9

    def test_lines_of_kinks(self):
        at = planar_label(sympy.Max(w1, w2 - x1, 0), (w1, w2), (x1,))
        _, lines = at(0.25)
        expected = [(1, -1, -0.25), (0, 1, 0.25), (1, 0, 0)]  # w1 = w2 - x, w2 = x, w1 = 0
        for line in expected:
            found = [np.array(known) / np.linalg.norm(known[:2]) for known in lines]
            unit = np.array(line) / np.linalg.norm(line[:2])
            assert any(np.allclose(f, unit) or np.allclose(f, -unit) for f in found)
        assert planar_label(sympy.Abs(w1**2 + w2**2 - 1), (w1, w2)) is None

    def test_degrees(self):
        assert homogeneous_degree(sympy.Max(sympy.Abs(w1), sympy.Abs(w2)), (w1, w2)) == 1
        assert homogeneous_degree(sympy.sin(w1), (w1,)) is None


class TestKnownCoordinate:
    def test_structure_is_found(self):
        assert segments(lambda x: (x > -1, x > 2.5)) == pytest.approx([-7, -1, 2.5, 7], abs=1e-10)

    def test_nodes(self):
        x, p = outer_nodes([-7.0, 0.0, 7.0], nodes=20)
        assert p.sum() == pytest.approx(1, abs=1e-11)
        assert p @ np.abs(x) == pytest.approx(math.sqrt(2 / math.pi), abs=5e-11)  # the tails beyond 7

    def test_adaptive_average(self):
        found, error = adaptive_average(
            lambda x: (np.array([[abs(x - 0.3)]]), 1e-9), [-7, -2, 0, 2, 7], tolerance=1e-7, most=600
        )
        exact = 2 * mpmath.npdf(0.3) + 0.3 * mpmath.erf(0.3 / mpmath.sqrt(2))
        assert found[0, 0] == pytest.approx(float(exact), abs=3e-7)
        assert error < 1e-6

    @pytest.mark.parametrize("inside", [0.0, 0.2, -0.03, 1.97, -1e-4])
    def test_adaptive_average_of_a_jump(self, inside):
        """At an end of panels nothing of it is seen; elsewhere the error covers it, after few values too."""
        exact = float(2 * mpmath.ncdf(-inside))

        def jump(x):
            return np.array([[1.0 + np.sign(x - inside)]]), 0.0

        for most in (10, 40, 100):
            found, error = adaptive_average(jump, [-7, -2, 0, 2, 7], tolerance=1e-7, most=most)
            assert abs(found[0, 0] - exact) < error + 1e-6
        assert inside or error < 1e-6

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("known", "value"), [("sign(z1)", None), ("step(z1-1/2)", 0.54917693), ("sign(sin(3*z1))", None)]
    )
    def test_jumps_of_the_known_coordinate(self, known, value):
        """y = u^2 + v and y = -u^2 + v, with u = |z2| and v = z3 sign(z2) independent: sums over u and y."""
        u, y = np.linspace(0.0, 10.0, 2001)[1:] - 0.0025, np.linspace(-9.0, 60.0, 6901)
        v = y[:, None] - u * u
        joint = 2 * 0.005 * np.exp(-0.5 * (u * u + v * v)) / (2 * np.pi)
        p = joint.sum(1)
        a, b, c = ((joint * x).sum(1) for x in (u * u - 1, v * v - 1, u * v + 0 * v))
        ratio = np.divide(0.01, p, out=np.zeros_like(p), where=p > 1e-200)
        if value is None:  # both signs alike: M -> E[G M G] leaves diagonal matrices diagonal
            across = ratio @ (c * c)
            diagonal = np.array([[ratio @ (a * a), across], [across, ratio @ (b * b)]])
            value = 1 / max(np.linalg.eigvalsh(diagonal)[-1], ratio @ (a * b) + across)
        found = weak_recovery(f"{known}*z2**2+z3*sign(z2)+z1", seconds=90).stages[-1].alpha_c
        assert abs(found.value - value) < found.error + 1e-7
        assert found.error < 2e-7  # two labels, each by its level curves: no rule over z1

    def test_two_relus(self):
        """Given s, d: an atom |d| < |s|, beyond it |d| is known; both sides of s = 0 are alike."""
        f = sympy.Max(x1 + w1, 0) + sympy.Max(x1 - w1, 0)
        found, _ = one(f, known=(x1,)).quadrature(0.7, level=1)
        inside = mpmath.quad(lambda t: (t * t - 1) * mpmath.npdf(t), [-0.7, 0.7])
        beyond = 2 * mpmath.quad(lambda t: (t * t - 1) ** 2 * mpmath.npdf(t), [0.7, 12])
        expected = inside**2 / mpmath.erf(0.7 / mpmath.sqrt(2)) + beyond
        assert top_eigenvalue(found) == pytest.approx(float(expected), rel=1e-10)


class TestResults:
    def test_dilution(self):
        half = sympy.Rational(1, 2)
        assert exact_threshold(half, ()).diluted(half).alpha.exact == 1
        assert estimated(2.0, 1e-9, ()).diluted(half).alpha.value == pytest.approx(1.0)
        assert infinite_threshold(()).diluted(half).alpha.value == math.inf

    def test_a_rough_number_is_no_answer(self):
        found = estimated(1.0, 0.5, remark("a rule"))
        assert math.isnan(found.alpha.value)
        assert text_of(found.facts) == "a rule: 1/alpha = 1 with an error of 0.5"


class TestHomogeneous:
    @pytest.mark.slow
    def test_two_oblique_factors(self):
        """|w1 + w2| |w2|: the radius given the angle, against points in bins."""
        f = sympy.Abs(w1 + w2) * sympy.Abs(w2)
        nodes = homogeneous_law(f, (w1, w2))(1).quadrature()
        found = top_in_bins(lambda w: np.abs((w[:, 0] + w[:, 1]) * w[:, 1]))
        assert top_eigenvalue(nodes) == pytest.approx(found, rel=2e-4)

    def test_refused(self):
        assert homogeneous_law(w1**2 + w2, (w1, w2)) is None
        assert homogeneous_law(w1**2 - w2 * w3, (w1, w2, w3)) is None  # its zeros are on a cone
