"""The answers about one target, computed when they are asked for; how they are shown stands elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from hermite_analytics.activation import Activation
from hermite_analytics.errors import BudgetExhausted, HermiteAnalyticsError, UndefinedQuantity
from hermite_analytics.evidence import Quantity
from hermite_analytics.expansion import HermiteExpansion, hermite
from hermite_analytics.exponents import Exponent, FirstSubspace, Staircase
from hermite_analytics.exponents.results import infinite
from hermite_analytics.foundation.account import Account
from hermite_analytics.foundation.clock import TimeEnded, check_time
from hermite_analytics.language import display
from hermite_analytics.target import Target, TargetText

if TYPE_CHECKING:
    from hermite_analytics.label.thresholds import WeakRecovery
    from hermite_analytics.learning import Complexities, Learning

__all__ = ["DEFAULT_SECONDS", "Answers"]

DEFAULT_SECONDS = 60.0
# shares of the time: the parts that search most have most
_WEIGHTS = {
    "moments": 2.0,
    "first_subspace": 2.0,
    "intrinsic_dimension": 3.0,
    "leap_complexity": 2.0,
    "isotropic_leap": 2.0,
    "staircase": 2.0,
    "leap_decomposition": 2.0,
    "generative_exponent": 2.0,
    "grand_staircase": 4.0,
    "weak_recovery": 12.0,
}
_LEARNS_WEIGHT = 2.0
_MOST_COEFFICIENTS = 200
_LEAST_DEGREE, _MOST_DEGREE = 1, 7

_LEAST_STEPS = 2

T = TypeVar("T")


class Answers:
    """The answers about one target, each computed once, when it is first asked for.

    Attributes raise `UndefinedQuantity` where they do not exist: those that stand on Hermite coefficients if
    one that they need is not finite; and `BudgetExhausted` where the time ended before anything was known.
    In `to_dict` and in the displays such a field is undecided, with the reason. See `analyze` for the
    parameters.

    Attributes
    ----------
    target : Target
    activation : Activation or None

    Examples
    --------
    >>> a = Answers("z1 + z1*z2")
    >>> print(a.leap_complexity, a.staircase.dimensions)
    1 (0, 1, 2)
    """

    def __init__(
        self,
        target: Target | TargetText,
        *,
        activation: Activation | str | None = None,
        seconds: float = DEFAULT_SECONDS,
    ) -> None:
        learns = {} if activation is None else dict.fromkeys(("learns", "learns_full_batch"), _LEARNS_WEIGHT)
        self._time = Account(seconds, _WEIGHTS | learns)
        self.target = Target.of(target)
        self.activation = None if activation is None else Activation.of(activation)
        self._found: dict[str, object] = {}

    @property
    def name(self) -> str:
        """The text of the target, its directions put in."""
        return self.target.text if self.target.directions is None else display.text(self.target.expression)

    @property
    def dimension(self) -> int:
        """The largest index used, or the number of columns of the directions."""
        return self.target.dimension

    @property
    def seconds_left(self) -> float:
        """What is left of the time for the parts that were not computed yet."""
        return self._time.left

    @property
    def mean(self) -> Quantity:
        """E y."""
        return self._moments.mean

    @property
    def second_moment(self) -> Quantity:
        """E y^2, label noise included; infinite where it is."""
        return self._moments.second_moment

    @property
    def hermite(self) -> HermiteExpansion:
        """The coefficients c_S = E[He_S(z) y] up to a degree with at most 200 of them; see `ha.hermite`."""
        return self._part("hermite", self._expansion)

    @property
    def first_subspace(self) -> FirstSubspace:
        """The span of the first nonzero tensor; see `ha.first_subspace`."""
        from hermite_analytics.exponents import first_subspace

        return self._timed("first_subspace", first_subspace)

    @property
    def information_exponent(self) -> Exponent:
        """The first k >= 1 with C_k != 0; see `ha.information_exponent`."""
        return self.first_subspace.order

    @property
    def leap_index(self) -> Exponent:
        """The first k >= 1 with C_k != 0; equal to the information exponent by definition."""
        return self.first_subspace.order

    @property
    def intrinsic_dimension(self) -> Exponent:
        """The number of directions that E[y | z] depends on; see `ha.intrinsic_dimension`."""
        from hermite_analytics.exponents import intrinsic_dimension

        return self._timed("intrinsic_dimension", intrinsic_dimension)

    @property
    def leap_complexity(self) -> Exponent:
        """The leap in the given basis; see `ha.leap_complexity`."""
        from hermite_analytics.exponents import leap_complexity

        return self._timed("leap_complexity", leap_complexity)

    @property
    def isotropic_leap(self) -> Exponent:
        """The largest leap over all rotations; see `ha.isotropic_leap`."""
        from hermite_analytics.exponents import isotropic_leap

        return self._timed("isotropic_leap", isotropic_leap)

    @property
    def staircase(self) -> Staircase:
        """What several giant steps with n ~ d samples learn; see `ha.staircase`."""
        from hermite_analytics.exponents import staircase

        return self._timed("staircase", staircase)

    @property
    def leap_decomposition(self) -> Staircase:
        """The greedy decomposition into steps of least order; see `ha.leap_decomposition`."""
        from hermite_analytics.exponents import leap_decomposition

        return self._timed("leap_decomposition", leap_decomposition)

    @property
    def generative_exponent(self) -> Exponent:
        """The exponent after the best transformation of the label; see `ha.generative_exponent`.

        Where the grand staircase is decided it is its largest order.
        """
        from hermite_analytics.label.orders import generative_exponent

        steps = self.grand_staircase
        if steps.limit_dimension is not None:
            return _largest_order(steps)
        return self._timed("generative_exponent", generative_exponent)

    @property
    def grand_staircase(self) -> Staircase:
        """The greedy decomposition after transformations of the label; see `ha.grand_staircase`."""
        from hermite_analytics.label.orders import grand_staircase

        recovery = self._found.get("weak_recovery")
        steps: Staircase | None = getattr(recovery, "staircase", None)  # thresholds begin with it
        if steps is not None and steps.limit_dimension is not None:
            return steps
        return self._timed("grand_staircase", grand_staircase)

    @property
    def weak_recovery(self) -> WeakRecovery:
        """Trivial, easy and hard directions at n = alpha d, and thresholds; see `ha.weak_recovery`."""
        from hermite_analytics.label.thresholds import weak_recovery

        steps = self._found.get("grand_staircase")
        decided = steps if isinstance(steps, Staircase) and steps.limit_dimension is not None else None
        return self._part(
            "weak_recovery",
            lambda seconds: weak_recovery(self.target, seconds=seconds, staircase=decided),
        )

    @property
    def complexities(self) -> Complexities:
        """The samples that classes of algorithms need; see `ha.complexities`."""
        from hermite_analytics.learning import Complexities

        return Complexities(self.target, answers=self)

    @property
    def learns(self) -> Learning:
        """Whether a network of the given activation learns each step; see `ha.learns`.

        Raises
        ------
        UndefinedQuantity
            If no activation was given.
        """
        return self._learning("learns", "one-pass")

    @property
    def learns_full_batch(self) -> Learning:
        """The same for gradient descent on one batch, `ha.learns(..., schedule="full")`.

        Raises
        ------
        UndefinedQuantity
            If no activation was given.
        """
        return self._learning("learns_full_batch", "full")

    def _learning(self, name: str, schedule: str) -> Learning:
        from hermite_analytics.learning import learns

        activation = self.activation
        if activation is None:
            raise UndefinedQuantity("no activation was given: analyze(target, activation=...) takes one")
        steps = max(_LEAST_STEPS, self.dimension)
        return self._part(
            name, lambda seconds: learns(self.target, activation, steps, schedule=schedule, seconds=seconds)
        )

    @property
    def _moments(self) -> HermiteExpansion:
        return self._part("moments", lambda seconds: hermite(self.target, 0, seconds=seconds))

    def _expansion(self, seconds: float) -> HermiteExpansion:
        degrees = range(_LEAST_DEGREE, _MOST_DEGREE)
        within = [k for k in degrees if math.comb(self.dimension + k, k) <= _MOST_COEFFICIENTS]
        return hermite(self.target, max(within, default=_LEAST_DEGREE), seconds=seconds)

    def _timed(self, name: str, compute: Callable[..., T]) -> T:
        return self._part(name, lambda seconds: compute(self.target, seconds=seconds))

    def _part(self, name: str, compute: Callable[[float], T]) -> T:
        """Computed once; a refusal is kept too, an interruption is not."""
        if name not in self._found:
            try:
                with self._time.part(name) as seconds:
                    self._found[name] = compute(seconds)
            except HermiteAnalyticsError as refused:
                self._found[name] = refused
            except TimeEnded:
                check_time()  # a limit around this one
                self._found[name] = BudgetExhausted("the time ended before an answer")
        found = self._found[name]
        if isinstance(found, HermiteAnalyticsError):
            raise found.with_traceback(None)
        return cast("T", found)


def _largest_order(steps: Staircase) -> Exponent:
    """The generative exponent of a grand staircase that is decided."""
    from hermite_analytics.label.orders.generative import of_steps

    if not steps.orders:
        return infinite(steps.end)
    largest = max(steps.orders)
    facts = steps.steps[steps.orders.index(largest)]
    return of_steps(largest, steps.evidence, facts, steps=len(steps.orders))
