"""Certificates for people: the symmetry behind a zero, where there is one, else how it was computed."""

from __future__ import annotations

from sympy import Expr, Matrix, Symbol, eye

from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.expansion import HermiteExpansion
from hermite_analytics.foundation.budget import Budget
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.zero import symmetries, symmetry_certificate
from hermite_analytics.gaussian.zero.certificate import exact_matrix
from hermite_analytics.gaussian.zero.monomials import OutOfReach
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.language.parser import parse

__all__ = ["stall_symmetry", "vanishing_reason"]

_SECONDS = 1.0
_MOST_INDICES = 60
_MOST_NAMED = 3

Rows = tuple[tuple[str, ...], ...]


def vanishing_reason(expansion: HermiteExpansion, degree: int) -> str:
    """Why C_degree = 0, which was proved before.

    Examples
    --------
    >>> from hermite_analytics.expansion import hermite
    >>> vanishing_reason(hermite("sign(z1*z2)", 2), 1)
    'f(-z1, -z2) = f(z1, z2)'
    >>> vanishing_reason(hermite("z1**2*exp(-z1**2)", 2), 2)
    'c_(2) is 0 in closed form'
    """
    f, variables = expansion.expression, expansion.variables
    wanted = list(indices(len(variables), degree))
    if f.is_polynomial(*variables) or len(wanted) > _MOST_INDICES:
        return f"the expansion of f has no term of degree {degree}"
    identities, left = _symmetries(f, variables, wanted)
    if left:
        names = [f"c_({', '.join(map(str, index))})" for index in left[:_MOST_NAMED]]
        more = f" and {len(left) - len(names)} more" if len(left) > len(names) else ""
        verb = "is" if len(left) == 1 else "are"
        identities.append(f"{', '.join(names)}{more} {verb} 0 in closed form")
    return "; ".join(identities)


def stall_symmetry(expansion: HermiteExpansion, basis: Rows) -> str | None:
    """Symmetries of f that fix the subspace and force E[w.z f(z) | P_U z] = 0 for all w orthogonal to it.

    If f(Rz) = chi f(z) and R fixes U, then these w are solutions of R w = chi w: where all R together leave
    only w = 0, no step of order 1 leaves U.

    Examples
    --------
    >>> from hermite_analytics.expansion import hermite
    >>> stall_symmetry(hermite("z1 + z2 + z1*z2", 1), (("1", "1"),))
    'f(z2, z1) = f(z1, z2)'
    """
    f, variables = expansion.expression, expansion.variables
    try:
        with limited(Budget(seconds=_SECONDS)):
            rows = [[parse(x, lambda _: None, accepted="numbers") for x in row] for row in basis]
            return _forcing(f, variables, Matrix(len(rows), len(variables), [x for row in rows for x in row]))
    except (TimeEnded, HermiteAnalyticsError, OutOfReach):
        return None


def _forcing(f: Expr, variables: tuple[Symbol, ...], learned: Matrix) -> str | None:
    equations, used = learned, []
    left = len(variables) - learned.rank()
    found = [(exact_matrix(isometry), chi) for isometry, chi in symmetries(f, variables)]
    fixing = [(r, chi) for r, chi in found if learned * r.T == learned]
    for matrix, chi in sorted(fixing, key=lambda pair: -_rank(learned, *pair)):  # the strongest first
        check_time()
        more = equations.col_join(matrix - chi * eye(len(variables)))
        room = len(variables) - more.rank()
        if room < left:
            equations, left = more, room
            used.append(_identity(matrix, chi, variables))
        if left == 0:
            return "; ".join(used)
    return None


def _rank(learned: Matrix, matrix: Matrix, chi: int) -> int:
    return int(learned.col_join(matrix - chi * eye(matrix.rows)).rank())


def _identity(matrix: Matrix, chi: int, variables: tuple[Symbol, ...]) -> str:
    moved = ", ".join(str(form) for form in matrix * Matrix(variables))
    return f"f({moved}) = {'-' if chi < 0 else ''}f({', '.join(map(str, variables))})"


def _symmetries(
    f: Expr, variables: tuple[Symbol, ...], wanted: list[tuple[int, ...]]
) -> tuple[list[str], list[tuple[int, ...]]]:
    """(verified symmetries that make coefficients vanish, the indices that they leave)."""
    found: dict[str, None] = {}
    left = list(wanted)
    if f.atoms(GaussianExpectation):
        return [], left
    try:
        with limited(Budget(seconds=_SECONDS)):
            for index in wanted:
                certificate = symmetry_certificate(f, variables, index)
                if certificate is not None:
                    found[certificate.text.partition(": ")[0]] = None
                    left.remove(index)
    except (TimeEnded, HermiteAnalyticsError):
        pass
    return list(found), left
