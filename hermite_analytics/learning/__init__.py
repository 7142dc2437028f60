"""What networks learn: the second layer's share, which steps an activation realises, samples needed."""

from __future__ import annotations

from hermite_analytics.learning.learned_steps import DecidingCoefficient, LearnedStep, Learning
from hermite_analytics.learning.realisation import learns
from hermite_analytics.learning.requirement import Complexity
from hermite_analytics.learning.requirements import Complexities, complexities
from hermite_analytics.learning.second_layer_fit import SecondLayer, second_layer

__all__ = [
    "Complexities",
    "Complexity",
    "DecidingCoefficient",
    "LearnedStep",
    "Learning",
    "SecondLayer",
    "complexities",
    "learns",
    "second_layer",
]
