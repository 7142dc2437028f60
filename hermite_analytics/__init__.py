"""hermite_analytics: exponents and sharp asymptotics of feature learning on Gaussian data.

The public names load on first use, so that importing the package costs milliseconds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_LAZY = {
    "Activation": "activation",
    "Analysis": "analysis",
    "ConditionalCoefficients": "conditional",
    "ConditionalLaw": "label.exact",
    "Complexities": "learning",
    "ConvergenceError": "errors",
    "Design": "designs",
    "Designs": "designs",
    "DualKernel": "dual",
    "Evidence": "evidence",
    "ExecutorEnded": "errors",
    "Explanation": "analysis",
    "Exponent": "exponents",
    "FirstSubspace": "exponents",
    "GaussianExpectation": "gaussian.node",
    "HermiteAnalyticsError": "errors",
    "HermiteExpansion": "expansion",
    "InputError": "errors",
    "ParametricAnalysis": "analysis",
    "ParseError": "errors",
    "Learning": "learning",
    "Quantity": "evidence",
    "RoundedNumbers": "errors",
    "SecondLayer": "learning",
    "Staircase": "exponents",
    "StoreError": "errors",
    "Table": "analysis",
    "Target": "target",
    "UndefinedQuantity": "errors",
    "UnsupportedExpression": "errors",
    "WeakRecovery": "label.thresholds",
    "c": "symbols",
    "analyze": "analysis",
    "compile": "codegen",
    "complexities": "learning",
    "conditional_coefficients": "conditional",
    "design": "designs",
    "dual_kernel": "dual",
    "expectation": "expectations",
    "first_subspace": "exponents",
    "gamma": "symbols",
    "generative_exponent": "label.orders",
    "grand_staircase": "label.orders",
    "hermite": "expansion",
    "information_exponent": "exponents",
    "intrinsic_dimension": "exponents",
    "isotropic_leap": "exponents",
    "kappa": "symbols",
    "leap_complexity": "exponents",
    "leap_decomposition": "exponents",
    "leap_index": "exponents",
    "learns": "learning",
    "r": "symbols",
    "second_layer": "learning",
    "staircase": "exponents",
    "table": "analysis",
    "teacher_averages": "conditional",
    "weak_recovery": "label.thresholds",
    "z": "symbols",
}

__all__ = ["__version__", *sorted(_LAZY)]

if TYPE_CHECKING:
    from hermite_analytics.activation import Activation as Activation
    from hermite_analytics.analysis import Analysis as Analysis
    from hermite_analytics.analysis import Explanation as Explanation
    from hermite_analytics.analysis import ParametricAnalysis as ParametricAnalysis
    from hermite_analytics.analysis import Table as Table
    from hermite_analytics.analysis import analyze as analyze
    from hermite_analytics.analysis import table as table
    from hermite_analytics.codegen import compile as compile
    from hermite_analytics.conditional import ConditionalCoefficients as ConditionalCoefficients
    from hermite_analytics.conditional import conditional_coefficients as conditional_coefficients
    from hermite_analytics.conditional import teacher_averages as teacher_averages
    from hermite_analytics.designs import Design as Design
    from hermite_analytics.designs import Designs as Designs
    from hermite_analytics.designs import design as design
    from hermite_analytics.dual import DualKernel as DualKernel
    from hermite_analytics.dual import dual_kernel as dual_kernel
    from hermite_analytics.errors import (
        ConvergenceError as ConvergenceError,
    )
    from hermite_analytics.errors import (
        ExecutorEnded as ExecutorEnded,
    )
    from hermite_analytics.errors import (
        HermiteAnalyticsError as HermiteAnalyticsError,
    )
    from hermite_analytics.errors import (
        InputError as InputError,
    )
    from hermite_analytics.errors import (
        ParseError as ParseError,
    )
    from hermite_analytics.errors import (
        RoundedNumbers as RoundedNumbers,
    )
    from hermite_analytics.errors import (
        StoreError as StoreError,
    )
    from hermite_analytics.errors import (
        UndefinedQuantity as UndefinedQuantity,
    )
    from hermite_analytics.errors import (
        UnsupportedExpression as UnsupportedExpression,
    )
    from hermite_analytics.evidence import Evidence as Evidence
    from hermite_analytics.evidence import Quantity as Quantity
    from hermite_analytics.expansion import HermiteExpansion as HermiteExpansion
    from hermite_analytics.expansion import hermite as hermite
    from hermite_analytics.expectations import expectation as expectation
    from hermite_analytics.exponents import Exponent as Exponent
    from hermite_analytics.exponents import FirstSubspace as FirstSubspace
    from hermite_analytics.exponents import Staircase as Staircase
    from hermite_analytics.exponents import first_subspace as first_subspace
    from hermite_analytics.exponents import information_exponent as information_exponent
    from hermite_analytics.exponents import intrinsic_dimension as intrinsic_dimension
    from hermite_analytics.exponents import isotropic_leap as isotropic_leap
    from hermite_analytics.exponents import leap_complexity as leap_complexity
    from hermite_analytics.exponents import leap_decomposition as leap_decomposition
    from hermite_analytics.exponents import leap_index as leap_index
    from hermite_analytics.exponents import staircase as staircase
    from hermite_analytics.gaussian.node import GaussianExpectation as GaussianExpectation
    from hermite_analytics.label.exact import ConditionalLaw as ConditionalLaw
    from hermite_analytics.label.orders import generative_exponent as generative_exponent
    from hermite_analytics.label.orders import grand_staircase as grand_staircase
    from hermite_analytics.label.thresholds import WeakRecovery as WeakRecovery
    from hermite_analytics.label.thresholds import weak_recovery as weak_recovery
    from hermite_analytics.learning import Complexities as Complexities
    from hermite_analytics.learning import Learning as Learning
    from hermite_analytics.learning import SecondLayer as SecondLayer
    from hermite_analytics.learning import complexities as complexities
    from hermite_analytics.learning import learns as learns
    from hermite_analytics.learning import second_layer as second_layer
    from hermite_analytics.symbols import c as c
    from hermite_analytics.symbols import gamma as gamma
    from hermite_analytics.symbols import kappa as kappa
    from hermite_analytics.symbols import r as r
    from hermite_analytics.symbols import z as z
    from hermite_analytics.target import Target as Target


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"hermite_analytics.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    if name in {"numeric", "validation"}:
        return importlib.import_module(f"hermite_analytics.{name}")
    raise AttributeError(f"module 'hermite_analytics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
