"""Back ends stand behind one protocol: what is said of one by name is said in its folder and in the table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hermite_analytics import codegen
from hermite_analytics.codegen.back_ends import BACK_ENDS

FOLDER = Path(codegen.__file__).parent
SHARED = sorted(FOLDER.glob("*.py"))


def test_one_folder_each():
    folders = {path.parent.name.removesuffix("_backend") for path in FOLDER.glob("*_backend/back_end.py")}
    assert (
        folders == set(BACK_ENDS) == {path.name.removesuffix("_backend") for path in FOLDER.glob("*_backend")}
    )


@pytest.mark.parametrize("path", SHARED, ids=lambda path: path.stem)
def test_no_special_case_by_name(path):
    """Outside the folders no code compares with the name of a back end or looks it up."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        parts += [node.slice] if isinstance(node, ast.Subscript) else []
        parts += list(node.keys) if isinstance(node, ast.Dict) else []
        named = {c.value for p in parts if p is not None for c in ast.walk(p) if isinstance(c, ast.Constant)}
        assert not named & set(BACK_ENDS), f"{path.name}: {ast.unparse(node)}"


@pytest.mark.parametrize("path", [p for p in SHARED if p.stem != "back_ends"], ids=lambda path: path.stem)
def test_only_the_table_imports_the_folders(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert "_backend" not in str(node.module), f"{path.name} imports {node.module}"
