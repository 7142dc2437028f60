"""What `ScalingLaw` answers: exponents at points, and the best of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hermite_analytics.numeric.solution import Status, json_number

__all__ = ["OptimalExponents", "ScalingExponents"]

_MODEL = "scaling-law"
_STATISTICS = {"status": str(Status.CONVERGED), "residual": 0.0, "iterations": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingExponents:
    """Decay exponents at all points; arrays have the broadcast shape of the two exponents given.

    Attributes
    ----------
    bias_exponent, variance_exponent, exponent : float or ndarray
        B, V and min(B, V): errors fall like n^-exponent.
    region : str or ndarray of str
        "ridge-limited", "features-limited", "interpolating" or "interpolation-peak".
    dominant : str or ndarray of str
        "bias", "variance" or "both": what the test error consists of.
    bias_from : str or ndarray of str
        "kernel" or "features": the bias of the kernel itself, or of the randomness of finitely many features.
    logarithm : bool or ndarray of bool
        Whether a logarithm of n multiplies the power in the bias (r = 1/2 or r = 1).
    parameters : mapping
        capacity, source, ridge_exponent, features_exponent.
    """

    bias_exponent: Any
    variance_exponent: Any
    exponent: Any
    region: Any
    dominant: Any
    bias_from: Any
    logarithm: Any
    parameters: Mapping[str, Any]
    model: str = _MODEL

    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary a point, in C order."""
        shape = np.shape(self.exponent)
        columns = {n: np.broadcast_to(np.asarray(v), shape) for n, v in self.parameters.items()}
        names = (
            "bias_exponent",
            "variance_exponent",
            "exponent",
            "region",
            "dominant",
            "bias_from",
            "logarithm",
        )
        columns |= {n: np.asarray(getattr(self, n)) for n in names}
        lists = [np.ravel(v).tolist() for v in columns.values()]
        return [
            {n: json_number(x) for n, x in zip(columns, point, strict=True)} | _STATISTICS
            for point in zip(*lists, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the model and one result a point."""
        return {"model": self.model, "parameters": {}, "results": self.records()}

    def cite(self) -> str:
        """The source of the exponents."""
        return "scaling laws of arXiv 2405.15699"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalExponents:
    """The fastest decay of the test error with label noise, and the least that reaches it.

    Attributes
    ----------
    exponent : float
    ridge_exponent : float
        l of the ridge n^(1-l).
    features_exponent : float
        The smallest q, p = n^q, that reaches the exponent.
    exact : mapping of str to Fraction
        The three in exact arithmetic.
    """

    exponent: float
    ridge_exponent: float
    features_exponent: float
    exact: Mapping[str, Fraction]
    parameters: Mapping[str, Any]
    model: str = _MODEL

    def records(self) -> list[dict[str, Any]]:
        """One dictionary."""
        names = ("ridge_exponent", "features_exponent", "exponent")
        return [dict(self.parameters) | {n: getattr(self, n) for n in names} | _STATISTICS]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the model and its result."""
        return {"model": self.model, "parameters": {}, "results": self.records()}

    def cite(self) -> str:
        """The source of the exponents."""
        return "scaling laws of arXiv 2405.15699"
