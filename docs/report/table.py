"""The table of docs/report/index.md, from results.json: `python docs/report/table.py` writes it anew."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- table -->", "<!-- end of the table -->"
SIGNS = {"equal": "", "at_least": "≥ ", "at_most": "≤ "}


def table(document: dict[str, Any]) -> str:
    """A row a claim, in the order of the suite."""
    rows = ["| study | claim | theory | simulation | margin | seeds | |", "|---|---|---|---|---|---|---|"]
    for study, claims in groupby(document["claims"], key=lambda claim: claim["id"].split("/")[0]):
        for number, claim in enumerate(claims):
            name = claim["id"].split("/")[1]
            rows.append(f"| {'' if number else study} | {name} | {numbers(claim)} |")
    return "\n".join(rows)


def numbers(claim: dict[str, Any]) -> str:
    theory = SIGNS[claim["relation"]] + digits(claim["theory"])
    measured = digits(claim["simulation"])
    if claim["stderr"]:
        measured += f" ± {claim['stderr']:.2g}"
    cells = (theory, measured, digits(claim["margin"]), sum(claim["seeds"]), claim["status"])
    return " | ".join(map(str, cells))


def digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def page(text: str, document: dict[str, Any]) -> str:
    """The page with its table replaced."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table(document)}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    results = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    index = HERE / "index.md"
    index.write_text(page(index.read_text(encoding="utf-8"), results), encoding="utf-8")
