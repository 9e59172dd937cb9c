"""What the readers of judges' replies share: comparing, taking off wrappings, finding labels, bullets and JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

# The combining classes of accents above, below and through letters. Lower ones belong to the letters of their scripts.
FIRST_ACCENT_CLASS = 200
# Prose with very many brackets is no JSON, and each bracket costs a look at what follows.
MOST_JSON_STARTS = 100
# Nor is a text with very many labels a result, and each may cost a look at what follows.
MOST_LABELS = 100

_WRAPPINGS = (("**", "**"), ("__", "__"), ("*", "*"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"))
_FENCE = re.compile(r"^[ \t]*```[\w+-]*[ \t]*$", re.MULTILINE)
_FENCED = re.compile(r"```[\w+-]*+(.*?)```", re.DOTALL)
_BULLET = re.compile(r"^([ \t]*)(?:[-•–—·](?!-)[ \t]*|\*(?:[ \t]+|$)|\d{1,3}[.)](?:[ \t]+|$))(.*)$")
_BEHIND_A_NAME = re.compile(r"\s*[(|:=~→]|\s+[-–—]")
_DECODER = json.JSONDecoder()


class Unreadable(Exception):
    """A reply does not have the form that was asked for. The text tells the model what is wrong."""

    # Whether it is of no use to ask again.
    is_final = False


class Labelled(NamedTuple):
    """A label at the start of a line: where its line starts, what stands behind it there, and where that ends."""

    start: int
    inline: str
    end: int


def fold(text: str) -> str:
    """The text as it is compared: without case, accents, curly quotes, or points and spaces around it."""
    plain = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    letters = unicodedata.normalize("NFKD", plain).casefold()
    letters = "".join(c for c in letters if unicodedata.combining(c) < FIRST_ACCENT_CLASS)
    words = " ".join(letters.split())
    return words.strip(" .,;:") or words


def unique(entries: Iterable[str]) -> tuple[str, ...]:
    """The entries without those that differ from an earlier one in no more than `fold` takes away."""
    found: dict[str, str] = {}
    for entry in entries:
        found.setdefault(fold(entry), entry)
    return tuple(found.values())


def find_entry(text: str, entries: Sequence[str]) -> str | None:
    """The entry that the text names: it is that entry, or that entry followed by a remark."""
    name = fold(bare(text))
    for entry in entries:
        if fold(bare(entry)) == name:
            return entry
    for entry in sorted(entries, key=len, reverse=True):
        key = fold(bare(entry))
        if key and name.startswith(key) and _BEHIND_A_NAME.match(name[len(key) :]):
            return entry
    return None


def bare(text: str) -> str:
    """The text without spaces, quotes, markers of bold or code, and angle brackets around it."""
    before = None
    while text != before:
        before = text
        text = text.strip()
        for left, right in (*_WRAPPINGS, ("<", ">")):
            inner = text[len(left) : -len(right)]
            if text.startswith(left) and text.endswith(right) and inner and left not in inner:
                text = inner
                break
    return text


def without_fences(text: str) -> str:
    """The text with \\n between lines, without the lines that open or close a code block, and markers of bold."""
    return _FENCE.sub("", text.replace("\r\n", "\n").replace("**", ""))


def short(value: object) -> str:
    """The value as it can be quoted in one sentence."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = " ".join(str(value).split())
    return f"“{text[:60]}…”" if len(text) > 60 else f"“{text}”"


def labelled(text: str, label: str) -> list[Labelled]:
    """All places where the label, a regular expression, starts a line and has a colon behind it."""
    pattern = re.compile(
        rf"^[ \t\-*#>_`]*+(?:{label})[ \t]*+(?:\([^)\n]{{0,40}}\))?[ \t*_`]*+[:：=][ \t*_]*+(.*)$",
        re.MULTILINE | re.IGNORECASE,
    )
    places = [Labelled(match.start(), match.group(1).strip(), match.end()) for match in pattern.finditer(text)]
    if len(places) > MOST_LABELS:
        raise Unreadable(f"it has {len(places)} labels of one kind")
    return places


def lines_after(text: str, start: int) -> Iterator[str]:
    """The lines that are not blank, from a place on; those that nobody wants are not looked for."""
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        if line.strip():
            yield line
        start = end + 1


def bullet_blocks(text: str) -> list[list[str]]:
    """The lists in a text: runs of bullets or numbers. What is indented below an entry is a remark about it."""
    return list(_blocks(lines_after(text, 0)))


def first_block(text: str, start: int) -> list[str]:
    """The first list after a place."""
    return next(_blocks(lines_after(text, start)), [])


def _blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    block: list[str] = []
    indent = 0
    for line in lines:
        match = _BULLET.match(line)
        depth = len(line) - len(line.lstrip())
        if block and depth > indent + 1:
            continue
        if match is not None:
            indent = indent if block else depth
            block.append(match.group(2))
        elif block:
            yield block
            block = []
    if block:
        yield block


def is_bullet(line: str) -> bool:
    """Whether the line is an entry of a list."""
    return _BULLET.match(line) is not None


def whole_json(text: str) -> list[Any]:
    """The whole text as JSON, or each code block that is JSON."""
    values = []
    for part in (text, *(match.group(1) for match in _FENCED.finditer(text))):
        try:
            values.append(json.loads(part))
        except (ValueError, RecursionError):
            continue
    return values


def embedded_json(text: str) -> Iterator[Any]:
    """The JSON objects among words; and lists, where they start a line or follow a colon: "[1]" may be a footnote."""
    position = 0
    for _ in range(MOST_JSON_STARTS):
        starts = [place for place in (text.find("{", position), text.find("[", position)) if place >= 0]
        if not starts:
            return
        position = min(starts)
        before = text[:position].rpartition("\n")[2].rstrip()
        # A list behind `"name":` is part of an object that is broken.
        stands_apart = not before or (before.endswith((":", "：")) and not before.endswith('":'))
        if text[position] == "{" or stands_apart:
            try:
                value, position = _DECODER.raw_decode(text, position)
                yield value
                continue
            except (ValueError, RecursionError):
                pass
        position += 1
