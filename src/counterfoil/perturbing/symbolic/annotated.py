"""Published templates in parts: the text with its marks, and the lines of `#init`, `#conditions` and `#answer`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from counterfoil.perturbing.symbolic.syntax import Unexpressed

NO_SECTION = "its annotation has no text, no #init or no #answer"
_SECTION = re.compile(r"^[ \t]*#[ \t]*(init|conditions?|answer)\b[ \t]*:?", re.MULTILINE | re.IGNORECASE)
_MARK = re.compile(r"\{\s*([A-Za-z_]\w*)\s*(?:,([^{}]*))?\}")
_LINE = re.compile(r"((?:\$?\s*[A-Za-z_]\w*\s*,\s*)*\$?\s*[A-Za-z_]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)
_EXPRESSION = re.compile(r"\{([^{}]+)\}")
_GOLD = re.compile(r"####\s*\$?(-?[\d,]*\.?\d+)")
_BEGINNING = re.compile(r"(?:^|[.!?:]['\"”’)]*\s+|[\"“]\s*)$")
_ARTICLE = re.compile(r"(?:^|(?<=\W))([Aa])n? $")


class Mark(NamedTuple):
    """A place in the text for a variable, with what the original has there."""

    name: str
    original: str
    # It begins a sentence; an article stands before it, `a` or `A`; it is followed by the s of a plural.
    first: bool
    article: str
    plural: bool


class Assignment(NamedTuple):
    """A line of `#init`: one variable or several, and what they are drawn from."""

    names: tuple[str, ...]
    # Those that are marked as numbers.
    numbers: frozenset[str]
    source: str


class Annotated(NamedTuple):
    """A template as it is published."""

    # Words and marks in turn.
    text: tuple[str | Mark, ...]
    init: tuple[Assignment, ...]
    conditions: tuple[str, ...]
    answer: str

    @property
    def marks(self) -> list[Mark]:
        return [part for part in self.text if isinstance(part, Mark)]


def annotated(source: str) -> Annotated:
    """The parts of `question_annotated`."""
    heads = list(_SECTION.finditer(source))
    ends = [*(head.start() for head in heads[1:]), len(source)]
    sections = {head[1].lower()[:4]: source[head.end() : end] for head, end in zip(heads, ends, strict=True)}
    text = source[: heads[0].start()].strip() if heads else ""
    answer = " ".join(line.strip() for line in _lines(sections.get("answ", "")))
    if not text or "init" not in sections or not answer:
        raise Unexpressed(NO_SECTION)
    init = tuple(_assignment(line) for line in _lines(sections["init"]))
    return Annotated(tuple(_parts(text)), init, tuple(_lines(sections.get("cond", ""))), answer)


def _lines(section: str) -> list[str]:
    """The items of a section, without their dashes; a line with an open bracket before it goes on with that one."""
    found: list[str] = []
    for raw in section.splitlines():
        line = re.sub(r"^\s*[-–•]\s+|^\s*-(?=[$A-Za-z(])", "", raw).strip()
        if not line:
            continue
        if found and sum(found[-1].count(sign) for sign in "([") > sum(found[-1].count(sign) for sign in ")]"):
            found[-1] += f" {line}"
        else:
            found.append(line)
    return found


def _assignment(line: str) -> Assignment:
    match = _LINE.fullmatch(line)
    if match is None:
        raise Unexpressed("a line of #init that assigns nothing", line[:80])
    names = [name.strip() for name in match[1].split(",")]
    numbers = frozenset(name.lstrip("$ ") for name in names if name.startswith("$"))
    # One $ before several names is for all of them.
    bare = tuple(name.lstrip("$ ") for name in names)
    return Assignment(bare, frozenset(bare) if bare[0] in numbers else numbers, match[2].strip())


def _parts(text: str) -> Iterator[str | Mark]:
    """Words and marks. Articles and the s of plurals belong to the marks of what they stand by."""
    end = 0
    for match in _MARK.finditer(text):
        before = text[end : match.start()]
        whole = text[: match.start()]
        article = _ARTICLE.search(before)
        if article is not None and (match[2] or "").strip()[:1].isalpha():
            before = before[: article.start()]
            whole = whole[: len(whole) - (match.start() - end - len(before))]
        else:
            article = None
        plural = re.match(r"s(?![\w'’])", text[match.end() :]) is not None
        if before:
            yield before
        end = match.end() + plural
        yield Mark(
            match[1], (match[2] or "").strip(), bool(_BEGINNING.search(whole)), article[1] if article else "", plural
        )
    if text[end:]:
        yield text[end:]


def expressions_in(text: str) -> list[str]:
    """The expressions in an annotated answer, from the first to the last."""
    return [match[1].strip() for match in _EXPRESSION.finditer(text)]


def last_expression(text: str) -> str | None:
    """What an annotated answer gives behind its last ####."""
    _, sign, end = text.rpartition("####")
    found = expressions_in(end)
    return found[-1] if sign and len(found) == 1 and end.strip() == f"{{{end.strip()[1:-1]}}}" else None


def gold_of(answer: str) -> str | None:
    """The number behind the #### of a solution, without separators."""
    found = _GOLD.findall(answer)
    return found[-1].replace(",", "") if found else None
