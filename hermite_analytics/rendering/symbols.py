"""Letters of records as LaTeX: α₀ is \\alpha_{0}."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["latex_of_symbol", "latex_of_words"]

_SPECIAL = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}"}
_SPECIAL |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}


def latex_of_symbol(symbol: str) -> str:
    """A letter, Greek or Latin, with its subscript.

    Examples
    --------
    >>> print(latex_of_symbol("α₀"), latex_of_symbol("Δ"), latex_of_symbol("n"))
    \\alpha_{0} \\Delta n
    """
    found = ""
    for letter in symbol:
        name = unicodedata.name(letter, "")
        greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name)
        if greek is not None:
            word = greek[2].lower().replace("lamda", "lambda")
            found += "\\" + (word if greek[1] == "SMALL" else word.capitalize())
        elif name.startswith("SUBSCRIPT "):
            found += f"_{{{unicodedata.digit(letter)}}}"
        else:
            found += letter
    return found


def latex_of_words(text: str) -> str:
    """Words with the characters that LaTeX gives a meaning made harmless.

    Examples
    --------
    >>> print(latex_of_words("time_ended, 5 %"))
    time\\_ended, 5 \\%
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)
