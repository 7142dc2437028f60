"""Exported ridge regression on random features."""

from __future__ import annotations

import pytest

from hermite_analytics import InputError, UnsupportedExpression
from hermite_analytics.numeric import RandomFeatures
from tests.standalone import check_lint, rows_of, run_alone

ALPHAS = [0.2, 1.0, 2.3, 30.0]
LIST = ",".join(map(str, ALPHAS))
CASES = {
    "tanh": ("tanh(z)", "tanh(z1)", 2.0, 1),
    "a mean and two directions": ("relu(z)", "z1*z2 + z1 + 0.3*xi", 1.0, 1),
    "a linear activation": ("z", "sin(z1)", 0.5, 1),
    "an even activation": ("abs(z)", "z1**2", 1.3, 1),
    "a higher degree": ("exp(z)", "He3(z1) + He2(z1)", 2.3, 2),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_the_library(name, tmp_path):
    activation, target, beta, degree = CASES[name]
    model = RandomFeatures(activation, target, degree=degree)
    path = model.export(tmp_path / "curve.py", beta=beta, noise=0.1)
    for ridge in (0.0, 1e-8, 0.1, 50.0):
        solution = model.solve(alpha=ALPHAS, beta=beta, ridge=ridge, noise=0.1)
        for k, row in enumerate(rows_of(path, "--alpha", LIST, "--ridge", str(ridge))):
            for what in ("test_error", "train_error"):  # the peak is the text "inf"
                assert float(row[what]) == pytest.approx(getattr(solution, what)[k], rel=1e-10)
    check_lint(path)


def test_file(tmp_path):
    path = RandomFeatures("tanh(z)", "tanh(z1)").export(tmp_path / "curve.py", beta=2, ridge=0)
    docstring = path.read_text(encoding="utf-8").split('"""')[1]
    for part in (
        "alpha - ridge/s1 = t(s2)",
        "w_j uniform on the unit sphere",
        "arXiv 1908.05355",
        "sigma(z) = tanh(z)",
        "Python alone",
    ):
        assert part in " ".join(docstring.split())
    lines = run_alone(path, "--alpha", "4", "--noise", "0.09").stdout.splitlines()
    assert float(lines[1].split()[1]) == pytest.approx(0.19291676, abs=1e-8)


def test_refusals(tmp_path):
    path = tmp_path / "curve.py"
    with pytest.raises(
        UnsupportedExpression, match="a file is exported for the square loss; loss is logistic"
    ):
        RandomFeatures("tanh(z)", "sign(z1)", loss="logistic").export(path)
    with pytest.raises(InputError, match="beta is 0; an exported file takes beta > 0"):
        RandomFeatures("tanh(z)", "z1").export(path, beta=0)
    with pytest.raises(InputError, match="noise is -1; an exported file takes noise >= 0"):
        RandomFeatures("tanh(z)", "z1").export(path, noise=-1)
    with pytest.raises(InputError, match="ridge is nan; a file is exported with one number for it"):
        RandomFeatures("tanh(z)", "z1").export(path, ridge=float("nan"))
