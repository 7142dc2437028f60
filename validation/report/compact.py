"""Small SVG: what matplotlib writes of a figure, in a third of the space.

Numbers to a tenth of a point, of grids, marks and texts to a point, styles as classes that all figures of a
page share, the lines of a grid and the marks of an axis as one path each, lines without the points that they
pass through anyway, and no group, name or clip that nothing asks for.
"""

from __future__ import annotations

import re

__all__ = ["compact"]

_POLYLINE = re.compile(r"M-?[\d.]+ -?[\d.]+(?:L-?[\d.]+ -?[\d.]+){2,}")
_ON_THE_LINE = 0.075
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_INNERMOST = re.compile(r"<g>((?:(?!<g[ >]|</g>).)*)</g>", re.DOTALL)
_USE = re.compile(r'<use href="#([\w-]+)" x="([^"]+)" y="([^"]+)" class="(\w+)"/>')
_CLIPPED = re.compile(
    r'<path d="[^"]*" (clip-path="[^"]*") class="\w+"/>(?:<path d="[^"]*" \1 class="\w+"/>)+'
)
_STROKES = re.compile(
    r'<path d="((?:M[-\d.]+ [-\d.]+[VH][-\d.]+)+)" class="(\w+)"/>'
    r'<path d="(M[-\d.]+ [-\d.]+[VH][-\d.]+)" class="\2"/>'
)
_EMPTY = re.compile(r'<g(?: clip-path="[^"]*")?></g>')
_BARE = re.compile(r'<g>(<g clip-path="[^"]*">(?:(?!</?g[ >]).)*</g>)</g>')
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
    svg = re.sub(r"<text [^>]*>", lambda m: re.sub(r'(?<= [xy]=")[^"]*', _whole, m[0]), svg)
    svg = re.sub(r">\s+<", "><", svg).replace(" />", "/>").replace("xlink:href", "href")
    svg = re.sub(r' (?:xmlns(?::xlink)?="[^"]*"|version="[^"]*")', "", svg)
    svg = re.sub(r'<path d="[^"]*" style="fill: none; opacity: 0"/>', "", svg)
    svg = re.sub(r' style="([^"]*)"', lambda m: f' class="{_class(m[1], rules)}"', svg)
    svg = _joined(svg, {name for rule, name in rules.items() if _GRID in rule})
    svg = _named(svg)
    while (plain := _INNERMOST.sub(r"\1", svg)) != svg:
        svg = plain
    svg = svg.replace("<defs></defs>", "").replace("<g/>", "")
    return _tied(svg)


def _tied(svg: str) -> str:
    """Neighbours with one clip in one group, straight strokes of one style in one path."""
    svg = _CLIPPED.sub(_grouped, _BARE.sub(r"\1", _EMPTY.sub("", svg)))
    while (tied := _STROKES.sub(r'<path d="\1\3" class="\2"/>', svg)) != svg:
        svg = tied
    return svg


def _grouped(match: re.Match[str]) -> str:
    """Neighbours with one clip as a group that is clipped."""
    clip = match[1]
    return f"<g {clip}>{match[0].replace(f' {clip}', '')}</g>"


def _rounded(text: str) -> str:
    return _NUMBER.sub(lambda m: f"{round(float(m[0]), 1) or 0:g}", text)


def _whole(match: re.Match[str]) -> str:
    return f"{round(float(match[0]))}"


def _path(text: str) -> str:
    """A path with one letter a command, level and upright lines by one number."""
    text = re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(_rounded(text).split()))
    line = re.fullmatch(r"M([^ ]+) ([^L ]+)L([^ ]+) ([^ L]+)", text)
    if line and line[1] == line[3]:
        return f"M{line[1]} {line[2]}V{line[4]}"
    if line and line[2] == line[4]:
        return f"M{line[1]} {line[2]}H{line[3]}"
    return _plain(text) if _POLYLINE.fullmatch(text) else text


def _plain(text: str) -> str:
    """A polyline without the points that lie on it without them, to half a tenth of a point."""
    points = [complex(*map(float, pair.split())) for pair in text[1:].split("L")]
    kept = sorted(_kept(points, 0, len(points) - 1) | {0, len(points) - 1})
    return "M" + "L".join(f"{points[i].real:g} {points[i].imag:g}" for i in kept)


def _kept(points: list[complex], first: int, last: int) -> set[int]:
    """The inner points that are farther from the chord than what rounding makes."""
    if last - first < 2:
        return set()
    chord = points[last] - points[first]
    unit = chord / abs(chord) if chord else 1.0

    def distance(i: int) -> float:
        along = (points[i] - points[first]) * unit.conjugate()
        outside = max(0.0, -along.real, along.real - abs(chord))
        return abs(complex(outside, along.imag))

    far = max(range(first + 1, last), key=distance)
    if distance(far) <= _ON_THE_LINE:
        return set()
    return {far} | _kept(points, first, far) | _kept(points, far, last)


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
        found.setdefault(match[2], []).append(_NUMBER.sub(_whole, match[1]))
        return f"\ue000{match[2]}\ue001" if len(found[match[2]]) == 1 else ""

    def mark(match: re.Match[str]) -> str:
        if match[1] not in marks:
            return match[0]
        x, y, way, end = marks[match[1]]
        length = end - (x if way == "H" else y)
        begins = f"M{round(x + float(match[2]))} {round(y + float(match[3]))}"
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
