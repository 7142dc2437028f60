"""Printed loops over points for the numba back end.

Points are computed by functions that vectorise (`vector`); where one of them returns NaN (outside its
range, a guarded difference that cancelled, a quadrature that did not settle) `repair` follows, which calls
the scalar code and is compiled only then.

Expectations of analytic integrands run through blocks of points: for each node of the trapezoidal rule one
vectorised loop over the points of the block. The even and the odd nodes are summed apart: where the two
rules differ by more than the square root of the accuracy the scalar code decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hermite_analytics.codegen.ir import Assign, Integral, Loop, Program, names_in
from hermite_analytics.codegen.printing import ExpressionPrinter
from hermite_analytics.codegen.scalar_code import function, integrand_body, listed, used_names
from hermite_analytics.codegen.scalar_quadrature import step_lines

__all__ = ["loop_functions", "repair_function"]

_BLOCK = 128
_MOST_SHARED = 64  # values of a point that its integrands share
_SCALE = 1.0 / math.sqrt(2.0 * math.pi)


def loop_functions(
    program: Program, printer: ExpressionPrinter, name: str, decorators: tuple[str, str, str], accuracy: float
) -> list[str]:
    """The function name(out, first, last, *arguments) -> number of NaNs, and what it needs.

    Parameters
    ----------
    printer
        Prints the vectorising functions.
    name : str
    decorators : (str, str, str)
        Of scalar code, of functions that loops inline, and of loops that vectorise.
    """
    plain, compute, looped = decorators
    if not _vectorises(program):
        return [_plain_loop(program, name, plain)]
    parts: list[str] = []
    means = [n for loop in program.loops() for n, _ in loop.values]
    assigned = [s for s in program.statements if isinstance(s, Assign)]
    lines = [f"{s.target} = {printer(s.value)}" for s in assigned]
    for loop in program.loops():
        parts += _block_functions(loop, printer, lines, program.arguments, decorators, accuracy)
    outputs = [printer(value) for _, value in program.outputs]
    body = [*_needed(lines, "\n".join(outputs)), f"return {listed(outputs)}"]
    parts.append(function("point", [*means, *program.arguments], body, compute))
    return [*parts, *_over_points(program, name, means, looped, plain)]


def _vectorises(program: Program) -> bool:
    """Whether all quadratures are trapezoidal rules of known step that do not build on each other."""
    after = {n for loop in program.loops() for n, _ in loop.values}
    for statement in program.statements:
        depends = bool(names_in(statement) & after)
        if isinstance(statement, Assign):
            after |= {statement.target} if depends else set()
        elif depends or isinstance(statement, Integral) or statement.strip is None or statement.breakpoints:
            return False
    return True


def _needed(lines: Sequence[str], text: str) -> list[str]:
    """Those assignments that `text`, or a later one of them, uses."""
    kept: list[str] = []
    for line in reversed(lines):
        target = line.split(" = ", 1)[0]
        if used_names(text, [target]):
            kept.insert(0, line)
            text += "\n" + line
    return kept


def _block_functions(
    loop: Loop,
    printer: ExpressionPrinter,
    lines: Sequence[str],
    arguments: Sequence[str],
    decorators: tuple[str, str, str],
    accuracy: float,
) -> list[str]:
    """What a block of points needs: its rule and shared values, the integrand, the sums, the means."""
    _, compute, looped = decorators
    assert loop.strip is not None
    number = _number(loop)
    body = integrand_body(loop, printer)
    rule = step_lines(printer(loop.strip), accuracy)
    shared = used_names("\n".join(body), [line.split(" = ", 1)[0] for line in lines])
    direct = used_names("\n".join(body), arguments)
    needed = _needed(lines, "\n".join([rule[0], *shared]))
    results = listed(["step", "tolerance", *shared])
    return [
        function(f"prepare_{number}", arguments, [*needed, *rule, f"return {results}"], compute),
        function(f"block_integrand_{number}", [loop.variable, *shared, *direct], body, compute),
        _add_nodes(loop, len(shared), direct, arguments, looped),
        _tails(loop, len(shared), direct, arguments, looped, accuracy),
        _block(loop, len(shared), arguments, looped, accuracy),
    ]


def _number(loop: Loop) -> str:
    return loop.values[0][0].rsplit("_", 1)[1]


def _indexed(arguments: Sequence[str], index: str = "i") -> str:
    return ", ".join(f"at({a}, {index})" for a in arguments)


_SIDES = (
    ("plus_even", "even_node"),
    ("minus_even", "-even_node"),
    ("plus_odd", "odd_node"),
    ("minus_odd", "-odd_node"),
)


def _add_nodes(
    loop: Loop, shared: int, direct: Sequence[str], arguments: Sequence[str], decorator: str
) -> str:
    """Four nodes, +-k and +-(k + 1), for all points of a block. Row 0 of `shared` has the steps."""
    number, count = _number(loop), len(loop.values)
    at_point = ", ".join([*(f"shared[{j + 2}, i]" for j in range(shared)), *(f"at({a}, i)" for a in direct)])
    body = ["half = 0.5 if k == 0 else 1.0", "for i in range(size):"]
    inner = [
        "even_node, odd_node = k * shared[0, i], (k + 1) * shared[0, i]",
        "even_weight = half * vector.exp(-0.5 * even_node * even_node)",
        "odd_weight = vector.exp(-0.5 * odd_node * odd_node)",
    ]
    inner += [f"{side} = block_integrand_{number}({node}, {at_point})" for side, node in _SIDES]
    for j in range(count):
        inner += [
            f"even[{j}, i] += even_weight * (plus_even[{j}] + minus_even[{j}])",
            f"odd[{j}, i] += odd_weight * (plus_odd[{j}] + minus_odd[{j}])",
        ]
        if not loop.nonnegative[j]:
            inner += [f"total[{j}, i] += even_weight * (abs(plus_even[{j}]) + abs(minus_even[{j}]))"]
    body += [f"    {line}" for line in inner]
    names = ["k", "even", "odd", "total", "shared", "size", *arguments]
    return function(f"add_nodes_{number}", names, body, decorator)


def _end(accuracy: float) -> float:
    """Beyond it a normal variable has less than accuracy/1000 of its mass."""
    return math.sqrt(2.0 * math.log(1e3 / accuracy)) + 0.5


def _tails(
    loop: Loop,
    shared: int,
    direct: Sequence[str],
    arguments: Sequence[str],
    decorator: str,
    accuracy: float,
) -> str:
    """NaN where the integrand has not decayed at the ends of the sums: it grows, its mass is further out."""
    number, end = _number(loop), _end(accuracy)
    at_point = ", ".join([*(f"shared[{j + 2}, i]" for j in range(shared)), *(f"at({a}, i)" for a in direct)])
    share = 0.1 * accuracy * math.exp(0.5 * end * end)
    body = [
        "for i in range(size):",
        f"    right = block_integrand_{number}({end!r}, {at_point})",
        f"    left = block_integrand_{number}({-end!r}, {at_point})",
    ]
    for j in range(len(loop.values)):
        scale = f"even[{j}, i]" if loop.nonnegative[j] else f"total[{j}, i]"
        body += [
            f"    tail = abs(right[{j}]) + abs(left[{j}])",
            f"    odd[{j}, i] = odd[{j}, i] if tail <= {share!r} * {scale} else math.nan",
        ]
    names = ["even", "odd", "total", "shared", "size", *arguments]
    return function(f"tails_{number}", names, body, decorator)


def _block(loop: Loop, shared: int, arguments: Sequence[str], decorator: str, accuracy: float) -> str:
    """The expectations of a block of points, NaN where the scalar code has to decide."""
    number, count = _number(loop), len(loop.values)
    body = [
        "largest = 0.0",
        "for i in range(size):",
        f"    prepared = prepare_{number}({_indexed(arguments)})",
        *(f"    shared[{j}, i] = prepared[{j}]" for j in range(shared + 2)),
        f"    largest = max(largest, {_end(accuracy)!r} / shared[0, i])",
        f"for j in range({count}):",
        "    for i in range(size):",
        "        even[j, i] = odd[j, i] = total[j, i] = 0.0",
        "for k in range(0, int(largest) + 2, 2):",
        f"    add_nodes_{number}(k, even, odd, total, shared, size, {', '.join(arguments)})",
        f"tails_{number}(even, odd, total, shared, size, {', '.join(arguments)})",
        f"for j in range({count}):",
        "    for i in range(size):",
        f"        scale = {_scale(loop)}",
        "        settled = abs(even[j, i] - odd[j, i]) <= shared[1, i] * scale",
        f"        mean = {_SCALE!r} * shared[0, i] * (even[j, i] + odd[j, i])",
        "        even[j, i] = mean if settled else math.nan",
    ]
    names = ["even", "odd", "total", "shared", "size", *arguments]
    return function(f"block_{number}", names, body, decorator)


def _scale(loop: Loop) -> str:
    """The size of the sums: those of integrands that are never negative are their own."""
    own = [str(j) for j, known in enumerate(loop.nonnegative) if known]
    if not own:
        return "total[j, i]"
    return "even[j, i] if " + " or ".join(f"j == {j}" for j in own) + " else total[j, i]"


def _over_points(program: Program, name: str, means: Sequence[str], compute: str, plain: str) -> list[str]:
    """The loop over points first..last, in blocks where there are quadratures, and the points left over."""
    arguments = program.arguments
    rows = [f"out_{k}" for k in range(len(program.outputs))]
    values = ", ".join([*(f"{n}[i]" for n in means), _indexed(arguments)])
    stores = [f"    {row}[i] = values[{k}]" for k, row in enumerate(rows)]
    count = " + ".join(f"(values[{k}] != values[{k}])" for k in range(len(rows)))
    inner = ["lost = 0", f"for i in range({rows[0]}.size):", f"    values = point({values})", *stores]
    inner += [f"    lost += {count}", "return lost"]
    fill = function("fill_points", [*rows, *means, *arguments], inner, compute)
    body = _blocks(program) if means else [f"return {_fill(program, [], 'last')}"]
    return [fill, function(name, ["out", "first", "last", *arguments], body, plain)]


def _parts(arguments: Sequence[str], start: str, stop: str) -> str:
    return ", ".join(f"part({a}, {start}, {stop})" for a in arguments)


def _fill(program: Program, means: Sequence[str], stop: str, start: str = "first") -> str:
    rows = [f"out[{k}][{start}:{stop}]" for k in range(len(program.outputs))]
    return f"fill_points({', '.join([*rows, *means])}, {_parts(program.arguments, start, stop)})"


def _blocks(program: Program) -> list[str]:
    body = []
    for loop in program.loops():
        number, count = _number(loop), len(loop.values)
        for name in ("even", "odd", "total"):  # arrays of their own: views would not be contiguous
            body.append(f"{name}_{number} = np.empty(({count}, {_BLOCK}))")
    body += [f"shared = np.empty(({_MOST_SHARED}, {_BLOCK}))", "lost = 0"]
    body += [f"for start in range(first, last, {_BLOCK}):"]
    body += [f"    stop = min(start + {_BLOCK}, last)"]
    rows = []
    for loop in program.loops():
        number = _number(loop)
        buffers = f"even_{number}, odd_{number}, total_{number}, shared, stop - start"
        body.append(f"    block_{number}({buffers}, {_parts(program.arguments, 'start', 'stop')})")
        rows += [f"even_{number}[{j}]" for j in range(len(loop.values))]
    return [*body, f"    lost += {_fill(program, rows, 'stop', 'start')}", "return lost"]


def _plain_loop(program: Program, name: str, decorator: str) -> str:
    body = ["for i in range(first, last):", *_stored(program), "return 0"]
    return function(name, ["out", "first", "last", *program.arguments], body, decorator)


def repair_function(program: Program, decorator: str) -> str:
    """The function repair(out, *arguments): scalar code where an output is NaN."""
    lost = " or ".join(f"out[{k}, i] != out[{k}, i]" for k in range(len(program.outputs)))
    body = ["for i in range(out.shape[1]):", f"    if {lost}:", *(f"    {line}" for line in _stored(program))]
    return function("repair", ["out", *program.arguments], body, decorator)


def _stored(program: Program) -> list[str]:
    lines = [f"    values = scalar({_indexed(program.arguments)})"]
    return lines + [f"    out[{k}, i] = values[{k}]" for k in range(len(program.outputs))]
