"""What the page shows, as text to take away: Python code, a command line, LaTeX."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.explorer.descent import readout_of, training_of

__all__ = [
    "activation_exports",
    "coefficients_latex",
    "curve_exports",
    "pgfplots",
    "target_exports",
]

_WIDTH = 100
_SOLVERS = {
    "giant-step": (
        "from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures",
        "step = GiantStep(s, f).solve({alpha0}, {eta}, {beta}, {noise})",
        "solution = SpikedRandomFeatures(s, f{loss}).solve(step=step, alpha=alpha, {ridge})",
    ),
    "spiked-random-features": (
        "from hermite_analytics.numeric import SpikedRandomFeatures",
        "model = SpikedRandomFeatures(s, f{loss})",
        "solution = model.solve(alpha=alpha, {r}, {c}, {gamma}, {beta}, {ridge}, {noise})",
    ),
    "random-features": (
        "from hermite_analytics.numeric import RandomFeatures",
        "solution = RandomFeatures(s, f{loss}).solve(alpha=alpha, {beta}, {ridge}, {noise})",
    ),
    "small-step": (
        "from hermite_analytics.numeric import SmallStep",
        "solution = SmallStep(s, f).solve(alpha=alpha, {eta}, {beta}, {ridge}, {noise})",
    ),
    "state-evolution": (
        "from hermite_analytics.numeric import StateEvolution",
        "solution = StateEvolution(f).solve(alpha=alpha)",
    ),
    "deterministic-equivalent": (
        "from hermite_analytics.numeric import DeterministicEquivalent",
        "model = DeterministicEquivalent.power_law({eigenvalue_power:}, {coefficient_power:})",
        "solution = model.solve(samples=samples, {features}, {ridge}, {noise})",
    ),
    "dmft": (
        "from hermite_analytics.numeric import DMFT",
        "training = {training:}",
        "solution = DMFT(s, f, {readout:}{loss}).solve(steps=steps, **training)",
    ),
}
_PRINTED = {"small-step": "risk_after", "dmft": "overlap[:, 0, 0]"}
_COMMANDS = {"giant-step": "spiked-random-features"}
_AXES = {"deterministic-equivalent": "samples", "dmft": "steps"}
_COLOURS = ("blue", "gray", "orange", "teal")


def target_exports(target: str) -> dict[str, str]:
    """Of the analysis of a target.

    Examples
    --------
    >>> print(target_exports("z1*z2")["command"])
    hermite-analytics analyze 'z1*z2' --json
    """
    code = [
        "import hermite_analytics as ha",
        "",
        f"a = ha.analyze({target!r})",
        "print(a)",
        "print(a.explain().text)",
    ]
    return {"python": _lines(code), "command": _analyze(target)}


def activation_exports(activation: str) -> dict[str, str]:
    """Of the conditional coefficients of an activation."""
    code = [
        "import hermite_analytics as ha",
        "",
        f"coefficients = ha.conditional_coefficients(ha.Activation({activation!r}))",
        "for name, formula in coefficients.items():",
        '    print(name, "=", formula)',
    ]
    given = ["--", activation] if activation.startswith("-") else [activation]
    return {"python": _lines(code), "command": shlex.join(["hermite-analytics", "mu", *given])}


def coefficients_latex(formulas: Mapping[str, str]) -> str:
    """The three coefficients as aligned equations; needs amsmath."""
    names = {"mu0": r"\mu_0", "mu1": r"\mu_1", "mu2_squared": r"\mu_2^2"}
    rows = [rf"  {names[name]}(\kappa) &= {latex}" for name, latex in formulas.items()]
    return "\n".join([r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}", ""])


def curve_exports(model: str, values: Mapping[str, str | float], abscissa: Sequence[float]) -> dict[str, str]:
    """Of a learning curve, at the same points."""
    axis = _AXES.get(model, "alpha")
    return {
        "python": _curve_python(model, values, axis, abscissa),
        "command": _curve_command(model, values, axis, abscissa),
    }


def pgfplots(
    abscissa: Sequence[float],
    curves: Mapping[str, ArrayLike],
    labels: Mapping[str, str],
    *,
    xlabel: str,
    logarithmic: bool,
) -> str:
    """The curves as a figure; needs pgfplots."""
    mode = "xmode=log, " if logarithmic else ""
    lines = [r"\begin{tikzpicture}", rf"\begin{{axis}}[{mode}xlabel={{${xlabel}$}}, legend pos=north east]"]
    for (name, values), colour in zip(curves.items(), _COLOURS, strict=False):
        points = " ".join(
            f"({x:g},{y:.8g})" for x, y in zip(abscissa, np.ravel(values), strict=True) if np.isfinite(y)
        )
        lines += [rf"\addplot[{colour}, thick] coordinates {{", *textwrap.wrap(points, _WIDTH), "};"]
        lines.append(rf"\addlegendentry{{{labels[name]}}}")
    return _lines([*lines, r"\end{axis}", r"\end{tikzpicture}"])


def _curve_python(model: str, values: Mapping[str, str | float], axis: str, abscissa: Sequence[float]) -> str:
    imported, *solved = _SOLVERS[model]
    numbers = {name: f"{name}={_number(x)}" for name, x in values.items() if isinstance(x, float)}
    if values.get("ridge_choice") == "optimal":
        numbers["ridge"] = 'ridge="optimal"'
    loss = values.get("loss", "square")
    numbers["loss"] = "" if loss == "square" else f", loss={loss!r}"
    plain = {f"{name}:": _number(x) for name, x in values.items() if isinstance(x, float)}
    if model == "dmft":
        plain["readout:"] = str(readout_of(values))
        plain["training:"] = str(training_of(values))
    given = []
    if "activation" in values:
        given.append(f"s = ha.Activation({values['activation']!r})")
    if "target" in values:
        given.append(f"f = ha.Target({values['target']!r})")
    shown = _number(abscissa[-1]) if axis == "steps" else f"[{', '.join(_number(x) for x in abscissa)}]"
    places = textwrap.fill(f"{axis} = {shown}", _WIDTH, subsequent_indent="    ")
    filled = [_filled(line, numbers, plain) for line in solved]
    result = _PRINTED.get(model, "test_error")
    return _lines([
        *(["import hermite_analytics as ha"] if given else []), imported, "",
        *given, places, *filled, f"print(solution.{result})",
    ])  # fmt: skip


def _filled(line: str, numbers: Mapping[str, str], plain: Mapping[str, str]) -> str:
    """{name} becomes name=value, {name:} the value."""
    for name, text in {**plain, **numbers}.items():
        line = line.replace(f"{{{name}}}", text)
    return line


def _curve_command(
    model: str, values: Mapping[str, str | float], axis: str, abscissa: Sequence[float]
) -> str:
    words = ["hermite-analytics", "solve", _COMMANDS.get(model, model)]
    for name in ("activation", "target"):
        if name in values:
            words.append(f"--{name}={values[name]}")
    if model == "dmft":
        words += ["--readout", str(values["readout"])]
        for name, x in training_of(values).items():
            words += [f"--{name.replace('_', '-')}", x if isinstance(x, str) else _number(x)]
        values = {name: x for name, x in values.items() if name == "loss"}
        abscissa = abscissa[-1:]
    inside = {"points", "spacing", "ridge_choice", "activation", "target", f"{axis}_from", f"{axis}_to"}
    for name, value in values.items():
        if name == "ridge" and values.get("ridge_choice") == "optimal":
            words += ["--ridge", "optimal"]
        elif name == "loss":
            words += ["--loss", str(value)] if value != "square" else []
        elif name not in inside:
            words += [f"--{name.replace('_', '-')}", _number(float(value))]
    if model == "deterministic-equivalent":
        words += ["--levels", "inf"]
    return shlex.join([*words, f"--{axis}", ",".join(_number(x) for x in abscissa), "--json"])


def _analyze(target: str) -> str:
    given = ["--json", "--", target] if target.lstrip().startswith("-") else [target, "--json"]
    return shlex.join(["hermite-analytics", "analyze", *given])


def _number(value: float) -> str:
    """The shortest text of exactly this number.

    Examples
    --------
    >>> _number(1.0), _number(0.1), _number(1e-4)
    ('1', '0.1', '0.0001')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _lines(lines: Sequence[str]) -> str:
    return "\n".join([*lines, ""])
