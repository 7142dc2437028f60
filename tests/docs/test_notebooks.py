"""The notebooks run, and show what they are committed with."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent.parent / "docs" / "notebooks"
NAMES = sorted(p.stem for p in NOTEBOOKS.glob("*.ipynb"))
MISSING = [m for m in ("nbclient", "nbformat", "ipykernel") if importlib.util.find_spec(m) is None]


def outputs(notebook) -> list[dict[str, str]]:
    """What a reader sees, without pictures and versions."""
    shown = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error", output
            texts = {**output.get("data", {}), "stream": output.get("text", "")}
            for kind in ("text/latex", "text/html", "stream"):
                text = texts.get(kind, "")
                whole = text if isinstance(text, str) else "".join(text)
                shown.append(re.sub(r"hermite_analytics [\d.]+, python [^<]*", "versions", whole))
    return shown


def kept(name: str):
    return json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))


def test_there_is_one_for_each_talk_and_paper():
    assert NAMES == ["giant_step", "one_step", "small_step", "staircases", "thresholds"]


@pytest.mark.parametrize("name", NAMES)
def test_kept_with_outputs_and_without_traces_of_a_machine(name):
    notebook = kept(name)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not re.search(r"/(home|work|root|tmp)/\w", json.dumps(notebook))
    assert any(output.get("data", {}).get("text/latex") for cell in cells for output in cell["outputs"])


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; make docs installs them")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning:zmq")
@pytest.mark.parametrize("name", NAMES)
def test_executed(name):
    specification = importlib.util.spec_from_file_location("execute_notebooks", NOTEBOOKS / "execute.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert outputs(module.executed(NOTEBOOKS / f"{name}.ipynb")) == outputs(kept(name))
