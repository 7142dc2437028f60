"""Products beside noise that is added: densities of labels from transforms in the logarithm."""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["beside_noise"]


_FINE = 0.4  # spacing of labels beside noise, in its standard deviations
_FINEST = 2**17  # labels, beside noise
_GRADED = 0.06  # spacing of labels far beyond the noise, in their logarithm
_TOGETHER = 2**20  # numbers


def beside_noise(
    low: float, width: float, top: float, count: int, signs: int, noise: float
) -> tuple[Array, Array]:
    """Densities of y given log |y_0| and the sign of y_0, from their transforms, and given y_0 = 0.

    Where |y_0| is large the noise is narrow in its logarithm: it is looked at on a lattice as fine as it asks
    for.
    """
    from scipy import fft

    scale = _FINE * noise / _GRADED
    far = math.ceil(math.asinh((math.exp(top) + 9 * noise) / scale) / _GRADED)
    x = _GRADED * np.arange(0 if signs == 2 else -far, far + 1)
    y, weights = scale * np.sinh(x), _GRADED * scale * np.cosh(x)
    weights /= noise * math.sqrt(2 * math.pi)
    weights[y == 0] /= signs  # which stands for both signs
    wanted = width * (np.abs(y) + 9 * noise) / (_FINE * noise) / (2 * count)
    sizes = 2 * count * 2 ** np.ceil(np.log2(np.maximum(wanted, 1.0))).astype(np.int64)
    if sizes.max() > _FINEST:
        raise UnsupportedExpression("the labels of a product go too far beyond their noise")
    kernel = np.empty((signs, 2, count + 1, len(y)))
    for size in np.unique(sizes):
        values = np.exp(low + width / size * np.arange(size))
        for some in np.array_split(
            own := np.flatnonzero(sizes == size), math.ceil(len(own) * size / _TOGETHER)
        ):
            sides = [np.exp(-0.5 * ((y[some, None] - s * values) / noise) ** 2) for s in (1, -1)]
            joined = sides[:1] if signs == 1 else [sides[0] + sides[1], sides[0] - sides[1]]
            for found, density in zip(kernel, joined, strict=True):
                waves = fft.rfft(density, axis=1)[:, : count + 1].T / size
                waves[1:] *= 2  # both signs of the frequency
                found[:, :, some] = waves.real, -waves.imag
    fixed = np.exp(-0.5 * (y / noise) ** 2) * weights
    return kernel.reshape(signs, -1, len(y)) * weights, np.concatenate([fixed] * signs)
