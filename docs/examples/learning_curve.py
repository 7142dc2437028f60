"""Draw docs/learning_curve.svg: theory (lines) and real networks (points) after one giant step.

python docs/examples/learning_curve.py
"""

from __future__ import annotations

from pathlib import Path

from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures, simulate

OUT = Path(__file__).resolve().parent.parent / "learning_curve.svg"
STEP = {"alpha0": 2, "eta": 3, "step_convention": "notebook"}  # an effective step of 3 for all widths
NETWORKS = {"d": 600, "seeds": 8, "alpha": [0.25, 0.5, 1, 2, 4], "ridge": 0.01}


def main() -> None:
    """Solve, simulate, draw."""
    s, f = {"activation": "tanh(z)"}, {"target": "sin(z1)"}
    step = GiantStep(**s, **f).solve(beta=[[0.5], [1], [2]], **STEP)
    theory = SpikedRandomFeatures(**s, **f).solve(step=step, alpha="0.2:5:100:log", ridge=0.01)
    networks = [simulate("giant-step", beta=b, **s, **f, **STEP, **NETWORKS) for b in (0.5, 1, 2)]
    theory.plot(save=OUT, y="test_error", simulation=networks)
    print(OUT.name)


if __name__ == "__main__":
    main()
