"""A verified symmetry f(Rz) = chi f(z) and what it says, for people to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, ImmutableMatrix, Symbol

from hermite_analytics.argument import Facts, latex_of, text_of
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.argument.symmetries import symmetry_of
from hermite_analytics.gaussian.zero.isometries import Isometry
from hermite_analytics.gaussian.zero.monomials import Form, OutOfReach, thaw

__all__ = ["Certificate", "certificate"]

_WITHOUT_LOWER = remark(Math("g", "g"), " = ", Math("f", "f"), " without its terms in lower or absent powers")
_ORTHOGONAL = remark("every term is orthogonal to the Hermite polynomial in some variable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Why some Hermite coefficients of f are zero.

    Parameters
    ----------
    facts : facts
        The symmetries, or what stands in their place.
    claim : Math
        What they force.
    matrix : sympy.ImmutableMatrix
        R, orthogonal, of exact numbers; the first one where several are needed.
    character : int
        chi in f(Rz) = chi f(z), 1 or -1.
    generators : tuple of (matrix, character)
        All symmetries that the argument uses.
    """

    facts: Facts
    claim: Math
    matrix: ImmutableMatrix
    character: int
    generators: tuple[tuple[ImmutableMatrix, int], ...]

    @property
    def text(self) -> str:
        """One line for people."""
        return f"{text_of(self.facts)}: {self.claim.text}"

    @property
    def latex(self) -> str:
        """One line for a paper."""
        return rf"{latex_of(self.facts)} $\Rightarrow {self.claim.latex}$"

    def __str__(self) -> str:
        return self.text


def certificate(
    symmetries: Sequence[tuple[Isometry, int]],
    variables: Sequence[Symbol],
    claim: Math,
    dropped: Form,
) -> Certificate:
    """The certificate of these symmetries of f, or of g = f without the terms `dropped`."""
    pairs = tuple((exact_matrix(isometry), character) for isometry, character in symmetries)
    letter = "g" if dropped else "f"
    identities = tuple(symmetry_of(matrix, chi, variables, letter=letter) for matrix, chi in pairs)
    return Certificate(
        facts=(*(_WITHOUT_LOWER if dropped else ()), *identities),
        claim=claim,
        matrix=pairs[0][0],
        character=pairs[0][1],
        generators=pairs,
    )


def orthogonal_certificate(n: int, claim: Math) -> Certificate:
    """No term of f reaches the index: the zero follows from E[He_k(z) z^j] = 0 for j < k or j - k odd."""
    identity = ImmutableMatrix(sympy.eye(n))
    return Certificate(
        facts=_ORTHOGONAL,
        claim=claim,
        matrix=identity,
        character=1,
        generators=(),
    )


def exact_matrix(isometry: Isometry) -> ImmutableMatrix:
    return ImmutableMatrix([[as_sympy(entry) for entry in row] for row in isometry.matrix])


def as_sympy(form: Form) -> Expr:
    """An algebraic form as a sympy number."""
    terms = []
    for monomial, c in form.items():
        factors = [sympy.Rational(c.numerator, c.denominator)]
        factors += [
            sympy.Integer(p) ** sympy.Rational(e.numerator, e.denominator) for p, e in monomial.radical
        ]
        for (name, arguments), n in monomial.generators:
            if name != "root":
                raise OutOfReach(f"{name} in a matrix")
            factors.append(sympy.sqrt(as_sympy(thaw(arguments[0]))) ** n)
        terms.append(sympy.Mul(*factors))
    return sympy.Add(*terms)


def consequence(symmetries: Sequence[tuple[Isometry, int]], variables: Sequence[Symbol], claim: Math) -> Math:
    """A general statement where one flip says it all, else the claim itself."""
    if len(symmetries) > 1:
        return claim
    isometry, character = symmetries[0]
    rows = isometry.signed_permutation
    n = len(variables)
    if rows is None or any(column != i for i, (column, _) in enumerate(rows)):
        return claim
    flipped = [v for v, (_, s) in zip(variables, rows, strict=True) if s < 0]
    parity = "odd" if character > 0 else "even"
    if len(flipped) == n and n > 1:
        return Math(f"{parity} degrees vanish", rf"C_k = 0 \text{{ for {parity} }} k")
    if len(flipped) == 1:
        name = sympy.sstr(flipped[0])
        return Math(
            f"{parity} powers of {name} vanish",
            rf"\text{{{parity} powers of }} {sympy.latex(flipped[0])} \text{{ vanish}}",
        )
    return claim
