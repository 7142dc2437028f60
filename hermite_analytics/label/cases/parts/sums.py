"""The law of y = sum_i g_i(w_i) + noise * xi."""

from __future__ import annotations

from collections.abc import Sequence

from hermite_analytics.label.cases.parts.branches import Term, term_density
from hermite_analytics.label.cases.parts.convolution import added
from hermite_analytics.label.cases.parts.density import LabelDensity, spacing
from hermite_analytics.label.cases.parts.smoothed import smoothed_density

__all__ = ["sum_density"]


def sum_density(terms: Sequence[Term], *, noise: float = 0.0, level: float = 1) -> LabelDensity:
    """The law of y = sum_i g_i(w_i) + noise * xi and of w given y; w, xi independent standard Gaussians.

    Parameters
    ----------
    terms : sequence of Term
        One for each coordinate, in order.
    noise : float >= 0
        Standard deviation of the label noise.
    level : float >= 1
        All spacings are divided by it. Errors are about 1e-9 at level 1 and 1e-12 at level 2.

    Returns
    -------
    LabelDensity

    Examples
    --------
    >>> import numpy as np
    >>> modulus = Term(value=np.abs, derivative=np.sign, points=[0.0])
    >>> law = sum_density([modulus, modulus])  # E[w1 w2; y] vanishes, and G commutes with the exchange
    >>> y, values = law.labels()
    >>> round(float(y @ values[:, 0]), 8)  # E y = 2 sqrt(2/pi)
    1.59576912
    """
    law = term_density(terms[0], level=level)
    for i, term in enumerate(terms[1:], 2):
        last = i == len(terms) and noise == 0
        law = added(law, term_density(term, level=level), step=2 * spacing(level) if last else None)
    return smoothed_density(law, noise) if noise else law
