"""Tags and a note on a run, in a file of its own in the run's folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import replacing

NOTES = ".notes.json"
MOST_TAGS, LONGEST_TAG, LONGEST_NOTE = 20, 40, 5_000


class Note(msgspec.Struct, frozen=True):
    """What people keep in mind of a run."""

    tags: tuple[str, ...] = ()
    text: str = ""


def read_note(folder: Path) -> Note:
    """The note of the run in the folder; an empty one where there is none, or where it can't be read."""
    path = folder / NOTES
    try:
        return Note() if path.is_symlink() else msgspec.json.decode(path.read_bytes(), type=Note)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Note()


def write_note(folder: Path, tags: str, text: str) -> None:
    """Keep tags, with commas between them, and a text; an empty note is no file."""
    words = tuple(dict.fromkeys(" ".join(tag.split()) for tag in tags.split(",") if tag.strip()))
    text = text.strip()
    if len(words) > MOST_TAGS or any(len(word) > LONGEST_TAG for word in words):
        raise UserError(f"A run has at most {MOST_TAGS} tags of {LONGEST_TAG} characters each.")
    if len(text) > LONGEST_NOTE:
        raise UserError(f"A note has at most {LONGEST_NOTE:,} characters.")
    if not words and not text:
        (folder / NOTES).unlink(missing_ok=True)
        return
    with replacing(folder / NOTES) as temporary:
        temporary.write_bytes(msgspec.json.encode(Note(words, text)))
