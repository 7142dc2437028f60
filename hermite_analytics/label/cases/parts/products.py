"""The law of y = prod_i g_i(w_i)."""

from __future__ import annotations

from collections.abc import Sequence

from hermite_analytics.label.cases.parts.branches import Term, term_density
from hermite_analytics.label.cases.parts.convolution import multiplied
from hermite_analytics.label.cases.parts.density import LabelDensity, spacing

__all__ = ["product_density"]


def product_density(terms: Sequence[Term], *, level: float = 1) -> LabelDensity:
    """The law of y = prod_i g_i(w_i) and of w given y, w_i independent standard Gaussians.

    Parameters
    ----------
    terms : sequence of Term
        One for each coordinate, in order; the zeros of each are among its points.
    level : float >= 1
        All spacings are divided by it. Errors are about 1e-9 at level 1 and 1e-12 at level 2.

    Returns
    -------
    LabelDensity

    Examples
    --------
    >>> import numpy as np
    >>> identity = Term(value=lambda w: 1.0 * w, derivative=np.ones_like)
    >>> law = product_density([identity, identity])
    >>> y, values = law.labels()
    >>> round(float(y**2 @ values[:, 0]), 8)
    1.0
    """
    law = term_density(terms[0], level=level, extra=(0.0,))
    for i, term in enumerate(terms[1:], 2):
        factor = term_density(term, level=level, extra=(0.0,))
        law = multiplied(law, factor, step=2 * spacing(level) if i == len(terms) else None)
    return law
