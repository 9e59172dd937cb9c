"""Files: written so that nothing is lost, locked against a second process, read as other programs wrote them."""

from __future__ import annotations

import codecs
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil import targets
from counterfoil.errors import UserError

if TYPE_CHECKING:
    from filelock import BaseFileLock

_LOG = logging.getLogger(__name__)

# Another process can take a folder away between any two steps, but not again and again.
TIMES_TO_LOCK = 100


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
    """UserError where a file can't be written there, as far as that can be known before, or where one is that must stay
    as it is. Nothing is left there.
    """
    import tempfile

    folder = path.parent
    try:
        if not path.name or path.is_dir():
            raise UserError(f"{path} is a folder: name a file to write.")
        targets.refuse(path)
        while not folder.exists():
            folder = folder.parent
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror or error}. Name another place.") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`. What is written there becomes durable and takes the place of `path` at the end.

    A crash leaves the old file or the new one, never half of one. A file that must stay as it is, is refused.
    """
    targets.refuse_inputs(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with explained(path):
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            put_in_place(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def put_in_place(source: Path, path: Path) -> None:
    """Let a file that is durable take the place of `path`, as one that counterfoil wrote for what it is doing.

    Where `path` has the same content already, it stays, whoever wrote it.
    """
    if targets.settle(source, path):
        move(source, path)
    else:
        source.unlink()


def move(source: Path, path: Path) -> None:
    """Let a file that is durable take the place of `path`, where that is known by what is in it."""
    remove_leftovers(path)
    source.replace(path)
    _LOG.debug("wrote %s", path)


def remove_leftovers(path: Path) -> None:
    """Remove what processes that were killed have left beside `path` on their way to write it."""
    with suppress(OSError):
        for left in path.parent.iterdir():
            name, _, process = left.name.rpartition(".")
            if name == f".{path.name}" and process.isdecimal() and not _is_alive(int(process)):
                left.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def write_json(path: Path, value: Any) -> None:
    """Replace a file by JSON that people can read, too."""
    import msgspec

    with replacing(path) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the file system says of writing into one sentence."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(f"{path} can't be written: a file is where a folder is needed. Name another place.") from error
    except OSError as error:
        raise UserError(
            f"{path} can't be written: {error.strerror or error}. Make room or name another place, and run again; "
            "replies that have come are safe in the ledger."
        ) from error


def take_lock(path: Path) -> BaseFileLock | None:
    """The lock of that file, held until `release` is called or the process ends; None where somebody else holds it.

    The folder is made if need be. Whoever held the lock may remove the folder while the lock is opened here: the lock
    would then be on a file without a name, so it is taken anew.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, blocking=False, thread_local=False)
    for left in reversed(range(TIMES_TO_LOCK)):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
            return lock
        except Timeout:
            if path.exists():
                return None
        except (FileNotFoundError, FileExistsError):
            if not left:
                raise
    return None
