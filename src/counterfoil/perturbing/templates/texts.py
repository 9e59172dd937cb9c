"""The texts of templates: plain words with {markers}."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_MARKUP = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]")


class Text(NamedTuple):
    """Words and markers in turn: always one more of the words."""

    words: tuple[str, ...]
    markers: tuple[str, ...]

    def render(self, printed: Mapping[str, str]) -> str:
        """The text with each marker replaced."""
        pieces = [self.words[0]]
        for marker, words in zip(self.markers, self.words[1:], strict=True):
            pieces += (printed[marker], words)
        return "".join(pieces)


def parse_text(source: str) -> Text:
    """{name} is a marker, {{ and }} are braces; ValueError for any other brace."""
    words, markers, start = [""], [], 0
    for match in _MARKUP.finditer(source):
        words[-1] += source[start : match.start()]
        start = match.end()
        if match[1] is not None:
            markers.append(match[1])
            words.append("")
        elif len(match[0]) == 2:
            words[-1] += match[0][0]
        else:
            raise ValueError(f"the brace at character {match.start() + 1} belongs to no {{name}}")
    words[-1] += source[start:]
    return Text(tuple(words), tuple(markers))


def escaped(words: str) -> str:
    """Words as the source of a text that has them as they are."""
    return words.replace("{", "{{").replace("}", "}}")
