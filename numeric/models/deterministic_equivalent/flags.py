"""Flags of `scaling-law` that exclude each other."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.deterministic_equivalent.record import SCALING_LAW

__all__ = ["exponents"]

_FLAGS = {name: SCALING_LAW[name].flag for name in ("ridge_exponent", "features_exponent")}


def exponents(values: Mapping[str, object]) -> dict[str, object]:
    """Checks that both exponents are given, or that the best ones are asked for."""
    given = [flag for name, flag in _FLAGS.items() if values[name] is not None]
    if values["optimal"] and given:
        raise InputError(f"--optimal finds {given[0]}: give one of them")
    missing = [flag for flag in _FLAGS.values() if flag not in given]
    if missing and not values["optimal"]:
        raise InputError(f"{', '.join(missing)} not given; give both exponents, or --optimal")
    return {}
