"""1/alpha_c of labels of two coordinates by points of a lattice in bins: nothing of the package is used."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri


def top_in_bins(label, points=5_702_887, step=3_524_578, bins=1500):
    """The largest eigenvalue of M -> E[G M G], with G averaged over bins of equal probability.

    By two numbers of bins: what they lose falls with their number where labels are unbounded. The points are
    a lattice of Fibonacci numbers, mapped to N(0, I). Off by 3e-4 of itself or less, where it is used.
    """
    i = np.arange(points)
    w = ndtri(np.stack([(i + 0.5) / points, np.clip(i * step / points % 1, 1e-12, 1 - 1e-12)], axis=1))
    g = np.stack([w[:, 0] ** 2 - 1, w[:, 0] * w[:, 1], w[:, 1] ** 2 - 1])[:, np.argsort(label(w))]
    tops = []
    for count in (bins // 2, bins):
        edges = np.linspace(0, points, count + 1).astype(int)
        means = (np.add.reduceat(g, edges[:-1], axis=1) / np.diff(edges))[[0, 1, 1, 2]].reshape(2, 2, count)
        operator = np.einsum("ijn,kln->ikjl", means, means).reshape(4, 4) / count
        tops.append(float(np.linalg.eigvalsh(operator)[-1]))
    return 2 * tops[1] - tops[0]
