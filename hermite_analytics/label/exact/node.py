"""`ConditionalLaw`: the law of the indices z given the label y, as a finite list of branches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.coefficient_table import hermite_product
from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.evidence import Quantity
from hermite_analytics.foundation.clock import TimeEnded, allowed, limited, time_of
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.order import compare
from hermite_analytics.gaussian.quantities import constant_quantity, expected_quantity, total
from hermite_analytics.label.exact.arithmetic import combined, mean_over_points
from hermite_analytics.label.exact.branch import Branch
from hermite_analytics.label.exact.cells import Cell, finite_cells
from hermite_analytics.label.exact.pieces import Piece, monotone_pieces
from hermite_analytics.label.exact.preimages import preimage
from hermite_analytics.label_noise import averaged
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.functions import phi, step
from hermite_analytics.language.numbers import NumberLike, exact_number
from hermite_analytics.language.parser import expectation_names, is_parameter, parse, target_names
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["ConditionalLaw"]

Given: TypeAlias = Mapping[Symbol | str, NumberLike] | Iterable[tuple[Symbol | str, NumberLike]]

DEFAULT_SECONDS = 10.0
LabelKind = Literal["discrete", "continuous", "mixed", "smoothed", "open"]
_Y = Symbol("y", real=True)
_NOTHING = constant_quantity(S.Zero)


@dataclass(frozen=True, slots=True)
class ConditionalLaw:
    """The law of z given y = f(z), and given some of the coordinates if asked.

    Cells for finitely many values, the coarea formula for a continuous label of one index, the density of the
    label noise where it is additive:

        E[h(z) | y] = sum_i w_i h(z_i) / sum_i w_i,  w_i = phi(z_i)/|f'(z_i)|;  E[h 1{f=y}] / P(f=y);
        E[h phi((y - f)/a)] / E[phi((y - f)/a)].

    Source: arXiv:2403.05529, where zeta_k(y) = E[h_k(z) | y]; the coarea formula.

    Parameters
    ----------
    target : Target or str
    given : mapping of name to number, optional
        Coordinates that are known: {"z1": "1/2"}. The law is that of the others.
    seconds : float > 0
        Time to prepare the law, and for each question.

    Attributes
    ----------
    variables : tuple of symbols
        The coordinates that are not given.
    kind : str
        "discrete" (finitely many values), "continuous" (one index, no atoms), "mixed" (one index, with
        atoms), "smoothed" (additive label noise) or "open" (`moment` only: a continuous label of several
        indices, or one whose cells or monotone pieces are not found exactly).
    signal : sympy expression
        The target at the given coordinates, without additive label noise.
    cells : tuple of Cell
        Of a signal of finitely many values.
    pieces : tuple of Piece
        The monotone pieces of a signal of one index.

    Examples
    --------
    >>> law = ConditionalLaw("z1**2")
    >>> [str(b.point) for b in law.branches(4)], str(law.conditional_expectation("z1**2", 4))
    (['-2', '2'], '4')
    >>> law = ConditionalLaw("sign(z1*z2)")
    >>> law.values, str(law.conditional_expectation("z1*z2", 1))
    ((-1, 1), '2/pi')
    """

    target: Target | str
    given: Given = ()
    seconds: float = field(default=DEFAULT_SECONDS, kw_only=True)
    variables: tuple[Symbol, ...] = field(init=False, compare=False)
    kind: LabelKind = field(init=False, compare=False)
    signal: Expr = field(init=False, repr=False, compare=False)
    _noise: Expr = field(init=False, repr=False, compare=False)
    cells: tuple[Cell, ...] = field(init=False, repr=False, compare=False)
    pieces: tuple[Piece, ...] = field(init=False, repr=False, compare=False)
    _reason: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        target = Target.of(self.target)
        everything = tuple(variable(j + 1) for j in range(target.dimension))
        known = _known(self.given, everything)
        signal = target.expression.subs(known)
        signal, noise = linear_part(signal, xi) or (signal, S.Zero)
        variables = tuple(v for v in everything if v not in known)
        for name, value in [
            ("target", target),
            ("given", tuple((v.name, x) for v, x in known.items())),
            ("variables", variables),
            ("signal", signal),
            ("_noise", noise),
        ]:
            object.__setattr__(self, name, value)
        self._prepare()

    def _prepare(self) -> None:
        used = self.signal.free_symbols
        cells: tuple[Cell, ...] | None = None
        pieces: tuple[Piece, ...] = ()
        reason = "it depends on several indices"
        try:
            with limited(self.seconds):
                cells = finite_cells(self.signal, self._averaged(self.signal))
                if cells is None and len(used) == 1 and xi not in used and self._noise == 0:
                    pieces = monotone_pieces(self.signal, *used)
        except UnsupportedExpression as refused:
            reason = str(refused)
        except TimeEnded:
            reason = time_of(self.seconds)
        kind: LabelKind = "mixed" if any(p.slope == 0 for p in pieces) else "continuous" if pieces else "open"
        if self._noise != 0:
            kind = "smoothed"
        elif cells is not None:
            kind = "discrete"
        for name, value in [("kind", kind), ("cells", cells or ()), ("pieces", pieces), ("_reason", reason)]:
            object.__setattr__(self, name, value)

    @property
    def values(self) -> tuple[Expr, ...] | None:
        """All labels of a discrete law, in increasing order; None for another law."""
        return self.atoms if self.kind == "discrete" else None

    @property
    def atoms(self) -> tuple[Expr, ...]:
        """The labels of positive probability."""
        if self.kind == "discrete":
            return tuple(cell.label for cell in self.cells)
        found: list[Expr] = []
        for piece in self.pieces:
            if piece.slope == 0 and all(compare(piece.formula, y) for y in found):
                found.append(piece.formula)
        return tuple(found)

    def branches(self, label: NumberLike) -> tuple[Branch, ...]:
        """The branches of a label; none where it is not taken.

        Parameters
        ----------
        label : exact number, or its text

        Raises
        ------
        UndefinedQuantity
            If the label is the value at a critical point or a kink.
        UnsupportedExpression
            For an open law.
        """
        y = exact_number(label, "the label")
        if self.kind == "open":
            raise UnsupportedExpression(
                f"the label of {self.target} has moments, but its branches are not listed: {self._reason}"
            )
        if self.kind == "smoothed":
            factor = self._smoothing(y)
            return (Branch(kind="smoothed", weight=self._expected(factor), factor=factor),)
        for cell in self.cells:
            if compare(cell.label, y) == 0:
                return (Branch(kind="cell", weight=self._probability(cell), factor=cell.indicator),)
        flat = [p for p in self.pieces if p.slope == 0 and compare(p.formula, y) == 0]
        if flat:
            factor = sympy.Add(*(_inside(p, *self.signal.free_symbols) for p in flat))
            return (Branch(kind="cell", weight=self._expected(factor), factor=factor),)
        with limited(self.seconds):
            monotone = [p for p in self.pieces if p.slope]
            found = [preimage(p, y, *self.signal.free_symbols) for p in monotone]
        return tuple(Branch(kind="point", point=x[0], weight=x[1]) for x in found if x is not None)

    def probability(self, label: NumberLike) -> Quantity:
        """P(Y = label)."""
        found = self.branches(label) if self._is_atom(label) or self.kind == "open" else ()
        return total([_NOTHING, *(branch.weight for branch in found)])

    def density(self, label: NumberLike) -> Quantity:
        """The density of Y at a label that is no atom; 0 where the label is not taken.

        Raises
        ------
        UndefinedQuantity
            At an atom and at a critical value.
        """
        if self._is_atom(label):
            raise UndefinedQuantity(f"the label {label} has a positive probability, and so no density")
        return total([_NOTHING, *(branch.weight for branch in self.branches(label))])

    def conditional_expectation(self, function: str | Expr, label: NumberLike) -> Quantity:
        """E[h(z) | Y = label].

        Parameters
        ----------
        function : str or sympy expression
            h, of z1, z2, ...
        label : exact number, or its text

        Raises
        ------
        UndefinedQuantity
            If the label is not taken, or is a critical value.
        UnsupportedExpression
            If h is not averaged in closed form over coordinates that the label does not depend on.
        """
        h = parse(function, target_names, accepted="z1, z2, ...") if isinstance(function, str) else function
        h = h.subs({Symbol(name, real=True): x for name, x in dict(self.given).items()})
        if h.free_symbols - set(self.variables):
            names = ", ".join(sorted(s.name for s in h.free_symbols - set(self.variables)))
            raise InputError(f"{h} uses {names}, which are not coordinates of the law of {self.target}")
        found = self.branches(label)
        if not found:
            raise UndefinedQuantity(f"the label {label} is not taken by {self.target}")
        if found[0].kind == "point":
            points = [branch.point for branch in found if branch.point is not None]
            [z] = self.signal.free_symbols
            return mean_over_points(self._along(h, z), z, points, [branch.weight for branch in found])
        [branch] = found
        return combined(lambda a, b: a / b, self._expected(h * branch.factor), branch.weight)

    def moment(self, index: Iterable[int] | int, transformation: str | Expr = "y") -> Quantity:
        """E[T(Y) He_S(z)] over the coordinates that are not given.

        Parameters
        ----------
        index : int or iterable of int
            S, one entry for each of `variables`.
        transformation : str or sympy expression
            T, a function of y such as "y**2".

        Examples
        --------
        >>> str(ConditionalLaw("He3(z1)").moment(1, "y**3"))
        '324'
        """
        t = transformation
        if isinstance(t, str):
            t = parse(t, expectation_names, accepted="y", is_constant=is_parameter)
        if t.free_symbols - {_Y}:
            raise InputError(f"the transformation {t} is not a function of y alone")
        if self.kind == "discrete":
            transformed = sympy.Add(*(t.subs(_Y, c.label) * c.indicator for c in self.cells))
        else:
            transformed = t.subs(_Y, self.signal + self._noise * xi)
        return self._expected(self._hermite(index) * transformed)

    def power(self, index: Iterable[int] | int) -> Quantity:
        """E[E[He_S(z) | Y]^2] = sum over y of E[He_S 1{Y=y}]^2 / P(Y=y), of a discrete label.

        Raises
        ------
        UnsupportedExpression
            For a label that is not discrete.
        """
        if self.kind != "discrete":
            raise UnsupportedExpression(
                f"the label of {self.target} is {self.kind}; the power of a conditional mean is computed for "
                "finitely many values"
            )
        he = self._hermite(index)
        parts = [(self._expected(he * cell.indicator), self._probability(cell)) for cell in self.cells]
        return total([combined(lambda m, p: m**2 / p, *pair) for pair in parts])

    def _is_atom(self, label: NumberLike) -> bool:
        y = exact_number(label, "the label")
        return any(compare(atom, y) == 0 for atom in self.atoms)

    def _hermite(self, index: Iterable[int] | int) -> Expr:
        s = (index,) if isinstance(index, int) else tuple(index)
        if len(s) != len(self.variables) or any(k < 0 for k in s):
            raise InputError(f"the index {s} needs {len(self.variables)} entries, none of them negative")
        return hermite_product(s, self.variables)

    def _smoothing(self, y: Expr) -> Expr:
        """The density of y given z."""
        scale = sympy.Abs(self._noise)
        if not self.cells:
            return phi((y - self.signal) / scale) / scale
        return sympy.Add(*(phi((y - c.label) / scale) / scale * c.indicator for c in self.cells))

    def _averaged(self, expr: Expr) -> tuple[Symbol, ...]:
        return tuple(v for v in (*self.variables, xi) if expr.has(v))

    def _probability(self, cell: Cell) -> Quantity:
        with allowed(self.seconds):
            return cell.probability

    def _expected(self, integrand: Expr) -> Quantity:
        if self.cells or integrand.is_polynomial(*self.variables, xi):
            integrand = expanded(integrand)
        with allowed(self.seconds):
            integrand = sympy.Add(*averaged(integrand))
            return expected_quantity(integrand, self._averaged(integrand))

    def _along(self, function: Expr, z: Symbol) -> Expr:
        """E[h | z]: the coordinates that the label does not depend on averaged out."""
        others = [v for v in self.variables if v != z and function.has(v)]
        found = closed_form(function, others) if others else function
        if found is None:
            raise UnsupportedExpression(f"{function} has no closed average over {others}")
        return found


def _known(
    given: Given,
    variables: tuple[Symbol, ...],
) -> dict[Symbol, Expr]:
    names = {v.name: v for v in variables}
    try:
        pairs = dict(given)
    except (TypeError, ValueError):
        raise InputError('given is not a mapping of coordinates to numbers, such as {"z1": "1/2"}') from None
    unknown = [str(name) for name in pairs if str(name) not in names]
    if unknown:
        raise InputError(f"{unknown[0]!r} is given, which is not a coordinate; these are: {', '.join(names)}")
    return {names[str(name)]: exact_number(x, str(name)) for name, x in pairs.items()}


def _inside(piece: Piece, z: Symbol) -> Expr:
    """The indicator of the interval of a piece."""
    above = S.One if piece.low.is_infinite else step(z - piece.low)
    return above if piece.high.is_infinite else above - step(z - piece.high)
