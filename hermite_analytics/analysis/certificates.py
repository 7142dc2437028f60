"""Certificates for people: the symmetry behind a zero, where there is one, else how it was computed."""

from __future__ import annotations

from sympy import Expr, Matrix, Symbol, eye

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.coefficients import ZeroCoefficients
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.argument.steps import Basis
from hermite_analytics.argument.symmetries import symmetry_of
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.expansion import HermiteExpansion
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.zero import symmetries, symmetry_certificate
from hermite_analytics.gaussian.zero.certificate import exact_matrix
from hermite_analytics.gaussian.zero.monomials import OutOfReach
from hermite_analytics.gaussian.zero.tensors import indices

__all__ = ["stall_symmetry", "vanishing_facts"]

_SECONDS = 1.0
_MOST_INDICES = 60


def vanishing_facts(expansion: HermiteExpansion, degree: int) -> Facts:
    """Why C_degree = 0, which was proved before.

    Examples
    --------
    >>> from hermite_analytics.expansion import hermite
    >>> [str(fact) for fact in vanishing_facts(hermite("sign(z1*z2)", 2), 1)]
    ['f(-z1, -z2) = f(z1, z2)']
    >>> [str(fact) for fact in vanishing_facts(hermite("z1**2*exp(-z1**2)", 2), 2)]
    ['c_(2) is 0 in closed form']
    """
    f, variables = expansion.expression, expansion.variables
    wanted = list(indices(len(variables), degree))
    if f.is_polynomial(*variables) or len(wanted) > _MOST_INDICES:
        return remark("the expansion of ", Math("f", "f"), f" has no term of degree {degree}")
    identities, left = _symmetries(f, variables, wanted)
    return (*identities, ZeroCoefficients(indices=tuple(left))) if left else identities


def stall_symmetry(expansion: HermiteExpansion, learned: Basis) -> Facts:
    """Symmetries of f that fix the subspace and force E[w.z f(z) | P_U z] = 0 for all w orthogonal to it.

    If f(Rz) = chi f(z) and R fixes U, then these w are solutions of R w = chi w: where all R together leave
    only w = 0, no step of order 1 leaves U. Nothing is said where no such symmetries are found.

    Examples
    --------
    >>> from hermite_analytics.expansion import hermite
    >>> from sympy import S
    >>> line = Basis(rows=((S.One, S.One),))
    >>> [str(fact) for fact in stall_symmetry(hermite("z1 + z2 + z1*z2", 1), line)]
    ['f(z2, z1) = f(z1, z2)']
    """
    f, variables = expansion.expression, expansion.variables
    entries = [x for row in learned.rows for x in row if isinstance(x, Expr)]
    if len(entries) < len(variables) * learned.dimension:
        return ()  # a row without a closed form
    try:
        with limited(_SECONDS):
            return _forcing(f, variables, Matrix(learned.dimension, len(variables), entries))
    except (TimeEnded, HermiteAnalyticsError, OutOfReach):
        return ()


def _forcing(f: Expr, variables: tuple[Symbol, ...], learned: Matrix) -> Facts:
    equations, used = learned, list[Fact]()
    left = len(variables) - learned.rank()
    found = [(exact_matrix(isometry), chi) for isometry, chi in symmetries(f, variables)]
    fixing = [(r, chi) for r, chi in found if learned * r.T == learned]
    for matrix, chi in sorted(fixing, key=lambda pair: -_rank(learned, *pair)):  # the strongest first
        check_time()
        more = equations.col_join(matrix - chi * eye(len(variables)))
        room = len(variables) - more.rank()
        if room < left:
            equations, left = more, room
            used.append(symmetry_of(matrix, chi, variables))
        if left == 0:
            return tuple(used)
    return ()


def _rank(learned: Matrix, matrix: Matrix, chi: int) -> int:
    return int(learned.col_join(matrix - chi * eye(matrix.rows)).rank())


def _symmetries(
    f: Expr, variables: tuple[Symbol, ...], wanted: list[tuple[int, ...]]
) -> tuple[Facts, list[tuple[int, ...]]]:
    """(verified symmetries that make coefficients vanish, the indices that they leave)."""
    found: dict[Fact, None] = {}
    left = list(wanted)
    if f.atoms(GaussianExpectation):
        return (), left
    try:
        with limited(_SECONDS):
            for index in wanted:
                certificate = symmetry_certificate(f, variables, index)
                if certificate is not None:
                    found |= dict.fromkeys(certificate.facts)
                    left.remove(index)
    except (TimeEnded, HermiteAnalyticsError):
        pass
    return tuple(found), left
