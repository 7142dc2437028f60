"""Independent references: quadrature by mpmath, split at kinks that the tests type by hand."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
from mpmath.calculus.quadrature import GaussLegendre

Function = Callable[[Any], Any]

_DEGREE = 4  # 24 nodes on each panel
_RULE = GaussLegendre(
    mpmath.mp
)  # one for all panels: it keeps the nodes of [-1, 1], which take most of the time

# activation: (the function in mpmath, its kinks)
FUNCTIONS: dict[str, tuple[Function, tuple[float, ...]]] = {
    "erf(z/sqrt(2))": (lambda x: mpmath.erf(x / mpmath.sqrt(2)), ()),
    "erf(z)": (mpmath.erf, ()),
    "erf(3*z/2)": (lambda x: mpmath.erf(3 * x / 2), ()),
    "erfc(z)": (mpmath.erfc, ()),
    "sign(z)": (mpmath.sign, (0,)),
    "step(z)": (lambda x: mpmath.mpf(x > 0), (0,)),
    "sign(2*z - 1)": (lambda x: mpmath.sign(2 * x - 1), (0.5,)),
    "relu(z)": (lambda x: max(x, mpmath.mpf(0)), (0,)),
    "relu(1 - 2*z)": (lambda x: max(1 - 2 * x, mpmath.mpf(0)), (0.5,)),
    "leaky_relu(z, 1/10)": (lambda x: x if x > 0 else x / 10, (0,)),
    "abs(z)": (abs, (0,)),
    "max(z, 1)": (lambda x: max(x, mpmath.mpf(1)), (1,)),
    "min(max(z, -1), 1)": (lambda x: min(max(x, mpmath.mpf(-1)), mpmath.mpf(1)), (-1, 1)),
    "abs(z**2 - 1)": (lambda x: abs(x * x - 1), (-1, 1)),
    "max(z, 1, z**2)": (lambda x: max(x, mpmath.mpf(1), x * x), (-1, 1)),
    "exp(-abs(z))": (lambda x: mpmath.exp(-abs(x)), (0,)),
    "sign(z**3 - z)": (lambda x: mpmath.sign(x**3 - x), (-1, 0, 1)),
    "sin(z)": (mpmath.sin, ()),
    "cos(2*z + 1)": (lambda x: mpmath.cos(2 * x + 1), ()),
    "exp(z)": (mpmath.exp, ()),
    "exp(-z)*z": (lambda x: mpmath.exp(-x) * x, ()),
    "sinh(z)": (mpmath.sinh, ()),
    "cosh(z/2)": (lambda x: mpmath.cosh(x / 2), ()),
    "Phi(z)": (mpmath.ncdf, ()),
    "Phi(2*z - 1)": (lambda x: mpmath.ncdf(2 * x - 1), ()),
    "phi(z)": (mpmath.npdf, ()),
    "exp(-z**2/2)": (lambda x: mpmath.exp(-x * x / 2), ()),
    "z": (lambda x: x, ()),
    "z**2": (lambda x: x * x, ()),
    "z**5 - 2*z**2 + 1": (lambda x: x**5 - 2 * x**2 + 1, ()),
    "He(3, z)": (lambda x: x**3 - 3 * x, ()),
    "He(6, z)/10": (lambda x: (x**6 - 15 * x**4 + 45 * x**2 - 15) / 10, ()),
    "z + He(2, z)": (lambda x: x + x * x - 1, ()),
    "gelu(z)": (lambda x: x * mpmath.ncdf(x), ()),
    "z*relu(z)": (lambda x: x * max(x, mpmath.mpf(0)), (0,)),
    "relu(z)**3": (lambda x: max(x, mpmath.mpf(0)) ** 3, (0,)),
    "z**2*sign(z)": (lambda x: x * x * mpmath.sign(x), (0,)),
    "z*abs(z)": (lambda x: x * abs(x), (0,)),
    "abs(z)**3": (lambda x: abs(x) ** 3, (0,)),
    "sin(z)*exp(-z**2/2)": (lambda x: mpmath.sin(x) * mpmath.exp(-x * x / 2), ()),
    "z*cos(z)": (lambda x: x * mpmath.cos(x), ()),
    "sin(z)*cos(2*z)": (lambda x: mpmath.sin(x) * mpmath.cos(2 * x), ()),
    "sin(z)**3": (lambda x: mpmath.sin(x) ** 3, ()),
    "z*exp(-z**2)": (lambda x: x * mpmath.exp(-x * x), ()),
    "exp(z/2)*sin(z)": (lambda x: mpmath.exp(x / 2) * mpmath.sin(x), ()),
    "step(z)*exp(z/2)": (lambda x: mpmath.mpf(x > 0) * mpmath.exp(x / 2), (0,)),
    "step(z)*step(1 - z)": (lambda x: mpmath.mpf(0 < x < 1), (0, 1)),
    "relu(z) + sin(z)/2": (lambda x: max(x, mpmath.mpf(0)) + mpmath.sin(x) / 2, (0,)),
    "tanh(z)": (mpmath.tanh, ()),
    "sigmoid(z)": (lambda x: 1 / (1 + mpmath.exp(-x)), ()),
    "softplus(z)": (lambda x: mpmath.log1p(mpmath.exp(-abs(x))) + max(x, 0), ()),
    "silu(z)": (lambda x: x / (1 + mpmath.exp(-x)), ()),
    "abs(tanh(z))": (lambda x: abs(mpmath.tanh(x)), (0,)),
    "tanh(2*z)*relu(z)": (lambda x: mpmath.tanh(2 * x) * max(x, mpmath.mpf(0)), (0,)),
    "1/(1 + z**2)": (lambda x: 1 / (1 + x * x), ()),
    "sqrt(1 + z**2)": (lambda x: mpmath.sqrt(1 + x * x), ()),
}

CLOSED = [  # every coefficient of these has a closed form
    name
    for name in FUNCTIONS
    if not any(
        part in name
        for part in ("tanh", "sigmoid", "softplus", "silu", "sqrt(1 +", "1/(1 +", "relu(z) + sin")
    )
]
OPEN = [name for name in FUNCTIONS if name not in CLOSED]


def expectation(function: Function, kinks: Sequence[Any] = (), reach: int = 14) -> Any:
    """E function(z), z ~ N(0, 1), at the mpmath precision in force."""
    return expectations(lambda t: (function(t),), kinks, reach)[0]


def expectations(functions: Callable[[Any], tuple[Any, ...]], kinks: Sequence[Any], reach: int) -> list[Any]:
    """Several expectations on shared nodes: Gauss-Legendre panels of width 1, split at the kinks."""
    inner = [mpmath.mpf(k) for k in kinks if -reach < k < reach]
    edges = sorted({mpmath.mpf(e) for e in range(-reach, reach + 1)} | set(inner))
    degree = _DEGREE if mpmath.mp.dps <= 45 else _DEGREE + 2
    rows = []
    for low, high in itertools.pairwise(edges):
        for t, weight in _panel(low, high, degree, mpmath.mp.prec):
            rows.append([weight * v for v in functions(t)])
    return [mpmath.fsum(column) for column in zip(*rows, strict=True)]


@functools.lru_cache(maxsize=10_000)
def _panel(low: Any, high: Any, degree: int, precision: int) -> list[tuple[Any, Any]]:
    """Nodes, and weights times the normal density."""
    nodes = _RULE.get_nodes(low, high, degree, precision)
    return [(t, w * mpmath.npdf(t)) for t, w in nodes]


@functools.cache
def coefficients(name: str, kappa: Any, c: Any, r: Any) -> tuple[Any, Any, Any, Any]:
    """(mu0, mu1, mu2_squared, E sigma^2) of an activation at one point, by quadrature to 30 digits."""
    function, kinks = FUNCTIONS[name]
    with mpmath.workdps(32):
        mean, width = r * kappa, mpmath.sqrt(c)

        def integrands(t: Any) -> tuple[Any, ...]:
            value = function(mean + width * t)
            return value, t * value, value**2

        mu0, by_parts, square = expectations(integrands, [(mpmath.mpf(k) - mean) / width for k in kinks], 16)
        mu1 = by_parts / width
        return mu0, mu1, square - mu0**2 - c * mu1**2, square
