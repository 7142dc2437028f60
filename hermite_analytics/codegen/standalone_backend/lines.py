"""Long lines of printed code, broken where a reader would break them."""

from __future__ import annotations

__all__ = ["wrapped"]

_WIDTH = 110
_STEP = "    "


def wrapped(line: str) -> str:
    """A statement in lines of at most 110 characters, as far as its operators and commas allow.

    Examples
    --------
    >>> print(wrapped("x = " + " + ".join(["a_long_name * another_long_name"] * 4)))
    x = (
        a_long_name * another_long_name
        + a_long_name * another_long_name
        + a_long_name * another_long_name
        + a_long_name * another_long_name
    )
    """
    if len(line) <= _WIDTH:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    head, sign, value = line.partition(" = ")
    if not sign:
        head, sign, value = line.partition("return ")
    if not sign or "(" in head.strip(" ("):
        return line
    terms = _split(value, (" + ", " - "))
    if len(terms) > 1:
        inner = [wrapped_part(f"{indent}{_STEP}{t.strip()}") for t in terms]
        return "\n".join([f"{head}{sign}(", *inner, f"{indent})"])
    return wrapped_part(f"{head}{sign}{value}")


def wrapped_part(line: str) -> str:
    """A line that ends with a bracket, with what is inside broken at its commas."""
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    if len(line) <= _WIDTH or not line.endswith(")"):
        return line
    start = _opening(line)
    arguments = _split(line[start + 1 : -1], (", ",))
    if len(arguments) < 2:
        packed = _packed(_split(line[start + 1 : -1], (" * ", " / ")), f"{indent}{_STEP}")
        return "\n".join([line[: start + 1], *packed, f"{indent})"])
    inner = [wrapped_part(f"{indent}{_STEP}{a.removeprefix(', ')}") + "," for a in arguments]
    return "\n".join([line[: start + 1], *inner, f"{indent})"])


def _packed(parts: list[str], indent: str) -> list[str]:
    """Parts in as few lines as hold them."""
    lines = [indent + parts[0].strip()]
    for part in parts[1:]:
        if len(lines[-1] + part) <= _WIDTH:
            lines[-1] += part
        else:
            lines.append(indent + part.strip())
    return lines


def _opening(line: str) -> int:
    """Where the bracket opens that the last character closes."""
    depth = 0
    for place in range(len(line) - 1, -1, -1):
        depth += (line[place] in ")]") - (line[place] in "([")
        if depth == 0:
            return place
    return 0


def _split(text: str, marks: tuple[str, ...]) -> list[str]:
    """Parts of a text, each but the first beginning with its mark; none inside brackets or quotes."""
    parts, depth, start, quoted = [], 0, 0, False
    for place, character in enumerate(text):
        quoted ^= character == '"'
        depth += 0 if quoted else (character in "([") - (character in ")]")
        if depth == 0 and not quoted and place > start and text.startswith(marks, place):
            parts.append(text[start:place])
            start = place
    return [*parts, text[start:]]
