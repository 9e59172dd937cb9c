"""Writing files so that a crash leaves the old one or the new one, never half of one."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.errors import UserError

_LOG = logging.getLogger(__name__)

_written: ContextVar[list[Path] | None] = ContextVar("_written", default=None)


@contextmanager
def noting_files() -> Iterator[list[Path]]:
    """A list that gets the path of each file which is replaced inside."""
    written: list[Path] = []
    token = _written.set(written)
    try:
        yield written
    finally:
        _written.reset(token)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`: what was written there is made durable and takes its place at the end."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with explained(path):
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
            _LOG.debug("wrote %s", path)
        if (written := _written.get()) is not None:
            written.append(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Replace a file by JSON that people can read, too."""
    with replacing(path) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the file system says into one sentence."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{path} can't be written: {error.strerror or error}. Make room or name another place, and run again; "
            "replies that have come are safe in the ledger."
        ) from error
