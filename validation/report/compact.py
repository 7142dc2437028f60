"""Small SVG: what matplotlib writes of a figure, in a third of the space.

Numbers to a tenth of a point, styles as classes that all figures of a page share, the lines of a grid and the
marks of an axis as one path each, and no group, name or clip that nothing asks for.
"""

from __future__ import annotations

import re

__all__ = ["compact"]

_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_INNERMOST = re.compile(r"<g>((?:(?!<g[ >]|</g>).)*)</g>", re.DOTALL)
_USE = re.compile(r'<use href="#([\w-]+)" x="([^"]+)" y="([^"]+)" class="(\w+)"/>')
_STROKE = re.compile(r'<path id="([\w-]+)" d="M([-\d.]+) ([-\d.]+)([HV])([-\d.]+)" class="\w+"/>')
_GRID = "stroke:var(--line)"


def compact(page: str) -> str:
    """The page with small figures, their styles in its head."""
    rules: dict[str, str] = {}
    page = re.sub(r"<svg.*?</svg>", lambda m: _figure(m[0], rules), page, flags=re.DOTALL)
    used = set(re.findall(r'class="(g\d+)"', page))
    style = "".join(f".{name}{{{rule}}}" for rule, name in rules.items() if name in used)
    return page.replace("</head>", f"<style>{style}</style>\n</head>", 1)


def _figure(svg: str, rules: dict[str, str]) -> str:
    svg = re.sub(
        r"<!--.*?-->|<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL
    )
    svg = re.sub(r' transform="rotate\(-?0 [^"]*"', "", svg)
    svg = re.sub(r'(?<= d=")[^"]*', lambda m: _path(m[0]), svg)
    svg = re.sub(
        r'(?<= [xy]=")-?[\d.]+(?=")|(?<=rotate\()[^)]*|(?<=translate\()[^)]*', lambda m: _rounded(m[0]), svg
    )
    svg = re.sub(r">\s+<", "><", svg).replace(" />", "/>").replace("xlink:href", "href")
    svg = re.sub(r' (?:xmlns(?::xlink)?="[^"]*"|version="[^"]*")', "", svg)
    svg = re.sub(r'<path d="[^"]*" style="fill: none; opacity: 0"/>', "", svg)
    svg = re.sub(r' style="([^"]*)"', lambda m: f' class="{_class(m[1], rules)}"', svg)
    svg = _joined(svg, {name for rule, name in rules.items() if _GRID in rule})
    svg = _named(svg)
    while (plain := _INNERMOST.sub(r"\1", svg)) != svg:
        svg = plain
    return svg.replace("<defs></defs>", "").replace("<g/>", "")


def _rounded(text: str) -> str:
    return _NUMBER.sub(lambda m: f"{round(float(m[0]), 1) or 0:g}", text)


def _path(text: str) -> str:
    """A path with one letter a command, level and upright lines by one number."""
    text = re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(_rounded(text).split()))
    line = re.fullmatch(r"M([^ ]+) ([^L ]+)L([^ ]+) ([^ L]+)", text)
    if line and line[1] == line[3]:
        return f"M{line[1]} {line[2]}V{line[4]}"
    if line and line[2] == line[4]:
        return f"M{line[1]} {line[2]}H{line[3]}"
    return text


def _class(style: str, rules: dict[str, str]) -> str:
    rule = re.sub(r"\s*([;:])\s*", r"\1", style.replace("font-family: 'DejaVu Sans'; ", ""))
    return rules.setdefault(rule, f"g{len(rules)}")


def _joined(svg: str, grid: set[str]) -> str:
    """The lines of a grid, and the marks of an axis, as one path each, where the first of them stood."""
    marks = {name: (float(x), float(y), way, float(end)) for name, x, y, way, end in _STROKE.findall(svg)}
    found: dict[str, list[str]] = {}

    def line(match: re.Match[str]) -> str:
        if match[2] not in grid:
            return match[0]
        found.setdefault(match[2], []).append(match[1])
        return f"\ue000{match[2]}\ue001" if len(found[match[2]]) == 1 else ""

    def mark(match: re.Match[str]) -> str:
        if match[1] not in marks:
            return match[0]
        x, y, way, end = marks[match[1]]
        length = end - (x if way == "H" else y)
        begins = f"M{x + float(match[2]):.4g} {y + float(match[3]):.4g}"
        found.setdefault(match[4], []).append(f"{begins}{way.lower()}{length:.4g}")
        return f"\ue000{match[4]}\ue001" if len(found[match[4]]) == 1 else ""

    svg = re.sub(r'<path d="([^"]*)"(?: clip-path="[^"]*")? class="(\w+)"/>', line, svg)
    svg = _USE.sub(mark, svg)
    return re.sub("\ue000(\\w+)\ue001", lambda m: f'<path d="{"".join(found[m[1]])}" class="{m[1]}"/>', svg)


def _named(svg: str) -> str:
    """Names only where something asks for them, and short; what is never used goes."""
    used = list(dict.fromkeys(re.findall(r'(?:href="|url\()#([^")]+)', svg)))
    short = {name: f"{name.split('-')[0][:6]}{i}" for i, name in enumerate(used)}
    svg = re.sub(r'<path id="([^"]+)"[^>]*/>', lambda m: m[0] if m[1] in short else "", svg)
    svg = re.sub(
        r'<clipPath id="([^"]+)">.*?</clipPath>',
        lambda m: m[0] if m[1] in short else "",
        svg,
        flags=re.DOTALL,
    )
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{short[m[1]]}"' if m[1] in short else "", svg)
    return re.sub(r'(href="|url\()#([^")]+)', lambda m: f"{m[1]}#{short[m[2]]}", svg)
