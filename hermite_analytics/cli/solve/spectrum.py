"""`solve spectrum`: eigenvalues of the features after a giant step, of a kernel, or of the weights."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import letters_options, models_of, report, vocabulary_of
from hermite_analytics.cli.values import NUMBERS, grid, in_given_order, number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]

_MOST_POINTS = 100_000
_OF_FEATURES = ("r", "c", "letters", "bias")
_OF_A_STEP = ("eta", "noise", "ridge", "gradient_factor")


@click.command("spectrum")
@click.option("--of", type=click.Choice(["features", "kernel", "weights"]), required=True, help="Whose.")
@click.option("--activation", required=True, help='Activation, such as "tanh(z)".')
@number_option("r", "Strength of the spike; 0 without a step.", default=0.0)
@click.option(
    "--c", type=NUMBERS, default=1.0, help="Squared norm of a bulk row; one number, or one a letter."
)
@click.option("--target", help="Of the small step (kernel, weights).")
@number_option("eta", "Step size of the small step (kernel, weights).")
@number_option("noise", "Variance of the label noise of the small step.")
@click.option("--gradient-factor", type=click.Choice(["1", "2"]), help="As in small-step (kernel, weights).")
@number_option("ridge", "Of the small step's readout: accepted, but no spectrum depends on it.")
@number_option("alpha", "n/d, samples.", required=True)
@number_option("beta", "p/d, neurons.", required=True)
@click.option("--z", metavar="RE,IM", help="Where the Stieltjes transform is taken.")
@click.option("--density", metavar="LO,HI,N", help="N points of the density from LO to HI.")
@letters_options
@json_option
@click.pass_context
def command(ctx: click.Context, /, of: str, activation: str, target: str | None, z: str | None,
            density: str | None, letters: str | None, bias: str | None, c: tuple[float, ...],
            gradient_factor: str | None, as_json: bool, **lists: Any) -> int:  # fmt: skip
    """Stieltjes transform or density, atom at zero, edge and outliers of the eigenvalues."""
    if (z is None) == (density is None):
        raise InputError("give one of --z RE,IM and --density LO,HI,N")
    _refuse_flags_of_another(ctx, of)
    place = None if z is None else complex(*_numbers("--z", z, 2, "RE,IM"))
    x = None if density is None else _points(density)
    if of == "features":
        found = _features(ctx, activation, letters, bias, lists | {"c": c}, place)
    else:
        found = _after_a_small_step(ctx, of, activation, target, int(gradient_factor or 1), lists, place)
    rows = []
    for point, solution in found:
        row: dict[str, Any] = dict(point)
        if x is not None:
            row["density"] = _density(solution, x)
        rows.append(row | _row(solution))
    given = {"of": of, "activation": activation, "target": target, "z": z, "density": density}
    own: dict[str, Any] = {"letters": letters, "bias": bias, "c": c} if of == "features" else {}
    own |= {} if gradient_factor is None else {"gradient_factor": int(gradient_factor)}
    names = ("alpha", "beta", *(("r",) if of == "features" else ("eta", "noise", "ridge")))
    return report(found[-1][1], given | own | {n: lists[n] for n in names}, rows, as_json)


Found = list[tuple[dict[str, Any], Any]]


def _refuse_flags_of_another(ctx: click.Context, of: str) -> None:
    """No flag is dropped in silence; a target may stand beside features, whose model has one."""
    features = of == "features"
    for name in _OF_A_STEP if features else _OF_FEATURES:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            owner = "kernel and --of weights" if features else "features"
            raise InputError(f"--{name.replace('_', '-')} belongs to --of {owner}, not to --of {of}")


def _features(
    ctx: click.Context,
    activation: str,
    letters: str | None,
    bias: str | None,
    lists: dict[str, Any],
    z: complex | None,
) -> Found:
    from hermite_analytics.activation import Activation
    from hermite_analytics.numeric.spectrum import Spectrum

    if bias == "learned":
        raise InputError("--bias is a number here; a learned bias needs a target")
    model = Spectrum(Activation(activation), **vocabulary_of(letters, bias))
    names = in_given_order(ctx, ("r", "c", "alpha", "beta"))
    own = {}
    if letters is not None:
        names.remove("c")
        own = {"c": lists["c"][0] if len(lists["c"]) == 1 else list(lists["c"])}
    points: list[dict[str, Any]] = [dict(point) | own for point in grid(names, lists)]
    return [(point, model.solve(**point, z=z)) for point in points]


def _after_a_small_step(
    ctx: click.Context,
    of: str,
    activation: str,
    target: str | None,
    gradient_factor: int,
    lists: dict[str, Any],
    z: complex | None,
) -> Found:
    from hermite_analytics.numeric.small_step.model import SmallStep
    from hermite_analytics.numeric.spectrum.step import step_spectrum

    if target is None or lists["eta"] is None:
        raise InputError(f"--of {of} is that of a small step: it needs --target and --eta")
    model = SmallStep(*models_of(activation, target), gradient_factor=gradient_factor)
    names = in_given_order(ctx, ("eta", "noise", "ridge", "alpha", "beta"))
    points: list[dict[str, Any]] = [dict(point) for point in grid(names, lists)]
    ratios = [{name: x for name, x in point.items() if name != "ridge"} for point in points]
    return [(p, step_spectrum(of, model, **given, z=z)) for p, given in zip(points, ratios, strict=True)]


def _density(solution: Any, x: Any) -> list[list[float]]:
    """[x, density] at each point; not a number at 0, where it may be infinite."""
    import numpy as np

    found = np.full(x.size, np.nan)
    found[x > 0.0] = solution.density(x[x > 0.0])
    return [[float(a), float(b)] for a, b in zip(x, found, strict=True)]


def _row(solution: Any) -> dict[str, Any]:
    found = {} if solution.z is None else {"stieltjes": [solution.stieltjes.real, solution.stieltjes.imag]}
    return found | {
        "atom_at_zero": solution.atom_at_zero,
        "edge": solution.edge,
        "outliers": solution.eigenvalues(),
        "growing": list(solution.growing),
        "numerical_error": solution.numerical_error,
        "status": str(solution.status),
        "residual": solution.residual,
        "iterations": solution.iterations,
    }


def _numbers(flag: str, text: str, count: int, accepted: str) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count:
        raise InputError(f"{flag} is {text[:40]!r}; accepted: {accepted}")
    return values


def _points(text: str) -> Any:
    import numpy as np

    low, high, count = _numbers("--density", text, 3, "LO,HI,N")
    if not (0.0 <= low < high < np.inf and count == int(count) and 2 <= count <= _MOST_POINTS):
        raise InputError(f"--density is {text[:40]!r}; accepted: 0 <= LO < HI and 2 <= N <= {_MOST_POINTS}")
    return np.linspace(low, high, int(count))
