"""A label that depends on how many of r coordinates lie in each of some intervals.

For each vector of counts n the density of S is the inverse transform of prod_c psi_c(u)^n_c, psi_c the
transform of the interval c; E[sum z_i^2; n, S] comes from the derivative with respect to one factor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.committee.joint import JointLaw, excess
from hermite_analytics.label.cases.committee.transforms import interval_transforms

__all__ = ["count_law"]


_REACH = 9.0  # standard deviations of S
_NODES = (2**13, 2**14)  # of S, by level
_NOISY_NODES = (2**10, 2**11)
_FLAT = 36.0  # exp(-36) is rounding
_TAIL = 8.5  # of the noise
_STEP = 0.45  # of the noisy label, in standard deviations of the noise


def count_law(
    cells: Sequence[tuple[float, float]],
    labels: dict[tuple[int, ...], float],
    *,
    noise: float = 0.0,
    level: int = 1,
) -> JointLaw:
    """The law of (y, S).

    Parameters
    ----------
    cells : sequence of (low, high)
        Intervals that cover the line.
    labels : {counts: value}
        The label for each vector of counts.
    noise : float >= 0
        Standard deviation of an additive noise.

    Examples
    --------
    >>> signs = {(k, 3 - k): 3.0 - 2 * k for k in range(4)}
    >>> law = count_law([(-math.inf, 0.0), (0.0, math.inf)], signs)
    >>> bool(law.loss < 1e-9)
    True
    """
    from scipy import fft

    count = sum(next(iter(labels)))
    size = (_NOISY_NODES if noise else _NODES)[level]
    length = 2 * _REACH * math.sqrt(count)
    total = length / size * fft.fftfreq(size, 1 / size)
    u = 2 * math.pi / length * fft.fftfreq(size, 1 / size)
    flat = np.exp(-_FLAT * (u / np.abs(u).max()) ** 8)
    moments = [interval_transforms(u, low, high) for low, high in cells]
    values = sorted(set(labels.values()))
    masses, second = np.zeros((2, len(values), size))
    for counts, value in labels.items():
        check_time()
        ways = math.factorial(count) / math.prod(math.factorial(n) for n in counts)
        product = ways * flat * np.prod([m[0] ** n for m, n in zip(moments, counts, strict=True)], axis=0)
        inner = np.zeros(size, dtype=complex)
        for c, n in enumerate(counts):
            if n:
                powers = [k - (i == c) for i, k in enumerate(counts)]
                rest = np.prod([m[0] ** k for m, k in zip(moments, powers, strict=True)], axis=0)
                inner += ways * n * flat * moments[c][1] * rest
        place = values.index(value)
        masses[place] += fft.fft(product).real / size
        second[place] += fft.fft(inner).real / size
    joint = JointLaw(masses, excess(second, masses, total, count))
    return _with_noise(joint, np.array(values), noise) if noise else joint


def _with_noise(law: JointLaw, values: Array, noise: float) -> JointLaw:
    """Each value spread out; the poles of the posterior are pi noise^2/gap off the line."""
    gap = float(np.diff(values).max(initial=noise))
    step = noise * min(_STEP, 0.7 * noise / gap)
    y = np.arange(values[0] - _TAIL * noise, values[-1] + _TAIL * noise, step)
    kernel = np.exp(-0.5 * ((y[:, None] - values) / noise) ** 2) * (step / noise / math.sqrt(2 * math.pi))
    return JointLaw(kernel @ law.masses, kernel @ law.moments)
