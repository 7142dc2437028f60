"""The text of an expression, before it is read: characters, length, parentheses, products without a sign."""

from __future__ import annotations

import re
import unicodedata

from hermite_analytics.errors import ParseError
from hermite_analytics.language.hints import missing_operator

__all__ = ["MAX_LENGTH", "MAX_NESTING", "callable_refusal", "check_text", "syntax_error"]

MAX_LENGTH = 4000
MAX_NESTING = 60

# quotes, colons and brackets pass: the syntax tree names the construct that they belong to
_CHARACTERS = re.compile(r"""[A-Za-z0-9_.,+\-*/^()=:'"\[\]{} \t\r\n]*""")
_INSTEAD = {
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "÷": "/",
    "²": "**2",
    "³": "**3",
    "π": "pi",
    "√": "sqrt",
    "∗": "*",
    "⋅": "*",
    "Φ": "Phi",
    "φ": "phi",
    "ϕ": "phi",
    "ξ": "xi",
    "|": "abs(x) for |x|",
    ">": "step(x) for x > 0",
    "<": "step(-x) for x < 0",
}
_MISSING_PRODUCT = re.compile(
    r"(?<![A-Za-z0-9_.])((?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+)\s*+([A-Za-z]\w*|\()"
)


def callable_refusal(given: object, example: str) -> str:
    """What to say where a Python function is given in place of an expression."""
    name = getattr(given, "__name__", type(given).__name__)
    return f"the Python function {name} is given: write what it computes, {example}"


def check_text(text: str) -> None:
    """Refuse what cannot be an expression of the language, whatever its names.

    Raises
    ------
    ParseError
        With the position of the fault.
    """
    if callable(text):
        raise ParseError(callable_refusal(text, 'as text, for example "tanh(z1*z2) + z1**2" or "relu(z)"'))
    if not isinstance(text, str):
        raise ParseError(
            f"{' '.join(repr(text).split()):.40} of type {type(text).__name__} is given: an expression is "
            'text, as "tanh(z1)", or one of sympy; a target is also a numpy array of Hermite coefficients'
        )
    if not text.strip():
        raise ParseError("the expression is empty; accepted: an activation, as tanh(z), a target, as z1*z2")
    if len(text) > MAX_LENGTH:
        raise ParseError(f"the expression has {len(text)} characters; at most {MAX_LENGTH} are accepted")
    _check_characters(text)
    _check_nesting(text)
    _check_products(text)


def _check_characters(text: str) -> None:
    accepted = _CHARACTERS.match(text)
    end = 0 if accepted is None else accepted.end()
    if end == len(text):
        return
    character = text[end]
    shown = repr(character) if character.isprintable() else f"U+{ord(character):04X}"
    plain = _INSTEAD.get(character) or unicodedata.normalize("NFKC", character)
    usable = character in _INSTEAD or (plain != character and _CHARACTERS.fullmatch(plain))
    hint = f"write {plain}" if usable else "use letters, digits and + - * / ** ( ) ,"
    raise ParseError(f"the character {shown} is not part of the language; {hint}", text, end)


def _check_products(text: str) -> None:
    match = _MISSING_PRODUCT.search(text)
    if match:
        number, factor = match[1][:20], match[2][:20]
        raise ParseError(
            f"a product needs its sign: write {number}*{factor}, not {number}{factor}", text, match.start(2)
        )


def _check_nesting(text: str) -> None:
    opened: list[int] = []
    for position, character in enumerate(text):
        if character == "(":
            opened.append(position)
            if len(opened) > MAX_NESTING:
                raise ParseError(f"more than {MAX_NESTING} nested parentheses", text, position)
        elif character == ")":
            if not opened:
                raise ParseError("a closing parenthesis has no opening one", text, position)
            opened.pop()
    if opened:
        raise ParseError("an opening parenthesis is never closed", text, opened[-1])


def syntax_error(error: SyntaxError, text: str, offset: int) -> ParseError:
    """What Python's grammar refuses, in the words of the language."""
    position = offset + max((error.offset or 1) - 1, 0)
    hint = "this is not an expression of the form used here"
    missing = missing_operator(text)
    if "=" in text:
        hint, position = "give the expression alone, without an equals sign", text.index("=")
    elif missing is not None:
        return ParseError(missing[0], text, missing[1])
    elif text.rstrip()[-1:] in tuple("+-*/"):
        hint, position = "the expression ends with an operator", len(text.rstrip()) - 1
    return ParseError(f"{hint}; operators are + - * / **", text, min(position, max(len(text) - 1, 0)))
