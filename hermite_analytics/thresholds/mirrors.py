"""Mirrors of a label of two unknown coordinates: reflections that leave it as it is, proved term by term."""

from __future__ import annotations

import itertools

import sympy
from sympy import Expr, Symbol

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.thresholds.problem import affine_slopes, with_plain_forms

__all__ = ["mirrors"]

_MOST_FORMS = 8
_SAME = 1e-12  # of lengths that make a candidate; the proof is exact


def mirrors(
    signal: Expr, unknown: tuple[Symbol, ...], known: tuple[Symbol, ...] = ()
) -> list[tuple[float, float]]:
    """Vectors orthogonal to the lines in which the label is its own mirror image, whatever is known.

    Candidates are the mirrors that exchange two of the linear forms that it is made of, or turn one around;
    a mirror that is not recognised costs time only.

    Examples
    --------
    >>> a, b, x = sympy.symbols("a b x", real=True)
    >>> mirrors(sympy.tanh(a + x) + sympy.tanh(b + x), (a, b), (x,))
    [(1.0, -1.0)]
    """
    if len(unknown) != 2:
        return []
    names = (*unknown, *known)
    plain = with_plain_forms(signal, names)
    forms = list(dict.fromkeys(s for s in affine_slopes(signal, unknown) if any(x != 0 for x in s)))
    if len(forms) > _MOST_FORMS:
        return []
    candidates = [c for a in forms for c in (a, (-a[1], a[0]))]
    for a, b in itertools.combinations(forms, 2):
        if abs(_length(a) - _length(b)) <= _SAME * _length(a):
            candidates += [(a[0] - b[0], a[1] - b[1]), (a[0] + b[0], a[1] + b[1])]
    found: list[tuple[float, float]] = []
    for a, b in candidates:
        check_time()
        normal = (float(a), float(b))
        known_already = any(abs(normal[0] * n[1] - normal[1] * n[0]) <= _SAME for n in found)
        if (a != 0 or b != 0) and not known_already and _is_mirror(plain, unknown, names, (a, b)):
            found.append(normal)
    return found


def _length(form: tuple[Expr, ...]) -> float:
    return float(sum(float(x) ** 2 for x in form))


def _is_mirror(
    plain: Expr, unknown: tuple[Symbol, ...], names: tuple[Symbol, ...], normal: tuple[Expr, Expr]
) -> bool:
    size = sympy.expand(normal[0] ** 2 + normal[1] ** 2)
    along = (normal[0] * unknown[0] + normal[1] * unknown[1]) * sympy.radsimp(2 / size)
    images = {w: sympy.expand(w - n * along) for w, n in zip(unknown, normal, strict=True)}
    mirrored = with_plain_forms(plain.xreplace(images), names)
    return bool(mirrored == plain or expanded(mirrored - plain) == 0)
