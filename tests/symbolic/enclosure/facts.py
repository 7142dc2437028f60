"""Known answers of the tests, to 30 digits each by two independent quadratures."""

from __future__ import annotations

import sympy
from sympy import Abs, Rational, cos, exp, sign, sin, sqrt, tanh

from hermite_analytics.language.functions import He, Phi, gelu, relu, sigmoid, silu, softplus, step
from hermite_analytics.symbols import variable, z

z1, z2 = variable(1), variable(2)
half = Rational(1, 2)

ONE_VARIABLE = {
    "tanh": (tanh(z), "0"),
    "tanh shifted": (
        tanh(Rational(7, 10) + sqrt(Rational(13, 10)) * z),
        "0.37498932644447684009329385187",
    ),
    "tanh z": (tanh(z) * z, "0.605705509602158825583540227556"),
    "tanh^2": (tanh(z) ** 2, "0.394294490397841174416459772444"),
    "tanh He3": (tanh(z) * He(3, z), "-0.36359537628097414949796785647"),
    "sigmoid": (sigmoid(z), "0.5"),
    "sigmoid shifted": (sigmoid(z + 1), "0.696734670143683288198100232504"),
    "sigmoid z": (sigmoid(z) * z, "0.206620964141907037262350828718"),
    "softplus": (softplus(z), "0.806059183347439784528228831504"),
    "softplus z": (softplus(z) * z, "0.5"),
    "softplus He3": (softplus(z) * He(3, z), "0"),
    "silu z": (silu(z) * z, "0.5"),
    "silu": (silu(z), "0.206620964141907037262350828718"),
    "abs tanh": (Abs(tanh(z)), "0.555979315782099593863823906225"),
    "exp sin": (exp(sin(z)), "1.22932481548114322401968172069"),
    "cos square": (cos(z**2), "0.568864481005783107278307926685"),
    "sign of a square": (sign(z**2 - 1), "-0.365378984274171794340930182528"),
    "abs of a cubic": (Abs(z**3 - 3 * z), "1.51001300013047713261754089863"),
    "nested abs": (Abs(Abs(z) - 1), "0.535377321547879837652358834402"),
    "clip": (sympy.Min(sympy.Max(z, -1), 2), "0.07482476797085666083306381249"),
    "step cos": (step(z - 1) * cos(2 * z), "-0.109096593482009141345532982851"),
    "weight": (z**2 * exp(-(z**2)), "0.192450089729875254836382926834"),
    "growing weight": (exp(z**2 / 8), "1.154700538379251529018297561"),
    "erf relu": (sympy.erf(relu(z)), "0.304086723984696364914572220389"),
    "Phi^4": (Phi(z) ** 4, "0.2"),
    "gelu^2": (gelu(z) ** 2, "0.425221482570298674918554416385"),
    "critical weight": (exp(z**2 / 2 - Abs(z)), "0.797884560802865355879892119869"),
    "critical weight, erfc": (exp(z**2 / 2) * sympy.erfc(Abs(z)), "0.450158158078553034777599595503"),
}

TWO_VARIABLES = {
    "rotated gelu": (gelu(z1) * gelu(3 * z1 / 5 + 4 * z2 / 5), "0.262515861972490337283538947279"),
    "erf erf": (sympy.erf(z1) * sympy.erf(3 * z1 / 5 + 4 * z2 / 5), "0.261979760868909234489138882443"),
    "exp product": (exp(z1 * z2 / 2), "1.154700538379251529018297561"),
    "cos product": (cos(z1 * z2), "0.707106781186547524400844362105"),
    "sin product": (sin(z1 * z2), "0"),
    "weight": (exp(-((z1 - z2) ** 2)) * z1 * z2, "0.178885438199983175712733893499"),
    "entire": (exp(z1) * cos(z2) * He(2, z1 + z2), "1"),
    "two signs": (sign(z1) * sign(3 * z1 + 4 * z2), "0.409665529398266903298395695101"),
    "two steps": (step(z1 - 1) * step(z1 + z2), "0.146069509131429492330117396644"),
    "three steps": (step(z1) * step(z2) * step(z1 + z2), "0.25"),
    "maximum": (sympy.Max(z1, z2), "0.564189583547756286948079451561"),
    "three forms": (sympy.Max(z1, z2, 0), "0.681037072175310821413985785715"),
    "orthogonal forms": (Phi(z1 + z2) * Phi(z1 - z2), "0.25"),
    "independent": (Abs(z1) * sign(z2) * z2, "0.63661977236758134307553505349"),
    "relu sign": (z2 * relu(z1) * sign(z1 + z2), "0.159154943091895335768883763373"),
}
