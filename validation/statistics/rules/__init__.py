"""The decision rules: a closed set, one file each.

A rule takes the numbers of all seeds at each size and the predicted one, and says passed, failed or
inconclusive at given levels; it knows nothing of experiments.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hermite_analytics.validation.statistics.rules.direction import Direction
from hermite_analytics.validation.statistics.rules.limit import Limit
from hermite_analytics.validation.statistics.rules.median import Median
from hermite_analytics.validation.statistics.rules.slope import Slope
from hermite_analytics.validation.statistics.rules.success_rate import SuccessRate

__all__ = ["Direction", "Limit", "Median", "Rule", "Slope", "SuccessRate"]

Rule = Annotated[Limit | SuccessRate | Median | Slope | Direction, Field(discriminator="kind")]
