"""Replies that were made elsewhere: what an import is, and the format that every suite understands."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.ask import Reply, after
from counterfoil.tables import decoded_row, kept, lines_of


class Imported(msgspec.Struct, kw_only=True):
    """A reply from elsewhere. `reading` and `verdicts`, where set, take the place of our own. With `was_read`, a
    reading of None says that nothing was found in the reply. A model of None is the one that the user names.
    """

    model: str | None
    variant: str
    question_id: str
    reply: Reply
    repeat: int = 0
    reading: Any = None
    was_read: bool = False
    verdicts: Any = None
    where: str = ""


# What those files are called that ship with a suite.
SAMPLES = "samples"


def files_named(names: Sequence[str | Path], sample_replies: Callable[[str], Sequence[Path]], format: str) -> list[str]:
    """The files of these names; for `samples`, unless a file is called so, those that ship with the suite."""
    files: list[str] = []
    for name in map(str, names):
        ships = sample_replies(format) if name == SAMPLES and not Path(name).exists() else ()
        files += [str(path) for path in ships] or [str(Path(name))]
    return files


# From files, and the questions by their ids, to replies.
Importer = Callable[[Sequence[Path], Mapping[str, Any]], Iterator[Imported]]


class _Line(msgspec.Struct):
    question_id: str
    reply: str | None
    model: str | None = None
    variant: str = "imported"
    repeat: int = 0
    order: int | None = None
    earlier: list[str] = []


def import_jsonl(files: Sequence[Path], questions: Mapping[str, Any]) -> Iterator[Imported]:
    """Anybody's replies: a JSON object on each line with `question_id`, `model`, `variant`, `reply`.

    Where the choices have orders, it has an `order`, or the order stands behind the id, as in
    `age-001a-002-amb-bsd-0`. `earlier` are the replies of the turns before this one.
    """
    for path in files:
        yield from kept(lines_of(path), str(path), _imported)


def _imported(where: str, raw: bytes) -> Imported:
    line = decoded_row(raw, _Line)
    earlier = [Reply(status="ok", text=text) for text in line.earlier]
    return Imported(
        model=line.model,
        variant=line.variant,
        question_id=line.question_id if line.order is None else f"{line.question_id}-{line.order}",
        repeat=line.repeat,
        reply=after(earlier, Reply(status="ok", text=line.reply or "")),
        where=where,
    )


# What most such cells look like: texts in single quotation marks, with nothing in them that would mean something else.
_PLAIN_LIST = re.compile(r"\['[^'\\\n]*'(?:, '[^'\\\n]*')*\]")


def parse_list(text: str, column: str) -> list[Any]:
    """A list inside a cell of a table, written as JSON or as Python writes it. Nothing is ever evaluated. ValueError
    where it is none.
    """
    if _PLAIN_LIST.fullmatch(text):
        return text[2:-2].split("', '")
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list):
            return value
    raise ValueError(f"{column} is no list: {text[:60]!r}")
