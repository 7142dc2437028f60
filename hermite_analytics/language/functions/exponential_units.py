"""elu (Clevert, Unterthiner, Hochreiter 2016) and selu (Klambauer, Unterthiner, Mayr, Hochreiter 2017)."""

from __future__ import annotations

from sympy import Expr, Rational, S, exp

from hermite_analytics.language.functions.record import Record
from hermite_analytics.language.functions.rectifiers import relu

__all__ = ["RECORDS"]

# The decimals that are in use, of the scales at which N(0, 1) has mean 0 and variance 1 after selu.
_SCALE = Rational("1.0507009873554805")
_DEPTH = Rational("1.6732632423543773")


def _elu(x: Expr, depth: Expr = S.One) -> Expr:
    """x for x > 0, else depth (exp(x) - 1)."""
    return relu(x) + depth * (exp(-relu(-x)) - 1)


RECORDS = (
    Record(names=("elu",), arity=(1, 2), constants=("a",), build=_elu),
    Record(names=("selu",), build=lambda x: _SCALE * relu(x) + _SCALE * _DEPTH * (exp(-relu(-x)) - 1)),
)
