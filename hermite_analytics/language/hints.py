"""What to write instead, for words and constructs that other notations have and this language has not."""

from __future__ import annotations

import ast
import difflib
import re

from hermite_analytics.language.functions import RECORDS
from hermite_analytics.language.table import FUNCTIONS, MAX_VARIABLES

__all__ = [
    "example_call",
    "function_hint",
    "meant_function",
    "missing_operator",
    "name_hint",
    "operator_sign",
    "what_is_called",
    "what_it_is",
]

_LISTED = [record.names[0] for record in RECORDS if record.names and record.is_listed]
_AMBIGUOUS = ("Phi", "phi")  # the same in small letters
_PLAIN = {name.lower(): FUNCTIONS[name].names[0] for name in FUNCTIONS if name not in _AMBIGUOUS}
_ELSEWHERE = {
    **{word: record.names[0] for record in RECORDS for word in record.elsewhere},
    "identity": "z1",
    "relu6": "clip(x, 0, 6)",
    "hardsigmoid": "clip(x/6 + 1/2, 0, 1)",
    "hardswish": "x*clip(x/6 + 1/2, 0, 1)",
    "logsigmoid": "-softplus(-x)",
    "tanhshrink": "x - tanh(x)",
    "log1p": "log(1 + x)",
    "log2": "log(x)/log(2)",
    "log10": "log(x)/log(10)",
    "expm1": "exp(x) - 1",
    "exp2": "2**x",
    "tan": "sin(x)/cos(x), where the cosine is shown to be positive",
    "sech": "1/cosh(x)",
    "ceil": "-floor(-x)",
    "round": "floor(x + 1/2)",
    "frac": "x - floor(x)",
    "pow": "x**y",
    "power": "x**y",
    "square": "x**2",
    "sqr": "x**2",
    "cube": "x**3",
    "mod": "x - y*floor(x/y)",
    "fmod": "x - y*floor(x/y)",
    "prelu": "leaky_relu(x, slope)",
    "sum": "x + y",
    "prod": "x*y",
    "hermite": "He(k, x)",
    "hermitenorm": "He(k, x)",
    "softmax": "exp(x)/(exp(x) + exp(y))",
    "logsumexp": "log(exp(x) + exp(y))",
    "where": "step(c)*x + step(-c)*y",
}
_LIKE = 0.76  # foo and floor have 0.75
_ABSENT = {"cot", "coth", "sec", "csc", "csch", "atan2", "arctan2", "erfi", "erfinv", "erfcx"} | {
    f"{a}{name}" for a in ("a", "ar", "arc") for name in ("sin", "cos", "sinh", "cosh", "tanh", "cot", "coth")
}  # near a name that they are not
_HERMITE = re.compile(r"(?:h|he|hermite)_?(\d{1,3})", re.IGNORECASE)
_OPERAND_AFTER_OPERAND = re.compile(r"([A-Za-z_]\w*|\d+|\))[ \t]+([A-Za-z_]\w*|\d+|\()")
_COORDINATE = re.compile(r"[A-Za-z]_?(\d{1,6})")
_OPERATORS = {
    "FloorDiv": "//",
    "Mod": "%",
    "MatMult": "@",
    "LShift": "<<",
    "RShift": ">>",
    "BitOr": "|",
    "BitAnd": "&",
}
_CONSTRUCTS = {
    "Attribute": "attribute access",
    "Subscript": "indexing (coordinates are written z1, z2, ...)",
    "Compare": "a comparison",
    "BoolOp": "'and' or 'or'",
    "IfExp": "'if' ... 'else'",
    "Tuple": "a comma outside of a function",
    "List": "a list",
    "Lambda": "lambda",
    "UnaryOp": "'not'",
}


def function_hint(name: str) -> str:
    """What to do about a function that the language does not have."""
    return meant_function(name) or "accepted: " + ", ".join(_LISTED)


def meant_function(name: str) -> str | None:
    """What to write in place of a function that the language does not have, if that is known."""
    plain = name.lower().replace("_", "")
    for word in (name, name.lower(), plain):
        if word in _ELSEWHERE:
            return f"write {_ELSEWHERE[word]}"
    hermite = _HERMITE.fullmatch(name)
    if hermite:
        return f"did you mean He{int(hermite[1])}?"
    for own_name, meant in _PLAIN.items():
        if plain == own_name.replace("_", ""):
            return f"did you mean {meant}?"
    near = None if plain in _ABSENT else _near(plain)
    return None if near is None else f"did you mean {near}?"


def _near(plain: str) -> str | None:
    """The function meant by a longer, cut or misspelt name in small letters; None if none is."""
    if len(plain) < 3:
        return None
    begun = [meant for own, meant in _PLAIN.items() if len(own) > 2 and plain.startswith(own)]
    if begun:  # cosine is nearer to cos than to sin
        return max(begun, key=len)
    cut = {meant for own, meant in _PLAIN.items() if own.startswith(plain)}
    if len(cut) == 1:  # sigm is the beginning of sigmoid, and one letter from sign
        return cut.pop()
    close = difflib.get_close_matches(plain[:30], _PLAIN, n=1, cutoff=_LIKE)
    return _PLAIN[close[0]] if close else None


def example_call(name: str) -> str:
    """A call of a function with as many arguments as it needs, of the variable z."""
    record = FUNCTIONS.get(name)
    if record is None or record.arity[0] == 1:
        return f"{name}(z)"
    return record.example or f"{name}({', '.join(['z', '2', '3'][: record.arity[0]])})"


def name_hint(name: str, accepted: str) -> str:
    """What to do about a name that stands for nothing here."""
    listed = f"accepted here: {accepted}, pi, E"
    product = re.fullmatch(r"(z\d+)((?:z\d+)+|xi)", name)
    if product:
        return f"a product needs its sign: write {product[1]}*{product[2][:20]}; {listed}"
    coordinate, takes_coordinates = _COORDINATE.fullmatch(name), accepted.startswith("z1")
    if coordinate and takes_coordinates:
        return f"{_coordinate_hint(int(coordinate[1]))}; {listed}"
    if name == "e":
        return f"write E, or exp(x); {listed}"
    plain = name.lower().replace("_", "")
    meant = _PLAIN.get(plain) or _ELSEWHERE.get(plain)
    if meant is not None:
        return f"write {meant if '(' in meant else f'{meant}(z)'}; {listed}"
    if name == "x" or (coordinate and accepted == "z"):
        return f"write {'z1' if takes_coordinates else 'z'}; {listed}"
    near = None if name in FUNCTIONS else _near(plain)
    return listed if near is None else f"{listed}, and functions such as {example_call(near)}"


def _coordinate_hint(index: int) -> str:
    """Of the coordinate that is meant by a name of another form."""
    if index > MAX_VARIABLES:
        return f"coordinates are z1 to z{MAX_VARIABLES}"
    return f"write z{index}" if index else "coordinates begin at z1"


def missing_operator(text: str) -> tuple[str, int] | None:
    """(What is missing, where) for two operands side by side: a sign, or parentheses around an argument."""
    for found in _OPERAND_AFTER_OPERAND.finditer(text):
        left, right = found[1][-20:], found[2][:20]
        if right == "(" and left[0].isalpha():
            continue  # a call
        if left in FUNCTIONS or _HERMITE.fullmatch(left):
            inner = "..." if text[found.end() :].lstrip().startswith("(") else right
            return f"a function has its argument in parentheses: write {left}({inner})", found.start(2)
        product = "" if right == "(" or left == ")" else f": for a product write {left}*{right}"
        return f"an operator is missing here{product}", found.start(2)
    return None


def operator_sign(kind: ast.operator) -> str:
    """An operator as it is written."""
    name = type(kind).__name__
    return _OPERATORS.get(name, name)


def what_is_called(node: ast.expr) -> str:
    """What to do about the call of something that is no name."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in FUNCTIONS or node.attr in _ELSEWHERE:
            return f"write {_ELSEWHERE.get(node.attr, node.attr)} without {node.value.id[:20]!r} and its dot"
        return f"the functions of {node.value.id[:20]!r} are not there; accepted: " + ", ".join(_LISTED)
    if isinstance(node, ast.BinOp):
        return "a product needs its sign: write (...)*(...), not (...)(...)"
    return "only the functions of the language can be called"


def what_it_is(node: ast.AST) -> str:
    """A construct in plain words."""
    name = type(node).__name__
    return _CONSTRUCTS.get(name, f"this construct ({name})")
