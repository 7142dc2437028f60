"""Zeros of Hermite coefficients by symmetry: f(Rz) = chi f(z), verified exactly, and what it forces.

The symmetries come from `verification`; what a set of them forces is decided by exact linear algebra in
`tensors`; terms that are orthogonal to the Hermite polynomial are left aside by `reduction`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sympy import Expr, Symbol

from hermite_analytics.errors import InputError
from hermite_analytics.gaussian.zero.monomials import Form, Frozen, OutOfReach, exceeds, freeze, thaw
from hermite_analytics.gaussian.zero.own_time import own_time
from hermite_analytics.gaussian.zero.reader import read
from hermite_analytics.gaussian.zero.reduction import contributing
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.gaussian.zero.tensors import Index, indices, is_forced_by_cycle
from hermite_analytics.gaussian.zero.verification import Symmetry, VerifiedSymmetries
from hermite_analytics.language.kinks import KINKS

if TYPE_CHECKING:
    from hermite_analytics.argument.sentences import Math
    from hermite_analytics.gaussian.zero.certificate import Certificate

__all__ = ["symmetries", "symmetry_certificate", "vanishing"]

_READING = 40_000
_READING_SECONDS = 1.0
_LARGEST = 4_000  # monomials, those of arguments included


@functools.lru_cache(maxsize=256)
def _read(expr: Expr) -> Frozen | None:
    try:
        with own_time(_READING_SECONDS):
            form = read(Ring(_READING), expr)
    except (OutOfReach, RecursionError):
        return None
    return None if exceeds(form, _LARGEST) else freeze(form)


@functools.lru_cache(maxsize=256)
def _search(
    form: Frozen, names: tuple[str, ...], written: tuple[tuple[Frozen, ...], ...] = ()
) -> VerifiedSymmetries | None:
    try:
        return VerifiedSymmetries(thaw(form), names, [tuple(map(thaw, row)) for row in written])
    except OutOfReach:
        return None


def symmetries(
    expr: Expr, variables: Sequence[Symbol], written: Iterable[Sequence[Expr]] = ()
) -> tuple[Symmetry, ...]:
    """All symmetries that the search finds and verifies, as (isometry, character).

    Parameters
    ----------
    expr : sympy expression
    variables : sequence of symbols
    written : rows of numbers
        Linear forms of which the expression is written: isometries that permute them are tried too.

    Examples
    --------
    >>> from sympy import symbols, tanh
    >>> z = symbols("z", real=True)
    >>> [character for _, character in symmetries(tanh(z), [z])]
    [-1]
    """
    form, rows = _read(expr), [tuple(map(_read, row)) for row in written]
    known = tuple(tuple(x for x in row if x is not None) for row in rows if None not in row)
    found = None if form is None else _search(form, tuple(v.name for v in variables), known)
    return () if found is None else tuple(found)


def symmetry_certificate(expr: Expr, variables: Sequence[Symbol], index: Sequence[int]) -> Certificate | None:
    """A verified reason why c_S = E[He_S(z) f(z)] is zero, S = index, or None.

    Parameters
    ----------
    expr : sympy expression
        f; E|f He_S| must be finite. Other symbols are parameters, which the symmetry leaves alone.
    variables : sequence of symbols
        z_1..z_n, independent N(0, 1).
    index : sequence of int
        n exponents.

    Raises
    ------
    TimeEnded
        If a limit around the call ends; a later call goes on from there.

    Examples
    --------
    >>> from sympy import sign, sin, symbols
    >>> z1, z2 = symbols("z1 z2", real=True)
    >>> print(symmetry_certificate(sin(z1 * z2), [z1, z2], (0, 0)))
    f(z1, -z2) = -f(z1, z2): even powers of z2 vanish
    """
    from hermite_analytics.argument.sentences import Math

    symbols, wanted = tuple(variables), tuple(int(s) for s in index)
    if len(wanted) != len(symbols) or any(s < 0 for s in wanted):
        raise InputError(f"the index {wanted} must have {len(symbols)} entries, none of them negative")
    listed = ", ".join(map(str, wanted))
    claim = Math(f"c_({listed}) = 0", f"c_{{({listed})}} = 0")
    return _certificate(expr, symbols, [wanted], claim)


def vanishing(expr: Expr, variables: Sequence[Symbol], degree: int) -> tuple[bool, Certificate | None]:
    """Whether symmetry forces the whole tensor C_k to vanish, k = degree, and why.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> z1, z2 = symbols("z1 z2", real=True)
    >>> cubic = sign(z1) * sign(z1**2 - 3 * z2**2)
    >>> [vanishing(cubic, [z1, z2], k)[0] for k in (1, 2, 3)]
    [True, True, False]
    """
    from hermite_analytics.argument.sentences import Math

    symbols = tuple(variables)
    wanted = indices(len(symbols), degree)
    found = _certificate(expr, symbols, wanted, Math(f"C_{degree} = 0", f"C_{{{degree}}} = 0"))
    return found is not None, found


def _certificate(
    expr: Expr, variables: tuple[Symbol, ...], wanted: list[Index], claim: Math
) -> Certificate | None:
    from hermite_analytics.gaussian.zero.certificate import orthogonal_certificate

    frozen = _read(expr)
    if frozen is None or not variables or _kink_moves(expr, variables):
        return None
    names = tuple(v.name for v in variables)
    whole = thaw(frozen)
    proof = _symmetry_proof(whole, {}, variables, wanted, claim)
    if proof is not None:
        return proof
    form = contributing(whole, names, wanted)
    if not form:
        return orthogonal_certificate(len(variables), claim)
    dropped = {m: c for m, c in whole.items() if m not in form}
    return _symmetry_proof(form, dropped, variables, wanted, claim) if dropped else None


def _kink_moves(expr: Expr, variables: tuple[Symbol, ...]) -> bool:
    """Whether a parameter stands in a kink or jump: sign^2 = 1 may then fail for some of its values."""
    parameters = expr.free_symbols - set(variables)
    return bool(parameters) and any(atom.free_symbols & parameters for atom in expr.atoms(*KINKS))


def _symmetry_proof(
    form: Form, dropped: Form, variables: tuple[Symbol, ...], wanted: list[Index], claim: Math
) -> Certificate | None:
    from hermite_analytics.gaussian.zero.certificate import certificate, consequence

    found = _search(freeze(form), tuple(v.name for v in variables))
    used = [] if found is None else _sufficient(found, wanted)
    return certificate(used, variables, consequence(used, variables, claim), dropped) if used else None


def _sufficient(found: VerifiedSymmetries, wanted: list[Index]) -> list[Symmetry]:
    """One symmetry that forces the zeros, or a small set of them, or nothing."""
    for symmetry in found:
        if _forces(found, [symmetry], wanted):
            return [symmetry]
    together = list(found.generators)
    if len(together) < 2 or not _forces(found, together, wanted):
        return []
    for symmetry in reversed(found.generators):
        fewer = [s for s in together if s is not symmetry]
        if fewer and _forces(found, fewer, wanted):
            together = fewer
    return together


def _forces(found: VerifiedSymmetries, chosen: list[Symmetry], wanted: list[Index]) -> bool:
    if len(chosen) == 1 and chosen[0][0].signed_permutation is not None:
        return all(is_forced_by_cycle(chosen[0], index) for index in wanted)
    return found.forced_by(chosen, sum(wanted[0])).issuperset(wanted)
