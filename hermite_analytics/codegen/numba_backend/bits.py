"""The bits of a float64 as an integer and back, as single instructions that vectorise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from numba.core.base import BaseContext
    from numba.core.typing.context import BaseContext as Context
    from numba.core.typing.templates import Signature

    Intrinsic = tuple[
        Signature, Callable[[BaseContext, ir.IRBuilder, Signature, Sequence[ir.Value]], ir.Value]
    ]

__all__ = ["bits_of", "float_of"]


@intrinsic
def bits_of(typing_context: Context, x: types.Type) -> Intrinsic:
    """The int64 with the bits of a float64."""

    def code(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), code


@intrinsic
def float_of(typing_context: Context, bits: types.Type) -> Intrinsic:
    """The float64 with the bits of an int64."""

    def code(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), code
