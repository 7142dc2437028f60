"""Whether an activation and a readout realise the steps of a staircase."""

from __future__ import annotations

from typing import get_args

from hermite_analytics.activation import Activation
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import InputError
from hermite_analytics.exponents.coefficients import DEFAULT_SECONDS
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.language.numbers import NumberLike
from hermite_analytics.learning.full_batch import FullBatch
from hermite_analytics.learning.learned_steps import LearnedStep, Learning, Schedule
from hermite_analytics.learning.neurons import Readout
from hermite_analytics.learning.rates import written
from hermite_analytics.learning.second_layer_fit import power_floor
from hermite_analytics.learning.walk import Walk
from hermite_analytics.target import Target

__all__ = ["learns"]

_MOST_STEPS = 20


def learns(
    target: Target | str,
    activation: Activation | str,
    steps: int = 2,
    samples_power: NumberLike = 1,
    readout: Readout = "signs",
    *,
    schedule: Schedule = "one-pass",
    seconds: float = DEFAULT_SECONDS,
) -> Learning:
    """Whether giant steps with this activation and readout realise each step of the staircase.

    A neuron with component u in the learned subspace U, |w| = 1, moves outside U along
    sum over n of mu_n(sigma)/(n - 1)! C_n[., u^(n - 1)]. A direction that only C_n shows is not seen where
    mu_n(sigma) = 0 (relu and n = 3), and neurons with the same u take up one combination of directions only.

    With `schedule="full"` all steps see the same n = alpha d samples: gradient descent with the square loss
    and steps eta of order 1, from rows with M_0 = 0. From its second step on it sees E[z | y] through the
    nonlinear function psi(y) = E[g_1 | y] of the gradient g. The staircase is then the steps of order 1 of
    the grand one, and a direction v is learned at step t if M_t v != 0.

    Source: Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270 (the first step is a theorem, the
    second one in expectation, later ones Conjecture 1); for the full batch Dandi, Troiani, Arnaboldi, Pesce,
    Zdeborova and Krzakala, arXiv:2402.03220, and docs/dmft.md.

    Parameters
    ----------
    target : Target or str
    activation : Activation or str
        sigma, with E sigma^2 finite.
    steps : int
        1 to 20.
    samples_power : exact number >= 0
        n ~ d^k a step; at floor(k) > 1 also directions of order up to floor(k), seen by the initial overlaps
        of order 1/sqrt(d), which differ between neurons.
    readout : "signs", "equal" or "gaussian"
        a_i = +-1, a_i = 1, or a_i ~ N(0, 1): the overlaps of the neurons then take two, one or many values.
    schedule : "one-pass" or "full"
        A fresh batch for each step, or one for all.
    seconds : float > 0

    Returns
    -------
    Learning
        For almost every step size of order eta = p d^((k - 1)/2) in the network (1/p) sum a_i sigma(w_i.x),
        many neurons (at order 1 two are enough for signs), weights of norm 1 before each step. Where sigma is
        homogeneous the norm does not matter; else mu_n is that of z -> sigma(|w| z), which may be nonzero at
        other norms where mu_n vanishes at norm 1.
        For the full batch "not learned" holds for every alpha, eta and t from there on where the end says so;
        "learned" for small eta and almost every alpha, for a large alpha where sigma has kinks.

    Raises
    ------
    InputError
        For a readout, a number of steps or a power that is not accepted.
    UndefinedQuantity
        If E sigma^2 is infinite.

    Examples
    --------
    >>> [row.verdict for row in learns("z1 + He2(z1)*z2", "relu").steps]
    ['learned', 'not learned']
    >>> print(learns("z1 + He2(z1)*z2", "relu").steps[1].coefficients[0])
    mu_3 = 0
    >>> [row.verdict for row in learns("z1 + He2(z1)*z2", "tanh").steps]
    ['learned', 'learned']
    >>> f2 = "z1 + z1*z2 + He3(z1)*z3"
    >>> [learns(f2, "relu", readout=a).steps[1].realised_dimension for a in ("equal", "signs", "gaussian")]
    [1, 1, 2]
    >>> [row.verdict for row in learns("He3(z1)", "tanh", schedule="full").steps]
    ['not learned', 'learned']
    """
    f = Target.of(target)
    sigma = Activation.of(activation)
    sigma.require_second_moment()
    if readout not in get_args(Readout):
        raise InputError(f"readout is {str(readout)[:40]!r}; accepted: {', '.join(get_args(Readout))}")
    if schedule not in get_args(Schedule):
        raise InputError(f"schedule is {str(schedule)[:40]!r}; accepted: {', '.join(get_args(Schedule))}")
    if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= _MOST_STEPS:
        raise InputError(f"steps is {str(steps)[:40]}; accepted: 1 to {_MOST_STEPS}")
    power, order = power_floor(samples_power, "samples_power")
    if schedule == "full" and power != 1:
        raise InputError(f"samples_power is {power}; a full batch has n ~ d samples: 1 is accepted")
    rows: tuple[LearnedStep, ...] = ()
    rate = written(str(power))
    ending, is_open = remark(Math(f"n ~ {rate} << d", rf"n \sim {rate} \ll d"), ": nothing is learned"), False
    if order:
        with allowed(seconds):
            if schedule == "full":
                rows, ending, is_open = FullBatch(f, sigma, readout).result(steps)
            else:
                rows, ending, is_open = Walk(f, sigma, order, readout).result(steps)
    return Learning(
        target=f.text if f.directions is None else str(f.expression),
        activation=sigma.text,
        readout=readout,
        samples_power=str(power),
        schedule=schedule,
        steps=rows,
        ending=ending,
        is_realised=_all_learned(rows[-1:] if schedule == "full" else rows, is_open),
    )


def _all_learned(rows: tuple[LearnedStep, ...], is_open: bool) -> bool | None:
    verdicts = {row.verdict for row in rows}
    if verdicts - {"learned", "undecided"}:
        return False
    return None if is_open or "undecided" in verdicts else True
