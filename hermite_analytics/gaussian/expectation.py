"""E of terms of the normal form over independent N(0, 1) variables, in closed form.

    weight   exp(quadratic) cos(quadratic)  ->  another Gaussian law, its mean complex under an oscillation
    lift     Phi(l)                         ->  step(l - y) with one more Gaussian y
    Stein    polynomials                    ->  densities and conditioned laws (`moments.py`)
    orthants                                ->  Phi, T, asin, polygons         (`orthant.py`)

Source: docs/theory.md, "Catalogue", R3, R4, R7.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, I, S, atan, cos, exp, sin

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.cones import cone_integral
from hermite_analytics.gaussian.gaussian_cell import OpenProbability
from hermite_analytics.gaussian.law import Form, GaussianLaw, canonical, standard_law
from hermite_analytics.gaussian.moments import TruncatedMoments
from hermite_analytics.gaussian.parts import real_part
from hermite_analytics.gaussian.reals import NoClosedForm, root, sign_of
from hermite_analytics.gaussian.terms import Atom, Polynomial, Term

__all__ = ["Expectation"]

Square = tuple[tuple[Expr, ...], ...]
_Key = tuple[object, ...]


class Expectation:
    """E over n independent N(0, 1) variables; terms of one weight and cell share their moments.

    A term is looked at in its own variables only, so that terms that differ by their names share theirs too.

    Parameters
    ----------
    dimension : int
        n.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._weights: dict[_Key, tuple[Expr, GaussianLaw]] = {}
        self._moments: dict[_Key, TruncatedMoments] = {}
        self._smaller: dict[int, Expectation] = {}

    def of(self, terms: Sequence[Term]) -> Expr:
        """E of a sum of terms.

        Raises
        ------
        NoClosedForm
            If a rule is missing for one of them.
        """
        return sympy.Add(*(self._of_term(t) for t in terms))

    def _of_term(self, term: Term) -> Expr:
        check_time()
        axes = term.axes
        if len(axes) < self.dimension:
            return self._in_fewer(len(axes))._of_term(term.on(axes))
        if term.exponent:  # without one the weight is the standard one
            precision = self._precision(term.exponent)
            if not _is_positive(precision):
                return self._over_cone(term, precision)
        factor, law = self._weight(term)
        moments = self._table(term, law)
        lifts = sum(a.kind == "Phi" for a in term.atoms)
        total = _closed(sympy.Add(*(a * moments.moment(m + (0,) * lifts) for m, a in term.poly.items())))
        if not term.oscillates:
            return factor * total
        return real_part(exp(I * term.phase) * factor * total)

    def _in_fewer(self, dimension: int) -> Expectation:
        return self._smaller.setdefault(dimension, Expectation(dimension))

    def _over_cone(self, term: Term, precision: list[list[Expr]]) -> Expr:
        """A weight that only its cell makes integrable."""
        constant = {(0,) * self.dimension}
        if term.oscillates or term.poly.keys() != constant:
            raise NoClosedForm("a Gaussian weight whose integrability is not shown")
        law, forms = _lifted(standard_law(self.dimension), term.atoms)
        lifts = len(law.mean) - self.dimension
        full = [[*row, *[S.Zero] * lifts] for row in precision]
        full += [
            [S.One if i == j else S.Zero for j in range(len(law.mean))]
            for i in range(self.dimension, len(law.mean))
        ]
        linear = [*self._split(term.exponent)[0], *[S.Zero] * lifts]
        (coefficient,) = term.poly.values()
        return coefficient * cone_integral(full, linear, forms)

    def _weight(self, term: Term) -> tuple[Expr, GaussianLaw]:
        """(factor, law) with E[g exp(exponent + i wave)] = factor E_law g."""
        key = (tuple(sorted(term.exponent.items())), tuple(sorted(term.wave.items())))
        if key not in self._weights:
            self._weights[key] = self._tilted(term)
        return self._weights[key]

    def _tilted(self, term: Term) -> tuple[Expr, GaussianLaw]:
        if not term.exponent and not term.wave:
            return S.One, standard_law(self.dimension)
        real = self._precision(term.exponent)
        wave_linear, wave_quadratic = self._split(term.wave)
        linear = [a + I * w for a, w in zip(self._split(term.exponent)[0], wave_linear, strict=True)]
        waves = any(any(row) for row in wave_quadratic)
        precision = [
            [a - 2 * I * b if waves else a for a, b in zip(row, other, strict=True)]
            for row, other in zip(real, wave_quadratic, strict=True)
        ]
        covariance = _inverse(precision)
        mean = tuple(
            canonical(sympy.Add(*(c * a for c, a in zip(row, linear, strict=True)))) for row in covariance
        )
        height = canonical(sympy.Add(*(m * a for m, a in zip(mean, linear, strict=True))) / 2)
        norm = _oscillating_norm(real, wave_quadratic) if waves else 1 / root(_determinant(real))
        return norm * exp(height), GaussianLaw(mean, covariance)

    def _split(self, polynomial: Polynomial) -> tuple[list[Expr], list[list[Expr]]]:
        """(linear coefficients, symmetric matrix) of a quadratic polynomial."""
        n = self.dimension
        linear = [S.Zero] * n
        matrix = [[S.Zero] * n for _ in range(n)]
        for monomial, coefficient in polynomial.items():
            axes = [i for i, power in enumerate(monomial) for _ in range(power)]
            if len(axes) == 1:
                linear[axes[0]] = coefficient
            else:
                i, j = axes
                matrix[i][j] += coefficient / 2
                matrix[j][i] += coefficient / 2
        return linear, matrix

    def _precision(self, exponent: Polynomial) -> list[list[Expr]]:
        """I minus twice the matrix of the exponent."""
        _, matrix = self._split(exponent)
        return [
            [canonical((S.One if i == j else S.Zero) - 2 * x) for j, x in enumerate(row)]
            for i, row in enumerate(matrix)
        ]

    def _table(self, term: Term, law: GaussianLaw) -> TruncatedMoments:
        key = (tuple(sorted(term.exponent.items())), tuple(sorted(term.wave.items())), term.atoms)
        if key not in self._moments:
            self._moments[key] = TruncatedMoments(*_lifted(law, term.atoms))
        return self._moments[key]


def _closed(total: Expr) -> Expr:
    """The sum without orthant probabilities that have no closed form, which must cancel."""
    unknown = total.atoms(OpenProbability)
    for symbol in unknown:
        if sympy.expand(total.diff(symbol)) != 0:
            raise NoClosedForm("an orthant probability without a closed form")
    return total.xreplace(dict.fromkeys(unknown, S.Zero)) if unknown else total


def _lifted(law: GaussianLaw, atoms: Sequence[Atom]) -> tuple[GaussianLaw, tuple[Form, ...]]:
    """The law with one more variable for every Phi, and all atoms as forms to be positive."""
    lifts = sum(a.kind == "Phi" for a in atoms)
    n = len(law.mean)
    zeros = (S.Zero,) * lifts
    rows = [row + zeros for row in law.covariance]
    rows += [(S.Zero,) * n + tuple(S.One if i == j else S.Zero for j in range(lifts)) for i in range(lifts)]
    forms, used = [], 0
    for atom in atoms:
        tail = list(zeros)
        if atom.kind == "Phi":
            tail[used] = S.NegativeOne
            used += 1
        forms.append(Form(atom.form.slope + tuple(tail), atom.form.offset))
    return GaussianLaw(law.mean + zeros, tuple(rows)), tuple(forms)


def _is_positive(matrix: list[list[Expr]]) -> bool:
    """Whether the matrix is shown to be positive definite: elimination without pivoting."""
    rows = [list(row) for row in matrix]
    for k in range(len(rows)):
        if sign_of(rows[k][k]) != 1:
            return False
        for i in range(k + 1, len(rows)):
            if rows[i][k] != 0:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [canonical(x - factor * y) for x, y in zip(rows[i], rows[k], strict=True)]
    return True


def _determinant(matrix: list[list[Expr]]) -> Expr:
    rows = [list(row) for row in matrix]
    determinant = S.One
    for k in range(len(rows)):
        determinant *= rows[k][k]
        for i in range(k + 1, len(rows)):
            if rows[i][k] != 0:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [canonical(x - factor * y) for x, y in zip(rows[i], rows[k], strict=True)]
    return canonical(determinant)


def _inverse(matrix: list[list[Expr]]) -> Square:
    """Gauss-Jordan; the pivots of a matrix with positive real part do not vanish."""
    n = len(matrix)
    rows = [list(row) + [S.One if i == j else S.Zero for j in range(n)] for i, row in enumerate(matrix)]
    for k in range(n):
        pivot = rows[k][k]
        rows[k] = [_number(x / pivot) for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k]
                rows[i] = [_number(x - factor * y) for x, y in zip(rows[i], rows[k], strict=True)]
    return tuple(tuple(row[n:]) for row in rows)


def _number(x: Expr) -> Expr:
    """As `canonical`, with complex rationals in the form a + b i."""
    if x.is_number and x.has(I):
        real, imaginary = sympy.expand(x, complex=True).as_real_imag()
        return real + I * imaginary
    return canonical(x)


def _oscillating_norm(real: list[list[Expr]], wave: list[list[Expr]]) -> Expr:
    """det(A - 2 i B)^(-1/2) on the branch that is continuous from B = 0.

    With the generalised eigenvalues x of 2 B against A it is det(A)^(-1/2) prod (1 - i x)^(-1/2), principal.
    """
    x = sympy.Dummy("x", real=True)
    n = len(real)
    kept = [i for i in range(n) if any(wave[i])]
    if len(kept) > 2:
        raise NoClosedForm("an oscillation that is quadratic in more than two variables")
    symbolic = sympy.Matrix(n, n, lambda i, j: 2 * wave[i][j] - x * real[i][j])
    values = sympy.roots(sympy.Poly(symbolic.det(method="berkowitz"), x))
    if sum(values.values()) != n or any(not v.is_real for v in values):
        raise NoClosedForm("an oscillation whose eigenvalues are not exact")
    modulus, angle = S.One, S.Zero
    for value, count in values.items():
        modulus *= (1 + value**2) ** sympy.Rational(-count, 4)
        angle += count * atan(value) / 2
    return modulus * (cos(angle) + I * sin(angle)) / root(_determinant(real))
