"""The cases of a target with parameters: a tree of closed forms that vanish or do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.analysis.parametric.coefficients import Coefficients, Index
from hermite_analytics.analysis.parametric.factors import denominators, factors, jump_coefficients
from hermite_analytics.analysis.parametric.numbers import RegionNumbers
from hermite_analytics.analysis.parametric.region import Region
from hermite_analytics.analysis.parametric.solutions import Divided, Solved, solutions
from hermite_analytics.exponents.coefficients import Coefficients as Tensors
from hermite_analytics.exponents.leaps import closure_leap
from hermite_analytics.exponents.results import Exponent
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.language.affine import affine_part
from hermite_analytics.language.functions import He, hermite_polynomial
from hermite_analytics.symbols import xi

__all__ = ["Branch", "Leaf", "leaves"]

MOST_LEAVES = 64
_MOST_SPLITS = 6  # of one case, to decide its leap
_LONGEST = 40  # operations of several equations that are not solved


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A region, and the target there.

    Attributes
    ----------
    f : expression
        The target, with the parameters that are solved for put in.
    region : Region
    degree : int
        C_1 to C_(degree - 1) vanish here.
    """

    f: Expr
    region: Region
    degree: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Polynomial:
    """A polynomial in z1, .., zr."""

    expression: Expr
    dimension: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """What is known on one region.

    Attributes
    ----------
    branch : Branch
        `degree` is the order, where that is decided, else a lower bound.
    witness : (index, expression) or None
        c_S, |S| = degree, which vanishes nowhere here.
    is_constant : bool
        Whether the target does not depend on z here.
    is_even : bool or None
        For polynomials of one direction: whether f(-z) = f(z) everywhere here, or nowhere.
    leap : Exponent or None
        The isotropic leap of a polynomial of several directions.
    open_because : str
        Why the order is open; empty where it is decided.
    """

    branch: Branch
    witness: tuple[Index, Expr] | None = None
    is_constant: bool = False
    is_even: bool | None = None
    leap: Exponent | None = None
    open_because: str = ""


def leaves(f: Expr, region: Region, coefficients: Coefficients, *, last: int) -> list[Leaf]:
    """The cases, generic ones first; together they are the whole region, and no two of them overlap.

    The clock in force is looked at: what was not reached when it ends is open.

    Parameters
    ----------
    f : expression
    region : Region
    coefficients : Coefficients
    last : int
        The largest degree that is looked at, of functions that are no polynomials.
    """
    found: list[Leaf] = []
    waiting = [Branch(f=f, region=region)]
    tree = _Tree(coefficients, last)
    try:
        with limited():
            while waiting and len(found) < MOST_LEAVES:
                check_time()
                ended, more = tree.looked(waiting[-1])
                waiting.pop()
                found += ended
                waiting += reversed(more)
    except TimeEnded:
        return [*found, *(Leaf(branch=b, open_because="the time ended before a proof") for b in waiting)]
    return [*found, *(Leaf(branch=b, open_because="there are too many cases") for b in waiting)]


Step = tuple[list[Leaf], list[Branch]]


class _Tree:
    def __init__(self, coefficients: Coefficients, last: int) -> None:
        self._coefficients, self._last = coefficients, last
        self._variables = coefficients.variables

    def looked(self, branch: Branch) -> Step:
        """The leaves that end here, and the branches to look at next."""
        f, region = branch.f, branch.region
        if f.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
            return [Leaf(branch=branch, open_because="the target is not defined here")], []
        if not any(f.has(v) for v in self._variables):
            return [Leaf(branch=branch, is_constant=True)], []
        if len(region.equations) > 1 and sum(map(sympy.count_ops, region.equations)) > _LONGEST:
            return [Leaf(branch=branch, open_because="no rule solves these equations")], []
        polynomial = _polynomial(f, self._variables)
        most = self._last if polynomial is None else polynomial.total_degree()
        if branch.degree > most:
            if polynomial is not None:
                return [Leaf(branch=branch, is_constant=True)], []
            return [Leaf(branch=branch, open_because=f"C_1 to C_{most} vanish here")], []
        return self._split_at_jumps(branch) or self._by_coefficients(branch)

    def _split_at_jumps(self, branch: Branch) -> Step | None:
        """Apart from where the argument of a jump may be 0 for all z; None where there is no such place."""
        for found in jump_coefficients(branch.f, (*self._variables, xi)):
            if found is None:
                why = "a jump depends on a parameter at a place that is no zero of a polynomial in z"
                return [Leaf(branch=branch, open_because=why)], []
            if not any(branch.region.is_nonzero(x) for x in found):
                there = next((x for x in found if branch.region.reduced(x) != 0), None)
                if there is None:
                    why = "the argument of a jump is 0 for all z, by an equation that is not solved"
                    return [Leaf(branch=branch, open_because=why)], []
                left = [g for g in factors(there) if not branch.region.is_nonzero(g)]
                return [], self._apart(branch, left)
        return None

    def _apart(self, branch: Branch, gs: Sequence[Expr]) -> list[Branch]:
        """Where no g vanishes, and where one does."""
        rest = branch.region.without(gs)
        return [*([] if rest is None else [_in(branch, rest)]), *self._zeros(branch, gs)]

    def _by_coefficients(self, branch: Branch) -> Step:
        region = branch.region
        if not self._coefficients.exist(branch.f, region, branch.degree):
            why = f"E|z^{branch.degree} f| is not shown to be finite"
            return [Leaf(branch=branch, open_because=why)], []
        found = self._coefficients.entries(branch.f, region, branch.degree)
        if found is None:
            why = f"a coefficient of degree {branch.degree} has no closed form in the parameters"
            return [Leaf(branch=branch, open_because=why)], []
        return self._decided(branch, {s: region.reduced(x) for s, x in found.items()})

    def _decided(self, branch: Branch, entries: dict[Index, Expr]) -> Step:
        region = branch.region
        for x in entries.values():
            bad = next((g for g in denominators(x) if not region.is_nonzero(g)), None)
            if bad in region.equations:
                return [Leaf(branch=branch, open_because="a closed form divides by what is 0 here")], []
            if bad is not None:
                return [], self._apart(branch, [bad])
        open_ones = []
        for s, x in entries.items():
            left = [g for g in factors(x) if not region.is_nonzero(g)]
            if not left:
                return self._closed(branch, (s, x)), []
            if S.Zero not in left:
                open_ones.append((len(left), sympy.count_ops(x), s, x, left))
        if not open_ones:
            return [], [Branch(f=branch.f, region=region, degree=branch.degree + 1)]
        _, _, s, x, left = min(open_ones, key=lambda one: one[:2])
        rest = region.without(left)
        ended = [] if rest is None else self._closed(_in(branch, rest), (s, x))
        return ended, list(self._zeros(branch, left))

    def _zeros(self, branch: Branch, gs: Sequence[Expr]) -> Iterator[Branch]:
        """Where the product of the g is 0, without overlaps."""
        for i, g in enumerate(gs):
            region = branch.region.without(gs[:i])
            if region is not None:
                yield from self._zero(_in(branch, region), g)

    def _zero(self, branch: Branch, g: Expr) -> Iterator[Branch]:
        """Where one factor is 0."""
        check_time()
        region = branch.region
        found = solutions(g, region)
        if isinstance(found, Divided):
            left = [h for h in factors(found.by) if not region.is_nonzero(h)]
            rest = region.without(left)
            if rest is not None:
                yield from self._zero(_in(branch, rest), g)
            for special in self._zeros(branch, left):
                remaining = factors(special.region.reduced(_put_in(g, branch.region, special.region)))
                if remaining == (S.Zero,):
                    yield special
                else:
                    yield from self._zeros(special, remaining)
        elif found is None:
            f = branch.f if g.is_Add or g.is_Symbol else branch.f.xreplace({g: S.Zero})
            yield Branch(f=f, region=region.on(g), degree=branch.degree)
        else:
            yield from self._on(branch, found)

    def _on(self, branch: Branch, found: Solved) -> Iterator[Branch]:
        """On each zero; an equation that can be solved there is solved too."""
        for p, x in found.zeros:
            region = branch.region.solved_for(p, x)
            if region is None:
                continue
            there = Branch(f=branch.f.subs(p, x), region=region, degree=branch.degree)
            solvable = ((g, solutions(g, region)) for g in region.equations)
            g, more = next(((g, s) for g, s in solvable if isinstance(s, Solved)), (None, None))
            if g is None or more is None:
                yield there
            else:
                yield from self._on(_in(there, region.forgetting(g)), more)

    def _closed(self, branch: Branch, witness: tuple[Index, Expr]) -> list[Leaf]:
        """The order is decided; of a polynomial of one direction also whether it is even."""
        polynomial = _polynomial(branch.f, self._variables)
        used = [v for v in self._variables if branch.f.has(v)]
        if polynomial is None:
            return [Leaf(branch=branch, witness=witness)]
        if used[1:]:
            return self._leaps(branch, witness, _MOST_SPLITS)
        if branch.degree % 2:
            return [Leaf(branch=branch, witness=witness, is_even=False)]
        i = self._variables.index(used[0])
        odd = [branch.region.reduced(x) for powers, x in polynomial.terms() if powers[i] % 2]
        return self._evenness(branch, witness, odd)

    def _leaps(self, branch: Branch, witness: tuple[Index, Expr], splits: int) -> list[Leaf]:
        """Leaves on which the isotropic leap is decided, as far as splits of undecided numbers lead there."""
        polynomial = _polynomial(branch.f, self._variables)
        if polynomial is None or not branch.region.domains:
            return [Leaf(branch=branch, witness=witness)]
        numbers = RegionNumbers(branch.region)
        signal = Polynomial(expression=polynomial.as_expr(), dimension=len(self._variables))
        leap = closure_leap(Tensors(signal, numbers=numbers))
        if leap.value is not None or not numbers.open or not splits:
            return [Leaf(branch=branch, witness=witness, leap=leap)]
        found: list[Leaf] = []
        for part in self._apart(branch, numbers.open[:1]):
            value = part.region.reduced(_put_in(witness[1], branch.region, part.region))
            found += self._leaps(part, (witness[0], value), splits - 1)
        return found

    def _evenness(self, branch: Branch, witness: tuple[Index, Expr], odd: Sequence[Expr]) -> list[Leaf]:
        """Leaves on which all odd coefficients vanish, or one of them nowhere."""
        region = branch.region
        open_ones = [[g for g in factors(x) if not region.is_nonzero(g)] for x in odd]
        if any(not left for left in open_ones):
            return [Leaf(branch=branch, witness=witness, is_even=False)]
        open_ones = [left for left in open_ones if S.Zero not in left]
        if not open_ones:
            return [Leaf(branch=branch, witness=witness, is_even=True)]
        left = min(open_ones, key=len)
        rest = region.without(left)
        found = [] if rest is None else [Leaf(branch=_in(branch, rest), witness=witness, is_even=False)]
        for special in self._zeros(branch, left):
            put = [special.region.reduced(_put_in(x, region, special.region)) for x in (witness[1], *odd)]
            found += self._evenness(special, (witness[0], put[0]), put[1:])
        return found


def _in(branch: Branch, region: Region) -> Branch:
    return Branch(f=branch.f, region=region, degree=branch.degree)


def _put_in(x: Expr, before: Region, after: Region) -> Expr:
    """With the parameters put in that are solved for since."""
    return x.subs([(p, y) for p, y in after.solved if p in before.domains])


def _polynomial(f: Expr, variables: Sequence[Symbol]) -> sympy.Poly | None:
    """The polynomial in z that f is, its additive label noise left out; None for other functions."""
    parts = affine_part(f.replace(He, lambda k, x: hermite_polynomial(int(k), x)), xi)
    if parts is None or parts[1].has(*variables) or not parts[0].is_polynomial(*variables):
        return None
    return sympy.Poly(parts[0], *variables)
