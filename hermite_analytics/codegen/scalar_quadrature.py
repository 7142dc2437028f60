"""Printed quadrature for scalar code (numba and CUDA): loops without lists or allocations.

Expectations of analytic integrands: the trapezoidal rule, whose error decays like exp(-2 pi a/h) for a
strip of half-width a. The step starts from a, and is halved until the change from the previous step is
below the square root of the accuracy: the error of the finer rule is then its square.

Expectations of integrands with kinks: Gauss-Legendre panels between the breakpoints, which move with the
parameters; the panels are halved until nothing changes.

Integrals over [0, end]: Gauss-Legendre on panels that shrink geometrically towards 0.

Source: docs/theory.md, "Compiled quadrature".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hermite_analytics.codegen.rules import (
    END,
    GEOMETRIC_PANELS,
    LARGEST_SIZE,
    MARGIN,
    PANEL_NODES,
    SMALLEST_STEP,
    UNDECAYED,
    UNKNOWN_STEP,
    reference_rule,
    rounding_floor,
    widest_step,
)

__all__ = ["expectation_lines", "integral_lines", "step_lines"]

_SCALE = 1.0 / math.sqrt(2.0 * math.pi)
_LAST_STEP = 1.0 / 512  # no refinement beyond this, or a quarter of the first step
_CORE = 9.0  # beyond this the sum may stop once terms no longer count
_PANEL_CORE = 12.0  # panels further out are evaluated only where the integrand counts
_MOST_HALVINGS = 7


def step_lines(strip: str, accuracy: float) -> list[str]:
    """Lines that assign `step`, at which the trapezoidal rule meets the accuracy, and `tolerance`.

    For |f| <= F in the strip of half-width a the error at step h is at most of the order F E(h) with
    E(h) = min over b <= a of exp(b^2/2 - 2 pi b/h). The step is h = 2 pi a/(log(1/eps) + a^2/2), a no
    larger than the Gaussian allows, so that E(h) = eps. The rules of step 2h on the even and on the odd
    nodes differ by about 2 F E(2h): a larger difference than `tolerance` means that F is too large.
    Where the strip sets both errors, F is the same in both, and any difference up to 100 sqrt(accuracy)
    will do. Functions analytic in a wider strip may grow in it (exp(sin(z))), so that F is out of sight:
    there the difference has to be below sqrt(accuracy), and the step is one at which that of a constant is.
    """
    log = math.log(MARGIN / accuracy)
    root = math.sqrt(accuracy)
    widest = widest_step(accuracy)
    return [
        f"width = min({strip}, {math.sqrt(2.0 * log)!r})",
        f"step = min({2.0 * math.pi!r} * width / ({log!r} + 0.5 * width * width), {widest!r})",
        f"step = step if step >= {SMALLEST_STEP!r} else math.nan",
        f"edge = min(width, {math.pi!r} / step)",
        f"limit = {100.0 * root!r} if edge == width else {root!r}",
        f"tolerance = min({LARGEST_SIZE!r} * math.exp(edge * (0.5 * edge - {math.pi!r} / step)), limit)",
    ]


def expectation_lines(
    names: Sequence[str],
    call: str,
    strip: str | None,
    breakpoints: Sequence[str],
    accuracy: float,
    rounded: Sequence[str] = (),
) -> list[str]:
    """Statements that assign E[integrand] to each of `names`; `call` evaluates all of them at `node`.

    For the names in `rounded`, `call` also gives a bound of the rounding in their integrand, after the
    integrands and in this order: a change of a result below its mean is no reason to refine.
    """
    if breakpoints:
        return _panels(names, call, strip, breakpoints, accuracy, rounded)
    return _trapezoid(names, call, strip, accuracy, rounded)


def integral_lines(names: Sequence[str], call: str, end: str) -> list[str]:
    """Statements that assign the integral over [0, end] to each of `names`."""
    lines = [*_reference_lines(), *(f"{n} = 0.0" for n in names), f"right = {end}"]
    lines += [f"for panel in range({GEOMETRIC_PANELS}):"]
    inner = [f"left = 0.5 * right if panel < {GEOMETRIC_PANELS - 1} else 0.0", "half = 0.5 * (right - left)"]
    inner += [f"for j in range({PANEL_NODES}):"]
    inner += [
        f"    {line}"
        for line in (
            "node = left + half * (1.0 + reference_nodes[j])",
            f"values = {call}",
            *(f"{n} += half * reference_weights[j] * values[{k}]" for k, n in enumerate(names)),
        )
    ]
    return lines + [f"    {line}" for line in (*inner, "right = left")]


def _reference_lines() -> list[str]:
    nodes, weights = reference_rule()
    return [
        f"reference_nodes = ({', '.join(map(repr, nodes))})",
        f"reference_weights = ({', '.join(map(repr, weights))})",
    ]


def _leave_if_settled(
    names: Sequence[str], change: str, size: str, last: str, accuracy: float, floors: Mapping[str, str]
) -> list[str]:
    """Lines that end the refinement where nothing changes, and after the last one: unsettled is NaN then.

    What did not settle at once has to settle twice: two rules in a row may agree on the wrong number.
    """
    floor = rounding_floor(accuracy)
    limits = {n: f"{change} * {size}_{n}" for n in names}
    limits |= {n: f"max({limits[n]}, {floor})" for n, floor in floors.items()}
    lines = [f"settled_{n} = abs({n} - old_{n}) <= {limits[n]} or not math.isfinite({n})" for n in names]
    lines.append(f"agreed = agreed + 1 if {' and '.join(f'settled_{n}' for n in names)} else 0")
    lines.append(f"if agreed >= refined or {last}:")
    lines += [f"    if not settled_{n} and abs({n} - old_{n}) > {floor!r}: {n} = math.nan" for n in names]
    return [*lines, "    break", "refined = 2"]


def _trapezoid(
    names: Sequence[str], call: str, strip: str | None, accuracy: float, rounded: Sequence[str]
) -> list[str]:
    lines = [f"{n} = sum_{n} = size_{n} = 0.0" for n in names]
    lines += [f"rounding_{n} = 0.0" for n in rounded]
    if strip is None:
        lines += [f"step, tolerance = {UNKNOWN_STEP!r}, {0.01 * math.sqrt(accuracy)!r}"]
    else:
        lines += step_lines(strip, accuracy)
    lines += [f"last_step = min({_LAST_STEP!r}, 0.25 * step)"]
    lines += ["step_size = 2.0 * step", "first, stride = 0, 1", "agreed, refined = 0, 1", "while True:"]
    inner = [f"old_{n} = {n}" for n in names]
    inner += ["for side in (1.0, -1.0):", "    k = first if side > 0.0 or first > 0 else 1"]
    inner += ["    largest = 1.0", f"    while k * step_size <= {END!r}:"]
    point = [
        "node = side * k * step_size",
        "weight = math.exp(-0.5 * node * node)",
        f"values = {call}",
        "largest = 0.0",
    ]
    for j, n in enumerate(names):
        point += [f"term = weight * values[{j}]", f"sum_{n} += term", f"size_{n} += abs(term)"]
        point += [f"if size_{n} > 0.0: largest = max(largest, abs(term) / size_{n})"]
    point += [f"rounding_{n} += weight * values[{len(names) + j}]" for j, n in enumerate(rounded)]
    point += [f"if k * step_size > {_CORE!r} and largest < 1e-18:", "    break", "k += stride"]
    inner += [f"        {line}" for line in point]
    inner += [f"    if k * step_size > {END!r} and largest > {UNDECAYED!r}:"]
    inner += [f"        sum_{n} = math.nan" for n in names]
    inner += [f"{n} = {_SCALE!r} * step_size * sum_{n}" for n in names]
    # size_ carries the running sum of |terms|: compare on the scale of E|f|
    check = [f"scaled_{n} = {_SCALE!r} * step_size * size_{n}" for n in names]
    floors = {n: f"{_SCALE!r} * step_size * rounding_{n}" for n in rounded}
    check += _leave_if_settled(names, "tolerance", "scaled", "step_size < last_step", accuracy, floors)
    inner += ["if first == 1:", *(f"    {line}" for line in check)]
    inner += ["step_size *= 0.5", "first, stride = 1, 2"]
    return lines + [f"    {line}" for line in inner]


def _panels(
    names: Sequence[str],
    call: str,
    strip: str | None,
    breakpoints: Sequence[str],
    accuracy: float,
    rounded: Sequence[str],
) -> list[str]:
    widest = "1.0" if strip is None else f"min(1.0, 1.3 * ({strip}))"
    points = ", ".join(f"min(max({b}, {-END!r}), {END!r})" for b in breakpoints)
    lines = [f"edges = ({-_PANEL_CORE!r}, {points}, {_PANEL_CORE!r})"]
    lines += [*_reference_lines(), f"panel_width = max({widest}, 0.01)", "halvings = 0"]
    lines += [f"{n} = size_{n} = 0.0" for n in names]
    lines += ["agreed, refined = 0, 1", "while True:"]
    inner = [f"old_{n}, scale_{n} = {n}, size_{n}" for n in names]
    inner += [f"{n} = size_{n} = 0.0" for n in names] + [f"rounding_{n} = 0.0" for n in rounded]
    inner += [
        f"right = {-END!r}",
        f"while right < {END!r}:",
        f"    left, right = right, {END!r}",
        "    for j in range(len(edges)):",  # the next edge: no list to sort
        "        if left < edges[j] < right:",
        "            right = edges[j]",
        f"    outside = left >= {_PANEL_CORE!r} or right <= {-_PANEL_CORE!r}",
        "    if outside and halvings == 0:",
        "        continue",
        "    count = int(math.ceil((right - left) / panel_width))",
        "    half = 0.5 * (right - left) / count",
        "    for panel in range(count):",
        "        if outside:",
        "            node = left + half * (2.0 * panel + 1.0)",
        f"            weight = {_SCALE!r} * math.exp(-0.5 * node * node)",
        f"            values = {call}",
        "            counts = False",
    ]
    inner += [
        f"            if not weight * abs(values[{k}]) <= 1e-20 * scale_{n}: counts = True"
        for k, n in enumerate(names)
    ]
    inner += ["            if not counts:", "                continue"]
    inner += [f"        for j in range({PANEL_NODES}):"]
    point = [
        "node = left + half * (2.0 * panel + 1.0 + reference_nodes[j])",
        f"weight = {_SCALE!r} * half * reference_weights[j] * math.exp(-0.5 * node * node)",
        f"values = {call}",
    ]
    for k, n in enumerate(names):
        point += [f"{n} += weight * values[{k}]", f"size_{n} += abs(weight * values[{k}])"]
    point += [f"rounding_{n} += weight * values[{len(names) + k}]" for k, n in enumerate(rounded)]
    inner += [f"            {line}" for line in point]
    inner += ["if halvings > 0:"]
    inner += [f"    for node in ({-END!r}, {END!r}):", "        weight = math.exp(-0.5 * node * node)"]
    inner += [f"        values = {call}"]
    inner += [
        f"        if weight * abs(values[{k}]) > {UNDECAYED!r} * size_{n}: {n} = math.nan"
        for k, n in enumerate(names)
    ]
    check = _leave_if_settled(
        names,
        repr(1e-4 * math.sqrt(accuracy)),
        "size",
        f"halvings >= {_MOST_HALVINGS}",
        accuracy,
        {n: f"rounding_{n}" for n in rounded},
    )
    inner += [f"    {line}" for line in check]
    inner += ["panel_width *= 0.5", "halvings += 1"]
    return lines + [f"    {line}" for line in inner]
