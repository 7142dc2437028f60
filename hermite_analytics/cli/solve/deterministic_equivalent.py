"""`solve deterministic-equivalent`: random-feature and kernel ridge regression with a power-law spectrum."""

from __future__ import annotations

from typing import Any

import click

from hermite_analytics.cli.output import json_option
from hermite_analytics.cli.solve.common import axes_of, report
from hermite_analytics.cli.values import number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]

_SPECTRUM = ("eigenvalue_power", "coefficient_power", "levels")
_SIZES = ("samples", "features", "ridge", "noise")
_REQUIRED = (*_SPECTRUM, "samples", "features", "ridge")


@click.command("deterministic-equivalent")
@number_option("eigenvalue-power", "a of the kernel's eigenvalues k^-a.", required=True)
@number_option("coefficient-power", "b of the target's squared coefficients k^-b.", required=True)
@number_option("levels", "Number of eigenvalues; inf is accepted.", required=True)
@number_option("samples", "n; inf is accepted.", required=True)
@number_option("features", "p; inf is kernel ridge regression.", required=True)
@number_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2.", required=True)
@number_option("noise", "Variance of the label noise.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **lists: Any) -> int:
    """Test error, bias, variance and training error for k^-a, k^-b and finite sizes."""
    from hermite_analytics.numeric.deterministic_equivalent.model import DeterministicEquivalent

    missing = [f"--{name.replace('_', '-')}" for name in _REQUIRED if lists[name] is None]
    if missing:
        raise InputError(f"{', '.join(missing)} not given; all but --noise are needed")
    axes = axes_of(ctx, (*_SPECTRUM, *_SIZES), lists)
    spectra = list(zip(*(axes[name].tolist() for name in _SPECTRUM), strict=True))
    sizes = {name: axes[name] for name in _SIZES if name in axes}
    rows: list[dict[str, Any]] = [{}] * len(spectra)
    for spectrum in dict.fromkeys(spectra):
        chosen = [j for j, other in enumerate(spectra) if other == spectrum]
        model = DeterministicEquivalent.power_law(*spectrum)
        solution = model.solve(**{name: values[chosen] for name, values in sizes.items()})
        for j, row in zip(chosen, solution.records(), strict=True):
            rows[j] = dict(zip(_SPECTRUM, spectrum, strict=True)) | row
    return report(solution, lists, rows, as_json)
