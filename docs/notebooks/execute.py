"""Execute the notebooks and keep their outputs: python docs/notebooks/execute.py

Outputs that depend on the machine (times, identifiers) are left out, so that a second run changes nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))


def executed(path: Path) -> Any:
    """The notebook with new outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        coalesce_streams=True,
        resources={"metadata": {"path": str(HERE)}},
    )
    client.execute()
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            output.pop("metadata", None)
            if output.output_type != "stream":
                output.metadata = {}
    return notebook


if __name__ == "__main__":
    import nbformat

    for path in NOTEBOOKS:
        nbformat.write(executed(path), path)
