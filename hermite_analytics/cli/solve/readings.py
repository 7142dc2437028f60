"""Flags that need more than their own text to be understood: starts of runs, exponents of a scaling law."""

from __future__ import annotations

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.values import rows_of
from hermite_analytics.errors import InputError

__all__ = ["read_scaling_law", "read_start_rows", "read_starts"]


def read_starts(given: Given) -> Given:
    """--overlap of sgd-flow as one start a point: a number, or one a direction if there are several."""
    from hermite_analytics.activation import Activation
    from hermite_analytics.target import Target

    activation, target = Activation(given["activation"]), Target(given["target"])
    text, directions = given["overlap"], target.dimension
    try:
        starts = [tuple(float(part) for part in entry.split(":")) for entry in text.split(",")]
    except ValueError:
        raise InputError(
            f"--overlap is {text[:40]!r}; accepted: numbers as M,M,... or M1:M2,M1:M2,..."
        ) from None
    if any(len(start) != directions for start in starts):
        each = "M" if directions == 1 else ":".join(f"M{j + 1}" for j in range(min(directions, 4)))
        raise InputError(
            f"--overlap is {text[:40]!r} for a target of {directions} directions; accepted: {each} "
            "for each start"
        )
    read = tuple(start[0] for start in starts) if directions == 1 else tuple(starts)
    return given.read(activation=activation, target=target, overlap=read)


def read_start_rows(given: Given) -> Given:
    """--overlap of dmft as one row a neuron."""
    return given.read(overlap=rows_of("overlap", given["overlap"])) if given.has("overlap") else given


def read_scaling_law(given: Given) -> Given:
    """Checks that both exponents of a scaling law are given, or that the best ones are asked for."""
    names = ("ridge_exponent", "features_exponent")
    flags = [given.record[name].flag for name in names if given.has(name)]
    if given["optimal"] and flags:
        raise InputError(f"--optimal finds {flags[0]}: give one of them")
    missing = [given.record[name].flag for name in names if not given.has(name)]
    if missing and not given["optimal"]:
        raise InputError(f"{', '.join(missing)} not given; give both exponents, or --optimal")
    return given
