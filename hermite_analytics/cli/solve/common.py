"""What the models of `solve` share: the flags of a problem, the grid of ratios, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np

from hermite_analytics.cli.output import print_json, print_table
from hermite_analytics.cli.values import F, grid, in_given_order
from hermite_analytics.errors import InputError

__all__ = [
    "axes_of",
    "c_of_letters",
    "convention_option",
    "letters_options",
    "models_of",
    "problem_options",
    "report",
    "ridges_of",
    "spike_of",
    "step_is_given",
    "step_of",
    "vocabulary_of",
]

_ANSWERED = ("converged", "infinite")  # that a limit is infinite is an answer


def problem_options(function: F) -> F:
    """--activation and --target."""
    function = click.option("--target", required=True, help='Target of one direction, such as "sin(z1)".')(
        function
    )
    return click.option("--activation", required=True, help='Activation, such as "tanh(z)".')(function)


convention_option = click.option(
    "--step-convention",
    type=click.Choice(["paper", "notebook"]),
    default="paper",
    show_default=True,
    help="Effective step eta/beta, or eta.",
)


def letters_options(function: F) -> F:
    """--letters and --bias."""
    function = click.option(
        "--bias", metavar="B|learned", help="Bias of all neurons, one a letter, or learned by the readout."
    )(function)
    return click.option(
        "--letters", metavar="W:FRACTION,...", help="Values of the first readout with their fractions."
    )(function)


def vocabulary_of(letters: str | None, bias: str | None) -> dict[str, Any]:
    """Keyword arguments `letters` and `bias` of a model, from the texts of the flags."""
    from hermite_analytics.numeric.spiked.letters import Letters

    biases = () if bias in (None, "learned") else _floats("--bias", str(bias), "a number, or learned")
    found: dict[str, Any] = {} if letters is None else {"letters": _letters(letters)}
    if bias == "learned":
        return found | {"bias": "learned"}
    if len(biases) == 1:
        return found | {"bias": biases[0]}
    if len(biases) > 1:
        if letters is None:
            raise InputError("--bias takes one number, or with --letters one a letter")
        values, fractions = found["letters"].values, found["letters"].fractions
        found["letters"] = Letters(values=values, fractions=fractions, biases=biases)
    return found


def _letters(text: str) -> Any:
    from hermite_analytics.numeric.spiked.letters import Letters

    pairs = [entry.split(":") for entry in text.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(f"--letters is {text[:40]!r}; accepted: VALUE:FRACTION,VALUE:FRACTION,...")
    columns = [
        _floats("--letters", ",".join(column), "VALUE:FRACTION,...") for column in zip(*pairs, strict=True)
    ]
    return Letters(values=columns[0], fractions=columns[1])


def _floats(flag: str, text: str, accepted: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{flag} is {text[:40]!r}; accepted: {accepted}") from None


def c_of_letters(lists: Mapping[str, Any], letters: Any) -> Any:
    """--c beside --letters: one number, or one a letter."""
    c = lists.get("c")
    if c is None:
        return None
    if len(c) not in (1, letters.count):
        raise InputError(
            f"--c has {len(c)} numbers beside {letters.count} letters; give one, or one a letter"
        )
    return c[0] if len(c) == 1 else np.array(c)


def ridges_of(text: str) -> tuple[float, ...]:
    """--ridge as numbers."""
    return _floats("--ridge", text, "a number or a comma list of numbers, or optimal")


def axes_of(ctx: click.Context, names: Sequence[str], lists: Mapping[str, Any]) -> dict[str, Any]:
    """One flat array a parameter, over all combinations in the order of the flags."""
    points = grid(in_given_order(ctx, names), lists)
    return {n: np.array([p[n] for p in points]) for n in points[0]} if points and points[0] else {}


def models_of(activation: str, target: str) -> tuple[Any, Any]:
    """(Activation, Target) of their texts."""
    from hermite_analytics.activation import Activation
    from hermite_analytics.target import Target

    return Activation(activation), Target(target)


def report(solution: Any, given: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], as_json: bool) -> int:
    """Print {"model", "parameters", "results"}, or a table; the exit status.

    Parameters
    ----------
    solution
        Has `model` and `cite()`.
    given : mapping
        The flags; those that are None are left out, comma lists of one number are that number.
    rows : sequence of mappings
        One a point; each has a `status`.
    """
    parameters = {name: _unlisted(value) for name, value in given.items() if value is not None}
    if as_json:
        print_json({"model": solution.model, "parameters": parameters, "results": rows})
    else:
        shown = [{name: x for name, x in row.items() if name != "alternatives"} for row in rows]
        print_table(shown, title=f"{solution.model}: {solution.cite()}")
    return 0 if all(row["status"] in _ANSWERED for row in rows) else 1


def _unlisted(value: Any) -> Any:
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 else list(value)
    return value


def step_of(activation: Any, target: Any, axes: Mapping[str, Any], convention: str) -> Any:
    """The solved giant step of --alpha0 --eta --beta."""
    from hermite_analytics.numeric.giant_step import GiantStep

    missing = [f"--{n}" for n in ("alpha0", "eta", "beta") if n not in axes]
    if missing:
        raise InputError(f"{', '.join(missing)} not given; a giant step needs --alpha0 --eta --beta")
    return GiantStep(activation, target).solve(
        alpha0=axes["alpha0"],
        eta=axes["eta"],
        beta=axes["beta"],
        noise=axes.get("noise", 0.0),
        step_convention=convention,
    )


def spike_of(axes: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """r, c, gamma as given, of which the required ones must be."""
    missing = [f"--{n}" for n in required if n not in axes]
    if missing:
        raise InputError(
            f"{', '.join(missing)} not given; give --r --c --gamma, or --alpha0 --eta --beta for a giant step"
        )
    return {n: axes[n] for n in ("r", "c", "gamma") if n in axes}


def step_is_given(axes: Mapping[str, Any]) -> bool:
    """Whether the spike comes from a giant step; giving both is refused."""
    from_step = [n for n in ("alpha0", "eta") if n in axes]
    spike = [n for n in ("r", "c", "gamma") if n in axes]
    if from_step and spike:
        raise InputError(f"--{from_step[0]} and --{spike[0]} exclude each other: give the step or the spike")
    return bool(from_step)
