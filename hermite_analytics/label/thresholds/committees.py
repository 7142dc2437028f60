"""Later thresholds of labels of r equal parts: the law of the label together with the direction learned.

By permutations the operator M -> E[G M G] has the leading eigen-matrix I on the r - 1 directions that are
left, with G = a(y, S) I: 1/alpha_c = E[a^2] (`cases/committee`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
import sympy
from sympy import Expr

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.exponents.spans import Row
from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.threads import ONE_EACH
from hermite_analytics.label.cases.committee.few_parts import FEW, few_parts_law
from hermite_analytics.label.cases.committee.joint import JointLaw
from hermite_analytics.label.cases.line.functions import Along, along, pieces_between
from hermite_analytics.label.thresholds.committee_form import CountForm, LargestForm, SumForm, committee_form
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.language.kinks import opened

__all__ = ["committee"]

Function = Callable[[Array], Array]

_REACH = 8.5
_LEAST_LARGEST = 4  # parts; of fewer the other methods take less time for more digits
_LEAST_SMOOTH = 4
_LOST = 1e-3  # probability, beyond which a law is left to other methods
_LOSS = 10.0  # of |a| far out
_SAME = 1e-9
_SAFETY = 3.0
_NODES = (
    (1e6, 4e-7),
    (6e6, 4e-7),
    (4e7, 1e-6),
    (1.6e8, 0.0),
)  # of transforms, and relative error that is enough
_NOISY_NODES = 4e7  # the same beside noise
_POINTS = (14, 20)  # of a panel of S
_ROUGH = 1e-3  # relative error, for which other methods are asked too
_CHANGE = 0.25  # of what more frequencies change, that they may leave
_FAR_OUT, _HEAVY = 4.9, 1e-3  # z, and the share of a part's height that is left there
_RULES = ((40, 1.0), (56, 1.7))  # beside noise: points of a panel of S, and fineness of that of z
_ROUNDING = 2e-10  # relative, of densities that are interpolated and of rare nodes that are left out


def committee(expression: Expr, dimension: int, learned: Sequence[Row]) -> Threshold | None:
    """The threshold of the directions on which the learned sum of coordinates is 0; None for other labels.

    Examples
    --------
    >>> from sympy import S
    >>> from hermite_analytics.target import Target
    >>> f = Target("sign(z1) + sign(z2) + sign(z3) + sign(z4)").expression
    >>> round(float(committee(f, 4, [(S.One,) * 4]).alpha), 8)
    7.89221104
    """
    form = committee_form(expression, dimension, learned)
    if form is None:
        return None
    found = _of_form(form)
    return None if found is None else found.diluted(form.informative)


def _of_form(form: SumForm | LargestForm | CountForm) -> Threshold | None:
    from hermite_analytics.label.cases.committee.cells import count_law
    from hermite_analytics.label.cases.committee.largest import floored_law, largest_law

    if isinstance(form, CountForm):
        cells = [(cell.low, cell.high) for cell in form.cells]
        laws = [count_law(cells, form.labels, noise=form.noise, level=level) for level in (0, 1)]
        return _refined(laws, remark("a label of the number of coordinates in each cell, given their sum"))
    if isinstance(form, LargestForm):
        if form.count < _LEAST_LARGEST:
            return None
        if form.floor is not None:
            laws = [floored_law(form.count, form.floor, level=level) for level in (0, 1)]
            about = f"the largest of {form.count} coordinates and of a number, given their sum"
            return _refined(laws, remark(about))
        laws = [largest_law(form.count, noise=form.noise, level=level) for level in (0, 1)]
        return _refined(laws, remark(f"the largest of {form.count} coordinates, given their sum"))
    return _of_sum(form)


def _of_sum(form: SumForm) -> Threshold | None:
    from hermite_analytics.label.cases.committee.one_sided_squares import (
        is_one_sided_square,
        one_sided_squares_law,
    )
    from hermite_analytics.label.cases.committee.two_slopes import two_slopes_law

    function = along(form.part, form.argument)
    pieces = pieces_between(function, -_REACH, _REACH)
    about = f"a sum of {form.count} equal parts, given that of their coordinates: "
    kinks = _kinks(function, [p.high for p in pieces[:-1]])
    if kinks is None:
        return None
    transforms = remark(about + "transforms in both")
    if form.noise:
        with ONE_EACH:  # products of a few rows: a second thread would wait for them
            return _beside_noise(_values(function), form, (-_REACH, *kinks, _REACH), transforms)
    if len(kinks) == 1 and _is_linear_off_kinks(form):
        laws = [two_slopes_law(form.count, kinks[0], level=level) for level in (0, 1)]
        return _refined(laws, remark(about + "sums on both sides of the kink"))
    if kinks == [0.0] and is_one_sided_square(_values(function)):
        laws = [one_sided_squares_law(form.count, level=level) for level in (0, 1)]
        return _refined(
            laws, remark(about + "the norm and the sum of those above 0, and the sum of the others")
        )
    if kinks:
        return None
    rays = _of_convex_parts(function, form.count, remark(about + "integrals along rays"))
    if rays is not None:
        return rays
    sets = _of_few_steps(function, form.count, remark(about + "integrals over its level sets"))
    if form.count < _LEAST_SMOOTH or sets is not None:
        return sets
    with ONE_EACH:
        return _without_noise(_values(function), form.count, transforms)


def _beside_noise(value: Function, form: SumForm, edges: Sequence[float], method: Facts) -> Threshold:
    from hermite_analytics.label.cases.committee.sum_law import sum_law

    coarse, fine = (
        sum_law(value, form.count, nodes=_NOISY_NODES, noise=form.noise, edges=edges, points=p, fineness=f)
        for p, f in _RULES
    )
    by_rules = _SAFETY * abs(fine.law().eigenvalue - coarse.law().eigenvalue)
    found, by_cut = (fine.law().eigenvalue, 0.0) if fine.is_complete else fine.best()
    return estimated(found, by_rules + by_cut + found * _ROUNDING, method)


def _without_noise(value: Function, count: int, method: Facts) -> Threshold:
    """With as many frequencies as the error asks for; what the nodes S leave shows with few of them."""
    from hermite_analytics.label.cases.committee.sum_law import sum_law

    found = error = by_sums = math.nan
    for nodes, enough in _NODES:
        try:
            law = sum_law(value, count, nodes=nodes, points=_POINTS[1])
            before, (found, error) = found, law.best()
        except UnsupportedExpression:
            if nodes == _NODES[-1][0] and math.isnan(found):
                raise
            continue
        except TimeEnded:
            if math.isnan(found):
                raise
            break
        if math.isnan(before):
            few = sum_law(value, count, nodes=nodes, points=_POINTS[0])
            by_sums = _SAFETY * abs(law.bounds()[-1] - few.bounds()[-1])
        else:
            error = max(error, _CHANGE * abs(found - before))
        is_last = law.power is None and nodes == _NODES[-2][0]  # no powers that more frequencies would show
        if error + by_sums < enough * found or is_last:
            break
    threshold = estimated(found, error + by_sums + found * _ROUNDING, method)
    return dataclasses.replace(threshold, is_rough=error > _ROUGH * found)


def _of_convex_parts(function: Along, count: int, method: Facts) -> Threshold | None:
    """Of convex or concave parts; None for others, where rays are too many, and where too much is lost."""
    from hermite_analytics.label.cases.committee.convex import convex_law

    laws = []
    for level in (0, 1):
        try:
            laws.append(convex_law(_values(function), _slopes(function), count, level=level))
        except UnsupportedExpression:
            return None
        if not laws[-1].loss < _LOST:
            return None
    return _refined(laws, method)


def _of_few_steps(function: Along, count: int, method: Facts) -> Threshold | None:
    """Of odd parts that are steepest at 0; None for others, and where too much of the law is lost.

    Four parts are left to transforms where these know the powers of what they lose, or where the parts are
    far from their labels at infinity: panels for them are few.
    """
    from hermite_analytics.label.cases.committee.odd_step import OddStep

    if count not in FEW:
        return None
    try:
        step = OddStep(_values(function), _slopes(function))
    except UnsupportedExpression:
        return None
    tail = 1 - float(step.value(np.array([_FAR_OUT]))[0]) / step.height
    if count >= _LEAST_SMOOTH:
        from hermite_analytics.label.cases.committee.sum_law import sum_law

        if tail > _HEAVY or sum_law(step.value, count, nodes=_NODES[0][0]).power is not None:
            return None
    coarse = few_parts_law(step, count, level=0)
    if not coarse.loss < _LOST:
        return None
    return _refined([coarse, few_parts_law(step, count)], method)


def _refined(laws: Sequence[JointLaw], method: Facts) -> Threshold:
    """By the finer law."""
    coarse, fine = (law.eigenvalue for law in laws)
    error = _SAFETY * abs(fine - coarse) + fine * (_LOSS * laws[-1].loss + _ROUNDING)
    return estimated(fine, error, method)


def _values(function: Along) -> Function:
    return lambda z: np.broadcast_to(np.asarray(function.value(z), dtype=np.float64), z.shape)


def _slopes(function: Along) -> Function:
    return lambda z: np.broadcast_to(np.asarray(function.slope(z), dtype=np.float64), z.shape)


def _kinks(function: Along, ends: Sequence[float]) -> list[float] | None:
    """Ends of pieces at which a kink's argument changes its sign; None where the part jumps there."""
    found = []
    for end in ends:
        step = 1e-6 * max(1.0, abs(end))
        sides = np.array([end - step, end + step])
        if not any(np.sign(k(sides[:1])) != np.sign(k(sides[1:])) for k in function.kinks):
            continue
        near = np.array([end - 1e-12 * max(1.0, abs(end)), end + 1e-12 * max(1.0, abs(end))])
        values = _values(function)(near)
        if abs(values[1] - values[0]) > _SAME * max(1.0, abs(values[0])):
            raise UnsupportedExpression("the parts of the committee jump")
        found.append(float(end))
    return found


def _is_linear_off_kinks(form: SumForm) -> bool:
    plain, _ = opened(form.part)
    return bool(sympy.expand(plain.diff(form.argument, 2)) == 0)
