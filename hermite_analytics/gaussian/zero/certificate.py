"""A verified symmetry f(Rz) = chi f(z) and what it says, for people to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, ImmutableMatrix, Symbol

from hermite_analytics.gaussian.zero.isometries import Isometry
from hermite_analytics.gaussian.zero.monomials import Form, OutOfReach, thaw

__all__ = ["Certificate", "certificate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Why some Hermite coefficients of f are zero.

    Parameters
    ----------
    text, latex : str
        One line each.
    matrix : sympy.ImmutableMatrix
        R, orthogonal, of exact numbers; the first one where several are needed.
    character : int
        chi in f(Rz) = chi f(z), 1 or -1.
    generators : tuple of (matrix, character)
        All symmetries that the argument uses.
    """

    text: str
    latex: str
    matrix: ImmutableMatrix
    character: int
    generators: tuple[tuple[ImmutableMatrix, int], ...]

    def __str__(self) -> str:
        return self.text


def certificate(
    symmetries: Sequence[tuple[Isometry, int]],
    variables: Sequence[Symbol],
    consequence: tuple[str, str],
    dropped: Form,
) -> Certificate:
    """The certificate of these symmetries of f, or of g = f without the terms `dropped`."""
    pairs = tuple((exact_matrix(isometry), character) for isometry, character in symmetries)
    letter = "g" if dropped else "f"
    identities = [_identity(letter, matrix, character, variables) for matrix, character in pairs]
    text, latex = "; ".join(t for t, _ in identities), r",\; ".join(t for _, t in identities)
    if dropped:
        text = f"g = f without its terms in lower or absent powers, {text}"
        latex = rf"g = f - \text{{(lower powers)}},\; {latex}"
    return Certificate(
        text=f"{text}: {consequence[0]}",
        latex=rf"{latex} \;\Rightarrow\; {consequence[1]}",
        matrix=pairs[0][0],
        character=pairs[0][1],
        generators=pairs,
    )


def orthogonal_certificate(n: int, claim: tuple[str, str]) -> Certificate:
    """No term of f reaches the index: the zero follows from E[He_k(z) z^j] = 0 for j < k or j - k odd."""
    identity = ImmutableMatrix(sympy.eye(n))
    return Certificate(
        text=f"every term is orthogonal to the Hermite polynomial in some variable: {claim[0]}",
        latex=rf"\mathbb{{E}}[\operatorname{{He}}_k(z)\, z^j] = 0 \;\Rightarrow\; {claim[1]}",
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


def _identity(
    letter: str, matrix: ImmutableMatrix, character: int, variables: Sequence[Symbol]
) -> tuple[str, str]:
    """ "f(-z1, z2) = -f(z1, z2)" in text and LaTeX."""
    moved = list(matrix * sympy.Matrix(list(variables)))
    sign = "" if character > 0 else "-"
    text = f"{letter}({_listed(moved, sympy.sstr)}) = {sign}{letter}({_listed(variables, sympy.sstr)})"
    left, right = _listed(moved, sympy.latex), _listed(variables, sympy.latex)
    return text, rf"{letter}\left({left}\right) = {sign}{letter}\left({right}\right)"


def _listed(expressions: Sequence[Expr], write: Callable[[Expr], str]) -> str:
    return ", ".join(write(e) for e in expressions)


def consequence(
    symmetries: Sequence[tuple[Isometry, int]], variables: Sequence[Symbol], claim: tuple[str, str]
) -> tuple[str, str]:
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
        return f"{parity} degrees vanish", rf"C_k = 0 \text{{ for {parity} }} k"
    if len(flipped) == 1:
        name = sympy.sstr(flipped[0])
        return (
            f"{parity} powers of {name} vanish",
            rf"\text{{{parity} powers of }} {sympy.latex(flipped[0])} \text{{ vanish}}",
        )
    return claim
