"""A small reader of LaTeX: what a compiler would stumble over in text and formulas."""

from __future__ import annotations

import re

import latex2mathml.converter

COMMANDS_OF_TEXT = set(
    re.findall(
        r"\w+",
        "paragraph begin end item ensuremath pm textbackslash textasciicircum textasciitilde textless "
        "textgreater textbar",
    )
)
COMMANDS = set(  # of LaTeX, amsmath and amssymb
    re.findall(
        r"\w+",
        "Phi alpha cdot cos cosh ell exp frac ge geq infty int kappa lVert langle ldots le left leq ll log "
        "max mathbb mathrm mid min mu neq operatorname otimes phi pi pm rVert rangle right sigma sim sin "
        "sinh sqrt sum tan tanh text top varphi xi",
    )
)


def faults(source: str) -> list[str]:
    """Everything that is wrong; empty for text that compiles."""
    found = [] if source.isascii() else ["not ASCII"]
    found += ["two formulas without a space, or a display"] if "$$" in source else []
    body = "\n".join(line for line in source.splitlines() if not line.startswith("%"))
    parts = re.split(r"(?<!\\)\$", body)
    if len(parts) % 2 == 0:
        return [*found, "a $ is not closed"]
    words, formulas = parts[::2], parts[1::2]
    for text in words:
        bare = re.sub(r"\\[{}$&%#_]", "", text)
        found += [f"bare {c} in text: {text[:80]!r}" for c in "^_&#%~<>|" if c in bare]
        found += [
            f"\\{name} in text" for name in re.findall(r"\\([A-Za-z]+)", bare) if name not in COMMANDS_OF_TEXT
        ]
    if _depth(re.sub(r"\\[{}]", "", "".join(words))) != 0:
        found.append("braces of the text do not balance")
    found += [fault for formula in formulas for fault in _faults_of_formula(formula)]
    return found + _faults_of_environments(body)


def _faults_of_formula(formula: str) -> list[str]:
    found = []
    if not formula.strip() or "\n\n" in formula:
        found.append("an empty formula, or a paragraph in one")
    if _depth(re.sub(r"\\[{}]", "", formula)) != 0:
        found.append(f"braces of {formula!r} do not balance")
    if formula.count(r"\left") - formula.count(r"\leftrightarrow") != formula.count(r"\right"):
        found.append(f"\\left and \\right of {formula!r} do not balance")
    if re.search(r"[_^]\s*($|[_^}])|\*\*", formula):
        found.append(f"an empty or double script in {formula!r}")
    unknown = set(re.findall(r"\\([A-Za-z]+)", formula)) - COMMANDS
    if unknown:
        found.append(f"unknown commands {sorted(unknown)} in {formula!r}")
    try:
        latex2mathml.converter.convert(formula)
    except Exception as error:  # its errors have no common base
        found.append(f"{formula!r}: {type(error).__name__}")
    return found


def _faults_of_environments(body: str) -> list[str]:
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return [f"\\end{{{name}}} without its \\begin"]
    return [f"{name} is not closed" for name in opened]


def _depth(text: str) -> int:
    depth = 0
    for c in text:
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return depth
    return depth
