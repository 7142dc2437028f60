"""Labels in the directions in which they are simplest, where these are no axes, and subspaces taken back."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import ParseError, UndefinedQuantity
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, extended
from hermite_analytics.label.reduction.frame import frames, is_along_axes
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["TurnedLabel", "turned_label"]

_FEW = 2  # indices of which all that is asked is short as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedLabel:
    """f(z) = g(w), w_k = (row k).z with orthonormal rows.

    Attributes
    ----------
    target : Target
        g, of z1, z2, .. in place of w1, w2, ..
    rows : tuple of rows of exact numbers
    """

    target: Target
    rows: tuple[Row, ...]

    @property
    def facts(self) -> Facts:
        """What z1, z2, .. stand for in what is proved of g."""
        forms = [sympy.Add(*(x * variable(j + 1) for j, x in enumerate(row) if x != 0)) for row in self.rows]
        listed = ", ".join(str(sympy.together(form)) for form in forms)
        names = ", ".join(f"z{k + 1}" for k in range(len(forms)))
        return remark(f"with {names} for ", Math(listed, ", ".join(map(sympy.latex, forms))), " from here on")

    def back(self, span: Span) -> Span:
        """A subspace of the w as one of the z."""
        width, rows = len(self.rows[0]), sympy.Matrix(self.rows)
        vectors = [tuple((sympy.Matrix([row]) * rows).expand().applyfunc(sympy.radsimp)) for row in span.rows]
        return extended(Numbers(), Span(width=width), vectors)[0]


def turned_label(target: Target) -> TurnedLabel | None:
    """Along the target's forms, where any two are parallel or orthogonal, or they are few; None along axes.

    Of three and more indices.

    Examples
    --------
    >>> found = turned_label(Target("sign(z1+z2+z3)*abs(z1-z2)"))
    >>> str(found.target), found.rows[1]
    ('sqrt(2)*Abs(z1)*sign(z2)', (sqrt(3)/3, sqrt(3)/3, sqrt(3)/3))
    >>> turned_label(Target("sign(z1)*abs(z2+z3)*z3")) is None
    True
    """
    if target.dimension <= _FEW or is_along_axes(target.expression, target.dimension):
        return None
    frame = next(frames(target.expression, target.dimension))
    if all(sum(x != 0 for x in row) == 1 for row in frame.rows):
        return None
    new = {w: variable(k + 1) for k, w in enumerate(frame.coordinates)}
    identity = sympy.eye(len(new)).tolist()
    try:
        found = Target(str(frame.signal.xreplace(new)), directions=identity)
    except (UndefinedQuantity, ParseError):
        return None
    return TurnedLabel(target=found, rows=frame.rows)
