"""Conjugate kernels: the correlation of two neurons' outputs against that of their inputs."""

from __future__ import annotations

import numpy as np
import sympy
from gallery_style import picture
from matplotlib.axes import Axes

import hermite_analytics as ha


def draw(axes: Axes) -> None:
    """E sigma(x) sigma(x') over E sigma^2, closed forms."""
    correlation = np.linspace(-1, 1, 201)
    for name in ("sign", "relu", "erf", "sin"):
        kernel = ha.dual_kernel(name).conjugate
        (symbol,) = kernel.free_symbols
        values = ha.compile(kernel, (symbol,))(correlation)
        axes.plot(correlation, values / float(kernel.subs(symbol, sympy.Integer(1))), label=name)
    axes.set(xlabel="correlation of the inputs", ylabel="conjugate kernel, normalised")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
