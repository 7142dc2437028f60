"""`weak_recovery`: which directions Bayes-AMP finds from n = alpha d samples, and from which alpha on.

Steps of the grand staircase of order 1 are trivial (any alpha > 0), of order 2 easy (alpha > alpha_c), of
order 3 and more hard (no alpha). The threshold of an easy step, given the subspace U learned before it, is

    1/alpha_c = top eigenvalue of M -> E[G M G],  G(y, x) = E[w w^T - I | Y = y, z_U = x],  w orthogonal to U.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hermite_analytics.argument import Facts, text_of
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents.results import Staircase
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.quantities import unknown_quantity
from hermite_analytics.label.orders.grand_staircases import grand_staircase
from hermite_analytics.label.thresholds.directions import Rows, directions_found, exact_rows
from hermite_analytics.label.thresholds.result import (
    ZERO,
    Threshold,
    infinite_threshold,
    no_threshold,
)
from hermite_analytics.rendering import Column, Frame, Mark, Result, Role
from hermite_analytics.rendering.text import cut
from hermite_analytics.target import Target

__all__ = ["RecoveryStage", "WeakRecovery", "weak_recovery"]

DEFAULT_SECONDS = 30.0
_SHARE = 0.5  # of the time, for the staircase
_SOURCES = "arXiv 2405.15480, 2403.05529, 2506.05500"
_COLUMNS = {"alpha_c": Column(name="alpha_c", symbol=r"\alpha_c")}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RecoveryStage(Result):
    """One step of the grand staircase.

    Attributes
    ----------
    dimension : int
        Number of its new directions.
    alpha_c : Quantity
        Of its most unstable direction, given exact knowledge of what came before; undecided, with value NaN
        and its reason, if it is not known.
    facts : facts
        How it was found; `reason` is their text.
    """

    dimension: int
    alpha_c: Quantity
    facts: Facts

    @property
    def reason(self) -> str:
        """How it was found, in one line."""
        return text_of(self.facts)

    def __str__(self) -> str:
        directions = "direction" if self.dimension == 1 else "directions"
        at = "none before" if self.has_followers else "at"
        comma = "," if self.has_followers else ""
        return f"{self.dimension} {directions}{comma} {at} alpha_c = {_spoken(self.alpha_c)}: {self.reason}"

    @property
    def has_followers(self) -> bool:
        """Whether there are directions beside the most unstable one, which may come later."""
        return self.dimension > 1 and not self.alpha_c.zero and math.isfinite(self.alpha_c.value)

    def frame(self) -> Frame:
        """One row."""
        row = {"dimension": self.dimension, "alpha_c": self.alpha_c, "reason": self.reason}
        return Frame(title="stage of weak recovery", rows=(row,), columns=_COLUMNS, sources=_SOURCES)

    def document(self) -> Document:
        """{"dimension", "alpha_c"}, JSON-ready."""
        return {
            "dimension": self.dimension,
            "alpha_c": self.alpha_c.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WeakRecovery(Result):
    """Trivial, easy and hard directions, and the thresholds of Bayes-AMP.

    Attributes
    ----------
    trivial, easy, hard : tuple of rows of text, or None
        Bases, rows in z-coordinates, each orthogonal to the ones before: what any alpha > 0 finds at once;
        what some finite alpha finds; the rest of the relevant subspace. None where it is not decided in the
        time.
    stages : tuple of RecoveryStage
        One for each step of the grand staircase; a single one where all steps have order 1, or there is none.
        Where the staircase is open those that are estimated follow, with `estimated` numbers only.
    staircase : Staircase
        On which the answer rests.

    Examples
    --------
    >>> found = weak_recovery("sign(z1*z2)")
    >>> print(found.easy_dimension, found.stages[0].alpha_c)
    2 pi**2/4
    """

    trivial: Rows | None
    easy: Rows | None
    hard: Rows | None
    stages: tuple[RecoveryStage, ...]
    staircase: Staircase

    @property
    def trivial_dimension(self) -> int | None:
        """Directions that any alpha > 0 finds at once."""
        return None if self.trivial is None else len(self.trivial)

    @property
    def easy_dimension(self) -> int | None:
        """Directions beyond the trivial ones that some finite alpha finds."""
        return None if self.easy is None else len(self.easy)

    @property
    def hard_dimension(self) -> int | None:
        """Directions that no number of samples proportional to d finds."""
        return None if self.hard is None else len(self.hard)

    @property
    def alpha_c(self) -> Quantity:
        """The threshold of the first stage; undecided, with its reason, if it is not known."""
        return self.stages[0].alpha_c if self.stages else unknown_quantity(self.staircase.reasons[-1])

    def __str__(self) -> str:
        return cut("\n".join(list(map(str, self.stages)) or [self.staircase.reasons[-1]]))

    def frame(self) -> Frame:
        """One row a stage."""
        rows = [
            {"stage": k, "dimension": s.dimension, "alpha_c": s.alpha_c, "reason": s.reason}
            for k, s in enumerate(self.stages, 1)
        ]
        split = {name: getattr(self, f"{name}_dimension") for name in ("trivial", "easy", "hard")}
        return Frame(
            title="weak recovery",
            rows=tuple(rows or [{"stage": 0, "alpha_c": self.alpha_c}]),
            columns={"stage": Column(name="stage", role=Role.PARAMETER), **_COLUMNS},
            fixed={name: "undecided" if count is None else count for name, count in split.items()},
            sources=_SOURCES,
        )

    def marks(self) -> tuple[Mark, ...]:
        """The thresholds, on an axis of n/d."""
        places = [(k, s.alpha_c.value) for k, s in enumerate(self.stages, 1)]
        several = len(places) > 1
        return tuple(
            Mark(name=f"stage {k}" if several else "weak recovery", place=x) for k, x in places if x == x
        )

    def document(self) -> Document:
        """{"trivial_dimension", "easy_dimension", "hard_dimension", "alpha_c", "stages"}, JSON-ready."""
        return {
            "trivial_dimension": self.trivial_dimension,
            "easy_dimension": self.easy_dimension,
            "hard_dimension": self.hard_dimension,
            "alpha_c": self.alpha_c.to_dict(),
            "stages": [stage.document() for stage in self.stages],
        }


def _spoken(alpha: Quantity) -> str:
    return "unknown" if math.isnan(alpha.value) else str(alpha)


def weak_recovery(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, staircase: Staircase | None = None
) -> WeakRecovery:
    """Trivial, easy and hard directions of a target, with the thresholds alpha_c = n/d of Bayes-AMP.

    Source: arXiv:2405.15480 (thresholds and the grand staircase), arXiv:2403.05529 and arXiv:2506.05500
    (orders); alpha_c = 1/||E[G . G]|| with G = E[w w^T - I | y], for a single index 1/E[(E[z^2|y] - 1)^2].

    Parameters
    ----------
    target : Target or str
        With any label noise: the law of the noisy label counts.
    seconds : float > 0
        What does not end in this time is not decided, and says so.
    staircase : Staircase, optional
        The grand staircase of the same target, if it is there already; otherwise it is computed first.

    Returns
    -------
    WeakRecovery
        The first threshold is where the uninformed fixed point of state evolution loses its stability.
        A later one supposes that the directions before are known exactly: a lower bound on the alpha at which
        AMP itself goes on, and that alpha where their overlap is complete by then. The threshold of a step
        with several directions is that of the most unstable one. Closed forms are exact; enclosed ones
        proved; the others come from quadrature, with the difference of two refinements and the defects of
        sum rules as their error, and are `estimated`.

    Raises
    ------
    InputError
        If `seconds` is not positive, or the rows of `staircase` do not have the dimension of the target.

    Examples
    --------
    >>> found = weak_recovery("z1**2 + sign(z1*z2*z3)")
    >>> [(stage.dimension, round(float(stage.alpha_c), 8)) for stage in found.stages]
    [(1, 0.57516635), (2, 2.4674011)]
    >>> str(found.stages[1].alpha_c), found.easy_dimension, found.hard_dimension
    ('pi**2/4', 3, 0)
    """
    with allowed(seconds):
        f = Target.of(target)
        if staircase is not None:
            _check_width(staircase, f)
        steps = grand_staircase(f, seconds=share(_SHARE)) if staircase is None else staircase
        trivial, easy, hard = directions_found(steps)
        return WeakRecovery(trivial=trivial, easy=easy, hard=hard, stages=_stages(f, steps), staircase=steps)


def _check_width(staircase: Staircase, f: Target) -> None:
    width = next((len(row) for basis in staircase.subspaces for row in basis.rows), f.dimension)
    if width != f.dimension:
        raise InputError(
            f"the rows of the staircase have {width} entries and the target has dimension {f.dimension}: "
            "the grand staircase of the same target is accepted"
        )


def _stages(f: Target, steps: Staircase) -> tuple[RecoveryStage, ...]:
    if not steps.orders and steps.limit_dimension is not None:
        return (_stage(0, infinite_threshold(remark("the label says nothing of any direction"))),)
    if steps.limit_dimension is not None and set(steps.orders) == {1}:
        return (_stage(steps.dimensions[-1], ZERO),)
    found: list[RecoveryStage] = []
    for t, order in enumerate(steps.orders):
        seconds = share(1 / (len(steps.orders) - t))
        threshold = _threshold(f, steps, t, seconds) if order == 2 else None
        if order == 1:
            threshold = ZERO
        if threshold is None:
            threshold = infinite_threshold(_hard(order))
        found.append(_stage(steps.dimensions[t + 1] - steps.dimensions[t], threshold))
    if steps.limit_dimension is None:
        found += _estimated_stages(f, steps)
    return tuple(found)


def _estimated_stages(f: Target, steps: Staircase) -> list[RecoveryStage]:
    """Further ones where the staircase is open: none of their numbers is proved, nor their dimensions."""
    from hermite_analytics.label.thresholds.estimated_steps import estimated_steps
    from hermite_analytics.label.thresholds.stage import step_threshold

    learned = exact_rows(steps.subspaces[-1])
    if learned is None or set(steps.orders) - {1, 2}:
        return []
    found = []
    for step in estimated_steps(f, learned, seconds=share(_SHARE)):
        if step.order == 1:
            threshold = ZERO.weakened(step.facts)
        else:
            rows = list(step.before.rows)
            alone = step_threshold(f, rows, seconds=share(1))
            threshold = alone.weakened(step.facts)
        found.append(_stage(step.after.dimension - step.before.dimension, threshold))
    return found


def _stage(dimension: int, threshold: Threshold) -> RecoveryStage:
    return RecoveryStage(dimension=dimension, alpha_c=threshold.alpha, facts=threshold.facts)


def _threshold(f: Target, steps: Staircase, t: int, seconds: float) -> Threshold:
    from hermite_analytics.label.thresholds.stage import (
        step_threshold,  # half a second: not where no step asks
    )

    learned = exact_rows(steps.subspaces[t])
    relevant = exact_rows(steps.subspaces[-1]) if steps.limit_dimension is not None else []
    if learned is None:
        return no_threshold(remark("the directions learned before have no closed form"))
    return step_threshold(f, learned, relevant or [], seconds=seconds)


def _hard(order: int) -> Facts:
    first = Math("E[w | y, x]", r"\mathbb{E}[w \mid y, x]")
    second = Math("E[w w^T - I | y, x]", r"\mathbb{E}[w w^{\top} - I \mid y, x]")
    return remark(f"the step has order {order}: ", first, " and ", second, " vanish")
