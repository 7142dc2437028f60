"""The language: what is accepted, what is refused, and with which message."""

from __future__ import annotations

import time

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, Symbol

from hermite_analytics import Activation, HermiteAnalyticsError, ParseError, Target
from hermite_analytics.errors import InputError
from hermite_analytics.language import functions as own
from hermite_analytics.language.evaluation import reference_function
from hermite_analytics.language.parser import expectation_names, is_parameter, parse, target_names
from hermite_analytics.symbols import z

SECONDS = 60  # of processor time: only a hang gets there, and no speed is measured


def read(text: str) -> sympy.Expr:
    return parse(text, lambda name: z if name == "z" else None, accepted="z")


def value(text: str, point: float) -> float:
    with mpmath.workdps(30):
        return float(reference_function(read(text), (z,))(mpmath.mpf(point)))


ACCEPTED = {
    "He(3, z)": lambda x: x**3 - 3 * x,
    "He0(z)": lambda x: 1,
    "He1(z)": lambda x: x,
    "He4(z)": lambda x: x**4 - 6 * x**2 + 3,
    "sign(z)": lambda x: mpmath.sign(x),
    "abs(z)": abs,
    "Abs(z)": abs,
    "relu(z)": lambda x: max(x, 0),
    "leaky_relu(z, 0.1)": lambda x: x if x > 0 else x / 10,
    "step(z)": lambda x: 1 if x > 0 else 0,
    "Heaviside(z)": lambda x: 1 if x > 0 else 0,
    "Heaviside(z, 0)": lambda x: 1 if x > 0 else 0,
    "max(z, 1, z**2)": lambda x: max(x, 1, x**2),
    "Max(z, 1)": lambda x: max(x, 1),
    "min(z, 1)": lambda x: min(x, 1),
    "Min(z, -z, 1/2)": lambda x: min(x, -x, mpmath.mpf("0.5")),
    "exp(z)": mpmath.exp,
    "E**z": mpmath.exp,
    "2**z": lambda x: mpmath.mpf(2) ** x,
    "log(1 + z**2)": lambda x: mpmath.log(1 + x * x),
    "sqrt(1 + z**2)": lambda x: mpmath.sqrt(1 + x * x),
    "(1 + z**2)**0.5": lambda x: mpmath.sqrt(1 + x * x),
    "z/(1 + z**2)": lambda x: x / (1 + x * x),
    "(2 + sin(z))**-2": lambda x: (2 + mpmath.sin(x)) ** -2,
    "sin(z)": mpmath.sin,
    "cos(z)": mpmath.cos,
    "tanh(z)": mpmath.tanh,
    "sinh(z)": mpmath.sinh,
    "cosh(z)": mpmath.cosh,
    "erf(z)": mpmath.erf,
    "erfc(z)": mpmath.erfc,
    "Phi(z)": mpmath.ncdf,
    "phi(z)": mpmath.npdf,
    "sigmoid(z)": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus(z)": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "gelu(z)": lambda x: x * mpmath.ncdf(x),
    "silu(z)": lambda x: x / (1 + mpmath.exp(-x)),
    "pi*z + Rational(1, 3)": lambda x: mpmath.pi * x + mpmath.mpf(1) / 3,
    "-z**2": lambda x: -(x**2),
    "+z - -z": lambda x: 2 * x,
    "1 - z - z/2*4": lambda x: 1 - 3 * x,
    "2**3**0*z": lambda x: 2 * x,
    " \n z\t+\r\n1": lambda x: x + 1,
    ".5*z + 1.e-1 + 2E0": lambda x: x / 2 + mpmath.mpf("2.1"),
}


@pytest.mark.parametrize("text", ACCEPTED)
@pytest.mark.parametrize("point", [-1.25, 0.0, 0.75])
def test_every_function_of_the_language(text: str, point: float) -> None:
    with mpmath.workdps(30):
        expected = float(ACCEPTED[text](mpmath.mpf(point)))
    assert value(text, point) == pytest.approx(expected, rel=1e-15, abs=1e-300)


def test_decimals_are_exact() -> None:
    assert read("0.1*z") == Rational(1, 10) * z
    assert read("1e-3 + 2.50*z") == Rational(1, 1000) + Rational(5, 2) * z
    assert read("0.1 + 0.2") == Rational(3, 10)


def test_values_at_zero() -> None:
    assert read("sign(0)") == 0
    assert read("step(0)") == 0
    assert read("Heaviside(0, 0)") == 0


def test_names_of_a_target() -> None:
    z1, z7, noise = (Symbol(n, real=True) for n in ("z1", "z7", "xi"))
    assert parse("z*z7 + xi", target_names, accepted="z1") == z1 * z7 + noise
    for name in ("z0", "z65", "z01", "x", "Z1", "z_1", "z1_"):
        with pytest.raises(ParseError, match="unknown name"):
            parse(name, target_names, accepted="z1, z2, ..., xi")


REFUSED = {
    # text: (part of the message, the fault that the caret stands under, or None where it is at the start)
    "foo(z)": ("unknown function 'foo'", None),
    "1 + tanhh(z)": ("did you mean tanh?", "tanhh"),
    "1 + x": ("unknown name 'x'; write z; accepted here: z, pi, E", "x"),
    "1 + sin": ("sin is a function: give its argument, as in sin(z)", "sin"),
    "1 + He2": ("as in He2(z)", "He2"),
    "2*leaky_relu": ("as in leaky_relu(z, 0.1)", "leaky_relu"),
    "sin(z": ("never closed", "("),
    "sin(z))": ("no opening one", ")"),
    "sin((z]": ("never closed", "("),
    "2*z + z.real": ("attribute access", "z.real"),
    "1 + (lambda: z)": ("lambda is not part of the language", "lambda"),
    "z + [z for z in z]": ("ListComp", "["),
    "1*__import__(z)": ("unknown function '__import__'", "__import__"),
    "1 + 'z'": ("quotes are not part of the language; give the expression without them", "'z"),
    '1 + "z"': ("quotes are not part of the language", '"z'),
    "z + (z:=1)": ("NamedExpr", "z:="),
    "1 + f'{z}'": ("JoinedStr", "f'{"),
    "1*sin(z, base=2)": ("plain arguments only", "sin"),
    "1*sin(*z)": ("plain arguments only", "sin"),
    "1*sin(**z)": ("plain arguments only", "sin"),
    "1*max(" + ", ".join(["z"] * 65) + ")": ("up to 64 arguments", "max"),
    "1 + ()": ("a comma outside of a function", "()"),
    "z, 1": ("a comma outside of a function", None),
    "z[0]": ("indexing (coordinates are written z1, z2, ...) is not part", None),
    "1*{z: 1}": ("Dict", "{"),
    "1*(lambda: 0)()": ("only the functions of the language can be called", None),
    "__import__('os').system('id')": ("only the functions of the language can be called", None),
    "z = 1": ("without an equals sign", "="),
    "z == 1": ("a comparison is not part", None),
    "z if z else 1": ("'if' ... 'else' is not part", None),
    "1if z else 2": ("write 1*if", "if"),
    "z and z": ("'and' or 'or' is not part", None),
    "not z": ("'not' is not part", None),
    "z // 2": ("the operator // is not accepted", "2"),
    "z ^ 2": ("write ** instead", "2"),
    "z @ z": ("the character '@'", "@"),
    "z % 2": ("the character '%'", "%"),
    "z & 2": ("the character '&'", "&"),
    "1 + 2z": ("write 2*z, not 2z", "z"),
    "3(z + 1)": ("write 3*(, not 3(", "("),
    "sin z": ("a function has its argument in parentheses: write sin(z)", "z"),
    "1 + He3 (z) z": ("an operator is missing here", "z"),
    "sin cos(z)": ("write sin(...)", "cos"),
    "z +": ("the expression ends with an operator", "+"),
    "1 + z z": ("an operator is missing here: for a product write z*z", "z"),
    "1 + z (z + 1)": ("a product needs its sign: write z*(...), not z(...)", "z ("),
    "(z + 1)(z + 2)": ("a product needs its sign: write (...)*(...)", None),
    "1 + pi(z)": ("write pi*(...)", "pi"),
    "|z|": ("the character '|' is not part of the language; write abs(x) for |x|", None),
    "1 + z > 0": ("write step(x) for x > 0", ">"),
    "1 + Φ(z)": ("write Phi", "Φ"),
    "1 + RELU(z)": ("did you mean relu?", "RELU"),
    "cosine(z)": ("did you mean cos?", None),
    "acosh(z)": ("unknown function 'acosh'; accepted: He", None),
    "1 + Tanh": ("write tanh(z)", "Tanh"),
    "e**z": ("write E, or exp(x)", None),
    "1 + he_3(z)": ("did you mean He3?", "he_3"),
    "1 + ln(2)": ("unknown function 'ln'; write log", "ln"),
    "1 + pow(z, 2)": ("write x**y", "pow"),
    "1 + arctan(z)": ("unknown function 'arctan'; write atan", "arctan"),
    "1 + arcsin(z)": ("unknown function 'arcsin'; accepted: He, sign, step, abs", "arcsin"),
    "1 + np.tanh(z)": ("write tanh without 'np' and its dot", "np"),
    "1 + np.maximum(z, 0)": ("write max without 'np' and its dot", "np"),
    "1 + np.cbrt(z)": ("the functions of 'np' are not there; accepted: He, sign", "np"),
    "1 + z1z2": ("unknown name 'z1z2'; a product needs its sign: write z1*z2", "z1z2"),
    "1 + tanhh": ("accepted here: z, pi, E, and functions such as tanh(z)", "tanhh"),
    "1 + 007": ("not an expression", "007"),
    "1_000 + z": ("not a decimal number", None),
    "z + 0x10": ("write 0*x10", "x10"),
    "z + 1j": ("write 1*j", "j"),
    "z + True": ("not a decimal number", "True"),
    "z + None": ("not a decimal number", "None"),
    "1 + z # comment": ("the character '#'", "#"),
    "z; z": ("the character ';'", ";"),
    "z\\n": ("the character '\\\\'", "\\"),
    "z\x00": ("the character U+0000", "\x00"),
    "1 + z\u200b": ("the character U+200B", "\u200b"),
    "1 − z": ("write -", "−"),
    "1 + ｚ": ("write z", "ｚ"),
    "z + α": ("the character 'α' is not part of the language; use letters", "α"),
    "z²": ("write **2", "²"),
    "1/0": ("division by zero", "0"),
    "0**-1": ("division by zero", None),
    "1/z": ("shown to be positive", "z"),
    "1/(1 - z**2)": ("shown to be positive", "1 - z"),
    "z**-1": ("shown to be positive", None),
    "2*log(z)": ("log is accepted where its argument is shown to be positive", "log"),
    "2*sqrt(z)": ("sqrt is accepted where", "sqrt"),
    "1 + z**0.5": ("a root is accepted where", "z"),
    "1 + (-8)**(1/3)": ("a root is accepted", "-8"),
    "1 + sqrt(-1)": ("sqrt is accepted where", "sqrt"),
    "z**z": ("positive constant as its base", "z"),
    "z**pi": ("shown to be positive", "pi"),
    "1 + He(1000000, z)": ("up to degree 200", "He"),
    "1 + He1000000(z)": ("up to degree 200", "He"),
    "1 + He" + "9" * 400 + "(z)": ("up to degree 200", "He"),
    "1 + He(2.5, z)": ("non-negative integer", "He"),
    "1 + He(-1, z)": ("non-negative integer", "He"),
    "1 + He(z, 2)": ("non-negative integer", "He"),
    "1 + He2()": ("He takes 2 argument(s); 1 given", "He2"),
    "1 + He(100, He(3, z))": ("degree above 200", "He"),
    "1 + He(200, 1e300)": ("a number of this size", "He"),
    "1 + He(200, He(200, 1e300))": ("a number of this size", "He(200, 1e300)"),
    "1 + He(6, 1e60)": ("from 1e-300 to 1e300", "He"),
    "1 + He(150, He(3, 1e-300))": ("a number of this size", "He(150"),
    "1 + 1e300**1e-300": ("roots are accepted up to order 1000", "1e-300"),
    "1 + 6**(1e300 - z)": ("exponents are accepted up to 200", "1e300"),
    "1 + 6**(z*1e300)": ("exponents are accepted up to 200", "z*1e300"),
    "1 + exp(1e300*log(6) - z)": ("exponents are accepted up to 200", "exp"),
    "1 + exp(1000*log(1 + z**2))": ("exponents are accepted up to 200", "exp"),
    "9**9**9": ("exponents are accepted up to 200", "9**9"),
    "9**200**2": ("exponents are accepted up to 200", "200**2"),
    "z**1000000": ("exponents are accepted up to 200", "1000000"),
    "((z + 1)**20)**20": ("degree above 200", "20"),
    "1 + (relu(z)**20)**20": ("degree above 200", "20"),
    "*".join(["z"] * 201): ("degree above 200", None),
    "2*(1e300*z)**200": ("a number of this size", "(1e300"),
    "1 + 1e301*z": ("up to 300 in size", "1e301"),
    "1 + 1e9999*z": ("not a decimal number", "1e9999"),
    "1 + " + "9" * 61: ("at most 60", "9"),
    "2*exp(1e5)": ("from 1e-300 to 1e300", "exp"),
    "2*exp(-1e5)": ("from 1e-300 to 1e300", "exp"),
    "z*exp(exp(exp(exp(100))))": ("from 1e-300 to 1e300", "exp(exp(100))"),
    "z*max(exp(exp(exp(100))), 1)": ("from 1e-300 to 1e300", "exp(exp(100))"),
    "z*phi(1e300)": ("from 1e-300 to 1e300", "phi"),
    "z*sign(sin(1)**2 + cos(1)**2 - 1)": ("cannot be told from zero", "sin(1)**2"),
    "z + Rational(1, 0)": ("two integers", "Rational"),
    "z + Rational(z, 2)": ("two integers", "Rational"),
    "z + Heaviside(z, 1)": ("its value at 0 is 0", "Heaviside"),
    "z + leaky_relu(z, z)": ("is a constant", "leaky_relu"),
    "z + leaky_relu(z)": (
        "takes 2 argument(s): leaky_relu(x, slope), as in leaky_relu(z, 0.1); 1 given",
        "leaky_relu",
    ),
    "z + max(z)": ("takes 2 or more argument(s); 1 given", "max"),
    "z + sin()": ("takes 1 argument(s); 0 given", "sin"),
    "z + sin(z, z)": ("takes 1 argument(s); 2 given", "sin"),
    "(" * 61 + "z" + ")" * 61: ("more than 60 nested parentheses", "(" * 1 + "z"),
    "-" * 100 + "z": ("nested more than 60 levels deep", None),
    "z" + "**z" * 100: ("nested more than 60", None),
    "z + " * 1000 + "z": ("at most 4000 are accepted", None),
    "": ("the expression is empty", None),
    " \n": ("the expression is empty", None),
}
_UNPLACED = {"nested", "at most 4000", "empty"}


@pytest.mark.parametrize("text", REFUSED, ids=lambda t: ascii(t[:40]))
def test_refused_with_a_reason(text: str) -> None:
    part, fault = REFUSED[text]
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        read(text)
    assert time.process_time() - start < SECONDS
    message = str(caught.value)
    assert part in message
    assert isinstance(caught.value, ValueError)
    lines = message.split("\n")
    assert len(lines) <= 3
    assert all(len(line) <= 62 for line in lines[1:])
    if fault is not None and not any(word in message for word in _UNPLACED):
        assert len(lines) == 3
        column = len(lines[2]) - 1
        shown = "".join(ch if ch.isprintable() else " " for ch in fault)
        assert lines[1][column:].startswith(shown[: len(lines[1]) - column].rstrip() or " ")
        assert text[caught.value.position :].startswith(fault) or "\n" in text


@pytest.mark.parametrize("given", [None, 3, b"z", ["z"]])
def test_only_text_is_parsed(given: object) -> None:
    for kind in (Activation, Target):
        with pytest.raises(ParseError, match=r"an expression is text, as .*, or one of sympy"):
            kind(given)  # type: ignore[arg-type]


def test_the_caret_counts_from_the_text_as_given() -> None:
    with pytest.raises(ParseError) as caught:
        read("  \n z\r\n + foo")
    assert caught.value.position == "  \n z\r\n + foo".index("foo")


def test_a_long_text_is_cut_around_the_fault() -> None:
    text = " + ".join(["z"] * 300) + " + foo + " + " + ".join(["z"] * 300)
    with pytest.raises(ParseError) as caught:
        read(text)
    _, excerpt, caret = str(caught.value).split("\n")
    assert len(excerpt) == 62
    assert excerpt[len(caret) - 1 :].startswith("foo")


_PIECES = [*"z0123456789.+-*/()^, =", "**", "z1", "xi", "pi", "E", "1e300", "0.1", "He(3,", "He2(", "sin("]
_PIECES += ["exp(", "max(", "relu(", "log(", "sqrt(", "abs(", "sign(", "step(", "leaky_relu(", "__", "import"]
_PIECES += ["lambda", "for", "'", '"', "[", "]", "{", ":", "\n", "\t", "\x00", "\\", "é", "#", "@"]


@pytest.mark.slow
@given(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join) | st.text(max_size=40))
@settings(max_examples=400, deadline=2000)
def test_random_text_gives_an_expression_or_one_of_our_errors(text: str) -> None:
    for kind in (Activation, Target):
        message = ""
        try:
            kind(text)
        except HermiteAnalyticsError as error:
            message = str(error)
        assert message.count("\n") <= 2


_leaves = st.sampled_from(["z", "1", "2", "0.25", "pi", "E", "-3", "10"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    names = [
        "sin",
        "cos",
        "exp",
        "tanh",
        "erf",
        "relu",
        "abs",
        "sign",
        "step",
        "Phi",
        "gelu",
        "softplus",
        "cosh",
    ]
    return (
        st.tuples(st.sampled_from(names), inner).map(lambda p: f"{p[0]}({p[1]})")
        | pairs.map(lambda p: f"({p[0]} + {p[1]})")
        | pairs.map(lambda p: f"({p[0]})*({p[1]})")
        | pairs.map(lambda p: f"({p[0]})/({p[1]})")
        | pairs.map(lambda p: f"({p[0]})**({p[1]})")
        | pairs.map(lambda p: f"max({p[0]}, {p[1]})")
        | st.tuples(st.integers(0, 9), inner).map(lambda p: f"He({p[0]}, {p[1]})")
    )


@pytest.mark.slow
@given(st.recursive(_leaves, _grown, max_leaves=8))
@settings(max_examples=250, deadline=3000)
def test_what_is_printed_is_read_back(text: str) -> None:
    try:
        expr = read(text)
        printed = read(str(expr))
    except InputError:
        return
    if printed == expr:
        return
    function, again = (reference_function(e, (z,)) for e in (expr, printed))
    with mpmath.workdps(30):
        for x in (mpmath.mpf("-0.7"), mpmath.mpf("0.4")):
            try:
                first = function(x)
            except ArithmeticError:
                continue
            assert mpmath.almosteq(first, again(x), 1e-20, 1e-20)


def test_answers_only_functions_are_not_input() -> None:
    for name in ("OwenT", "Phi2", "Piecewise", "gamma", "Symbol", "Integral"):
        with pytest.raises(ParseError, match="unknown function"):
            read(f"{name}(z, 1)")
    assert own.OwenT(z, 1).has(own.Phi)


def test_words_with_a_meaning_are_no_parameters() -> None:
    k = sympy.Symbol("k", real=True)
    parsed = parse("pi*k + E", expectation_names, accepted="names", is_constant=is_parameter)
    assert parsed == sympy.pi * k + sympy.E
    for name, complaint in (("nan", "unknown name"), ("inf", "unknown name"), ("sin", "is a function")):
        with pytest.raises(ParseError, match=complaint):
            parse(f"{name} + k", expectation_names, accepted="names", is_constant=is_parameter)
