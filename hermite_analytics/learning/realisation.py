"""Whether an activation and a readout realise the steps of a staircase."""

from __future__ import annotations

from typing import get_args

import sympy

from hermite_analytics.activation import Activation
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import InputError
from hermite_analytics.exponents.coefficients import DEFAULT_SECONDS
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.language.numbers import NumberLike
from hermite_analytics.learning.full_batch import AFFINE_LOSSES, FullBatch
from hermite_analytics.learning.learned_steps import LearnedStep, Learning
from hermite_analytics.learning.neurons import Readout
from hermite_analytics.learning.rates import written
from hermite_analytics.learning.schedules import read_schedule
from hermite_analytics.learning.second_layer_fit import power_floor
from hermite_analytics.learning.walk import Walk
from hermite_analytics.losses.expression import LossExpression, expression_of
from hermite_analytics.losses.registry import FORMS, named_loss
from hermite_analytics.target import Target

__all__ = ["learns"]

_MOST_STEPS = 20
_GIANT = "one-pass"
_ROUNDING = 1e-9


def learns(
    target: Target | str,
    activation: Activation | str,
    steps: int = 2,
    samples_power: NumberLike = 1,
    readout: Readout = "signs",
    *,
    schedule: str = _GIANT,
    loss: str = "square",
    reuse: float = 0.0,
    seconds: float = DEFAULT_SECONDS,
) -> Learning:
    """Whether giant steps with this activation and readout realise each step of the staircase.

    A neuron with component u in the learned subspace U, |w| = 1, moves outside U along
    sum over n of mu_n(sigma)/(n - 1)! C_n[., u^(n - 1)]. A direction that only C_n shows is not seen where
    mu_n(sigma) = 0 (relu and n = 3), and neurons with the same u take up one combination of directions only.

    With `schedule="full"` all steps see the same n = alpha d samples: gradient descent with steps eta of
    order 1, from rows with M_0 = 0. From its second step on it sees E[z | y] through the nonlinear function
    psi(y) = E[g_1 | y] of the gradient g. The staircase is then the steps of order 1 of the grand one, and a
    direction v is learned at step t if M_t v != 0. The other schedules of `DMFT` see samples again at some
    steps, or never: "one-pass:alpha_b" climbs the steps of order 1 of the ordinary staircase.

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
    schedule : str
        "one-pass", giant steps with a fresh batch each; or of n = alpha d samples "full", "minibatch:b",
        "epochs:B", "twice", "one-pass:alpha_b" or "extra-gradient:eta".
    loss : str
        "square", "correlation", "logistic", "hinge", "huber:D", "quantile:tau", or an expression in y and x
        such as "softplus(-y*x)". Giant steps take "square".
    reuse : float
        kappa of `DMFT`, a look-ahead of each sample. What it learns is not decided: 0 is accepted.
    seconds : float > 0

    Returns
    -------
    Learning
        For almost every step size of order eta = p d^((k - 1)/2) in the network (1/p) sum a_i sigma(w_i.x),
        many neurons (at order 1 two are enough for signs), weights of norm 1 before each step. Where sigma is
        homogeneous the norm does not matter; else mu_n is that of z -> sigma(|w| z), which may be nonzero at
        other norms where mu_n vanishes at norm 1.
        For the schedules of n = alpha d samples "not learned" holds for every alpha and eta, and for all
        later steps where the end says so; "learned" for small eta (that of a look-ahead too) and almost every
        alpha, for a large alpha where sigma has kinks. Of losses other than square and correlation "learned"
        holds for small readouts, and eta that grows as they shrink.

    Raises
    ------
    InputError
        For a readout, a number of steps, a power, a schedule or a loss that is not accepted.
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
    >>> [row.verdict for row in learns("He3(z1)", "tanh", steps=3, schedule="epochs:2").steps]
    ['not learned', 'not learned', 'learned']
    """
    f = Target.of(target)
    sigma = Activation.of(activation)
    sigma.require_second_moment()
    _check(steps, readout, reuse)
    plan = None if schedule == _GIANT else read_schedule(schedule, others=(_GIANT,))
    if plan is None and loss != "square":
        raise InputError(f"loss is {str(loss)[:40]!r}; the giant steps of schedule {_GIANT} take square")
    expression = None if loss in AFFINE_LOSSES else _expression(loss, f)
    power, order = power_floor(samples_power, "samples_power")
    if plan is not None and power != 1:
        raise InputError(
            f"samples_power is {power}; the schedule {plan.text} has n ~ d samples: 1 is accepted"
        )
    rows: tuple[LearnedStep, ...] = ()
    rate = written(str(power))
    ending, is_open = remark(Math(f"n ~ {rate} << d", rf"n \sim {rate} \ll d"), ": nothing is learned"), False
    if order:
        with allowed(seconds):
            if plan is not None:
                rows, ending, is_open = FullBatch(f, sigma, readout, plan, expression).result(steps)
            else:
                rows, ending, is_open = Walk(f, sigma, order, readout).result(steps)
    return Learning(
        target=f.text if f.directions is None else str(f.expression),
        activation=sigma.text,
        readout=readout,
        samples_power=str(power),
        schedule=schedule,
        loss=loss,
        steps=rows,
        ending=ending,
        is_realised=_all_learned(rows if plan is None else rows[-1:], is_open),
    )


def _check(steps: int, readout: str, reuse: float) -> None:
    if readout not in get_args(Readout):
        raise InputError(f"readout is {str(readout)[:40]!r}; accepted: {', '.join(get_args(Readout))}")
    if reuse != 0:
        raise InputError(
            f"reuse is {str(reuse)[:40]}; what a look-ahead of each sample learns is not decided. "
            "Accepted: 0, with the schedules of learns, of which extra-gradient:eta looks ahead with the "
            "weights; numbers for any reuse are those of DMFT(..., reuse=...).solve"
        )
    if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= _MOST_STEPS:
        raise InputError(f"steps is {repr(steps)[:40]}; accepted: an integer from 1 to {_MOST_STEPS}")


def _expression(loss: str, target: Target) -> LossExpression | None:
    """None where the slope is a multiple of x - y or of -y, as of the square and the correlation loss."""
    named = named_loss(loss) if isinstance(loss, str) else None
    if named is None and (
        not isinstance(loss, str) or (loss.strip().isidentifier() and loss.strip() not in ("x", "y"))
    ):
        accepted = f"correlation, {FORMS}, or an expression in y and x, convex in x"
        raise InputError(f"loss is {str(loss)[:40]!r}; accepted: {accepted}")
    if named is not None and named[0].needs_signs and not _has_signs(target):
        raise InputError(f"the loss {loss} takes labels 1 and -1 only; a target such as sign(z1) is accepted")
    found = LossExpression(loss) if named is None else expression_of(*named)
    return None if found.is_affine else found


def _has_signs(target: Target) -> bool:
    """Whether the labels at some places are 1 or -1."""
    values = {
        v: sympy.Rational(k, 7) for k, v in enumerate(sorted(target.expression.free_symbols, key=str), 3)
    }
    labels = [target.expression.xreplace({v: s * x for v, x in values.items()}).doit() for s in (1, -1)]
    return all(abs(abs(float(label)) - 1.0) < _ROUNDING for label in labels)


def _all_learned(rows: tuple[LearnedStep, ...], is_open: bool) -> bool | None:
    verdicts = {row.verdict for row in rows}
    if verdicts - {"learned", "undecided"}:
        return False
    return None if is_open or "undecided" in verdicts else True
