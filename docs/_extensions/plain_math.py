"""Formulas in plain text, found in prose or standing in blocks of their own, as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable

from formula_reader import Reader
from formula_words import GREEK, OPERATORS

# what is no prose: code, formulas, links, emphasised words, sources, initials, names of files and of modules
_KEPT = re.compile(
    r"""``.+?``|"[^"\n]*"|`[^`]*`|\$[^$]+\$|!?\[[^\]\n]*\]\([^)]*\)|https?://\S+|<!--.*?-->|arXiv[: ]\S+
    |\b(?:i\.e|e\.g|vs|cf)\.|\*\*[^*\n]+\*\*|(?<![\w*])\*[A-Za-z][^*\n]*[A-Za-z.]\*(?![\w*])
    |(?<![=<>~][ ])\b[A-Z]\.[ ](?=[A-Z])|\b\w{3,}\.\w+\.\w+|\b\w+\.(?:md|py|toml|html|json|svg)\b
    |(?<![A-Za-z])\(\d[\d, ]*\)|^\s*\d+\.[ ]|\b(?:[Aa]ppendix|[Rr]ule|Example|Figure|Theorem)[ ]\w+(?:\.\d+)?
    |(?<![\w\]])\[[A-Z]\]|(?<![A-Za-z])\([A-F]\)|\b\d[\d.]*[ ][sh]\b(?=[ ,.;:)|]|$)|\(\d+\)e-?\d+""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_STEP = re.compile(r"[A-Za-z]+\w*|\d[\d.]*|<=|>=|->|!=|\+-|.", re.DOTALL)
_BRACED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_BARE = re.compile(rf"\\left\((\\frac{_BRACED}{_BRACED})\\right\)(?!\^)")
_SIGNS = {"<=": "≤", ">=": "≥", "->": "→", "!=": "≠", "+-": "±"}


def inline(text: str, wrap: Callable[[str], str]) -> str:
    """The text with each formula in it as LaTeX, wrapped as `$...$` or as a role; all else stays."""
    parts, place = [], 0
    for kept in _KEPT.finditer(text):
        parts += [_prose(text[place : kept.start()], wrap), kept[0]]
        place = kept.end()
    return "".join([*parts, _prose(text[place:], wrap)])


def _prose(text: str, wrap: Callable[[str], str]) -> str:
    out, place = [], 0
    while place < len(text):
        if _may_begin(text, place):
            reader = Reader(text, place)
            latex = reader.formula()
            # `d's` and `k-th` are words
            if (
                latex
                and (reader.letters or "^" in latex)
                and not re.match(r"[\w']|-[A-Za-z]", text[reader.place :])
            ):
                out.append(wrap(_tidy(latex)))
                place = reader.place
                continue
        word = _STEP.match(text, place)
        step = word[0] if word else text[place]
        out.append(_SIGNS.get(step, step))
        place += len(step)
    return "".join(out)


def _may_begin(text: str, place: int) -> bool:
    before = text[place - 1] if place else " "
    if text[place] == "<":
        return before in " ("
    if text[place] in "+-~" and text[place + 1 : place + 2] in ("", " ", "\n"):  # the mark of a list
        return False
    return not (before.isalnum() or before in "_-'.\\/" or text[place] in " \n*=/>,;:)]}.")


def display(rows: list[str]) -> str:
    """LaTeX of a block of formulas; rows that hang further in go on with the one before."""
    margin = min(len(row) - len(row.lstrip()) for row in rows)
    lines = []
    for row in rows:
        hangs = len(row) - len(row.lstrip()) > margin
        line = r" \qquad ".join(_row(cell) for cell in re.split(r" {2,}(?!=| )", row.strip()))
        lines.append(rf"& \quad {line}" if hangs else _aligned(line))
    lines = [_tidy(line) for line in lines]
    if len(lines) == 1:
        return lines[0].replace("& ", "", 1)
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _aligned(line: str) -> str:
    depth = 0
    for i, sign in enumerate(line):
        depth += (sign in "{([") - (sign in "})]")
        if depth == 0 and sign == "=" and line[i - 1 : i] != "+":
            return f"{line[:i]}& {line[i:]}"
    return f"& {line}"


def _row(text: str) -> str:
    """All of a row: formulas, and words between them."""
    parts: list[str] = []
    words: list[str] = []
    place = 0

    def say() -> None:
        if words:
            parts.append(rf"\text{{ {' '.join(words)} }}")
            words.clear()

    while place < len(text):
        reader = Reader(text, place, rows=True)
        latex = reader.formula()
        if latex:
            say()
            parts.append(latex)
            place = reader.place
            continue
        found = re.compile(r"\s+|[A-Za-z]\w*(?:['’-]\w+)*[,:;.]?|.", re.DOTALL).match(text, place)
        word = found[0] if found else text[place]
        place += len(word)
        if word[0].isalpha():
            words.append(word)
        elif not word.isspace():
            say()
            parts.append(_sign(word))
    say()
    return " ".join(parts)


def _tidy(latex: str) -> str:
    latex = re.sub(r"\^\{((?:\\prime )+)\}", lambda m: "'" * m[1].count("p"), latex)
    latex = _BARE.sub(r"\1", latex)
    return re.sub(r"([_^])\{(\w)\}", r"\1\2", re.sub(r" ([,;:.])(?= |$)", r"\1", latex))


def _sign(sign: str) -> str:
    escaped = {
        "|": r"\mid",
        "%": r"\%",
        "#": r"\#",
        "{": r"\lbrace",
        "}": r"\rbrace",
        "&": r"\&",
        "^": r"\hat{}",
        "_": r"\_",
    }
    return escaped.get(sign) or OPERATORS.get(sign, sign)


def is_block(rows: list[str]) -> bool:
    """Whether rows that stand for themselves are formulas, and no example of code or list."""
    text = " ".join(rows)
    words = [word for word in re.findall(r"[A-Za-z]{4,}", text) if word not in GREEK]
    return (
        bool(re.search(r"[=~^]|<-|->", text))
        and not re.search(r"\"|>>>|``|import |^\s*[*-] ", text)
        and len(words) < 12
    )
