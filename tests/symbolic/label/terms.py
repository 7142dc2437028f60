"""Single-index pieces and checks that the tests of the engines share."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import erf, ndtr

from hermite_analytics.label.cases.parts.branches import Term, term_density
from hermite_analytics.label.cases.parts.convolution import added, multiplied
from hermite_analytics.label.cases.parts.density import LabelDensity
from hermite_analytics.label.cases.parts.smoothed import smoothed_density
from hermite_analytics.label.operator import top_eigenvalue

LINEAR = Term(value=lambda w: 1.0 * w, derivative=np.ones_like)
SQUARE = Term(value=np.square, derivative=lambda w: 2 * w, points=[0.0])
TWICE_SQUARE = Term(value=lambda w: 2 * w * w, derivative=lambda w: 4 * w, points=[0.0])
FOURTH = Term(value=lambda w: w**4, derivative=lambda w: 4 * w**3, points=[0.0])
MODULUS = Term(value=np.abs, derivative=np.sign, points=[0.0])
RELU = Term(value=lambda w: np.maximum(w, 0.0), derivative=lambda w: 1.0 * (w > 0), points=[0.0])
SIGN = Term(value=np.sign, derivative=np.zeros_like, points=[0.0])
SINE = Term(value=np.sin, derivative=np.cos, points=[math.pi / 2 * k for k in range(-7, 8)])
COSINE = Term(value=np.cos, derivative=lambda w: -np.sin(w), points=[math.pi * k for k in range(-3, 4)])
ERF = Term(value=erf, derivative=lambda w: 2 / math.sqrt(math.pi) * np.exp(-w * w))
TANH = Term(value=np.tanh, derivative=lambda w: 1 / np.cosh(w) ** 2)
HERMITE3 = Term(value=lambda w: w**3 - 3 * w, derivative=lambda w: 3 * w * w - 3, points=[-1.0, 1.0])
HERMITE4 = Term(
    value=lambda w: w**4 - 6 * w * w + 3,
    derivative=lambda w: 4 * w**3 - 12 * w,
    points=[-math.sqrt(3), 0.0, math.sqrt(3)],
)
BUMP = Term(
    value=lambda w: w * w * np.exp(-w * w / 2),
    derivative=lambda w: (2 * w - w**3) * np.exp(-w * w / 2),
    points=[-math.sqrt(2), 0.0, math.sqrt(2)],
)
ROOT = Term(
    value=lambda w: np.sqrt(np.abs(w)),
    derivative=lambda w: 0.5 * np.sign(w) / np.sqrt(np.abs(w)),
    points=[0.0],
)


def noise_term(size: float) -> Term:
    """size * xi, of which no moments are asked."""
    return Term(value=lambda w: size * w, derivative=lambda w: np.full_like(w, size), tracked=False)


def sum_density(pieces: Sequence[Term], *, noise: float = 0.0, level: float = 1) -> LabelDensity:
    """The law of a sum of independent pieces, and of noise."""
    law = functools.reduce(added, (term_density(p, level=level) for p in pieces))
    return smoothed_density(law, noise) if noise else law


def product_density(pieces: Sequence[Term], *, level: float = 1) -> LabelDensity:
    """The law of a product of independent pieces."""
    return functools.reduce(multiplied, (term_density(p, level=level, extra=(0.0,)) for p in pieces))


def threshold(law: LabelDensity) -> float:
    return 1 / top_eigenvalue(law.quadrature())


def check_law(law: LabelDensity, tolerance: float = 1e-8) -> None:
    """Mass 1, E[E[w | y]] = 0, E[G(y)] = 0."""
    nodes = law.quadrature()
    assert abs(law.mass - 1) < tolerance
    assert np.abs(nodes.weights @ nodes.first).max() < tolerance
    assert np.abs(np.einsum("n,nij->ij", nodes.weights, nodes.second)).max() < 10 * tolerance
    assert np.array_equal(nodes.second, nodes.second.transpose(0, 2, 1))


def normal_density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def three_relus(total):
    """1/alpha_c of relu(z1) + relu(z2) + relu(z3) given z1 + z2 + z3: G = a(y) I by symmetry.

    One active: y = z1, the others negative; two: y = total - z3, the others positive; all or none: atoms.
    """

    def parts(y):
        found = np.zeros(2)
        for u, half in (
            ((y - total / 3) * math.sqrt(1.5), (y - total) / math.sqrt(2)),
            ((2 * total / 3 - y) * math.sqrt(1.5), y / math.sqrt(2)),
        ):
            mass = 2 * ndtr(half) - 1
            square = mass - 2 * half * normal_density(half)
            found += 3 * math.sqrt(1.5) * normal_density(u) * np.array([mass, u * u * mass + square])
        return found

    nodes, weights = np.polynomial.legendre.leggauss(60)
    start = max(total, 0.0)
    ends = start + np.array([0, 1e-2, 0.1, 0.5, 1, 2, 4, 7, 12])
    whole, top = np.zeros(2), 0.0
    for a, b in itertools.pairwise(ends):
        for x, weight in zip(nodes, weights, strict=True):
            p, square = parts((a + b) / 2 + (b - a) / 2 * x)
            weight = weight * (b - a) / 2
            whole += weight * np.array([p, square])
            if p > 0:
                top += weight * (square - 2 * p) ** 2 / (4 * p)
    atom, rest = 1 - whole[0], 2 - whole[1] - 2 * (1 - whole[0])
    return top + rest**2 / (4 * atom)
