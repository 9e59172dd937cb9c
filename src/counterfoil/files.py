"""Files that users name: texts that other programs wrote, and places to write to."""

from __future__ import annotations

import codecs
import tempfile
from pathlib import Path

from counterfoil.errors import UserError


def without_mark(raw: bytes) -> bytes:
    """A file's content without the byte order mark that some editors, most of them on Windows, put before UTF-8."""
    return raw.removeprefix(codecs.BOM_UTF8)


def read_bytes(path: Path) -> bytes:
    """A file's content. UserError says why it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error


def check_target(path: Path) -> None:
    """UserError where a file can't be written there, as far as that can be known before. Nothing is left there."""
    folder = path.parent
    try:
        if not path.name or path.is_dir():
            raise UserError(f"{path} is a folder: name a file to write.")
        while not folder.exists():
            folder = folder.parent
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror or error}. Name another place.") from error
