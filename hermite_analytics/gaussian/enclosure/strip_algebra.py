"""What is known of an analytic function on a strip, and how sums and products pass it on."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from flint import arb

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure.envelope import Envelope, Quadratic

__all__ = [
    "NoStripBound",
    "StripBounds",
    "bounded",
    "from_size",
    "negated",
    "product",
    "scaled",
    "tightest",
    "total",
    "with_away",
]


class NoStripBound(UnsupportedExpression):
    """The structure of the expression gives no bound on this strip."""


@dataclass(frozen=True, slots=True)
class StripBounds:
    """Bounds of an analytic function w on a strip.

    size : majorant of |w|;  upper, lower : upper >= Re w >= lower, None if unbounded by a quadratic;
    imaginary : majorant of |Im w| or None;  away : lower bound of |w|, >= 0.
    """

    size: Envelope
    upper: Quadratic | None
    lower: Quadratic | None
    imaginary: Quadratic | None
    away: arb

    @property
    def count(self) -> int:
        return len(self.size.pieces[0].linear)

    def height(self) -> arb:
        """sup |Im w|, possibly infinite."""
        return arb("inf") if self.imaginary is None else self.imaginary.supremum()

    def is_real(self) -> bool:
        return bool(self.height() == 0)

    def top(self) -> arb:
        """sup Re w, possibly infinite."""
        return arb("inf") if self.upper is None else self.upper.supremum()

    def bottom(self) -> arb:
        """inf Re w, possibly -infinite."""
        return arb("-inf") if self.lower is None else -self.lower.scaled(arb(-1)).supremum()


def with_away(bounds: StripBounds) -> StripBounds:
    """|w| >= |Re w|, from whichever side of zero the real part stays."""
    away = bounds.away.max(bounds.bottom()).max(-bounds.top()).max(arb(0))
    return replace(bounds, away=away.lower() if away.is_finite() else arb(0))


def tightest(first: StripBounds, second: StripBounds) -> StripBounds:
    """Two bounds of the same function: of each kind the one that grows less."""
    minus = arb(-1)
    lower = _slower(
        None if first.lower is None else first.lower.scaled(minus),
        None if second.lower is None else second.lower.scaled(minus),
    )
    return with_away(
        StripBounds(
            first.size,
            _slower(first.upper, second.upper),
            None if lower is None else lower.scaled(minus),
            _slower(first.imaginary, second.imaginary),
            first.away.max(second.away),
        )
    )


def _slower(first: Quadratic | None, second: Quadratic | None) -> Quadratic | None:
    """The majorant of smaller growth: by its largest square, then linear term, then constant."""
    if first is None or second is None:
        return second if first is None else first
    for left, right in (
        (_largest(first.square), _largest(second.square)),
        (_largest(first.linear), _largest(second.linear)),
        (first.constant, second.constant),
    ):
        if left < right or right < left:
            return first if left < right else second
    return first


def _largest(values: tuple[arb, ...]) -> arb:
    return functools.reduce(arb.max, values)


def from_size(size: Envelope, is_real: bool) -> StripBounds:
    """What |w| <= size alone says."""
    count = len(size.pieces[0].linear)
    upper = size.quadratic()
    lower = None if upper is None else upper.scaled(arb(-1))
    imaginary = Quadratic.of(arb(0), count) if is_real else upper
    return StripBounds(size, upper, lower, imaginary, arb(0))


def total(left: StripBounds, right: StripBounds) -> StripBounds:
    def both(x: Quadratic | None, y: Quadratic | None) -> Quadratic | None:
        return None if x is None or y is None else x.plus(y)

    return StripBounds(
        left.size.plus(right.size),
        both(left.upper, right.upper),
        both(left.lower, right.lower),
        both(left.imaginary, right.imaginary),
        arb(0),
    )


def scaled(w: StripBounds, factor: arb) -> StripBounds:
    """factor * w for a positive factor."""

    def times(x: Quadratic | None) -> Quadratic | None:
        return None if x is None else x.scaled(factor)

    return StripBounds(
        w.size.scaled(factor), times(w.upper), times(w.lower), times(w.imaginary), (w.away * factor).lower()
    )


def negated(w: StripBounds) -> StripBounds:
    minus = arb(-1)
    upper = None if w.lower is None else w.lower.scaled(minus)
    lower = None if w.upper is None else w.upper.scaled(minus)
    return StripBounds(w.size, upper, lower, w.imaginary, w.away)


def product(left: StripBounds, right: StripBounds) -> StripBounds:
    for constant, other in ((left, right), (right, left)):
        factor = _constant(constant)
        if factor is not None:
            return scaled(other, factor) if factor >= 0 else negated(scaled(other, -factor))
    is_real = left.is_real() and right.is_real()
    bounds = from_size(left.size.times(right.size), is_real)
    if is_real:
        bounds = _with_sign(bounds, left, right)
    else:
        # Im(w v) = Re w Im v + Im w Re v
        height = _largest_real(left) * right.height() + _largest_real(right) * left.height()
        if height.is_finite():
            bounds = replace(bounds, imaginary=Quadratic.of(height, left.count))
    return with_away(replace(bounds, away=(left.away * right.away).lower()))


def _with_sign(bounds: StripBounds, *factors: StripBounds) -> StripBounds:
    """Bounds of a real product, with its sign where both factors have one."""
    is_up = [w.bottom() >= 0 for w in factors]
    is_down = [w.top() <= 0 for w in factors]
    zero = Quadratic.of(arb(0), bounds.count)
    if all(is_up) or all(is_down):
        return replace(bounds, lower=zero)
    if all(up or down for up, down in zip(is_up, is_down, strict=True)):
        return replace(bounds, upper=zero)
    return bounds


def _largest_real(w: StripBounds) -> arb:
    return w.top().max(-w.bottom())


def _constant(w: StripBounds) -> arb | None:
    """The value of a real constant part, if it is one."""
    if w.upper is None or w.lower is None or not w.is_real():
        return None
    top, bottom = w.top(), w.bottom()
    if not (top.is_finite() and bottom.is_finite()) or top - bottom > abs(top) / 2**40:
        return None
    value = top.union(bottom)
    return value if value > 0 or value < 0 else None


def bounded(w: StripBounds, size: arb, low: arb, high: arb, height: arb) -> StripBounds:
    """A bounded function: |f| <= size, low <= Re f <= high, |Im f| <= height."""

    def flat(x: arb) -> Quadratic:
        return Quadratic.of(x, w.count)

    return StripBounds(Envelope.of(size, w.count), flat(high), flat(low), flat(height), arb(0))
