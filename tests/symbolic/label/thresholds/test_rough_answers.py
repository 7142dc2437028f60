"""Thresholds whose first answer is rough: others are asked too, and the least error counts."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import sympy
from scipy import special

from hermite_analytics.argument.remarks import remark
from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds import methods
from hermite_analytics.label.thresholds.methods import threshold_of
from hermite_analytics.label.thresholds.result import estimated
from hermite_analytics.label.thresholds.two_coordinates import smooth_law
from hermite_analytics.symbols import xi
from tests.symbolic.label.cases.test_soft import grid, top_of

w1, w2 = sympy.symbols("w1 w2", real=True)


class TestRoughAnswers:
    """The law of a threshold with little noise, whose points do not follow its steps."""

    SIGNAL = sympy.sign(sympy.sin(4 * w1) + w2**2 + xi / 10)

    def test_points_that_are_too_far_apart(self):
        found = smooth_law(Problem(signal=self.SIGNAL, unknown=(w1, w2), known=()))
        assert found.is_rough
        assert 1e-6 * found.alpha.value < found.alpha.error < 3e-4 * found.alpha.value
        points, p = grid(0.04)  # half of the step changes this by 6e-8 of itself
        chance = special.ndtr((np.sin(4 * points[:, 0]) + points[:, 1] ** 2) / 0.1)
        known = 1 / top_of([chance, 1 - chance], points, p, [1.0, 1.0])
        assert abs(found.alpha.value - known) < found.alpha.error

    @pytest.mark.parametrize(("other", "least"), [(1e-3, 1e-4), (1e-5, 1e-5), (math.nan, 1e-4)])
    def test_the_least_error_counts(self, monkeypatch, other, least):
        rough = dataclasses.replace(estimated(0.5, 5e-5, remark("rough")), is_rough=True)
        answers = [rough, estimated(0.5, 0.5 * other, remark("other"))]
        monkeypatch.setattr(methods, "_methods", lambda: [lambda _, a=a: a for a in answers])
        found = threshold_of(Problem(signal=w1, unknown=(w1,), known=()))
        assert found.alpha.error == pytest.approx(2 * least, rel=1e-2)

    @pytest.mark.parametrize("answers", [0, 1])
    def test_time_ends_after_it(self, monkeypatch, answers):
        """The rough one counts; without it that time ended is for the caller to say."""
        rough = dataclasses.replace(estimated(0.5, 5e-5, remark("rough")), is_rough=True)

        def slow(_):
            raise TimeEnded

        monkeypatch.setattr(methods, "_methods", lambda: [lambda _: rough] * answers + [slow])
        problem = Problem(signal=w1, unknown=(w1,), known=())
        if answers:
            assert threshold_of(problem).alpha.value == pytest.approx(2.0)
        else:
            with pytest.raises(TimeEnded):
                threshold_of(problem)
