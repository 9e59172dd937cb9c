"""How the user's files are read: in which encoding, and what becomes of rows that are wrong.

A file is UTF-8, with or without a byte order mark, or UTF-16 by its mark. Another encoding is named with `--encoding`;
CP949, which Korean Windows writes, is also known where the bytes can hardly be anything else.

One bad row never refuses a file where `reading_inputs` is in force: it is left out, counted and named. A file of which
most rows are bad is refused all the same, for it is not what it was taken for.
"""

from __future__ import annotations

import codecs
import io
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from counterfoil.console import say
from counterfoil.errors import UserError

# So many of the bad rows are named.
SHOWN = 5
# More Hangul than this, and next to no other letters: read as CP949, other encodings give a mix of scripts.
_LEAST_HANGUL, _SHARE_OF_HANGUL = 10, 0.95
_CHUNK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass
class LeftOut:
    """The bad rows of one file. `problems`: the first of them, each with its place."""

    rows: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass
class Inputs:
    """How files are read now, and what was found. `strict` refuses a file with a bad row."""

    strict: bool = True
    encoding: str | None = None
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    # Sentences for the user.
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.encoding is None:
            return
        try:
            codecs.lookup(self.encoding)
            "".encode(self.encoding)
        except LookupError as error:
            raise UserError(f"There is no encoding {self.encoding}: name one such as cp949 or utf-16.") from error

    def leave_out(self, where: str, problems: Collection[str], good: int) -> None:
        """Leave these rows of a file out, or refuse it; so many others are good."""
        if not problems:
            return
        if self.strict:
            raise UserError(f"{where} has bad rows: {first_of(problems)}.")
        if len(problems) > good:
            every = len(problems) + good
            raise UserError(f"{where} has bad rows, {len(problems):,} of {every:,}: {first_of(problems)}.")
        rows = f"{len(problems):,} of {len(problems) + good:,} rows {'is' if len(problems) == 1 else 'are'}"
        sentence = f"{where}: {rows} left out: {first_of(problems)}. --strict refuses the file."
        if sentence in self.notes:  # the same file, read a second time
            return
        self.notes.append(sentence)
        left = self.left_out.setdefault(where, LeftOut())
        left.rows += len(problems)
        left.problems += list(problems)[: SHOWN - len(left.problems)]

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def tell(self) -> None:
        """Say what there is to say, once."""
        for sentence in self.notes:
            say(sentence)
        self.notes.clear()

    def described(self) -> dict[str, Any]:
        """What the manifest says of the rows that were left out; nothing where there are none."""
        found = [
            {"file": Path(where).name, "rows": left.rows, "first": left.problems}
            for where, left in self.left_out.items()
        ]
        return {"left_out": found} if found else {}


_inputs: ContextVar[Inputs | None] = ContextVar("_inputs", default=None)


def inputs_now() -> Inputs:
    """The way of reading that is in force; a strict one where none is."""
    return _inputs.get() or Inputs()


@contextmanager
def reading_inputs(inputs: Inputs) -> Iterator[Inputs]:
    """Read files in this way inside."""
    token = _inputs.set(inputs)
    try:
        yield inputs
    finally:
        _inputs.reset(token)


@contextmanager
def telling_of_inputs(inputs: Inputs) -> Iterator[Inputs]:
    """The same; at the end the user is told of what was found, whatever came of it."""
    with reading_inputs(inputs):
        try:
            yield inputs
        finally:
            inputs.tell()


def first_of(problems: Collection[str]) -> str:
    """The first of them, and how many more there are."""
    more = [f"and {len(problems) - SHOWN:,} more"] if len(problems) > SHOWN else []
    return "; ".join([*list(problems)[:SHOWN], *more])


def text_of(raw: bytes, where: str) -> str:
    """The text of a file, without a byte order mark."""
    with io.BytesIO(raw) as file:
        encoding = _encoding_of(file, where)
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise not_text(where, encoding, error) from error


def read_text(path: Path) -> str:
    """The same for a file that is there. UserError says why it can't be read."""
    try:
        return text_of(path.read_bytes(), str(path))
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, str]]:
    """The file at its beginning, and its encoding. A pipe can be read once only, so it is taken as a whole."""
    try:
        with path.open("rb") if path.is_file() else io.BytesIO(path.read_bytes()) as file:
            encoding = _encoding_of(file, str(path))
            file.seek(0)
            try:
                yield file, encoding
            except UnicodeDecodeError as error:
                raise not_text(str(path), encoding, error) from error
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error


def not_text(where: str, encoding: str, error: UnicodeDecodeError) -> UserError:
    """The sentence on a file that is not in this encoding."""
    return UserError(
        f"{where} is not {_NAMES.get(encoding, encoding)} (byte {error.start}: {error.reason}): name its encoding, as "
        "in --encoding cp949, or save it as UTF-8, as iconv -f CP949 -t UTF-8 does."
    )


_NAMES = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "utf-32": "UTF-32"}


def _encoding_of(file: BinaryIO, where: str) -> str:
    """By the mark at its beginning; UTF-8 if it is that; else as the user says, or CP949 where that is certain."""
    head = file.read(4)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    inputs = inputs_now()
    if b"\0" in head:
        if inputs.encoding is None:
            raise UserError(f"{where} looks like UTF-16 without its mark: name it, as in --encoding utf-16-le.")
        return inputs.encoding
    try:
        _check_utf8(file, head)
        return "utf-8-sig"
    except UnicodeDecodeError as error:
        if inputs.encoding is not None:
            return inputs.encoding
        file.seek(0)
        if _is_surely_korean(file.read()):
            inputs.note(f"{where} is read as CP949; --encoding names another one.")
            return "cp949"
        raise not_text(where, "utf-8-sig", error) from error


def _check_utf8(file: BinaryIO, head: bytes) -> None:
    """UnicodeDecodeError, with the place in the file, where it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    chunk, before = head, 0
    while True:
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            error.start += before - pending
            raise
        if not chunk:
            return
        before += len(chunk)
        chunk = file.read(_CHUNK)


def _is_surely_korean(raw: bytes) -> bool:
    """Whether the bytes are CP949: read so, they are Hangul, and hardly any other letters beside the ASCII ones."""
    try:
        text = raw.decode("cp949")
    except UnicodeDecodeError:
        return False
    letters = [letter for letter in text if not letter.isascii() and unicodedata.category(letter).startswith("L")]
    # Of all syllables, the 2,350 that are in use have two high bytes; Japanese bytes give the others.
    hangul = sum("가" <= letter <= "힣" and min(letter.encode("cp949")) > 0xA0 for letter in letters)
    return hangul >= _LEAST_HANGUL and hangul >= _SHARE_OF_HANGUL * len(letters)
