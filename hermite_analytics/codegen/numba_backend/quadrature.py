"""The printed quadrature of Gaussian expectations, for one or several integrands at once.

Analytic integrands: the trapezoidal rule, whose error decays like exp(-2 pi a/h) for a strip of
half-width a. The step starts from a, and is halved until the change from the previous step is below
the square root of the accuracy: the error of the finer rule is then its square.

Integrands with kinks: Gauss-Legendre panels between the breakpoints, which move with the parameters;
the panels are halved until nothing changes.

Source: docs/theory.md, "Compiled quadrature".
"""

from __future__ import annotations

import math

from hermite_analytics.calculus.digits import gauss_legendre

__all__ = ["quadrature_lines"]

_LOG_INVERSE_EPS = math.log(1e16)
_LARGEST_STRIP = math.sqrt(2.0 * (_LOG_INVERSE_EPS + 4.0))
_UNKNOWN_START = 0.5
_SMALLEST_STEP = 1.0 / 512
_TRAPEZOID_CHANGE = 1e-8
_PANEL_CHANGE = 1e-10
_PANEL_NODES = 20
_CORE = 9.0  # beyond this the sum may stop once terms no longer count
_END = 38.0  # exp(-38^2/2) underflows
_PANEL_CORE = 12.0  # panels further out are evaluated only where the integrand counts
_UNDECAYED = 1e-13  # a larger relative term at _END: the integral is not finite, or out of reach
_MOST_HALVINGS = 7


def quadrature_lines(names: list[str], call: str, strip: str | None, breakpoints: list[str]) -> list[str]:
    """Statements that assign E[integrand] to each of `names`; `call` evaluates all of them at `node`."""
    if breakpoints:
        return _panels(names, call, strip, breakpoints)
    return _trapezoid(names, call, strip)


def _settled(names: list[str], change: float) -> list[str]:
    lines = ["settled = True"]
    lines += [
        f"if math.isfinite({n}) and not abs({n} - old_{n}) <= {change!r} * size_{n}: settled = False"
        for n in names
    ]
    return lines


def _trapezoid(names: list[str], call: str, strip: str | None) -> list[str]:
    if strip is None:
        start = [f"step_size = {2 * _UNKNOWN_START!r}"]
    else:
        start = [
            f"width = min({strip}, {_LARGEST_STRIP!r})",
            f"step_size = 4.0 * math.pi * width / ({_LOG_INVERSE_EPS + 4.0!r} + 0.5 * width * width)",
        ]
    lines = [f"{n} = sum_{n} = size_{n} = 0.0" for n in names]
    lines += start
    lines += ["first, stride = 0, 1", "while True:"]
    inner = [f"old_{n} = {n}" for n in names]
    inner += ["for side in (1.0, -1.0):", "    k = first if side > 0.0 or first > 0 else 1"]
    inner += [f"    while k * step_size <= {_END!r}:"]
    point = [
        "node = side * k * step_size",
        "weight = math.exp(-0.5 * node * node)",
        f"values = {call}",
        "largest = 0.0",
    ]
    for j, n in enumerate(names):
        point += [f"term = weight * values[{j}]", f"sum_{n} += term", f"size_{n} += abs(term)"]
        point += [f"if size_{n} > 0.0: largest = max(largest, abs(term) / size_{n})"]
    point += [f"if k * step_size > {_CORE!r} and largest < 1e-18:", "    break", "k += stride"]
    inner += [f"        {line}" for line in point]
    inner += [f"    if k * step_size > {_END!r} and largest > {_UNDECAYED!r}:"]
    inner += [f"        sum_{n} = math.nan" for n in names]
    scale = 1.0 / math.sqrt(2.0 * math.pi)
    inner += [f"{n} = {scale!r} * step_size * sum_{n}" for n in names]
    inner += ["if first == 1:"]
    # size_ carries the running sum of |terms|: compare on the scale of E|f|
    check = [f"scaled_{n} = {scale!r} * step_size * size_{n}" for n in names]
    check += ["settled = True"]
    check += [
        f"if math.isfinite({n}) and not abs({n} - old_{n}) <= {_TRAPEZOID_CHANGE!r} * scaled_{n}: "
        "settled = False"
        for n in names
    ]
    check += [f"if settled or step_size < {_SMALLEST_STEP!r}:", "    break"]
    inner += [f"    {line}" for line in check]
    inner += ["step_size *= 0.5", "first, stride = 1, 2"]
    return lines + [f"    {line}" for line in inner]


def _panels(names: list[str], call: str, strip: str | None, breakpoints: list[str]) -> list[str]:
    nodes, weights = zip(*gauss_legendre(_PANEL_NODES, 80), strict=True)  # numpy's weights err by 7e-14
    scale = 1.0 / math.sqrt(2.0 * math.pi)
    points = ", ".join(f"min(max({b}, {-_END!r}), {_END!r})" for b in breakpoints)
    ends = f"{-_END!r}, {-_PANEL_CORE!r}, {points}, {_PANEL_CORE!r}, {_END!r}"
    widest = "1.0" if strip is None else f"min(1.0, 1.3 * ({strip}))"
    lines = [
        f"edges = sorted([{ends}])",
        f"reference_nodes = ({', '.join(repr(float(x)) for x in nodes)})",
        f"reference_weights = ({', '.join(repr(float(w)) for w in weights)})",
        f"panel_width = max({widest}, 0.01)",
        "halvings = 0",
    ]
    lines += [f"{n} = size_{n} = 0.0" for n in names]
    lines += ["while True:"]
    inner = [f"old_{n}, scale_{n} = {n}, size_{n}" for n in names]
    inner += [f"{n} = size_{n} = 0.0" for n in names]
    inner += [
        "for left, right in zip(edges[:-1], edges[1:]):",
        "    if right <= left:",
        "        continue",
        f"    outside = left >= {_PANEL_CORE!r} or right <= {-_PANEL_CORE!r}",
        "    if outside and halvings == 0:",
        "        continue",
        "    count = int(math.ceil((right - left) / panel_width))",
        "    half = 0.5 * (right - left) / count",
        "    for panel in range(count):",
        "        if outside:",
        "            node = left + half * (2.0 * panel + 1.0)",
        f"            weight = {scale!r} * math.exp(-0.5 * node * node)",
        f"            values = {call}",
        "            counts = False",
    ]
    inner += [
        f"            if not weight * abs(values[{k}]) <= 1e-20 * scale_{n}: counts = True"
        for k, n in enumerate(names)
    ]
    inner += [
        "            if not counts:",
        "                continue",
        "        for j in range(len(reference_nodes)):",
    ]
    point = [
        "node = left + half * (2.0 * panel + 1.0 + reference_nodes[j])",
        f"weight = {scale!r} * half * reference_weights[j] * math.exp(-0.5 * node * node)",
        f"values = {call}",
    ]
    for k, n in enumerate(names):
        point += [f"{n} += weight * values[{k}]", f"size_{n} += abs(weight * values[{k}])"]
    inner += [f"            {line}" for line in point]
    inner += ["if halvings > 0:"]
    inner += [f"    for node in ({-_END!r}, {_END!r}):", "        weight = math.exp(-0.5 * node * node)"]
    inner += [f"        values = {call}"]
    inner += [
        f"        if weight * abs(values[{k}]) > {_UNDECAYED!r} * size_{n}: {n} = math.nan"
        for k, n in enumerate(names)
    ]
    inner += [f"    {line}" for line in _settled(names, _PANEL_CHANGE)]
    inner += [f"    if settled or halvings >= {_MOST_HALVINGS}:", "        break"]
    inner += ["panel_width *= 0.5", "halvings += 1"]
    return lines + [f"    {line}" for line in inner]
