"""The functions of the language: one record each, and the nodes of those that sympy lacks.

A record (`record.Record`) says what a function is and what is known of it; `registry` lists them. `OwenT` and
the functions of a pair of normals (`Phi2`, `PhiGiven`, `phi2`, `bell2`) occur only in answers. Those of a
pair are continuous up to the correlations +-1, or infinite there.
"""

from __future__ import annotations

from hermite_analytics.language.functions.cardinal_sine import sinc
from hermite_analytics.language.functions.gaussian_unit import gelu
from hermite_analytics.language.functions.hermite import He, hermite_coefficients, hermite_polynomial
from hermite_analytics.language.functions.integer_part import floor, mid_floor, staircase
from hermite_analytics.language.functions.logistic import sigmoid, silu, softplus
from hermite_analytics.language.functions.mish_unit import mish
from hermite_analytics.language.functions.normal import OwenT, Phi, phi
from hermite_analytics.language.functions.pair import Phi2, PhiGiven, bell2, phi2
from hermite_analytics.language.functions.record import Domain, Growth, Kink, Record
from hermite_analytics.language.functions.rectifiers import leaky_relu, relu
from hermite_analytics.language.functions.registry import RECORDS, functions_where, record_of
from hermite_analytics.language.functions.steps import step

__all__ = [
    "RECORDS",
    "Domain",
    "Growth",
    "He",
    "Kink",
    "OwenT",
    "Phi",
    "Phi2",
    "PhiGiven",
    "Record",
    "bell2",
    "floor",
    "functions_where",
    "gelu",
    "hermite_coefficients",
    "hermite_polynomial",
    "leaky_relu",
    "mid_floor",
    "mish",
    "phi",
    "phi2",
    "record_of",
    "relu",
    "sigmoid",
    "silu",
    "sinc",
    "softplus",
    "staircase",
    "step",
]
