"""Symbolic expressions to compiled kernels: lower -> print -> store and import -> wrap."""

from __future__ import annotations

import functools
import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermite_analytics.errors import InputError

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from hermite_analytics.codegen.ir import Program
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["compile"]

_BACKENDS = ("numba", "cuda", "array", "python")
GENERATOR_VERSION = 4
_ACCURACIES = (1e-15, 1e-3)


def compile(
    expression: Expr | Mapping[str, Expr],
    args: Sequence[Symbol | str],
    *,
    backend: str = "numba",
    wrt: Sequence[Symbol | str] = (),
    parallel: bool = False,
    accuracy: float = 1e-12,
) -> Kernel:
    """Compile an expression, or a mapping of named expressions, to a kernel of `args`.

    Parameters
    ----------
    expression : sympy expression or mapping of names to expressions
        Expectations (`GaussianExpectation`) are replaced by their closed forms; those without one
        become a quadrature loop. mu2_squared of `conditional_coefficients` is evaluated without
        cancellation and is never negative.
    args : sequence of symbols or names
        The order of the kernel's arguments; names are matched with the symbols of the expression.
    backend : {"numba", "cuda", "array", "python"}
        Compiled loops over NumPy arrays; device functions and an elementwise kernel for CUDA; array-API
        source for numpy, torch, cupy, ...; the slow reference at 30 digits.
    wrt : sequence of symbols or names
        Also compute the derivatives in these arguments, from the symbolic derivative. The result is then
        a named tuple with, after the outputs, dNAME_dARGUMENT for each of them ("value" is the NAME of a
        single expression).
    parallel : bool
        (numba) Share arrays of more than 4096 points between threads.
    accuracy : float in [1e-15, 1e-3]
        Of the quadratures, relative to E|integrand|.

    Returns
    -------
    Kernel
        Called with arrays it returns an array, or a named tuple of arrays for a mapping.

    Raises
    ------
    InputError
        An unbound symbol, an unknown back end, an option out of range.
    UnsupportedExpression
        A function or an expectation that the back end cannot evaluate.

    Examples
    --------
    >>> import hermite_analytics as ha
    >>> coefficients = ha.conditional_coefficients(ha.Activation("relu(z)"))
    >>> kernel = ha.compile(coefficients, (ha.kappa, ha.c, ha.r), wrt=(ha.kappa,))
    >>> values = kernel(0.7, 1.3, 1.0)
    >>> print(f"{values.mu0:.12f} {values.dmu0_dkappa:.12f}")
    0.887994135887 0.730372714457
    """
    import sympy

    if backend not in _BACKENDS:
        raise InputError(f"unknown backend {backend!r}; accepted: {', '.join(_BACKENDS)}")
    if not _ACCURACIES[0] <= accuracy <= _ACCURACIES[1]:
        raise InputError(f"accuracy is {accuracy:g}; accepted: {_ACCURACIES[0]:g} to {_ACCURACIES[1]:g}")
    if parallel and backend != "numba":
        raise InputError(f"parallel is an option of the numba back end, not of {backend!r}")
    single = not isinstance(expression, Mapping)
    named: dict[str, Any] = {"value": expression} if single else dict(kernel_form(expression))
    for name in named:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name) or name[0] == "_":
            raise InputError(f"{name!r} cannot name an output; accepted are names like mu0")
        if not isinstance(named[name], sympy.Expr):
            kind = type(named[name]).__name__
            raise InputError(f"{name} is of type {kind}; accepted is an expression of sympy")
    symbols = _symbols(named, args)
    directions = _directions(symbols, wrt)
    options = Options(backend=backend, parallel=parallel, accuracy=float(accuracy))
    plain = () if single else tuple(dict(expression).items())
    return _compile(tuple(named.items()), plain, symbols, directions, options, single and not directions)


def kernel_form(expressions: Any) -> Any:
    """A mapping that knows a form of itself that keeps its digits in floating point gives that form."""
    form = getattr(expressions, "kernel_form", None)
    return expressions if form is None else form()


def _symbols(named: Mapping[str, Any], args: Sequence[Symbol | str]) -> tuple[Symbol, ...]:
    import sympy

    free = {s.name: s for e in named.values() for s in e.free_symbols}
    return tuple(
        a if isinstance(a, sympy.Symbol) else free.get(str(a), sympy.Symbol(str(a), real=True)) for a in args
    )


def _directions(symbols: tuple[Symbol, ...], wrt: Sequence[Symbol | str]) -> tuple[Symbol, ...]:
    listed = (wrt,) if isinstance(wrt, str) or hasattr(wrt, "free_symbols") else tuple(wrt)
    by_name = {s.name: s for s in symbols}
    for w in listed:
        if str(w) not in by_name:
            raise InputError(
                f"wrt names {w}, which is not among the arguments ({', '.join(by_name) or 'none'})"
            )
    return tuple(by_name[str(w)] for w in listed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a back end needs to know beside the program."""

    backend: str
    parallel: bool
    accuracy: float


@functools.lru_cache(maxsize=256)
def _compile(
    named: tuple[tuple[str, Any], ...],
    plain: tuple[tuple[str, Any], ...],
    symbols: tuple[Symbol, ...],
    directions: tuple[Symbol, ...],
    options: Options,
    single: bool,
) -> Kernel:
    from hermite_analytics import __version__
    from hermite_analytics.codegen.derivatives import with_derivatives
    from hermite_analytics.codegen.kernel import Kernel
    from hermite_analytics.codegen.lower import lower

    outputs = with_derivatives(dict(named), dict(plain or named), directions)
    program = lower(outputs, symbols, described=dict(plain))
    title = f"Generated by hermite_analytics {__version__} (generator {GENERATOR_VERSION}); not to be edited."
    return Kernel(
        source=_source(program, title, options),
        backend=options.backend,
        arguments=tuple(s.name for s in symbols),
        outputs=tuple(outputs),
        single=single,
        error_bound=max([options.accuracy if program.loops() else 0.0, *(t.error for t in program.tables)]),
    )


def _source(program: Program, title: str, options: Options) -> str:
    if options.backend == "numba":
        from hermite_analytics.codegen.numba_backend import printer as numba_printer

        return numba_printer.module_source(
            program, title, accuracy=options.accuracy, parallel=options.parallel
        )
    if options.backend == "cuda":
        from hermite_analytics.codegen.cuda_backend import printer as cuda_printer

        return cuda_printer.module_source(program, title, accuracy=options.accuracy)
    if options.backend == "array":
        from hermite_analytics.codegen.array_backend import printer as array_printer

        return array_printer.module_source(program, title, accuracy=options.accuracy)
    from hermite_analytics.codegen.python_backend import printer as python_printer

    return python_printer.module_source(program, title)
