"""What the simulator asks of an activation and of a target: their text, and functions of arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat, TypeAlias, cast

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.row_blocks import elementwise

if TYPE_CHECKING:
    from hermite_analytics.activation import Activation

__all__ = [
    "ActivationLike",
    "Elementwise",
    "Pair",
    "TargetLike",
    "as_activation",
    "as_target",
    "check_functions",
    "derivative_of",
    "function_of",
    "with_derivative",
]

Elementwise: TypeAlias = Callable[..., Any]
"""Takes arrays of any array API namespace; gives one of the same shape, namespace and dtype."""

Pair: TypeAlias = Callable[[Any], tuple[Any, Any]]
"""Two elementwise functions of one array, such as sigma and sigma'; what is no new array is the given one."""


class ActivationLike(Protocol):
    """What `hermite_analytics.Activation` offers; it must pickle for runs in other processes."""

    @property
    def text(self) -> str:
        """The source text."""

    @property
    def has_jumps(self) -> bool | None:
        """Whether sigma is discontinuous somewhere; None if that is not decided."""

    @property
    def is_odd(self) -> bool:
        """Whether sigma is shown to be odd."""

    def function(self, backend: str) -> Elementwise:
        """sigma; the simulator asks for the backend "array"."""

    def derivative_function(self, backend: str) -> Elementwise:
        """sigma', almost everywhere."""

    def with_derivative(self, backend: str) -> Pair:
        """(sigma, sigma')."""


class TargetLike(Protocol):
    """What `hermite_analytics.Target` offers: y = g(z1, ..., zr) + a*xi."""

    @property
    def text(self) -> str:
        """The source text."""

    @property
    def dimension(self) -> int:
        """The largest index used."""

    @property
    def noise_variance(self) -> SupportsFloat:
        """a^2; raises UnsupportedExpression for label noise that is not additive."""

    def function(self, backend: str) -> Elementwise:
        """g, without the noise."""


def as_activation(activation: ActivationLike | str) -> ActivationLike:
    """The activation itself, or that of a text or a sympy expression."""
    from hermite_analytics import Activation

    known = not isinstance(activation, str) and hasattr(activation, "with_derivative")
    return cast(ActivationLike, activation if known else Activation.of(cast(str, activation)))


def as_target(target: TargetLike | str) -> TargetLike:
    """The target itself, or that of a text, a sympy expression or Hermite coefficients."""
    from hermite_analytics import Target

    known = not isinstance(target, str) and hasattr(target, "noise_variance")
    return cast(TargetLike, target if known else Target.of(cast(str, target)))


def function_of(activation: ActivationLike) -> Elementwise:
    """sigma of arrays."""
    return elementwise(activation.function("array"))


def derivative_of(activation: ActivationLike) -> Elementwise:
    """sigma' of arrays; differentiated once a process, for short steps come in thousands."""
    return _derivative(cast(Hashable, activation))


def with_derivative(activation: ActivationLike) -> Pair:
    """sigma and sigma' of arrays, which share what they have in common; made once a process."""
    return _with_derivative(cast(Hashable, activation))


@functools.lru_cache(maxsize=64)
def _with_derivative(activation: Activation) -> Pair:
    return cast(Pair, activation.with_derivative("array"))


@functools.lru_cache(maxsize=64)
def _derivative(activation: Activation) -> Elementwise:
    return elementwise(activation.derivative_function("array"))


def check_functions(activation: ActivationLike, target: TargetLike, *, directions: int | None = 1) -> None:
    """Refuse what cannot be simulated, before anything is run.

    Parameters
    ----------
    activation, target
    directions : int or None
        How many directions the target may have; None: any number.

    Raises
    ------
    InputError
        If either is of another kind, or the target has more than one direction.
    UnsupportedExpression
        If the label noise of the target is not additive.
    """
    if not hasattr(activation, "with_derivative"):
        raise InputError(f"activation is {activation!r}: an Activation is accepted, as Activation('tanh')")
    if not hasattr(target, "noise_variance"):
        raise InputError(f"target is {target!r}: a Target is accepted, as Target('z1 + z1**3')")
    if directions is not None and target.dimension > directions:
        raise InputError(
            f"the target {target.text} uses z{target.dimension}: a target of z1 alone is accepted"
        )
    float(target.noise_variance)
