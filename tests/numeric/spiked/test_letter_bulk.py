"""The resolvent of the bulk of letters over all sizes of its arguments."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.numeric.models.spiked.letter_bulk import Vocabulary


def defect(vocabulary, s, t, beta):
    """Of rr = 1/(t + c E), E = (1 + beta S P)^-1 S, P = diag(pi c rr), with a solver of its own."""
    rr = vocabulary.bulk(s, t, beta).rr
    worst = []
    for matrix, ridge, ratio, found in zip(s, t, beta, rr, strict=True):
        p = np.diag(vocabulary.fraction * vocabulary.c * found)
        e = np.linalg.inv(np.eye(len(found)) + ratio * matrix @ p) @ matrix
        worst.append(np.max(np.abs(found * (ridge + vocabulary.c * np.diag(e)) - 1)))
    assert np.all(rr > 0)
    return np.array(worst)


def test_one_letter_at_all_scales():
    rng = np.random.default_rng(0)
    s, t = 10 ** rng.uniform(-6, 6, (2, 3000))
    beta = 10 ** rng.uniform(-3, 3, 3000)
    one = Vocabulary(fraction=np.array([1.0]), c=np.array([1.2]))
    assert np.max(defect(one, s[:, None, None], t[:, None], beta)) < 1e-9


@pytest.mark.parametrize("letters", [2, 3])
def test_several_letters_at_all_scales(letters):
    rng = np.random.default_rng(letters)
    root = rng.standard_normal((2000, letters, letters))
    s = root @ root.transpose(0, 2, 1) * 10 ** rng.uniform(-3, 4, 2000)[:, None, None]
    t, beta = 10 ** rng.uniform(-3, 4, (2000, letters)), 10 ** rng.uniform(-2, 2, 2000)
    several = Vocabulary(fraction=np.full(letters, 1 / letters), c=np.linspace(0.5, 2, letters))
    assert np.max(defect(several, s, t, beta)) < 1e-8


def test_a_few_neurons_and_many_samples():
    """rr(t (1 + beta s c rr) + c s) = 1 + beta s c rr; a step from 1/t leaves the range of Newton's."""
    s, t, c, beta = 26.0157, 2.0, 1.2, 0.3
    square, linear = t * beta * s * c, t + c * s * (1 - beta)
    root = (-linear + np.sqrt(linear**2 + 4 * square)) / (2 * square)
    found = Vocabulary(fraction=np.array([1.0]), c=np.array([c])).bulk(
        np.array([[[s]]]), np.array([[t]]), np.array([beta])
    )
    assert found.rr[0, 0] == pytest.approx(root, rel=1e-14)
