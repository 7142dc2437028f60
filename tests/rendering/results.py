"""One result of every public kind, made when asked for; each costs well below a second."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hermite_analytics as ha
from hermite_analytics import numeric as hn
from tests.validation.test_outcomes import looked_once

SPIKE = {"r": 1.0, "c": 1.1, "gamma": 0.9, "beta": 1.0}
PROBLEM = ("tanh", "sin(z1)")


def _labels(target: str, alpha: float, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).standard_normal((int(alpha * d), d))
    z = x[:, 0]
    return x, {"sign(z1)": np.sign(z), "z1**2": z**2}[target], np.eye(d)[0]


def _amp():
    x, y, teacher = _labels("sign(z1)", 3, 60)
    return hn.AMP("sign(z1)").run(x, y, teacher=teacher)


def _spectral():
    x, y, teacher = _labels("z1**2", 3, 60)
    return hn.SpectralMethod("z1**2").run(x, y, teacher=teacher)


def _simulation(d=20, seeds=3, alpha=(1.0, 2.0), **other):
    given = {"activation": "tanh", "target": "sin(z1)", "ridge": 0.1} | SPIKE | other
    return hn.simulate("spiked-random-features", d=d, seeds=seeds, alpha=list(alpha), **given)


def _curve(alpha=(0.5, 1.0, 2.0), **other):
    return hn.SpikedRandomFeatures(*PROBLEM).solve(alpha=alpha, **({"ridge": 0.1} | SPIKE | other))


def _step_spectrum():
    from hermite_analytics.numeric.models.spectrum.step import step_spectrum

    return step_spectrum("weights", hn.SmallStep("tanh", "tanh(z1)"), eta=2, alpha=2, beta=2)


def _optimal_overlap():
    return hn.StateEvolution("z1**2").optimal_overlap(alpha=1.0)


def _outcome():
    from hermite_analytics.validation.campaign.outcomes import conclude

    return conclude([looked_once("one", 0.3)])[0]


def _validation():
    from hermite_analytics.validation import ValidationResult
    from hermite_analytics.validation.report.summary import claim_results

    claims = claim_results([_outcome()])
    return ValidationResult(
        suite="one", claims=claims, report=Path("report.html"), seconds=1.0, environment={"python": "3"}
    )


def _covariates():
    one = np.eye(3)
    model = hn.GaussianCovariates(psi=one, phi=one, omega=one, theta=np.ones(3), target="z1")
    return model.solve(alpha=[1.0, 2.0], ridge=0.1)


RESULTS = {
    "exponent": lambda: ha.leap_index("z1*z2"),
    "quantity": lambda: ha.expectation("max(z1,z2)").at(),
    "first subspace": lambda: ha.first_subspace("z1 + z2"),
    "staircase": lambda: ha.staircase("z1 + z1*z2"),
    "grand staircase": lambda: ha.grand_staircase("z1**2"),
    "weak recovery": lambda: ha.weak_recovery("sign(z1*z2)"),
    "complexities": lambda: ha.complexities("z1**2"),
    "learning": lambda: ha.learns("z1 + z1*z2", "relu"),
    "second layer": lambda: ha.second_layer("z1 + z1*z2 + He2(z2)"),
    "expansion": lambda: ha.hermite("sign(z1*z2)", degree=4),
    "analysis": lambda: ha.analyze("z1**2"),
    "parametric analysis": lambda: ha.analyze("a*z1 + b*z1**2", where="a >= 0"),
    "table": lambda: ha.table(["z1", "z1 +", "z1**2"]),
    "designs": lambda: ha.design(information_exponent=3),
    "design": lambda: ha.design(information_exponent=3)[0],
    "explanation": lambda: ha.analyze("z1").explain(),
    "stage of weak recovery": lambda: ha.weak_recovery("sign(z1*z2)").stages[0],
    "complexity": lambda: ha.complexities("z1**2")[0],
    "learned step": lambda: ha.learns("z1 + z1*z2", "relu").steps[0],
    "case of parameters": lambda: ha.analyze("a*z1 + b*z1**2", where="a >= 0").cases[0],
    "row of a table": lambda: ha.table(["z1**2"])[0],
    "row of a table, failed": lambda: ha.table(["z1 +"])[0],
    "branch of a law": lambda: ha.ConditionalLaw("z1**2").branches(4)[0],
    "expectation": lambda: ha.expectation("relu(k + c*z1)**2"),
    "expectation without a closed form": lambda: ha.expectation("tanh(z1)**2"),
    "conditional coefficients": lambda: ha.conditional_coefficients("relu"),
    "dual kernel": lambda: ha.dual_kernel("relu"),
    "giant step": lambda: hn.GiantStep(*PROBLEM).solve(alpha0=2, eta=1, beta=[1, 2, 3]),
    "spiked random features": _curve,
    "bounds": lambda: hn.Bounds(*PROBLEM).solve(r=[0.5, 1.0, 1.5]),
    "random features": lambda: hn.RandomFeatures(*PROBLEM).solve(alpha=[1, 2], beta=1, ridge=0.1),
    "small step": lambda: hn.SmallStep("tanh", "tanh(z1)").solve(eta=[1, 2], alpha=2, beta=2, ridge=0.1),
    "large step": lambda: hn.LargeStep("tanh", "erf(z1)").solve(),
    "deterministic equivalent": lambda: hn.DeterministicEquivalent.power_law(
        eigenvalue_power=1.5, coefficient_power=2.0, levels=50
    ).solve(samples=[10, 20, 40], features=30, ridge=0.1),
    "scaling law": lambda: hn.ScalingLaw(2, 0.8).solve(ridge_exponent=0.5, features_exponent=[0.3, 1.2]),
    "phase diagram": lambda: hn.ScalingLaw(2, 0.8).phase_diagram(),
    "optimal exponents": lambda: hn.ScalingLaw(2, 0.8).optimal(),
    "state evolution": lambda: hn.StateEvolution("sign(z1)").solve(alpha=[0.5, 1.0, 2.0]),
    "fixed points": lambda: hn.StateEvolution("z1**2").curve(),
    "thresholds": lambda: hn.StateEvolution("z1**2").thresholds(),
    "flow": lambda: hn.SGDFlow("erf", "z1").solve(rate=[0.5, 1.0], overlap=0.2, times=[1, 2, 3]),
    "flow from a random start": lambda: hn.SGDFlow("erf", "z1").weak_recovery(),
    "dmft": lambda: hn.DMFT("z", "z1").solve(alpha=2, eta=0.25, steps=2),
    "dmft samples": lambda: hn.DMFT("z", "z1").sample(d=20, alpha=2, eta=0.25, steps=2, seeds=range(3)),
    "laws of a field": lambda: (
        hn.DMFT("z", "z1").solve(alpha=2, eta=0.25, steps=2).law(1, field=[-1.0, 0.0, 1.0])
    ),
    "spectrum": lambda: hn.Spectrum("tanh").solve(r=0.5, c=1, alpha=2, beta=1),
    "spectrum of weights": _step_spectrum,
    "three layers": lambda: hn.ThreeLayer((2, 3), 0.5).solve(),
    "gaussian covariates": _covariates,
    "message passing": _amp,
    "spectral method": _spectral,
    "simulation": _simulation,
    "simulations of several sizes": lambda: _simulation(d=[20, 30, 40]),
    "estimate": lambda: _simulation().results["test_error"],
    "optimal overlap": _optimal_overlap,
    "outcome of a study": _outcome,
    "validation": _validation,
    "claim": lambda: _validation().claims[0],
}
SCALARS = {
    *("exponent", "quantity", "first subspace", "grand staircase", "weak recovery", "complexities"),
    *("second layer", "analysis", "parametric analysis", "designs", "large step", "optimal exponents"),
    *("flow from a random start", "spectrum of weights", "thresholds", "design", "explanation"),
    *("stage of weak recovery", "complexity", "learned step", "case of parameters", "row of a table"),
    *("row of a table, failed", "branch of a law", "expectation", "expectation without a closed form"),
    *("conditional coefficients", "dual kernel", "optimal overlap", "claim", "outcome of a study"),
    "validation",
}
"""Of which there is nothing to draw."""
