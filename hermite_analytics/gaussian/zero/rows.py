"""The decidable shapes of a canonical form that is not empty, each with the theorem that it rests on."""

from __future__ import annotations

from collections.abc import Callable

from hermite_analytics.gaussian.zero.monomials import (
    ONE,
    Form,
    Frozen,
    Generator,
    Monomial,
    is_algebraic,
    thaw,
)

__all__ = ["nonzero_reason"]

_NONZERO = frozenset({"angle", "gauss", "owen", "root"})


def nonzero_reason(groups: dict[Monomial, Form]) -> str | None:
    """Why sum_i a_i m_i is not zero, a_i non-zero algebraic numbers and m_i distinct monomials, or None.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from hermite_analytics.gaussian.zero.monomials import constant
    >>> nonzero_reason({ONE: constant(1), Monomial(pi=Fraction(-1, 2)): constant(-3)})
    'a polynomial in a power of pi with algebraic coefficients (Lindemann)'
    """
    groups = _without_common_part(groups)
    for row in _ROWS:
        reason = row(groups)
        if reason is not None:
            return reason
    return None


def _without_common_part(groups: dict[Monomial, Form]) -> dict[Monomial, Form]:
    """Divide by a common exponential and by common powers of non-zero generators."""
    monomials = list(groups)
    same_exponent = len({m.exponent for m in monomials}) == 1
    shared = dict(monomials[0].generators)
    for monomial in monomials[1:]:
        theirs = dict(monomial.generators)
        shared = {g: min(n, theirs.get(g, 0)) for g, n in shared.items()}
    shared = {g: n for g, n in shared.items() if n and is_nonzero_generator(g)}
    reduced = {}
    for monomial, coefficient in groups.items():
        generators = tuple((g, n - shared.get(g, 0)) for g, n in monomial.generators if n != shared.get(g, 0))
        exponent = () if same_exponent else monomial.exponent
        reduced[monomial._replace(exponent=exponent, generators=generators)] = coefficient
    return reduced


def is_nonzero_generator(generator: Generator) -> bool:
    """Whether the generator is not zero: asin r, erf t, T(h, a) of non-zero arguments, log of a prime."""
    name, arguments = generator
    return name in _NONZERO or (name == "log" and _is_prime(arguments[0]))


def _is_prime(argument: Frozen) -> bool:
    return len(argument) == 1 and argument[0][0] == ONE  # rationals are factored before


def _single(groups: dict[Monomial, Form]) -> str | None:
    """One product of non-zero factors; cos and sin of a non-zero algebraic number by Lindemann."""
    if len(groups) > 1:
        return None
    (monomial,) = groups
    if not all(is_nonzero_generator(g) for g, _ in monomial.generators):
        return None
    if monomial.wave and not is_algebraic(thaw(monomial.wave[1])):
        return None
    return "a product of numbers that are not zero"


def _powers_of_pi(groups: dict[Monomial, Form]) -> str | None:
    """pi is transcendental, so its distinct rational powers are independent over the algebraic numbers."""
    if all(m == Monomial(pi=m.pi) for m in groups):
        return "a polynomial in a power of pi with algebraic coefficients (Lindemann)"
    return None


def _entire(groups: dict[Monomial, Form]) -> str | None:
    """Monomials e^q, cos q, sin q and int_0^t e^{-x^2/2} with algebraic q and distinct algebraic t^2.

    With one power of pi throughout. Exponentials alone: Lindemann-Weierstrass. In general the monomials
    are values at x = 1 of E-functions e^{q x} prod_i f_i(x)^{n_i}, where g(t) = int_0^t e^{-s^2/2} ds and
    f_i(x) = g(t_i sqrt x)/sqrt x solves 2 x f_i' + f_i = t_i e^{-t_i^2 x/2}, a system singular at x = 0
    only. The f_i are algebraically independent over the field of x and the exponentials (Ostrowski: no
    combination of the g(t_i sqrt x) is elementary), so the monomials are independent over the rational
    functions, and by Beukers' form of the theorem of Siegel and Shidlovskii their values are independent
    over the algebraic numbers.
    """
    if len({m.pi for m in groups}) > 1:
        return None
    gauss = False
    for monomial in groups:
        if not (
            is_algebraic(thaw(monomial.exponent)) and all(is_algebraic(thaw(w)) for w in monomial.wave[1:])
        ):
            return None
        for (name, arguments), n in monomial.generators:
            if name != "gauss" or n < 0 or not is_algebraic(thaw(arguments[0])):
                return None
            gauss = True
    if gauss:
        return "independent values of exponentials and error functions (Siegel-Shidlovskii, Beukers)"
    return "a sum of exponentials with distinct algebraic exponents (Lindemann-Weierstrass)"


def _linear_in_logarithms(groups: dict[Monomial, Form]) -> str | None:
    """a + b pi + sum c_i theta_i + sum d_p log p times one power of pi.

    Baker: logarithms of algebraic numbers that are independent over Q are, with 1, independent over the
    algebraic numbers. With a != 0 no independence is needed.
    """
    linear = {m for m in groups if m.generators}
    powers_of_pi = {m.pi for m in linear}
    if len(powers_of_pi) != 1 or not all(map(_is_plain, groups)) or not all(map(_is_one_logarithm, linear)):
        return None
    (base,) = powers_of_pi
    alone = {m.pi for m in groups if not m.generators}
    if not alone <= {base, base + 1}:
        return None
    if base in alone:
        return "a non-zero algebraic number plus logarithms of algebraic numbers (Baker)"
    if all(_is_reduced(g) for m in linear for g, _ in m.generators):
        return "independent logarithms of algebraic numbers with algebraic coefficients (Baker)"
    return None


def _is_plain(monomial: Monomial) -> bool:
    return not monomial.exponent and not monomial.wave


def _is_one_logarithm(monomial: Monomial) -> bool:
    (generator, power), *others = monomial.generators
    return not others and power == 1 and _is_logarithm(generator)


def _is_logarithm(generator: Generator) -> bool:
    """Whether i times an angle, or the generator itself, is a logarithm of an algebraic number."""
    name, arguments = generator
    return name in {"angle", "log"} and is_algebraic(thaw(arguments[0]))


def _is_reduced(generator: Generator) -> bool:
    """Whether it belongs to the family whose rational relations have all been removed."""
    return _is_logarithm(generator) and len(generator[1][0]) == 1 and generator[1][0][0][0] == ONE


def _ratio_of_logarithms(groups: dict[Monomial, Form]) -> str | None:
    """A polynomial in one number theta/pi or log p/theta, or in one logarithm alone.

    Gelfond-Schneider: an irrational quotient of logarithms of algebraic numbers is transcendental.
    Lindemann: so is a non-zero logarithm of an algebraic number.
    """
    if not all(map(_is_plain, groups)):
        return None
    letters = {g for m in groups for g, _ in m.generators}
    if not letters or not all(map(_is_reduced, letters)):
        return None
    powers_of_pi = {m.pi for m in groups}
    if len(letters) == 1 and len(powers_of_pi) == 1:
        return "a polynomial in one logarithm of an algebraic number (Lindemann)"
    degrees = {m.pi + sum(n for _, n in m.generators) for m in groups}
    if len(degrees) == 1 and len(letters) + (len(powers_of_pi) > 1) == 2:
        return "a polynomial in one quotient of logarithms of algebraic numbers (Gelfond-Schneider)"
    return None


_ROWS: tuple[Callable[[dict[Monomial, Form]], str | None], ...] = (
    _single,
    _powers_of_pi,
    _entire,
    _linear_in_logarithms,
    _ratio_of_logarithms,
)
