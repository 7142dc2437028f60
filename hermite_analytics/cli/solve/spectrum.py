"""Spectra of `solve spectrum`: of the features after a giant step, of a kernel, or of the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.solve.found import Found
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.spiked.vocabulary import vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermite_analytics.foundation.arrays import Floats
    from hermite_analytics.numeric.models.spectrum.features import SpectrumSolution
    from hermite_analytics.numeric.models.spectrum.step import StepSpectrum

__all__ = ["spectrum"]

_MOST_POINTS = 100_000
_OF_FEATURES = ("r", "c", "letters", "bias")
_OF_A_STEP = ("eta", "noise", "ridge", "gradient_factor")

Solved: TypeAlias = "list[tuple[Mapping[str, object], SpectrumSolution | StepSpectrum]]"


def spectrum(given: Given) -> Found:
    """The spectrum at all points: its transform at z, or its density."""
    z, density = given["z"], given["density"]
    if (z is None) == (density is None):
        raise InputError("give one of --z RE,IM and --density LO,HI,N")
    other = _OF_A_STEP if given["of"] == "features" else _OF_FEATURES
    _refuse_flags_of_another(given, other)
    place = None if z is None else complex(*_numbers("--z", z, 2, "RE,IM"))
    x = None if density is None else _points(density)
    solved = _of_features(given, place) if given["of"] == "features" else _after_a_small_step(given, place)
    rows = []
    for point, solution in solved:
        drawn = {} if x is None else {"density": _density(solution, x)}
        rows.append({**point, **drawn, **_row(solution)})
    return Found(solution=solved[-1][1], rows=lambda: rows, echo=given.echo(without=other))


def _refuse_flags_of_another(given: Given, other: tuple[str, ...]) -> None:
    """No flag is dropped in silence; a target may stand beside features, whose model has one."""
    for name in other:
        if name in given.typed:
            owner = "kernel and --of weights" if given["of"] == "features" else "features"
            flag = given.record[name].flag
            raise InputError(f"{flag} belongs to --of {owner}, not to --of {given['of']}")


def _of_features(given: Given, z: complex | None) -> Solved:
    if given["bias"] == "learned":
        raise InputError("--bias is a number here; a learned bias needs a target")
    own = vocabulary_of(given["letters"], given["bias"])
    model = given.model(activation=given["activation"], **own)
    swept = ["r", "c", "alpha", "beta"]
    single: dict[str, object] = {}
    if given.has("letters"):
        swept.remove("c")
        c = given["c"]
        single = {"c": c[0] if len(c) == 1 else list(c)}
    points = [point | single for point in given.points(swept)]
    return [(point, model.solve(**point, z=z)) for point in points]


def _after_a_small_step(given: Given, z: complex | None) -> Solved:
    from hermite_analytics.numeric.models.small_step.model import SmallStep
    from hermite_analytics.numeric.models.spectrum.step import step_spectrum

    of, target = given["of"], given["target"]
    if target is None or not given.has("eta"):
        raise InputError(f"--of {of} is that of a small step: it needs --target and --eta")
    factor = {"gradient_factor": given["gradient_factor"]} if given.has("gradient_factor") else {}
    model = SmallStep(given["activation"], target, **factor)
    points = given.points(("eta", "noise", "ridge", "alpha", "beta"))
    ratios = [{name: x for name, x in point.items() if name != "ridge"} for point in points]
    return [(p, step_spectrum(of, model, **place, z=z)) for p, place in zip(points, ratios, strict=True)]


def _density(solution: SpectrumSolution | StepSpectrum, x: Floats) -> list[list[float]]:
    """[x, density] at each point; not a number at 0, and where no rule resolves it."""
    import numpy as np

    found = np.full(x.size, np.nan)
    found[x > 0.0] = solution.density(x[x > 0.0])
    return [[float(a), float(b)] for a, b in zip(x, found, strict=True)]


def _row(solution: SpectrumSolution | StepSpectrum) -> dict[str, object]:
    g = None if solution.z is None else solution.stieltjes
    found = {} if g is None else {"stieltjes": [g.real, g.imag]}
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


def _points(text: str) -> Floats:
    import numpy as np

    low, high, count = _numbers("--density", text, 3, "LO,HI,N")
    if not (0.0 <= low < high < np.inf and count == int(count) and 2 <= count <= _MOST_POINTS):
        raise InputError(f"--density is {text[:40]!r}; accepted: 0 <= LO < HI and 2 <= N <= {_MOST_POINTS}")
    return np.linspace(low, high, int(count))
