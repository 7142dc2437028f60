"""A folder with a record is all that a shape of label needs: thresholds, state evolution and AMP ask it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hermite_analytics.label.shape import functions_at, shapes

SQUARE = {
    "record.py": '''
        """Its place."""
        from hermite_analytics.label.shape import Shape

        __all__ = ["SQUARE"]

        SQUARE = Shape(
            name="square",
            summary="the larger of |w1| and |w2|: squares",
            place=5,
            laws=("cases.square.case:square",),
            along_axes=True,
        )
    ''',
    "case.py": '''
        """y = max(|w1|, |w2|): the sides of squares, by Gauss rules along them."""
        import math
        from dataclasses import dataclass
        import numpy as np
        import sympy
        from hermite_analytics.label.cases.found import Found
        from hermite_analytics.label.moments import from_whitened
        from hermite_analytics.label.nodes import LabelNodes

        X, W = np.polynomial.legendre.leggauss(24)
        SIDES = [(k, sign) for k in (0, 1) for sign in (-1.0, 1.0)]

        def density(z):
            return np.exp(-0.5 * (z**2).sum(-1)) / (2 * math.pi)

        def square(problem):
            w = problem.unknown
            if len(w) != 2 or problem.known or problem.noise != 0:
                return None
            at = [(0.3, -2.0), (1.5, 0.2), (-0.7, 0.4), (-1.0, -3.0)]
            values = [float(problem.signal.subs(dict(zip(w, point)))) for point in at]
            same = np.allclose(values, [max(map(abs, point)) for point in at])
            return Found(Square(), tuple(w)) if same else None

        def points(y):
            """Of labels, shape (n,): (n, 160, 2) points and their lengths."""
            found, lengths = [], []
            for k, sign in SIDES:
                side = np.empty((len(y), len(X), 2))
                side[..., k], side[..., 1 - k] = sign * y[:, None], y[:, None] * X
                found.append(side)
                lengths.append(y[:, None] * W)
            return np.concatenate(found, axis=1), np.concatenate(lengths, axis=1)

        @dataclass(frozen=True, slots=True)
        class SquareLabels:
            z: object
            lengths: object

            def __call__(self, omega, variance):
                factor = np.linalg.cholesky(variance)
                u = (self.z - omega[:, None, :]) @ np.linalg.inv(factor).T
                p = self.lengths * density(u) / np.linalg.det(factor)
                total = p.sum(1)
                p = p / total[:, None]
                mean = np.einsum("nk,nki->ni", p, u)
                second = np.einsum("nk,nki,nkj->nij", p, u, u)
                return from_whitened(np.log(total), mean, second, factor)

        @dataclass(frozen=True, slots=True)
        class Square:
            dimension = 2
            exact_share = 0.5

            def at(self, labels):
                return SquareLabels(*points(np.asarray(labels, dtype=float)))

            def label_nodes(self, level=1, size=1.0):
                x, w = np.polynomial.legendre.leggauss(40 + 10 * level)
                y, w = 4.5 * (x + 1), 4.5 * w
                z, lengths = points(y)
                masses = (w[:, None] * lengths * density(z)).ravel()
                return LabelNodes(
                    labels=y,
                    starts=z.shape[1] * np.arange(len(y) + 1),
                    points=z.reshape(-1, 2),
                    masses=masses,
                    defect=abs(float(masses.sum()) - 1),
                )
    ''',
}
SCRIPT = """
import json, sys
import numpy as np
from hermite_analytics.label import cases
if sys.argv[1] != "none":
    cases.__path__.append(sys.argv[1])
from hermite_analytics import weak_recovery
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import AMP, StateEvolution

text = "max(abs(z1), abs(z2))"
recovery, model = weak_recovery(text), StateEvolution(text)
kind = channel_of(text).kind
moments = kind.at(np.array([0.5, 1.25]))(np.array([[0.1, 0.2], [-0.6, 0.4]]), np.diag([0.5, 0.7]))
amp = AMP(text)
print(json.dumps({
    "kinds": [type(k).__name__ for k in (kind, model.channel.kind, amp.channel.kind)],
    "alpha": recovery.alpha_c.value,
    "error": recovery.alpha_c.error,
    "reason": recovery.alpha_c.reason,
    "slope": model.weak_recovery(),
    "map": model.overlap_map(np.diag([0.4, 0.4])).ravel().tolist(),
    "log_z": moments.log_z.tolist(),
    "g": moments.g.ravel().tolist(),
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cases")
    home = folder / "square"
    home.mkdir()
    (home / "__init__.py").write_text('"""Its folder."""\n', encoding="utf-8")
    for name, text in SQUARE.items():
        lines = "\n".join(line.removeprefix(" " * 8) for line in text.strip("\n").splitlines())
        (home / name).write_text(f"{lines}\n", encoding="utf-8")
    answers = {}
    for place in (str(folder), "none"):
        run = subprocess.run([sys.executable, "-c", SCRIPT, place], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        answers[place == "none"] = json.loads(run.stdout)
    return answers[False], answers[True]


@pytest.mark.slow
def test_a_folder_is_seen_by_thresholds_state_evolution_and_amp(found):
    """And agrees with the law by convolution and the level curves that answer without it."""
    own, known = found
    assert own["kinds"] == ["Square"] * 3 and known["kinds"] == ["PlaneChannel"] * 3
    assert own["reason"] == "the larger of |w1| and |w2|: squares" != known["reason"]
    assert own["alpha"] == pytest.approx(known["alpha"], abs=own["error"] + known["error"])
    assert own["slope"] == pytest.approx(known["slope"], rel=1e-6)
    assert own["map"] == pytest.approx(known["map"], abs=1e-6)
    assert own["log_z"] == pytest.approx(known["log_z"], abs=1e-6)
    assert own["g"] == pytest.approx(known["g"], abs=1e-6)


def test_the_order_in_which_shapes_are_asked():
    """Their places are their own, and what they name is there."""
    found = shapes()
    places = [shape.place for shape in found]
    assert places == sorted(set(places))
    assert all(shape.laws or shape.thresholds for shape in found)
    for shape in found:
        named = [*functions_at(shape.laws), *functions_at(shape.thresholds)]
        assert all(map(callable, named))
