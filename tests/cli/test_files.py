"""--csv, --plot and --out, and ranges wherever a list of numbers is taken."""

from __future__ import annotations

import csv
import json
import math

import jsonschema
import matplotlib as mpl
import numpy as np
import pytest

from hermite_analytics import InputError
from hermite_analytics.cli import output
from hermite_analytics.cli.files import Files
from hermite_analytics.cli.output import print_table
from hermite_analytics.foundation.ranges import numbers_of
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.rendering import Frame
from hermite_analytics.schemas import schema

mpl.use("Agg")
PROBLEM = ("--activation", "tanh(z)", "--target", "sin(z1)")
SOLVE = ("solve", "spiked-random-features", *PROBLEM, "--alpha0", "20", "--eta", "3", "--ridge", "0.1")
SIMULATE = ("simulate", "spiked-random-features", *PROBLEM, "--r", "1", "--c", "1.1", "--gamma", "0.9")


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.arrays
def test_a_sweep_into_three_files(run, tmp_path):
    files = [tmp_path / name for name in ("curve.csv", "curve.svg", "curve.json")]
    flags = [x for pair in zip(("--csv", "--plot", "--out"), map(str, files), strict=True) for x in pair]
    done = run(*SOLVE, "--beta", "0.5,1,2", "--alpha", "0.1:5:4:log", "--json", *flags)
    assert done.status == 0 and done.err == ""
    results = done.document["results"]
    assert json.loads(files[2].read_text()) == done.document
    assert done.document["parameters"]["alpha"] == pytest.approx(np.geomspace(0.1, 5, 4).tolist(), rel=1e-14)
    read = rows(files[0])
    assert [float(r["test_error"]) for r in read] == [r["test_error"] for r in results]
    assert [float(r["overlaps_m"]) for r in read] == [r["overlaps"]["m"] for r in results]
    drawn = files[1].read_text()
    assert "\\beta" in drawn or "β" in drawn
    assert drawn.count("test error") == 3 and "linear floor" in drawn


@pytest.mark.slow
def test_a_simulation_of_several_sizes(run, tmp_path):
    out = tmp_path / "sizes.csv"
    flags = ("--d", "20:30:2", "--beta", "1", "--alpha", "1:2:2", "--ridge", "0.1", "--seeds", "2")
    done = run(*SIMULATE, *flags, "--csv", str(out), "--plot", str(tmp_path / "sizes.pdf"), "--json")
    assert done.status == 0
    assert [(r["d"], r["alpha"]) for r in done.document["results"]] == [(20, 1), (20, 2), (30, 1), (30, 2)]
    first = done.document["results"][0]["test_error"]
    read = rows(out)[0]
    assert (float(read["test_error"]), float(read["test_error_stderr"])) == (first["mean"], first["stderr"])
    jsonschema.Draft202012Validator(schema("simulate")).validate(done.document)
    limits = done.document["limits"]
    small, large = (r["test_error"]["mean"] for r in done.document["results"] if r["alpha"] == 2)
    assert [r["alpha"] for r in limits] == [1, 2] and "d" not in limits[0]
    assert limits[1]["test_error"]["mean"] == pytest.approx(3 * large - 2 * small)  # a line in 1/d
    assert float(rows(out)[-1]["d"]) == math.inf and limits[1]["test_error"]["stderr"] > 0
    assert (tmp_path / "sizes.pdf").read_bytes().startswith(b"%PDF")


def test_the_limit_is_printed(run):
    flags = ("--d", "20,30", "--beta", "1", "--alpha", "1", "--ridge", "0.1")
    several = run(*SIMULATE, *flags, "--seeds", "2")
    assert several.status == 0 and "limit d -> infinity, of a straight line in 1/d" in several.out
    assert "limit" not in run(*SIMULATE, *flags, "--seeds", "1").out  # no line without errors


def test_a_file_of_targets(run, tmp_path):
    targets, out = tmp_path / "targets.txt", tmp_path / "targets.csv"
    targets.write_text("z1\nz1**2\nz1 +\n")
    figure = tmp_path / "targets.png"
    done = run("analyze", "--file", str(targets), "--workers", "1", "--csv", str(out), "--plot", str(figure))
    assert done.status == 2 and len(done.out.splitlines()) == 3
    assert [r["leap_index"] for r in rows(out)] == ["1.0", "2.0", "nan"]
    assert figure.read_bytes().startswith(b"\x89PNG")
    refused = run("analyze", "z1", "--csv", str(out))
    assert refused.status == 2
    assert refused.err.endswith("--csv, --plot and --out belong to --file; one target is printed\n")


def test_three_layers_are_drawn_by_degree_and_kept_by_scenario(run, tmp_path):
    files = tmp_path / "layers.csv", tmp_path / "layers.svg"
    three = ("three-layer", "--degrees", "2,3,5", "--epsilon", "0.25,0.5")
    done = run("solve", *three, "--csv", str(files[0]), "--plot", str(files[1]), "--json")
    assert done.status == 0 and "<svg" in files[1].read_text()
    lines = files[0].read_text().splitlines()
    assert len(lines) == 7 and "trained" in lines[0] and "composition_order_1" in lines[0]
    drawn = MODELS["three-layer"].drawing(Frame(title="three-layer", rows=tuple(done.document["results"])))
    points = [row for row in drawn.frame.rows if row["epsilon"] == 0.5 and row["scenario"] == 2]
    assert [(row["degree"], row["exponent"]) for row in points] == [(2, 1.5), (3, 1.5), (5, 2.5)]
    assert drawn.points and drawn.table.rows == tuple(done.document["results"])


@pytest.mark.slow
def test_densities_are_points(run, tmp_path):
    out = tmp_path / "density.csv"
    flags = ("--of", "features", "--activation", "tanh(z)", "--alpha", "2", "--beta", "1")
    done = run("solve", "spectrum", *flags, "--density", "0.1,1,5", "--csv", str(out), "--json")
    (row,) = done.document["results"]
    assert [[float(r["eigenvalue"]), float(r["density"])] for r in rows(out)] == row["density"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ("--plot", "curve.jpg"),
            "the figure 'curve.jpg' has no format; accepted: names in .pdf, .svg, .png",
        ),
        (("--csv", "/no/such/folder/curve.csv"), "the folder of '/no/such/folder/curve.csv' does not exist"),
        (
            ("--plot", "{}/one.pdf"),
            "nothing to draw of spiked-random-features: no number has several values; accepted",
        ),
    ],
)
def test_files_that_cannot_be(run, flags, message, tmp_path):
    flags = [flag.format(tmp_path) for flag in flags]
    done = run(*SOLVE, "--beta", "1", "--alpha", "1", *flags)
    assert done.status == 2 and message in done.err and done.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "name", "accepted"),
    [
        (SOLVE, "a.csv", "NAME.npz (columns)"),
        (SOLVE, "a.parquet", "tables are written by --csv FILE.csv"),
        (SOLVE, "a.json.gz", "NAME.npz (columns)"),
        ((*SIMULATE, "--d", "20", "--seeds", "2", "--ridge", "0.1"), "a.npz", "NAME.json (the JSON"),
        (("analyze", "--file", "{}/targets.txt"), "a.npz", "NAME.json (the JSON document)"),
        (("analyze", "--file", "{}/targets.txt"), "a.csv", "tables are written by --csv FILE.csv"),
    ],
)
def test_an_ending_that_is_not_written_is_refused(run, command, name, accepted, tmp_path):
    """Before the work, and what stands there stays."""
    (tmp_path / "targets.txt").write_text("z1\n")
    (tmp_path / name).write_text("mine")
    spiked = () if command[0] == "analyze" else ("--beta", "1", "--alpha", "1")
    done = run(*(x.format(tmp_path) for x in command), *spiked, "--out", str(tmp_path / name))
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"ends in '{(tmp_path / name).suffix}'; accepted: " in done.err and accepted in done.err
    assert ("npz" in done.err.partition("accepted")[2]) == (command is SOLVE)
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("name", ["a.npz", "a.json", "a.parquet"])
def test_a_table_has_its_ending_or_none(run, name, tmp_path):
    three = ("solve", "three-layer", "--degrees", "2", "--epsilon", "0.25")
    done = run(*three, "--csv", str(tmp_path / name))
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "accepted: NAME.csv" in done.err and not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a.json", "a.JSON", "a"])
def test_the_document_has_its_ending_or_none(run, name, tmp_path):
    three = ("solve", "three-layer", "--degrees", "2", "--epsilon", "0.25")
    done = run(*three, "--json", "--out", str(tmp_path / name))
    assert done.status == 0 and json.loads((tmp_path / name).read_text()) == done.document
    same = run(*three, "--out", str(tmp_path / name), "--csv", str(tmp_path / name))
    assert same.status == 2 and "accepted: a name for each" in same.err and same.err.count("\n") == 1
    assert json.loads((tmp_path / name).read_text()) == done.document


def test_ranges_have_their_ends_and_short_decimals():
    assert numbers_of("0.1:0.5:5") == (0.1, 0.2, 0.3, 0.4, 0.5)
    assert numbers_of("1,2:4:3,inf") == (1, 2, 3, 4, math.inf)
    assert numbers_of("5:0.1:60:log")[::59] == (5, 0.1)
    assert numbers_of("1e-3:10:5:log") == (0.001, 0.01, 0.1, 1.0, 10.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "^'a' is not a number or a range; accepted: a comma list of numbers, where LOW:HIGH:N"),
        ("1:2", "^'1:2' is not a number or a range"),
        ("1:2:3:lin", "^'1:2:3:lin' is not a number or a range"),
        ("1:2:2.5", "^'1:2:2.5' is not a number or a range"),
        ("1:inf:3", "^the range '1:inf:3' needs finite ends and 2 <= N <= 100000$"),
        ("1:2:1", "^the range '1:2:1' needs finite ends"),
        ("0:2:5:log", "^the range '0:2:5:log' of equal ratios needs two ends > 0$"),
    ],
)
def test_what_is_no_range(text, message, run):
    with pytest.raises(InputError, match=message):
        numbers_of(text)
    done = run(*SOLVE, "--beta", "1", "--alpha", text)
    assert done.status == 2 and message.strip("^$").split(";")[0] in done.err and done.err.count("\n") == 1
    ridge = run(*SOLVE[:-1], text, "--beta", "1", "--alpha", "1")
    assert ridge.status == 2 and "--ridge" in ridge.err and text in ridge.err and ridge.err.count("\n") == 1


def test_ranges_in_a_problem_file_and_in_python(run, tmp_path):
    from hermite_analytics.numeric import GiantStep

    problem = tmp_path / "step.toml"
    problem.write_text('activation = "tanh"\ntarget = "sin(z1)"\nalpha0 = 2\neta = 1\nbeta = ["1:2:3", 4]\n')
    done = run("solve", "giant-step", "--problem", str(problem), "--json")
    assert [row["beta"] for row in done.document["results"]] == [1.0, 1.5, 2.0, 4.0]
    found = GiantStep("tanh", "sin(z1)").solve(alpha0=2, eta=1, beta="1:2:3,4")
    assert [row["r"] for row in done.document["results"]] == found.r.tolist()
    with pytest.raises(InputError, match=r"^beta is '1:2': '1:2' is not a number or a range"):
        GiantStep("tanh", "sin(z1)").solve(alpha0=2, eta=1, beta="1:2")


def test_a_long_table_is_printed_to_a_screen_where_a_file_has_it(capsys):
    print_table([{"alpha": i / 7, "error": i} for i in range(30)], most=Files(csv="curve.csv").most)
    shown = capsys.readouterr().out
    assert "10 of 30 rows are left out" in shown and "..." in shown
    assert " 9 " in shown and " 10 " not in shown and " 20 " in shown
    print_table([{"alpha": i / 7, "error": i} for i in range(30)], most=Files(plot="curve.pdf").most)
    assert " 10 " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("solve", "giant-step", *PROBLEM, "--alpha0", "2", "--eta", "1", "--beta", "1"), "--alpha0 0.5,1,2"),
        (("solve", "large-step", *PROBLEM), "accepted: --csv and --out"),
        (("solve", "sgd-flow", *PROBLEM, "--rate", "1", "--overlap", "0.2", "--time", "3"), "--rate 0.5,1,2"),
        (
            ("simulate", "amp", "--target", "sign(z1)", "--d", "100000000", "--seeds", "2", "--alpha", "1"),
            "nothing to draw of amp: no number has several values; accepted: several values of a flag, as "
            "--alpha 0.5,1,2",
        ),
    ],
)
def test_one_point_is_not_drawn_and_not_computed(run, flags, message, tmp_path, monkeypatch):
    """The last would not fit into memory: it is refused before any work."""
    monkeypatch.setattr(
        "hermite_analytics.cli.solve.model_command.answer", lambda given: pytest.fail("solved")
    )
    done = run(*flags, "--plot", str(tmp_path / "one.pdf"), "--csv", str(tmp_path / "one.csv"))
    assert done.status == 2 and message in done.err and len(done.err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_one_target_of_a_file_is_not_drawn(run, tmp_path):
    (tmp_path / "targets.txt").write_text("z1  # alone\n")
    done = run("analyze", "--file", str(tmp_path / "targets.txt"), "--plot", str(tmp_path / "one.pdf"))
    assert done.status == 2 and "it has one target" in done.err and not done.out


def test_columns_that_a_terminal_has_no_room_for_stand_below():
    """Each table has the first column and fits; all columns are there."""
    shown = {name: ["0.12345678", "-"] for name in ("alpha", "test_error", "m", "zeta", "numerical_error")}
    blocks = output._that_fit(shown, 40)
    assert [block[0] for block in blocks] == ["alpha"] * len(blocks)
    assert [name for block in blocks for name in block[1:]] == list(shown)[1:]
    for block in blocks:
        widths = [max(len(name), 10) for name in block]
        assert sum(w + 3 for w in widths) + 1 <= 40
    assert output._that_fit(shown, 200) == [list(shown)]
    assert output._that_fit(shown, 5) == [["alpha"], *(["alpha", name] for name in list(shown)[1:])]
