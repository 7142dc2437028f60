"""The order at which the drift of one neuron and one direction starts, with its proof.

The drift is D(m) = (1 - m^2) sum_k C_k m^(k-1)/(k-1)! with C_k = E[F(z, h) He_k(z) He_(k-1)(h)] for
independent z and h: without reuse C_k = mu_k(g) mu_k(sigma). The order is the first k >= 1 with C_k != 0.

Source: arXiv 2405.15459; docs/flows.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hermite_analytics.activation import Activation
from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.expansion import hermite
from hermite_analytics.expectations import expectation
from hermite_analytics.exponents import Exponent
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.label.orders import generative_exponent
from hermite_analytics.language import display
from hermite_analytics.language.derivative import almost_everywhere_derivative
from hermite_analytics.language.shape import changes_sign, is_even
from hermite_analytics.symbols import variable, z
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.symbols import Expr

__all__ = ["flow_order"]

_SHARE = 0.5  # of the time left


def flow_order(
    activation: Activation,
    target: Target,
    method: str,
    *,
    degree: int,
    loss: str = "correlation",
    shift: float = 0.0,
    readout: float = 1.0,
    seconds: float = 20.0,
) -> Exponent:
    """The first k with C_k != 0, proved, or what is known of it.

    Parameters
    ----------
    degree : int
        The last k that is looked at.
    loss, shift, readout, seconds
        Of a gradient at a look-ahead; with `degree` 1 and `loss` "correlation" only zeros are looked for.
    """
    if readout == 0.0:
        return _never("the readout is 0: C_k = 0 for all k >= 1")
    with allowed(seconds):
        if method == "sgd":
            return _plain_order(activation, target, degree)
        return _reuse_order(activation, target, loss, method, (shift, readout), degree)


def _plain_order(activation: Activation, target: Target, degree: int) -> Exponent:
    z1 = variable(1)
    g, sigma = target.noiseless, activation.expression
    if is_even(g, z1) and changes_sign(sigma, [z]):
        return _never("g is even and sigma is odd: mu_k(g) mu_k(sigma) = 0 for all k >= 1")
    if changes_sign(g, [z1]) and is_even(sigma, z):
        return _never("g is odd and sigma is even: mu_k(g) mu_k(sigma) = 0 for all k >= 1")
    labels = hermite(target, degree, seconds=share(_SHARE))
    neuron = hermite(Target(activation.expression.subs(z, variable(1))), degree, seconds=share(1))
    empty: list[str] = []
    for k in range(1, degree + 1):
        pair = (labels[k], neuron[k])
        if any(q.zero is True for q in pair):
            empty.append(f"mu_{k}({'g' if labels[k].zero is True else 'sigma'}) = 0")
            continue
        reason = "; ".join([f"mu_{k}(g) = {pair[0]}, mu_{k}(sigma) = {pair[1]}", *empty])
        if all(q.zero is False for q in pair):
            return _known(k, pair, reason)
        return _open(k, degree, reason)
    for name, expansion in (("g", labels), ("sigma", neuron)):
        if expansion.tail.zero is True:
            return _never(f"{name} is a polynomial, and mu_k(g) mu_k(sigma) = 0 for all k >= 1")
    return _open(degree + 1, degree, f"mu_k(g) mu_k(sigma) = 0 for k <= {degree}")


def _reuse_order(
    activation: Activation,
    target: Target,
    loss: str,
    method: str,
    numbers: tuple[float, float],
    degree: int,
) -> Exponent:
    """`numbers` are kappa and the readout."""
    z1 = variable(1)
    even = is_even(target.noiseless, z1)
    label = generative_exponent(target, seconds=share(_SHARE))
    if label.at_least == "inf":
        return _never(f"the label says nothing about z: {label.reason}")
    empty: list[str] = []
    for k in range(1, degree + 1):
        if k < label.at_least:
            empty.append(f"E[He_{k}(z) | y] = 0")
            continue
        if even and k % 2:
            empty.append(f"C_{k} = 0: the target is even")
            continue
        found = _coefficient(activation, target, loss, method, numbers, k) if numbers[0] else None
        reason = "; ".join([f"C_{k} = {found}" if found is not None else f"C_{k} is open", *empty])
        if found is not None and found.zero is False:
            return _known(k, (found,), reason)
        if found is None or found.zero is None:
            return _open(k, degree, reason)
        empty.append(f"C_{k} = 0")
    return _open(degree + 1, degree, "; ".join(empty))


def _coefficient(
    activation: Activation, target: Target, loss: str, method: str, numbers: tuple[float, float], k: int
) -> Quantity | None:
    """C_k of a gradient at a look-ahead; None where it cannot be enclosed."""
    if target.noise_variance:
        return None
    kappa, a = (Fraction(repr(number)) for number in numbers)
    try:
        text = _reduced(activation, target, loss, method, kappa * a, k)
        text = f"({a})*({text})" if text else _joint(activation, target, loss, method, kappa, a, k)
        return expectation(text, seconds=share(_SHARE / 2)).at(seconds=share(_SHARE))
    except HermiteAnalyticsError:
        return None


def _joint(
    activation: Activation, target: Target, loss: str, method: str, kappa: Fraction, a: Fraction, k: int
) -> str:
    """The integrand of C_k in z1 = z and z2 = h."""
    h = variable(2)
    sigma, slope = activation.expression, activation.derivative

    def force(field: Expr) -> Expr:
        residual = target.noiseless
        if loss != "correlation":
            residual -= sigma.subs(z, field) * a.numerator / a.denominator
        return residual * slope.subs(z, field) * a.numerator / a.denominator

    ahead = h + force(h) * kappa.numerator / kappa.denominator
    total = force(ahead) + (force(h) if method == "batch-reuse" else 0)
    return f"({display.text(total)})*He({k},z1)*He({k - 1},z2)"


def _reduced(
    activation: Activation, target: Target, loss: str, method: str, kappa: Fraction, k: int
) -> str | None:
    """The same with h integrated out, for sigma' = a for h > 0 and b for h < 0 and the correlation loss.

    The look-ahead field is h + kappa y a for h > 0 and h + kappa y b for h < 0; kappa holds the readout, and
    C_k lacks it.
    """
    slope = activation.derivative
    if loss != "correlation" or method != "extra-gradient" or almost_everywhere_derivative(slope, z) != 0:
        return None
    up, down = slope.subs(z, 1), slope.subs(z, -1)
    pieces = [slope.subs(z, x) for x in (-1000, 1000)]
    bends = _bends(activation)
    if pieces != [down, up] or bends != [0.0] or not (up.is_Rational and down.is_Rational):
        return None
    y = f"({display.text(target.noiseless)})"
    above = f"max(0, -({kappa})*{y}*({up}))"
    below = f"min(0, -({kappa})*{y}*({down}))"
    if k == 1:
        part = f"({up})*Phi(-{above}) + ({down})*(Phi({above}) - 1/2)"
        part += f" + ({up})*(1/2 - Phi({below})) + ({down})*Phi({below})"
    else:
        ends = [f"He({k - 2}, {x})*phi({x})" for x in (above, below, "0")]
        part = f"({up - down})*({ends[0]} + {ends[1]} - {ends[2]})"
    return f"{y}*He({k},z1)*({part})"


def _bends(activation: Activation) -> list[float]:
    from hermite_analytics.gaussian.breakpoints import real_breakpoints

    both = (activation.expression, activation.derivative)
    return sorted({float(b) for e in both for b in real_breakpoints(e, z)})


def _known(value: int, quantities: tuple[Quantity, ...], reason: str) -> Exponent:
    exact = all(q.evidence is Evidence.EXACT for q in quantities)
    return Exponent(
        value=value,
        at_least=value,
        evidence=Evidence.EXACT if exact else Evidence.PROVED,
        degree=None,
        facts=remark(reason),
    )


def _never(reason: str) -> Exponent:
    return Exponent(value="inf", at_least="inf", evidence=Evidence.PROVED, degree=None, facts=remark(reason))


def _open(at_least: int, degree: int, reason: str) -> Exponent:
    facts = remark(reason)
    return Exponent(value=None, at_least=at_least, evidence=Evidence.UNDECIDED, degree=degree, facts=facts)
