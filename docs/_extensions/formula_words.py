"""The words, signs and patterns of formulas as they are typed, and pieces of LaTeX put together."""

from __future__ import annotations

import re

GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "eps", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi",
    "omega", "varrho", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi",
    "Psi", "Omega",
}  # fmt: skip
FUNCTIONS = {
    "sqrt", "exp", "log", "sin", "cos", "sinh", "cosh", "tanh", "asin", "atan", "acos", "det", "tr",
    "Tr", "erf", "erfc", "Cov", "Var", "Re", "Im",
}  # fmt: skip
# words of English too: mathematics only with an argument or an index at once
NAMES = {
    "sum", "prod", "int", "min", "max", "inf", "sup", "lim", "argmin", "argmax", "sign", "step",
    "relu", "softplus", "sigmoid", "clip", "gelu", "sinc", "span", "prox", "abs", "norm",
}  # fmt: skip
SAME = {"inf", "sup", "lim", "min", "max", "det", "exp", "log", "sin", "cos", "sinh", "cosh", "tanh", "Re"}
TEX = {
    "sum": r"\sum",
    "prod": r"\prod",
    "int": r"\int",
    "atan": r"\arctan",
    "asin": r"\arcsin",
    "acos": r"\arccos",
}
TEX |= {name: "\\" + name for name in SAME}
SYMBOLS = {
    "infinity": r"\infty",
    "grad": r"\nabla",
    "perp": r"\perp",
    "yhat": r"\hat{y}",
    "He": r"\mathrm{He}",
}
SYMBOLS |= {"eps": r"\varepsilon", "epsilon": r"\varepsilon"}
# two letters that stand for a name or a product
SYMBOLS |= {
    "hh": r"\mathrm{hh}",
    "cc": r"\mathrm{cc}",
    "ib": "i b",
    "zr": "z_r",
    "zm": "z_m",
    "zk": "z_k",
    "Rz": "R z",
    "Pz": "P z",
    "Sz": "S z",
}
VARIABLES = {
    "rate", "res", "noise", "ridge", "rr", "diag", "bias", "variance", "gain", "power", "floor",
    "binom", "rank", "shift", "mean", "theory",
}  # fmt: skip
OPERATORS = {
    "<=": r"\le", ">=": r"\ge", "!=": r"\ne", "->": r"\to", "<-": r"\leftarrow", "+-": r"\pm",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "→": r"\to", "+=": "+=", "*": r"\cdot", "~": r"\sim",
    "=": "=", "<": "<", ">": ">", "+": "+", "-": "-", "/": "/",
}  # fmt: skip
OPERATOR = re.compile(r"\+-|\+=|<=|>=|!=|->|<-|[~=<>+\-/≤≥≠→*]")
SEPARATOR = re.compile(r"\.{2,3}|[,;:]|(?<= )\|(?= )|(given|over|for|of|or|and)(?= )")
WORD = re.compile(r"[A-Za-z]+")
NUMBER = re.compile(r"\d+(\.\d+)?(e[-+]?\d+(?![A-Za-z]))?")
SPACE = re.compile(r"[ \n]*")
INDEX = re.compile(r"-\d+/\d+|-?\d+(\.\d+)?|-(?:[a-z](?![a-z])|alpha|beta|gamma|kappa)|[A-Za-z]+\d*|\*|\+")
INDEX_WORDS = {"eff", "perp", "out", "new", "max", "min", "hop"}
PRODUCT = re.compile(rf"\.(\(|[a-zA-Z](?![a-zA-Z])|({'|'.join(sorted(GREEK))})(?![a-z]))")  # w.x
CLOSED_BY = {"(": ")", "[": "]", "{": "}"}


class NotMathematics(Exception):
    """What stands here is no formula."""


def end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def bare(term: str) -> str:
    """Without the parentheses around all of it."""
    if term.startswith(r"\left(") and term.endswith(r"\right)") and term.count(r"\left(") == 1:
        return term[6:-7]
    depth = 0
    for i, sign in enumerate(term):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and i < len(term) - 1:
            return term
    return term[1:-1] if term.startswith("(") else term


def scripts(lower: list[str], upper: list[str]) -> str:
    below = f"_{{{','.join(lower)}}}" if lower else ""
    return below + (f"^{{{' '.join(upper)}}}" if upper else "")


def numeral(text: str) -> str:
    mantissa, _, power = text.partition("e")
    if mantissa == "1" and power:
        return rf"10^{{{int(power)}}}"
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if power else mantissa
