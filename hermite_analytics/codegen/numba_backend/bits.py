"""The bits of a float64 as an integer and back, as single instructions that vectorise."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["bits_of", "float_of"]


@intrinsic
def bits_of(typing_context: Any, x: Any) -> Any:
    """The int64 with the bits of a float64."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), code


@intrinsic
def float_of(typing_context: Any, bits: Any) -> Any:
    """The float64 with the bits of an int64."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), code
