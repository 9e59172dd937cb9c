"""Readers of judges' replies: a score, a list, a verdict, ratings; each from its strict text format or from JSON.

Quotes, code blocks and bold type around a result don't matter. Everything else raises Unreadable: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from counterfoil.judging.text import (
    Labelled,
    Unreadable,
    bare,
    bullet_blocks,
    embedded_json,
    find_entry,
    first_block,
    fold,
    is_bullet,
    labelled,
    lines_after,
    short,
    unique,
    whole_json,
    without_fences,
)

T = TypeVar("T")

_NUMBER = re.compile(r"([-+]?\d{1,9}(?:\.\d{1,9})?)[*_ ]*(?:(?:/|out of) ?100)?\.?(?: ?\([^()\d]*\))?")
_SCORE = r"(?:final |overall |confusion )?score"
_SCORE_AT_THE_END = re.compile(r"\bscore[ \t*_]*[:：=]([^:：=\n]*)$", re.IGNORECASE)
_VERDICT = re.compile(r"(yes|no|true|false)(?:[.,;:!(–—].*|\s+[(–—-].*)?", re.IGNORECASE | re.DOTALL)
_DOTS = re.compile(r"[.…\s]*")
_PLACEHOLDER = re.compile(r"(?:alternative|answer|candidate) (?:\d+|n)(?: from list a\b.*)?", re.IGNORECASE)
_EMPTY_LIST = {fold(words) for words in ("none", "n/a", "no alternatives", "no intersection", "empty", "없음")}
_ENTRY_NAMES = ("mentioned", "answer", "alternative", "name", "text")


class Score(NamedTuple):
    """A number from 0 to 100, and why."""

    explanation: str
    score: float


class Verdict(NamedTuple):
    """One of a few words, and why."""

    word: str
    reason: str


def read_score(text: str) -> Score:
    """From "Explanation: …" and "Score: 42", or from {"explanation": …, "score": …}."""

    def from_json(value: Any) -> Score | None:
        fields = _fields(value)
        if "score" not in fields:
            return None
        explanation = fields.get("explanation")
        return Score(explanation if isinstance(explanation, str) else "", _number(fields["score"], "score"))

    def from_text(text: str) -> list[Score]:
        found = [place for place in labelled(text, _SCORE) if not place.inline.startswith("{")]
        explanation = _labelled_text(text, "explanation|reasoning", [place.start for place in found[:1]])
        values = [_first_line(text, place) for place in found]
        if not values:
            last = _SCORE_AT_THE_END.search(text.rstrip())
            values = [last.group(1)] if last else []
        if not values and _NUMBER.fullmatch(bare(text)):
            values = [text]
        return [Score(explanation, _number(value, "score")) for value in values]

    return _read(text, "score", from_json, from_text)


def read_list(text: str, label: str) -> tuple[str, ...]:
    """From the label with a bulleted list below it, from {label: […]}, or from a bare JSON list.

    Entries of JSON are texts, or objects with an "answer". A single "None" is the empty list.
    """

    def from_json(value: Any) -> tuple[str, ...] | None:
        if isinstance(value, list):
            return _entries(_json_entry(entry) for entry in value)
        fields = _fields(value)
        lists = [inner for inner in fields.values() if isinstance(inner, list)]
        if fold(label) in fields:
            inner = fields[fold(label)]
        elif len(lists) == 1:
            inner = lists[0]
        else:
            return None
        if isinstance(inner, str) and _says_none(inner):
            return ()
        if not isinstance(inner, list):
            raise Unreadable(f"{label} is {short(inner)}, which is no list")
        return _entries(_json_entry(entry) for entry in inner)

    def from_text(text: str) -> list[tuple[str, ...]]:
        places = labelled(text, re.escape(label))
        sections = [_section(text, place) for place in places]
        lists = [_entries(section) for section in sections if section is not None]
        if lists:
            return lists
        if any(not _first_line(text, place).startswith(("{", "[")) for place in places):
            raise Unreadable(f"there is no list with one entry per line, each after a hyphen, below “{label}:”")
        blocks = bullet_blocks(text)
        if len(blocks) > 1:
            raise Unreadable(f"there are {len(blocks)} lists, and none of them is below “{label}:”")
        if not blocks and _says_none(text):
            return [()]
        return [_entries(block) for block in blocks]

    return _read(text, label, from_json, from_text)


def read_verdict(text: str) -> bool:
    """From "Verdict: yes" or "Verdict: no", from {"verdict": …}, or from the bare word."""

    def verdict(value: Any, reason: Any) -> bool:
        if isinstance(value, bool):
            return value
        match = _VERDICT.fullmatch(bare(value)) if isinstance(value, str) else None
        if match is None:
            raise Unreadable(f"the verdict must be yes or no, and is {short(value)}")
        return match.group(1).lower() in ("yes", "true")

    return _read_verdict(text, verdict, bare_words=("yes", "no"))


def verdict_reader(words: Sequence[str]) -> Callable[[str], Verdict]:
    """Reads "Reason: …" and "Verdict: WORD", or {"reason": …, "verdict": WORD}."""
    pattern = re.compile(rf"({'|'.join(words)})(?:[.!]?|\s*[(:–—-].*)", re.IGNORECASE | re.DOTALL)

    def verdict(value: Any, reason: Any) -> Verdict:
        match = pattern.fullmatch(bare(value)) if isinstance(value, str) else None
        if match is None:
            raise Unreadable(f"the verdict must be {', '.join(words[:-1])} or {words[-1]}, and is {short(value)}")
        return Verdict(match.group(1).lower(), reason.strip() if isinstance(reason, str) else "")

    return lambda text: _read_verdict(text, verdict)


def _read_verdict(text: str, verdict: Callable[[Any, Any], T], bare_words: Sequence[str] = ()) -> T:
    """What `verdict` makes of the value and the reason. A reply may also be one of the bare words alone."""

    def from_json(value: Any) -> T | None:
        fields = _fields(value)
        return verdict(fields["verdict"], fields.get("reason")) if "verdict" in fields else None

    def from_text(text: str) -> list[T]:
        places = [place for place in labelled(text, "verdict") if not place.inline.startswith("{")]
        reason = " ".join(_labelled_text(text, "reason", [place.start for place in places]).split())
        values = [place.inline for place in places]
        if not values and (word := bare(text).strip(".!")).lower() in bare_words:
            values = [word]
        return [verdict(value, reason) for value in values]

    return _read(text, "verdict", from_json, from_text)


def read_ratings(text: str, items: Sequence[str], aspects: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Numbers from 0 to 100 for each aspect of each item.

    From lines such as "- item | aspect: 80 | aspect: 90", from {"ratings": [{"alternative": item, aspect: 80, …}]}, or
    from {item: {aspect: 80, …}}. All items must be rated; what is rated besides them is left out.
    """
    line = re.compile(
        "(.*)" + r"[|,;][ \t*_]*".join(rf"\b{aspect}[ \t*_]*[:=]([^|,;:=]*)" for aspect in aspects), re.IGNORECASE
    )

    def gather(rows: Iterable[tuple[str, Sequence[Any]]]) -> dict[str, tuple[float, ...]]:
        ratings: dict[str, tuple[float, ...]] = {}
        for name, values in rows:
            item = find_entry(bare(name), items)
            if item is None:
                continue
            rating = tuple(
                _number(value, f"{aspect} of {short(item)}") for aspect, value in zip(aspects, values, strict=True)
            )
            if ratings.setdefault(item, rating) != rating:
                raise Unreadable(f"{short(item)} is rated twice")
        missing = [item for item in items if item not in ratings]
        if missing:
            raise Unreadable(f"there is no rating of {short(missing[0])}")
        return ratings

    def from_json(value: Any) -> dict[str, tuple[float, ...]] | None:
        fields = _fields(value)
        rows: list[tuple[str, Sequence[Any]]] = []
        for name, rated in _named_objects(fields.get("ratings", value)):
            own = _fields(rated)
            if any(aspect in own for aspect in aspects):
                rows.append((name, [own.get(aspect) for aspect in aspects]))
        return gather(rows) if rows else None

    def from_text(text: str) -> list[dict[str, tuple[float, ...]]]:
        matches = [match for match in map(line.match, text.split("\n")) if match]
        rows = [(_without_bullet(match.group(1)), match.groups()[1:]) for match in matches]
        return [gather(rows)] if rows else []

    return _read(text, "ratings", from_json, from_text)


def _read(text: str, what: str, from_json: Callable[[Any], T | None], from_text: Callable[[str], Sequence[T]]) -> T:
    """The one result in a reply: strict JSON, else the strict text format, else JSON among other words."""
    if not text.strip():
        raise Unreadable("the reply is empty")
    plain = without_fences(text)
    ways: Sequence[Callable[[], Iterable[T | None]]] = (
        lambda: map(from_json, whole_json(text)),
        lambda: from_text(plain),
        lambda: map(from_json, embedded_json(plain)),
    )
    for way in ways:
        results = [result for result in way() if result is not None]
        if any(_without_explanation(result) != _without_explanation(results[0]) for result in results):
            raise Unreadable(f"it gives more than one {what}, and they differ")
        if results:
            return results[0]
    raise Unreadable(f"there is no {what} in it")


def _without_explanation(result: Any) -> Any:
    if isinstance(result, Verdict):
        return result.word
    return result.score if isinstance(result, Score) else result


def _fields(value: Any) -> Mapping[str, Any]:
    """The fields of a JSON object, their names without case; of anything else, none."""
    return {fold(name): inner for name, inner in value.items()} if isinstance(value, dict) else {}


def _number(value: Any, what: str) -> float:
    """A number from 0 to 100, also in quotes or with /100 behind it."""
    if isinstance(value, str):
        match = _NUMBER.fullmatch(bare(value))
        number: Any = float(match.group(1)) if match else None
    else:
        number = value
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 100:
        raise Unreadable(f"the {what} must be a number from 0 to 100, and is {short(value)}")
    return float(number)


def _labelled_text(text: str, label: str, ends: Iterable[int]) -> str:
    """The text after the first such label, up to the first of the ends after it, or to the end of the text."""
    for place in labelled(text, label):
        end = min((end for end in ends if end > place.start), default=len(text))
        return re.split("[:：=]", text[place.start : end], maxsplit=1)[1].strip(" \t\n*_")
    return ""


def _first_line(text: str, place: Labelled) -> str:
    """What stands behind a label, or else below it."""
    return place.inline or next(lines_after(text, place.end), "").strip()


def _section(text: str, place: Labelled) -> list[str] | None:
    """The entries that a label announces; None if what follows it is no list."""
    if place.inline:
        return [] if _says_none(place.inline) else None
    first = next(lines_after(text, place.end), None)
    if first is None:
        return []
    if is_bullet(first):
        return first_block(text, place.end)
    return [] if _says_none(first) else None


def _entries(raw: Iterable[str]) -> tuple[str, ...]:
    entries = [entry for entry in (bare(text) for text in raw) if not _DOTS.fullmatch(entry)]
    if any(_PLACEHOLDER.fullmatch(entry) for entry in entries):
        raise Unreadable("it repeats the output format instead of filling it in")
    if len(entries) == 1 and _says_none(entries[0]):
        return ()
    return unique(" ".join(entry.split()) for entry in entries)


def _json_entry(entry: Any) -> str:
    """An entry of a JSON list: a text, a number such as a year, or an object that names it."""
    if isinstance(entry, dict):
        fields = _fields(entry)
        entry = next((fields[name] for name in _ENTRY_NAMES if name in fields), None)
    if isinstance(entry, bool) or not isinstance(entry, str | int | float):
        raise Unreadable(f"the entry {short(entry)} is no text")
    return str(entry)


def _says_none(text: str) -> bool:
    return fold(bare(text).strip("()[]")) in _EMPTY_LIST


def _without_bullet(text: str) -> str:
    blocks = bullet_blocks(text)
    return (blocks[0][0] if blocks else text).strip("| \t").rstrip("|,;:–—- \t*_")


def _named_objects(value: Any) -> list[tuple[str, Any]]:
    """Names with their ratings: from a list of objects that each hold a name, from one of them, or from names."""
    if isinstance(value, list):
        return [pair for inner in value if isinstance(inner, dict) for pair in _named_objects(inner)]
    fields = _fields(value)
    name = next((fields[key] for key in _ENTRY_NAMES if isinstance(fields.get(key), str)), None)
    if name is not None:
        return [(name, value)]
    return list(value.items()) if isinstance(value, dict) else []
