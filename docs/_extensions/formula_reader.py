"""Formulas as they are typed, `mu2^2 = E sigma^2 - (E sigma)^2`, read term by term into LaTeX."""

from __future__ import annotations

import re

from formula_words import (
    CLOSED_BY,
    FUNCTIONS,
    GREEK,
    INDEX,
    INDEX_WORDS,
    NAMES,
    NUMBER,
    OPERATOR,
    OPERATORS,
    PRODUCT,
    SEPARATOR,
    SPACE,
    SYMBOLS,
    TEX,
    VARIABLES,
    WORD,
    NotMathematics,
    bare,
    end,
    numeral,
    scripts,
)


class Reader:
    """Reads one formula from a place in a text; `place` is then where it ends.

    With `rows` the text is known to be a formula: words like `sum` and `max` need no argument, quotients are
    set as fractions.
    """

    def __init__(self, text: str, place: int, *, rows: bool = False) -> None:
        self.text, self.place, self.rows = text, place, rows
        self.letters = 0

    def at(self, offset: int = 0) -> str:
        """The sign at the place, a blank beyond the ends."""
        place = self.place + offset
        return self.text[place] if 0 <= place < len(self.text) else " "

    def rest(self) -> str:
        return self.text[self.place :]

    def formula(self, closing: str = "") -> str:
        """Terms and operators up to a closing sign, or to the end of what is mathematics."""
        parts: list[tuple[str, str]] = []
        while True:
            kept = self.place, self.letters
            try:
                part = self._next(parts, closing)
            except NotMathematics:
                part = None
            if part is None:
                self.place, self.letters = kept
                return " ".join(f"{before} {term}".strip() for before, term in parts)
            parts.append(part)

    def _next(self, parts: list[tuple[str, str]], closing: str) -> tuple[str, str] | None:
        start = self.place
        self.place = end(SPACE, self.text, start)
        spaced = self.place > start
        if self.at() in closing:
            return None
        operator = OPERATOR.match(self.text, self.place)
        if operator and not (operator[0] == "<" and self._angle()):
            return self._operation(operator[0], parts, spaced, closing)
        if closing and (separator := SEPARATOR.match(self.text, self.place)):
            return self._separated(separator)
        if closing == "]" and self.at() == "|" and not self._encloses():
            self.place += 1
            return r"\mid", ""
        if closing and re.match(r"\.[,\])]", self.rest()):
            self.place += 1
            return r"\cdot", ""
        if (
            parts
            and spaced
            and not (closing or self.rows)
            and re.match(r"\d(?! [a-z](?![a-z]))", self.rest())
        ):
            return None  # `beta 0.5`: a number that follows is another thing
        if parts and not (spaced or not parts[-1][1] or parts[-1][1].isdigit() or self.at() in "(|"):
            return None
        return "", self.term(bound=bool(closing))

    def _separated(self, separator: re.Match[str]) -> tuple[str, str]:
        self.place = separator.end()
        sign = separator[0]
        if sign[0].isalpha():
            return rf"\text{{ {sign} }}", ""
        return {"..": r"\ldots", "...": r"\ldots", "|": r"\mid"}.get(sign, sign), ""

    def _operation(
        self, sign: str, parts: list[tuple[str, str]], spaced: bool, closing: str
    ) -> tuple[str, str]:
        self.place += len(sign)
        if not parts and sign not in "+-~" and not closing and not self.rows:
            raise NotMathematics
        if sign == "*" and spaced != (self.at() in " \n"):
            raise NotMathematics
        self.place = end(SPACE, self.text, self.place)
        if closing and (self.at() in closing or self.at() == ",") and sign in "+-":
            return OPERATORS[sign], ""
        if not parts and (sign == "~" or not closing) and self.at().isdigit() and not self.rows:
            raise NotMathematics
        before = OPERATORS[sign]
        if sign not in "+-/*" and (second := re.match(r"\+-|[+-]", self.rest())):
            before += f" {OPERATORS[second[0]]}"
            self.place += second.end()
        begins = self.place
        term = self.term(bound=True)
        if sign == "/" and self.rows and parts and parts[-1][1] and not self._ambiguous(parts[-1][1], begins):
            earlier, over = parts.pop()
            return earlier, rf"\frac{{{bare(over)}}}{{{bare(term)}}}"
        return before, term

    def _ambiguous(self, over: str, begins: int) -> bool:
        """`1/2 pi` is 1/(2 pi) to some and pi/2 to others, `x/E f` goes on: they stay as they were typed."""
        if re.match(r"(E|sum|int|prod|min|max)(?![a-zA-Z(\[])", self.text[begins:]):
            return True
        return over.isdigit() and self.text[begins] != "(" and re.match(r" [A-Za-z]", self.rest()) is not None

    def term(self, *, bound: bool = False) -> str:
        """A name, a number or a group, with indices and arguments; `bound` by an operator before."""
        if self.at() in CLOSED_BY:
            base = self._group()
        elif self.at() == "|":
            base = self._between("||" if self.rest().startswith("||") else "|")
        elif self.at() == "<" and self._angle():
            self.place += 1
            inner = self.formula(">")
            self._expect(">")
            large = r"\frac" in inner
            base = rf"\left\langle {inner} \right\rangle" if large else rf"\langle {inner} \rangle"
        elif number := NUMBER.match(self.text, self.place):
            self.place = number.end()
            if self.at().isalpha() and not re.match(r"(pi|[a-zA-Z])(?![a-zA-Z])", self.rest()):
                raise NotMathematics
            base = numeral(number[0])
        else:
            base = self._name(bound)
        return self._with_arguments(self._indexed(base))

    def _angle(self) -> bool:
        return (
            re.match(r"<[^ <>=][^<>=\n]{0,40}?[^ <>=-]>", self.rest()) is not None
            and self.at(-1) in " ([-|\n_"
        )

    def _encloses(self) -> bool:
        """Whether the bar here is the first of two."""
        kept = self.place, self.letters
        try:
            self._between("|")
        except NotMathematics:
            return False
        finally:
            self.place, self.letters = kept
        return True

    def _expect(self, sign: str) -> None:
        if not self.rest().startswith(sign):
            raise NotMathematics
        self.place += len(sign)

    def _group(self) -> str:
        opening = self.at()
        self.place += 1
        inner = self.formula(CLOSED_BY[opening])
        self.place = end(SPACE, self.text, self.place)
        if not inner:
            raise NotMathematics
        self._expect(CLOSED_BY[opening])
        left, right = {"(": "()", "[": "[]", "{": (r"\lbrace ", r" \rbrace")}[opening]
        return (
            rf"\left{left}{inner}\right{right}"
            if r"\frac" in inner and opening != "{"
            else f"{left}{inner}{right}"
        )

    def _between(self, bar: str) -> str:
        self.place += len(bar)
        if self.at() in " |\n":
            raise NotMathematics
        inner = self.formula("|")
        if not inner or self.at(-1) == " ":
            raise NotMathematics
        self._expect(bar)
        return rf"\lVert {inner} \rVert" if bar == "||" else rf"\lvert {inner} \rvert"

    def _name(self, bound: bool) -> str:
        found = WORD.match(self.text, self.place)
        if found is None:
            raise NotMathematics
        word = found[0]
        self.place = found.end()
        self.letters += 1
        if len(word) == 1:
            return self._letter(word, bound)
        if word == "sqrt":
            return self._root()
        if word == "infinity" and not (bound or self.rows):
            raise NotMathematics
        if word in SYMBOLS:
            return SYMBOLS[word]
        if word in GREEK:
            return "\\" + word
        if re.fullmatch(r"d[a-zA-Z]", word) and (self.rows or bound or self.rest().startswith("/d")):
            return rf"\mathrm{{d}}{word[1]}"
        if word in VARIABLES and (bound or self.rows or self.at() in "(_^"):
            return rf"\mathrm{{{word}}}"
        return self._function(word)

    def _letter(self, letter: str, bound: bool) -> str:
        after = self.at()
        if letter == "E" and (after in "[_|" or re.match(r" [a-zA-Z(|\[]", self.rest())):
            return r"\mathbb{E}"
        if letter in "PN" and after == "(":
            return r"\mathbb{P}" if letter == "P" else r"\mathcal{N}"
        if letter in "aAI" and not (bound or self.rows):  # words too
            index = after in "_^'()]}|" or after.isdigit() or re.match(r"[/*.,-][A-Za-z(]|\.\.", self.rest())
            if not index and not re.match(r" (<=|>=|!=|[=<>~+]|- )", self.rest()):
                raise NotMathematics
        return letter

    def _root(self) -> str:
        if self.at() == " ":
            self.place += 1
        if self.at() == "(":
            return rf"\sqrt{{{bare(self._group())}}}"
        if number := NUMBER.match(self.text, self.place):
            self.place = number.end()
            return rf"\sqrt{{{number[0]}}}"
        return rf"\sqrt{{{self._indexed(self._name(bound=True))}}}"

    def _function(self, word: str) -> str:
        after = self.at()
        if word in NAMES:
            known = after in "(_^" or (self.rows and word in TEX and not self.rest().startswith(" over"))
        else:
            known = word in FUNCTIONS and (after in "(_^" or re.match(r" [\w(]", self.rest()) is not None)
        if not known:
            raise NotMathematics
        if word in ("abs", "norm"):
            side = "vert" if word == "abs" else "Vert"
            return rf"\l{side} {bare(self._group())} \r{side}"
        return TEX.get(word) or rf"\operatorname{{{word}}}"

    def _with_arguments(self, base: str) -> str:
        while self.at() in ("(", "[") or (base == "1" and self.at() == "{"):
            argument = self._tried(self._group)
            if not argument:
                break
            base = self._indexed(base + argument)
        if PRODUCT.match(self.text, self.place):
            return self._joined(base, ".", r"{} \cdot {}")
        if re.match(r"\.\.[A-Za-z]", self.rest()):
            return self._joined(base, "..", r"{}, \ldots, {}")
        word = re.match(r"-([A-Za-z]{2,})", self.rest())  # `z-coordinates`
        if word and word[1] not in GREEK | FUNCTIONS:
            raise NotMathematics
        return base

    def _joined(self, base: str, sign: str, form: str) -> str:
        def second() -> str:
            self.place += len(sign)
            return self.term(bound=True)

        other = self._tried(second)
        return form.format(base, other) if other else base

    def _tried(self, read: object) -> str:
        kept = self.place, self.letters
        try:
            return str(read())  # type: ignore[operator]
        except NotMathematics:
            self.place, self.letters = kept
            return ""

    def _indexed(self, base: str) -> str:
        lower: list[str] = []
        upper: list[str] = []
        digits = re.match(r"\d+", self.rest())
        if digits and re.search(r"[A-Za-z}]$", base):
            lower.append(digits[0])
            self.place += digits.end()
        while True:
            rest = self.rest()
            if re.match(r"\^[ \n)=,.;:^_\]]", rest):
                self.place += 1
                base = rf"\hat{{{base}}}"
            elif re.match(r"~[ ,)^_\]]", rest) and self.at(-1) != " ":
                self.place += 1
                base = rf"\tilde{{{base}}}"
            elif re.match(r"[_^][^ \n]", rest):
                self.place += 1
                (lower if rest[0] == "_" else upper).append(self._script())
            elif mark := re.match(r"'+(?![a-z])|\*(?![\w(*])", rest):
                if mark[0] == "*" and not re.search(r"[A-Za-z}]$", base):
                    break
                self.place += mark.end()
                upper.append(r"\prime " * mark.end() if mark[0] != "*" else "*")
            elif re.match(r"!(?!=)", rest):
                self.place += 1
                base, lower, upper = f"{base}{scripts(lower, upper)}!", [], []
            else:
                return base + scripts(lower, upper)

    def _script(self) -> str:
        if self.at() in "({":
            self.rows, rows = False, self.rows  # no fractions in small print
            group = self._group()
            self.rows = rows
            if group.startswith("("):
                return group if "," in group else bare(group)
            return re.sub(r"^\\lbrace | \\rbrace$", "", group)
        if self.at() == "|":
            return self._between("|")
        found = INDEX.match(self.text, self.place)
        if found is None:
            raise NotMathematics
        self.place = found.end()
        word = found[0]
        if word.startswith("-") and word[1:] in GREEK:
            return f"-\\{word[1:]}"
        if word in GREEK or word in ("perp", "infinity"):
            return SYMBOLS.get(word, "\\" + word)
        letters = re.sub(r"\d", "", word)
        if word == "inf":
            return r"\infty"
        if word in VARIABLES and self.at(-len(word) - 1) == "^":
            return rf"\mathrm{{{word}}}"
        if len(letters) > 2 and letters not in INDEX_WORDS:  # mu2_squared is a name of the code
            raise NotMathematics
        return rf"\mathrm{{{word}}}" if len(letters) > 2 else word
