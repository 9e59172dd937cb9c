"""From the text of an expression to its tokens. Everything outside the language's alphabet is refused here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from counterfoil.perturbing.expressions.tree import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 4_000
_MOST_DIGITS = 60
_MOST_EXPONENT = 60

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE](?P<exponent>[+-]?[0-9]+))?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^()<>,\[\]])"
)
_REFUSED = {
    ".": "there is no attribute access in this language",
    "=": "there is no assignment in this language (equality is ==)",
    '"': "there are no strings in this language",
    "'": "there are no strings in this language",
}
_WORDS = frozenset({"and", "or", "not"})


class Token(NamedTuple):
    """`kind` is "number", "name", "sign" (also and, or, not) or "end". Positions count from 0."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(source: str) -> Iterator[Token]:
    """The tokens, the last of kind "end", one by one: the parser sees what is wrong before it first."""
    if len(source) > _LONGEST:
        raise ExpressionError(
            f"the expression is too long ({len(source):,} characters, not {_LONGEST:,})", _LONGEST + 1
        )
    position = 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            character = source[position]
            raise ExpressionError(_REFUSED.get(character, f"unexpected {character!a}"), position + 1)
        kind, text = str(match.lastgroup), match.group()
        if match["number"]:
            kind = "number"
            _check_number(match["digits"], match["exponent"] or "0", position)
        elif text in _WORDS:
            kind = "sign"
        if kind != "space":
            yield Token(kind, text.replace("**", "^"), position, match.end())
        position = match.end()
    yield Token("end", "", len(source), len(source))


def _check_number(digits: str, exponent: str, position: int) -> None:
    if len(digits.replace(".", "")) > _MOST_DIGITS:
        raise ExpressionError(f"a number of more than {_MOST_DIGITS} digits", position + 1)
    # Its length first: to read a number of many digits takes long.
    if len(exponent.lstrip("+-0")) > 2 or abs(int(exponent)) > _MOST_EXPONENT:
        raise ExpressionError(f"a number beyond 10^{_MOST_EXPONENT} or 10^-{_MOST_EXPONENT}", position + 1)
