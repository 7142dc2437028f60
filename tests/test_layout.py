"""The house: layers point downwards, one name is installed, and imports work from anywhere."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "hermite_analytics"
# A room is a folder or a file of the package. It may import itself and rooms on lower floors, nothing else.
FLOORS = (
    ("errors", "symbols"),
    ("foundation",),
    ("executors", "language", "rendering"),
    ("argument", "evidence"),
    ("gaussian",),
    ("codegen", "coefficient_table", "label_noise"),
    ("activation", "pair"),
    ("expectations", "losses", "target"),
    ("conditional", "expansion", "exponents"),
    ("dual", "label"),
    ("learning",),
    ("analysis",),
    ("designs",),
    ("numeric",),
    ("validation",),
    ("explorer",),
    ("cli",),
    ("schemas",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# The same for the folders and files of two rooms.
LABEL_FLOORS = (
    ("compiled", "intervals", "moments", "nodes", "structure"),
    ("quadrature", "function_of_points", "shape"),
    ("operator",),
    ("exact",),
    ("reduction", "symmetries"),
    ("cases",),
    ("orders",),
    ("thresholds",),
    ("channel",),
)
VALIDATION_FLOORS = (
    ("benchmarks", "statistics"),
    ("experiments",),
    ("suites",),
    ("campaign",),
    ("report",),
    ("runner",),
)
LAYERS = ("symbolic", "numeric", "validation", "explorer", "cli")
FOLDERS = {
    "symbolic": PACKAGE,
    "numeric": ROOT / "numeric",
    "validation": ROOT / "validation",
    "explorer": PACKAGE / "explorer",
    "cli": PACKAGE / "cli",
}


def modules(layer: str) -> list[Path]:
    found = sorted(FOLDERS[layer].rglob("*.py"))
    if layer == "symbolic":
        others = {"numeric", "validation", "explorer", "cli"}
        found = [path for path in found if path.relative_to(PACKAGE).parts[0] not in others]
    return [path for path in found if path.name != "__main__.py"]


def imported(path: Path) -> list[str]:
    """All modules that a file imports, inside functions and for type checkers too."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def room_of(module: str) -> str | None:
    """The room of a module of the package; the package itself, which loads names when asked, has none."""
    parts = module.split(".")
    return parts[1] if parts[0] == "hermite_analytics" and parts[1:] and parts[1] in FLOOR else None


def rooms() -> dict[str, list[Path]]:
    """The files of every room."""
    found = {}
    for path in PACKAGE.iterdir():
        if path.suffix == ".py" and path.stem not in ("__init__", "__main__"):
            found[path.stem] = [path]
        elif path.is_dir() and path.name != "__pycache__":
            found[path.name] = [p for p in path.resolve().rglob("*.py") if p.name != "__main__.py"]
    return found


def test_every_room_has_a_floor():
    assert set(rooms()) == set(FLOOR)


@pytest.mark.cases(5)
@pytest.mark.parametrize("room", FLOOR)
def test_imports_run_downwards(room):
    """Inside functions and for type checkers too: so no rooms import each other in a circle."""
    for path in rooms()[room]:
        for name in imported(path):
            other = room_of(name)
            if other not in (None, room):
                assert FLOOR[other] < FLOOR[room], f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.slow
@pytest.mark.parametrize(("room", "floors"), [("label", LABEL_FLOORS), ("validation", VALIDATION_FLOORS)])
def test_a_room_is_built_from_the_ground_floor_up(room, floors):
    floor_of = {folder: number for number, folders in enumerate(floors) for folder in folders}
    home = (PACKAGE / room).resolve()
    found = {path.relative_to(home).parts[0].removesuffix(".py") for path in home.rglob("*.py")}
    assert found - {"__init__"} == set(floor_of)
    for folder, floor in floor_of.items():
        path = home / folder
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]:
            for name in imported(file):
                other = floor_of.get(name.removeprefix(f"hermite_analytics.{room}.").split(".")[0], floor)
                if name.startswith(f"hermite_analytics.{room}.") and name.split(".")[2] != folder:
                    assert other < floor, f"{file.relative_to(ROOT)} imports {name}"


@pytest.mark.slow
def test_numeric_does_no_symbolic_work():
    for path in modules("numeric"):
        roots = {name.split(".")[0] for name in imported(path)}
        assert not roots & {"sympy", "mpmath", "flint"}, path.relative_to(ROOT)


@pytest.mark.slow
def test_user_text_is_never_evaluated():
    """No eval, no parse of text by sympy, no pickle; exec only of the kernels that we wrote ourselves."""
    forbidden = {"eval", "exec", "parse_expr", "pickle.load", "pickle.loads", "sympy.S", "sympy.sympify"}
    for layer in LAYERS:
        for path in modules(layer):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in forbidden:
                    strict = any(k.arg == "strict" and ast.unparse(k.value) == "True" for k in node.keywords)
                    assert strict, f"{path.relative_to(ROOT)}: {ast.unparse(node)}"


def test_text_is_refused_by_the_node():
    import sympy

    from hermite_analytics.gaussian.node import GaussianExpectation

    with pytest.raises(sympy.SympifyError):
        GaussianExpectation("__import__('os').getcwd()", sympy.Symbol("z"))


@pytest.mark.parametrize("folder", ["root", "elsewhere"])
def test_import_works_from_anywhere(folder, tmp_path):
    """Also of what commands and workers start with."""
    code = (
        "import hermite_analytics, hermite_analytics.numeric, hermite_analytics.validation, sys\n"
        "import hermite_analytics.cli, hermite_analytics.explorer.pool\n"
        "heavy = {'sympy', 'numba', 'scipy', 'flint', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    where = ROOT if folder == "root" else tmp_path
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=where)


@pytest.mark.parametrize("name", ["numeric", "validation"])
def test_wrong_name_is_refused(name):
    run = subprocess.run([sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1
    assert f"hermite_analytics.{name}" in run.stderr.splitlines()[-1]


def test_links():
    for name in ("numeric", "validation"):
        link = PACKAGE / name
        assert link.is_symlink() and str(link.readlink()) == f"../{name}"


@pytest.mark.slow
def test_wheel_has_all_modules_under_one_name(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"hermite_analytics"}
    folders = (PACKAGE, PACKAGE / "numeric", PACKAGE / "validation")
    modules = {str(path.relative_to(ROOT)) for folder in folders for path in folder.rglob("*.py")}
    assert modules <= set(names)
    for wanted in (
        "py.typed",
        "explorer/static/index.html",
        "validation/suites/quick.toml",
        "validation/suites/families/staircase.toml",
        "validation/report/templates/report.html",
    ):
        assert f"hermite_analytics/{wanted}" in names


def test_the_project_speaks_of_itself_alone():
    """No path of a developer's machine in what is kept."""
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *PACKAGE.rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(home|work|root|tmp)/\w", text), path.relative_to(ROOT)
