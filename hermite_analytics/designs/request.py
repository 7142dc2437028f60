"""What is asked of a target, checked when it is made."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields

from sympy import Expr, S, oo

from hermite_analytics.activation import Activation, shortened
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.order import compare, sign_of
from hermite_analytics.language import display
from hermite_analytics.language.numbers import NumberLike, exact_number

__all__ = ["SPOKEN", "Request", "interval", "natural", "orders", "staircase_dimensions"]

MOST_ORDER = 12
MOST_DIMENSION = 8

SPOKEN = {
    "dimension": "dimension",
    "information_exponent": "information exponent",
    "leap_complexity": "leap complexity",
    "isotropic_leap": "isotropic leap",
    "leap_orders": "leap orders",
    "staircase": "staircase",
    "polynomial": "polynomial",
    "discrete": "finitely many labels",
    "generative_exponent": "generative exponent",
    "grand_staircase": "grand staircase",
    "grand_orders": "grand orders",
    "alpha_c": "alpha_c",
    "activation": "activation",
}
"""The properties in the order in which they are checked: cheap ones first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The properties that are asked for; None: any.

    Attributes
    ----------
    information_exponent, leap_complexity, isotropic_leap, generative_exponent : int or None
    dimension : int or None
        Of the relevant subspace.
    staircase, grand_staircase : tuple of int or None
        Dimensions 0, ... of the subspaces.
    leap_orders, grand_orders : tuple of int or None
        Orders of the steps.
    alpha_c : (low, high) or None
        Exact numbers, high may be infinite; both infinite: a hard first stage.
    discrete, polynomial : bool or None
    activation : Activation or None
    steps : int
        Giant steps in which a network of the activation learns all directions.
    samples_power : Expr
        n ~ d^k in each of them.
    """

    dimension: int | None = None
    information_exponent: int | None = None
    leap_complexity: int | None = None
    isotropic_leap: int | None = None
    leap_orders: tuple[int, ...] | None = None
    staircase: tuple[int, ...] | None = None
    polynomial: bool | None = None
    discrete: bool | None = None
    generative_exponent: int | None = None
    grand_staircase: tuple[int, ...] | None = None
    grand_orders: tuple[int, ...] | None = None
    alpha_c: tuple[Expr, Expr] | None = None
    activation: Activation | None = None
    steps: int = 4
    samples_power: Expr = S.One

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of the properties that are asked for, cheap ones first."""
        return tuple(name for name in SPOKEN if getattr(self, name) is not None)

    def wanted(self, name: str) -> str:
        """What is asked of one property, for people."""
        value = getattr(self, name)
        if name == "alpha_c":
            low, high = (display.text(x).replace("oo", "inf") for x in value)
            return low if low == high else f"in [{low}, {high}]"
        if name == "activation":
            power = "d" if self.samples_power == 1 else f"d^({self.samples_power})"
            return f"{value} learns it in {self.steps} steps of n ~ {power}"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return " -> ".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def __str__(self) -> str:
        return ", ".join(f"{SPOKEN[name]} {self.wanted(name)}" for name in self.asked)

    def to_dict(self) -> Document:
        """The properties that are asked for, JSON-ready."""
        document: Document = {}
        for name in self.asked:
            value = getattr(self, name)
            if name == "alpha_c":
                value = [display.text(x).replace("oo", "inf") for x in value]
            elif name == "activation":
                document |= {"steps": self.steps, "samples_power": str(self.samples_power)}
                value = str(value)
            document[name] = list(value) if isinstance(value, tuple) else value
        return document


def require_something(request: Request) -> None:
    """Refuse a request without a property."""
    if not request.asked:
        accepted = ", ".join(f.name for f in fields(request) if f.name in SPOKEN)
        raise InputError(f"no property is asked for; accepted: {accepted}")


def natural(value: object, name: str, most: int = MOST_ORDER) -> int | None:
    """A whole number from 1 to `most`, or None."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise InputError(f"{name} is {shortened(repr(value))}; a whole number from 1 to {most} is accepted")
    return value


def orders(value: object, name: str) -> tuple[int, ...] | None:
    """Orders of steps."""
    found = _whole_numbers(value, name)
    if found is not None and not (
        0 < len(found) <= MOST_DIMENSION and all(1 <= k <= MOST_ORDER for k in found)
    ):
        raise InputError(
            f"{name} is {list(found)}; 1 to {MOST_DIMENSION} orders from 1 to {MOST_ORDER} are accepted"
        )
    return found


def staircase_dimensions(value: object, name: str) -> tuple[int, ...] | None:
    """Dimensions of subspaces, from 0 on."""
    found = _whole_numbers(value, name)
    if found is None:
        return None
    rises = all(a < b for a, b in itertools.pairwise(found))
    if not found or found[0] != 0 or not rises or found[-1] > MOST_DIMENSION:
        raise InputError(
            f"{name} is {list(found)}; increasing dimensions from 0 to at most {MOST_DIMENSION} are "
            "accepted, such as [0, 1, 3]"
        )
    return found


def _whole_numbers(value: object, name: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"{name} is {shortened(str(value))}; a list of whole numbers is accepted")
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in value):
        raise InputError(f"{name} is {shortened(str(value))}; a list of whole numbers is accepted")
    return tuple(value)


def interval(value: object, tolerance: NumberLike) -> tuple[Expr, Expr] | None:
    """[low, high] from a pair, or a number with a tolerance."""
    if value is None:
        return None
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise InputError(f"alpha_c is {shortened(str(value))}; a number or (low, high) is accepted")
        low, high = (_bound(x) for x in value)
    else:
        width, middle = exact_number(tolerance, "tolerance"), _bound(value)
        if sign_of(width) < 0:
            raise InputError(f"tolerance is {shortened(str(tolerance))}; a number >= 0 is accepted")
        low, high = (middle, middle) if middle == oo else (middle - width, middle + width)
    if low == oo and high == oo:
        return low, high
    if low == oo or (high != oo and compare(low, high) > 0):
        raise InputError(f"alpha_c is from {low} to {high}; low <= high is accepted")
    if high != oo and sign_of(high) < 0:
        raise InputError(f"alpha_c is at most {high}; numbers >= 0 are accepted")
    return (low if sign_of(low) >= 0 else S.Zero), high


def _bound(value: NumberLike) -> Expr:
    if str(value) in ("inf", "oo"):
        return oo
    return exact_number(value, "alpha_c")
