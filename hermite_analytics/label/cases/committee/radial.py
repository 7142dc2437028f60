"""Functions of the norm of a block of k coordinates: their form, and the law of the norm given what is known.

Of z ~ N(omega, v I) in k dimensions

    p(rho) = rho^(k-1) A(rho |omega|/v) exp(-(rho - |omega|)^2/(2 v)) 2/((2 v)^(k/2) Gamma(k/2)),
    E[z . omega | |z| = rho] = rho |omega| I_{k/2}/I_{k/2-1}(rho |omega|/v),

A(t) = Gamma(k/2) (2/t)^(k/2-1) I_{k/2-1}(t) exp(-t) with the modified Bessel functions I.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.intervals import interval_probability

__all__ = ["grouped", "norm_density", "norm_moments", "norm_probability", "radial_form"]

Blocks = dict[tuple[Symbol, ...], Expr]

_SMALL = 1e-8  # arguments of Bessel functions up to which their ratio is that of series


def grouped(terms: Sequence[Expr], variables: Sequence[Symbol], joined: type[Expr]) -> tuple[Blocks, Expr]:
    """Terms, or factors, by the variables that they share, in the order of these; and what has none.

    Examples
    --------
    >>> z1, z2, z3 = sympy.symbols("z1:4", real=True)
    >>> grouped((z1**2, sympy.Integer(2), z2 * z3, sympy.cos(z2)), (z1, z2, z3), sympy.Add)
    ({(z1,): z1**2, (z2, z3): z2*z3 + cos(z2)}, 2)
    """
    sets: list[tuple[set[Symbol], list[Expr]]] = []
    rest: list[Expr] = []
    for term in terms:
        used = {z for z in variables if term.has(z)}
        if not used:
            rest.append(term)
            continue
        met = [s for s in sets if s[0] & used]
        sets = [s for s in sets if not s[0] & used]
        sets.append((used.union(*(s for s, _ in met)), [*(e for _, its in met for e in its), term]))
    place = {z: i for i, z in enumerate(variables)}
    ordered = [(tuple(sorted(used, key=place.__getitem__)), its) for used, its in sets]
    ordered.sort(key=lambda block: place[block[0][0]])
    return {used: joined(*its) for used, its in ordered}, joined(*rest)


def radial_form(expr: Expr, block: Sequence[Symbol], t: Symbol) -> Expr | None:
    """h with expr = h(norm of the block), as a function of t; None where there is none.

    Examples
    --------
    >>> z1, z2, t = sympy.symbols("z1 z2 t", real=True)
    >>> radial_form(sympy.exp(-z1**2 - z2**2), (z1, z2), t), radial_form(z1**2 + 2 * z2**2, (z1, z2), t)
    (exp(-t**2), None)
    """
    first, *others = block
    found = expr.xreplace(dict.fromkeys(others, S.Zero)).xreplace({first: t})
    norm = sympy.sqrt(sympy.Add(*(z**2 for z in block)))
    same = expanded(found.xreplace({t: norm}) - expr) == 0
    return found if same and expanded(found - found.xreplace({t: -t})) == 0 else None


def norm_density(rho: Array, count: int) -> Array:
    """Of the norm of `count` coordinates ~ N(0, I); of a single one of itself.

    Examples
    --------
    >>> [round(float(norm_density(np.array(1.0), k)), 6) for k in (1, 2, 3)]
    [0.241971, 0.606531, 0.483941]
    """
    from scipy import special

    if count == 1:
        return np.asarray(np.exp(-0.5 * rho * rho) / np.sqrt(2 * np.pi))
    scale = 2 / (2 ** (count / 2) * special.gamma(count / 2))
    return np.asarray(scale * rho ** (count - 1) * np.exp(-0.5 * rho * rho))


def norm_probability(low: float, high: float, count: int) -> float:
    """That the norm of `count` coordinates lies between; of a single one that it does itself.

    Examples
    --------
    >>> round(norm_probability(-1.0, 1.0, 1), 6), round(norm_probability(0.0, 1.0, 2), 6)
    (0.682689, 0.393469)
    """
    from scipy import special

    if count == 1:
        return interval_probability(low, high)
    return float(special.gammainc(count / 2, high**2 / 2) - special.gammainc(count / 2, low**2 / 2))


def norm_moments(rho: Array, omega: Array, deviation: float, count: int) -> tuple[Array, Array]:
    """Density of the norm given the norms of omega, and (E[z along omega | rho] - omega)/deviation.

    Shape (rho, omega) each.

    Examples
    --------
    >>> rho = np.linspace(0, 12, 1201)
    >>> p, x = norm_moments(rho, np.array([0.0, 2.0]), 0.5, 3)
    >>> (0.01 * p.sum(0)).round(6).tolist(), np.abs(0.01 * (p * x).sum(0)).round(6).tolist()
    ([1.0, 1.0], [0.0, 0.0])
    """
    from scipy import special

    v, rho = deviation * deviation, rho[:, None]
    t = rho * omega / v
    order = count / 2 - 1
    safe = np.maximum(t, _SMALL)
    bessel = special.ive(order, safe)
    flat = special.gamma(count / 2) * (2 / safe) ** order * bessel
    ratio = np.where(t > _SMALL, special.ive(order + 1, safe) / bessel, t / count)
    scale = 2 / ((2 * v) ** (count / 2) * special.gamma(count / 2))
    density = scale * rho ** (count - 1) * flat * np.exp(-0.5 * (rho - omega) ** 2 / v)
    return np.asarray(density), np.asarray((rho * ratio - omega) / deviation)
