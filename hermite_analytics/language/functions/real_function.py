"""The base of the functions that sympy lacks: real functions of real arguments."""

from __future__ import annotations

import mpmath
from sympy import Expr, Function

__all__ = ["RealFunction"]


class RealFunction(Function):  # type: ignore[misc]
    """A real function of real arguments whose value to any precision is `_value`.

    It knows its derivative (`fdiff`), and does not expand itself: what a person typed is what is printed.
    """

    is_commutative = True

    def _eval_is_extended_real(self) -> bool | None:
        return True if all(a.is_extended_real for a in self.args) else None

    def _value(self, *arguments: mpmath.mpf) -> mpmath.mpf:
        raise NotImplementedError

    def _eval_evalf(self, prec: int) -> Expr | None:
        arguments = [a._eval_evalf(prec + 10) if not a.is_Number else a for a in self.args]
        if any(a is None or not a.is_number or a.is_extended_real is False for a in arguments):
            return None
        with mpmath.workprec(prec + 10):
            # _to_mpmath keeps the working precision: no float64 detour
            values = [mpmath.mpmathify(a._to_mpmath(prec + 10)) for a in arguments]  # integers come as int
            value = self._value(*values)
        return Expr._from_mpmath(value, prec)
