"""A folder with a record is all that a model or a protocol needs: nothing else names it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermite_analytics.foundation.folders import records_in
from hermite_analytics.numeric.models.record import Record

MODEL = {
    "record.py": '''
        """Ridge regression on pure noise, p/d to 0."""
        from dataclasses import replace
        from hermite_analytics.numeric.models.readings import rows
        from hermite_analytics.numeric.models.parameter import Kind, Parameter
        from hermite_analytics.numeric.models.record import ModelRecord, Result, statistics
        from hermite_analytics.numeric.models.shared import ALPHA, NOISE

        __all__ = ["SHRINKING"]

        SHRINKING = ModelRecord(
            name="shrinking",
            summary="One number found from others.",
            help="Test error of the mean of n samples.",
            factory="models.shrinking.model:Shrinking",
            parameters=(
                Parameter(name="start", help="Rows", kind=Kind.WORDS, metavar="M,...", to="model", read=rows),
                replace(ALPHA, knob=None),
                NOISE,
            ),
            results=(Result(name="test_error", help="noise/alpha"), *statistics(numerical_error=False)),
            sources="a textbook",
            drawn=("test_error",),
        )
    ''',
    "model.py": '''
        """The equations."""
        from dataclasses import dataclass
        from typing import ClassVar
        import numpy as np
        from hermite_analytics.numeric.models.shrinking.record import SHRINKING
        from hermite_analytics.numeric.frozen import frozen
        from hermite_analytics.numeric.solution import Solution

        @dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
        class ShrinkingSolution(Solution):
            test_error: object
            model: str = "shrinking"
            shaped: ClassVar[str] = "test_error"
            columns: ClassVar[tuple[str, ...]] = (
                "alpha", "noise", "test_error", "status", "residual", "iterations")

        @dataclass(frozen=True, slots=True)
        class Shrinking:
            start: object = None

            def solve(self, *, alpha, noise=0.0):
                alpha, noise = SHRINKING["alpha"].checked(alpha), SHRINKING["noise"].checked(noise)
                alpha, noise = np.broadcast_arrays(alpha, noise)
                scale = 1.0 if self.start is None else self.start[-1][-1]
                return ShrinkingSolution(
                    parameters={"alpha": frozen(alpha), "noise": frozen(noise)},
                    status=np.full(alpha.shape, "converged"),
                    residual=np.zeros(alpha.shape),
                    iterations=np.ones(alpha.shape, dtype=int),
                    test_error=frozen(scale * noise / alpha),
                )
    ''',
}
PROTOCOL = {
    "record.py": '''
        """The same at finite size."""
        from hermite_analytics.numeric.models.record import Record, Result
        from hermite_analytics.numeric.protocols.shared import RUN, Estimates, swept

        __all__ = ["SHRINKING"]

        SHRINKING = Record(
            name="shrinking",
            summary="The mean of n samples.",
            help="Its squared error.",
            factory="protocols.shrinking.protocol:ShrinkingProtocol",
            parameters=(*RUN, swept("alpha", "n/d", required=True)),
            results=(Result(name="test_error", shape=Estimates),),
        )
    ''',
    "protocol.py": '''
        """What runs it."""
        from dataclasses import dataclass
        from typing import ClassVar
        import numpy as np
        from hermite_analytics.numeric.simulator.protocol import SimulationProtocol
        from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

        @dataclass(frozen=True, slots=True, kw_only=True)
        class ShrinkingProtocol(SimulationProtocol):
            name: ClassVar[str] = "shrinking"
            d: int
            alpha: float
            device: str = "cpu"
            dtype: str = "float64"

            @classmethod
            def create(cls, *, d, alpha, device="cpu", dtype="float64"):
                return cls(d=d, alpha=alpha, device=device, dtype=dtype)

            def run(self, seed):
                draws = GaussianStream(seed=seed, purpose=Purpose.ESTIMATE_START)
                samples = draws.normals(round(self.alpha * self.d), 1)
                return {"test_error": np.asarray(float(np.mean(samples)) ** 2)}

            def parameters(self):
                return {"d": self.d, "alpha": self.alpha}
    ''',
}
SCRIPT = """
import importlib.util, json, sys

for kind in ("models", "protocols"):  # as if the folders stood in the package
    name = f"hermite_analytics.numeric.{kind}"
    spec = importlib.util.find_spec(name)
    spec.submodule_search_locations.append(sys.argv[1] + "/" + kind)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    setattr(sys.modules["hermite_analytics.numeric"], kind, module)

from click.testing import CliRunner
import jsonschema
import hermite_analytics.numeric as numeric
from hermite_analytics.cli import cli
from hermite_analytics.schemas import schema

with open(sys.argv[1] + "/problem.toml", "w") as file:
    file.write('model = "shrinking"\\nalpha = [1, 4]\\nstart = "1,2;1,3"\\n')
found = {"class": numeric.Shrinking.__name__, "public": "Shrinking" in dir(numeric)}
for name, call in {
    "help": ("solve", "--help"),
    "solve": ("solve", "--problem", sys.argv[1] + "/problem.toml", "--noise", "2", "--json"),
    "wrong": ("solve", "shrinking", "--alpha", "-1"),
    "unread": ("solve", "shrinking", "--alpha", "1", "--start", "a"),
    "simulate": ("simulate", "shrinking", "--d", "50", "--alpha", "1,2", "--seeds", "3", "--json"),
}.items():
    outcome = CliRunner().invoke(cli, call)
    found[name] = outcome.output if outcome.exit_code == 0 else str(outcome.exception)
jsonschema.validate(json.loads(found["solve"]), schema("solve-shrinking"))
jsonschema.validate(json.loads(found["simulate"]), schema("simulate"))
print(json.dumps(found))
"""


def written(folder: Path, kind: str, files: dict[str, str]) -> None:
    home = folder / kind / "shrinking"
    home.mkdir(parents=True)
    (home / "__init__.py").write_text('"""Its folder."""\n', encoding="utf-8")
    for name, text in files.items():
        lines = "\n".join(line.removeprefix(" " * 8) for line in text.strip("\n").splitlines())
        (home / name).write_text(f"{lines}\n", encoding="utf-8")


@pytest.mark.slow
def test_a_folder_is_a_model_and_a_protocol(tmp_path):
    written(tmp_path, "models", MODEL)
    written(tmp_path, "protocols", PROTOCOL)
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["class"] == "Shrinking" and found["public"]
    assert "One number found from others." in found["help"]
    errors = [(row["alpha"], row["test_error"]) for row in json.loads(found["solve"])["results"]]
    assert errors == [(1.0, 6.0), (4.0, 1.5)]
    assert found["wrong"] == "alpha is -1; accepted: finite numbers alpha > 0"
    assert found["unread"] == "--start is 'a'; accepted: rows of numbers, as 1,1;1,-1"
    assert [row["test_error"]["seeds"] for row in json.loads(found["simulate"])["results"]] == [3, 3]


def test_two_records_of_one_name_are_refused(tmp_path):
    for folder in ("one", "other"):
        home = tmp_path / "twice" / folder
        home.mkdir(parents=True)
        (home / "__init__.py").touch()
        (home / "record.py").write_text(
            "from hermite_analytics.numeric.models.record import Record\n"
            "__all__ = ['RECORD']\n"
            "RECORD = Record(name='same', summary='', help='', factory='', parameters=(), results=())\n",
            encoding="utf-8",
        )
    (tmp_path / "twice" / "__init__.py").touch()
    sys.path.insert(0, str(tmp_path))
    try:
        with pytest.raises(ValueError, match=r"two records of twice have one name: \['same', 'same'\]"):
            records_in("twice", [str(tmp_path / "twice")], Record)
    finally:
        sys.path.remove(str(tmp_path))
        for name in [n for n in sys.modules if n.split(".")[0] == "twice"]:
            del sys.modules[name]
