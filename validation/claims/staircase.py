"""Giant steps on several directions: the three regimes of one step, the staircase, the second layer."""

from __future__ import annotations

from hermite_analytics.validation.claim import Claim, Study
from hermite_analytics.validation.claims.common import CHANCE, GIANT_STEPS, RISK, smaller
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.experiments import SecondLayerExperiment, StaircaseExperiment
from hermite_analytics.validation.rules import Direction

__all__ = ["quick", "studies"]

_SIGNAL = "against control directions of the same run, at two or more dimensions"
_ONE_STEP = f"{GIANT_STEPS}, one gradient step"
_CONJECTURE = f"{GIANT_STEPS}, Conjecture 1 (a theorem in expectation for two steps)"
_LEAP = r"\ell = \min\{j\geq 1: C_j(f^*)\neq 0\}"
_NEXT = r"U^*_{t+1} = U^*_t\oplus\mathrm{span}\{\mu_{U^*_t,x}(f^*)\}"


def studies() -> tuple[Study, ...]:
    """The full size."""
    return (
        _few_samples(),
        _linear(),
        _leap_two(),
        _example_one(),
        _example_two(),
        _example_three(),
        _worked_example(),
        _worked_example_quadratic(),
        *(_second_layer(*regime) for regime in _REGIMES),
    )


def quick() -> tuple[Study, ...]:
    """Two members: the examples that tell a staircase from a stall."""
    return (
        smaller(_example_one(), sizes=(256, 512), seeds=(8, 8)),
        smaller(_example_two(), sizes=(128, 512), seeds=(24, 12)),
    )


def _direction(name: str, number: int, step: int, statement: str, source: str, *, learned: bool) -> Claim:
    """Whether a direction is learned after a step; the prediction is that of `ha.learns`."""
    return Claim(
        id=name,
        statement=statement,
        source=source,
        observable=f"direction{number}_step{step}",
        rule=Direction(),
        argument=_SIGNAL,
        mutants=("none-learned",) if learned else ("all-learned",),
        formula=_NEXT if step > 1 else _LEAP,
    )


def _few_samples() -> Study:
    return Study(
        id="one-step-few-samples",
        title="One step with n of order d on a target of leap index 2: He2",
        experiment=StaircaseExperiment(activation="relu", target="He2(z1)", directions=((1.0,),)),
        sizes=(128, 256, 512),
        seeds=(24, 16, 12),
        claims=(
            _direction(
                "nothing", 1, 1, "With n = 8 d samples the step learns nothing of He2.",
                f"{_ONE_STEP}: n = O(d^(l - eps)) never learns", learned=False,
            ),
        ),
    )  # fmt: skip


def _linear() -> Study:
    source = f"{_ONE_STEP}: l = 1 and n of order d learn span(v*)"
    return Study(
        id="one-step-linear",
        title="One step with n of order d on z1 + 2 z2 + He2(z3): leap index 1",
        experiment=StaircaseExperiment(
            activation="relu",
            target="z1 + 2*z2 + He2(z3)",
            directions=((1.0, 2.0, 0.0), (2.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
        ),
        sizes=(128, 256, 512),
        seeds=(24, 16, 12),
        claims=(
            _direction("v-star", 1, 1, "v* = w1 + 2 w2 is learned.", source, learned=True),
            _direction(
                "orthogonal", 2, 1, "The linear direction orthogonal to v* is not.", source, learned=False
            ),
            _direction("nonlinear", 3, 1, "The direction of He2 is not.", source, learned=False),
        ),
    )


def _leap_two() -> Study:
    source = f"{_ONE_STEP}: l > 1 and n of order d^l learn the span of the w_k with mu_(k,l) != 0"
    return Study(
        id="one-step-leap-2",
        title="One step with n = 4 d^2 on He2(z1) + He3(z2)/3: leap index 2",
        experiment=StaircaseExperiment(
            activation="relu",
            target="He2(z1) + He3(z2)/3",
            directions=((1.0, 0.0), (0.0, 1.0)),
            power=2,
            factor=4.0,
        ),
        sizes=(64, 128, 256),
        seeds=(24, 16, 8),
        claims=(
            _direction("second-order", 1, 1, "w1, of order l = 2, is learned.", source, learned=True),
            _direction("third-order", 2, 1, "w2, of order 3, is not.", source, learned=False),
        ),
    )


def _example_one() -> Study:
    return Study(
        id="staircase-example-1",
        title="Example 1: z1 + z2 + z1^2 - z2^2",
        experiment=StaircaseExperiment(
            activation="relu",
            target="z1 + z2 + z1**2 - z2**2",
            directions=((1.0, 1.0), (1.0, -1.0)),
            steps=2,
        ),
        sizes=(256, 512),
        seeds=(16, 12),
        claims=(
            _direction("first-step", 1, 1, "Step 1 learns w1 + w2.", _CONJECTURE, learned=True),
            _direction("second-step", 2, 2, "Step 2 learns w1 - w2.", _CONJECTURE, learned=True),
        ),
    )


def _example_two() -> Study:
    return Study(
        id="staircase-example-2",
        title="Example 2: z1 + z2 + z1^2 + z2^2 - 2, identical components",
        experiment=StaircaseExperiment(
            activation="relu",
            target="z1 + z2 + z1**2 + z2**2 - 2",
            directions=((1.0, 1.0), (1.0, -1.0)),
            steps=2,
        ),
        sizes=(128, 256, 512),
        seeds=(32, 24, 16),
        claims=(
            _direction("first-step", 1, 1, "Step 1 learns w1 + w2.", _CONJECTURE, learned=True),
            _direction(
                "stall", 2, 2, "Step 2 learns nothing new: identical components stall.", _CONJECTURE,
                learned=False,
            ),
            Claim(
                id="no-overlap",
                statement="The overlap with w1 - w2 vanishes with the dimension.",
                source=_CONJECTURE,
                observable="overlap2_step2",
                relation="at_most",
                margin=Margin(absolute=0.005),
                argument=CHANCE,
            ),
        ),
    )  # fmt: skip


def _example_three() -> Study:
    return Study(
        id="staircase-example-3",
        title="Example 3, f1: z1 + z1 z2 + z1 z3",
        experiment=StaircaseExperiment(
            activation="relu",
            target="z1 + z1*z2 + z1*z3",
            directions=((1.0, 0.0, 0.0), (0.0, 1.0, 1.0), (0.0, 1.0, -1.0)),
            steps=2,
            factor=32.0,
        ),
        sizes=(400, 800),
        seeds=(12, 8),
        claims=(
            _direction("first-step", 1, 1, "Step 1 learns w1.", _CONJECTURE, learned=True),
            _direction("sum", 2, 2, "Step 2 learns w2 + w3.", _CONJECTURE, learned=True),
            _direction("difference", 3, 2, "It does not learn w2 - w3.", _CONJECTURE, learned=False),
        ),
    )


# At n ~ d^2 the steps are of order d^(1/2): a linear term in z1 would make w1 outweigh w2 by d^(1/2).
_QUADRATIC = "He2(z2) + He2(z1)*z2 + He2(z2)*He2(z3)"
_WORKED = "z1 + He2(z2) + He2(z1)*z2 + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"


def _worked_example() -> Study:
    source = f"{GIANT_STEPS}, worked example at n ~ d"
    return Study(
        id="worked-example-linear",
        title="The worked example, one step with n of order d",
        experiment=StaircaseExperiment(
            activation="relu",
            target=_WORKED,
            directions=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            factor=64.0,
        ),
        sizes=(128, 256, 512),
        seeds=(48, 32, 24),
        claims=(
            _direction("w1", 1, 1, "One step with n ~ d learns w1.", source, learned=True),
            _direction("w2", 2, 1, "It does not learn w2.", source, learned=False),
        ),
    )


def _worked_example_quadratic() -> Study:
    source = f"{GIANT_STEPS}, worked example at n ~ d^2"
    return Study(
        id="worked-example-quadratic",
        title="The worked example without its terms of degrees 1 and 7, one step with n of order d^2",
        experiment=StaircaseExperiment(
            activation="relu",
            target=_QUADRATIC,
            directions=((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            power=2,
            factor=8.0,
        ),
        sizes=(48, 96, 192),
        seeds=(32, 20, 10),
        claims=(
            _direction("w2", 1, 1, "One step with n ~ d^2 learns w2.", source, learned=True),
            _direction("w3", 2, 1, "It does not learn w3.", source, learned=False),
        ),
    )


# (samples power, width power, samples factor, width factor, sizes, seeds)
_REGIMES = (
    (1, 0, 20.0, 16.0, (40, 64, 96), (24, 16, 10)),
    (1, 1, 20.0, 4.0, (40, 64, 96), (24, 16, 10)),
    (2, 0, 2.0, 20.0, (20, 32, 48), (24, 16, 10)),
    (2, 1, 4.0, 20.0, (20, 28, 40), (16, 12, 8)),
)


def _second_layer(
    samples: int, width: int, many: float, wide: float, sizes: tuple[int, ...], seeds: tuple[int, ...]
) -> Study:
    theorem = "theorem for p = O(1)" if width == 0 else "Conjecture 3"
    bound = Claim(
        id="lower-bound",
        statement="The error stays above the norm of what this regime does not fit.",
        source=f"{GIANT_STEPS}, {theorem}; regimes of the worked example",
        observable="test_error",
        relation="at_least",
        margin=Margin(relative=0.05),
        argument=RISK,
        formula=r"E \geq \|P_{U^*,>\kappa}f^*\|^2,\ \kappa=\min(\kappa_1,\kappa_2)",
    )
    gain = Claim(
        id="better-than-without-learning",
        statement="It falls below what the same second layer fits without learned directions.",
        source=f"{GIANT_STEPS}, regimes of the worked example",
        observable="test_error",
        prediction="unlearned_error",
        relation="at_most",
        margin=Margin(relative=0.02),
        argument=RISK,
    )
    return Study(
        id=f"second-layer-{samples}-{width}",
        title=f"The second layer at n ~ d^{samples}, p ~ d^{width}: terms of the worked example",
        experiment=SecondLayerExperiment(
            activation="relu",
            target=f"z1 + {_QUADRATIC}" if samples == 1 else _QUADRATIC,
            samples_power=samples,
            width_power=width,
            samples_factor=many,
            width_factor=wide,
            ridge=1.0,
        ),
        sizes=sizes,
        seeds=seeds,
        claims=(bound, gain) if (samples, width) == (2, 1) else (bound,),
    )
