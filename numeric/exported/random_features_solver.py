"""Ridge regression on random features without any library; the text goes into exported files.

Written from docs/random_features.md, "Ridge regression", and not from the compiled solver: each checks the
other.
"""

from __future__ import annotations

import math

__all__ = ["errors_at"]


def point_of_least_ridge(alpha: float, beta: float, first: float, second: float) -> tuple[float, float]:
    """(s, t(s)) with t(s) = min(alpha, beta); s = 0 where t stays below it."""
    least = min(alpha, beta)
    b = least * first - first - second
    root = math.sqrt(b * b + 4.0 * least * first * second)
    if b < 0.0:
        return (root - b) / (2.0 * least), least
    return (2.0 * first * second / (b + root), least) if second > 0.0 else (0.0, 1.0)


def errors_at(
    alpha: float,
    beta: float,
    ridge: float,
    noise: float,
    *,
    first: float,
    second: float,
    level: float,
    above: float,
) -> dict[str, float]:
    """Test and training error at one point.

    `first` and `second` are mu1^2 and mu2^2 of the features, `level` and `above` the squared norms of the
    part of the target that mu1 can learn, and of what is never learned. All differences are sums of positive
    terms: s = s2 is measured from the point where t = min(alpha, beta).
    """
    least_s, least_t = point_of_least_ridge(alpha, beta, first, second)

    def gaps(distance: float) -> tuple[float, float, float]:
        """s, alpha - t(s), beta - t(s) at a distance from the least s."""
        s = least_s + distance
        drop = distance * first / ((first + s) * (first + least_s)) if first > 0.0 else 0.0
        drop += distance * second / (s * least_s) if second > 0.0 else 0.0
        return s, alpha - least_t + drop, beta - least_t + drop

    def ridge_of(distance: float) -> float:
        s, of_samples, of_neurons = gaps(distance)
        return s * of_samples * of_neurons / beta

    distance = 0.0
    if ridge > 0.0:  # the root lies in [high/2, high]
        high = ridge / alpha
        while ridge_of(high) < ridge:
            high *= 2.0
        while ridge_of(0.5 * high) >= ridge:
            high *= 0.5
        low = 0.5 * high
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if ridge_of(middle) < ridge else (low, middle)
        distance = 0.5 * (low + high)

    s, of_samples, of_neurons = gaps(distance)
    share = first / (first + s) if first > 0.0 else 0.0
    rest = second / s if second > 0.0 else 0.0
    t, lost = share + rest, share * s / (first + s) + rest  # lost = t - t2 with t2 = share^2
    open_ = of_neurons + lost  # beta - t2
    if open_ > 0.0:
        response = ((share * s) ** 2 / first if first > 0.0 else 0.0) + second  # s^2 chi (beta - t2)
        response /= open_
        upsilon = (t**2 + of_neurons**2 * share**2 / open_) / (alpha * beta)
        left = (t * of_samples + of_neurons * of_samples + of_neurons * lost * beta / open_) / (alpha * beta)
    else:
        response, upsilon, left = 0.0, t**2 / (alpha * beta), (t + of_neurons) * of_samples / (alpha * beta)
    unlearned = (s**2 + response * first) / (first + s) ** 2 if first + s > 0.0 else 0.0
    error = level * unlearned + above + noise * upsilon
    if left <= 0.0 < error:  # the interpolation peak
        return {"test_error": math.inf, "train_error": 0.0, "s": s, "t": t}
    error = error / left if error > 0.0 else 0.0
    return {
        "test_error": error,
        "train_error": (of_samples / alpha) ** 2 * (error + noise),
        "s": s,
        "t": t,
    }
