"""Which files a command may write over: those that counterfoil wrote there for the same purpose, and no others.

A folder in which counterfoil writes keeps a list of its files: what each was written for, and its SHA-256. A file
that is on the list with another purpose, that was changed since, or that is not on it, is somebody else's.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.errors import UserError

LIST = ".counterfoil-files.json"


@dataclass(frozen=True)
class Rule:
    """What a command writes for, what it reads, and whether the user lets it write over files of others.

    `of`: the files or folders that it is about, a run's folder, say. `known` tells, of a file that is not on the list,
    whether an older version wrote it. Files in the folder `free` are nobody's.
    """

    purpose: str
    of: Sequence[Path]
    inputs: list[Path]
    overwrite: bool
    known: Callable[[Path], bool]
    free: Path | None

    def check(self, path: Path) -> None:
        """UserError where the file must stay as it is."""
        if self._is_free(path) or not os.path.lexists(path):
            return
        self.check_inputs(path)
        if not self.overwrite and not self.may_replace(path):
            raise UserError(
                f"{path} is there already, and is not what counterfoil wrote there for this: name another place, or "
                "replace it with --overwrite."
            )

    def check_inputs(self, path: Path) -> None:
        """UserError where the file is one that is read."""
        if self._is_input(path):
            raise UserError(f"{path} is read by this command, and can't be written by it, too: name another place.")

    def may_replace(self, path: Path) -> bool:
        """Whether counterfoil wrote that very file for this purpose."""
        if self._is_input(path):
            return False
        entry = _read_list(path.parent).get(path.name)
        if entry is None:
            return self.known(path)
        return entry["for"] == self._purpose_at(path.parent) and _is_as_written(path, entry)

    def settle(self, source: Path, path: Path) -> bool:
        """Whether `path` is to get the content of `source`, and has another one. It is put on the list before: whatever
        happens between is no one's loss. UserError where it must stay as it is.
        """
        if self._is_free(path):
            return True
        hashes = [sha256_of(source)]
        if path.is_file() and not path.is_symlink():
            there = sha256_of(path)
            if there == hashes[0]:
                return False
            hashes += [] if self.overwrite else [there]
        self.check(path)
        listed = {name: entry for name, entry in _read_list(path.parent).items() if (path.parent / name).exists()}
        listed[path.name] = {"for": self._purpose_at(path.parent), "sha256": hashes}
        _write_list(path.parent, listed)
        return True

    def _is_input(self, path: Path) -> bool:
        return any(_is_same(path, other) for other in self.inputs)

    def _is_free(self, path: Path) -> bool:
        return self.free in path.parents

    def _purpose_at(self, folder: Path) -> str:
        """The purpose with paths as seen from the folder: all of it can be moved together."""
        about = [os.path.relpath(path.resolve(), folder.resolve()) for path in self.of]
        return " of ".join([self.purpose, *([" and ".join(about)] if about else [])])


_rule: ContextVar[Rule | None] = ContextVar("_rule", default=None)


@contextmanager
def writing(
    purpose: str,
    *,
    of: Sequence[Path] = (),
    inputs: Iterable[Path | str | None] = (),
    overwrite: bool = False,
    known: Callable[[Path], bool] = lambda path: False,
    free: Path | None = None,
) -> Iterator[None]:
    """What is written inside is written for this purpose. No input is ever written over."""
    paths = [Path(path) for path in inputs if path]
    token = _rule.set(Rule(purpose, of, paths, overwrite, known, free))
    try:
        yield
    finally:
        _rule.reset(token)


def refuse(*paths: Path) -> None:
    """UserError where one of these files must stay as it is."""
    if (rule := _rule.get()) is not None:
        for path in paths:
            rule.check(path)


def refuse_inputs(*paths: Path) -> None:
    """UserError where one of these files is read by the command, too."""
    if (rule := _rule.get()) is not None:
        for path in paths:
            rule.check_inputs(path)


def reading(*paths: Path) -> None:
    """The command reads these files, too: those in a folder that the user named, or those that a name stands for."""
    if (rule := _rule.get()) is not None:
        rule.inputs.extend(paths)


def may_replace(path: Path) -> bool:
    """Whether counterfoil wrote that very file for the same purpose."""
    rule = _rule.get()
    return rule is not None and rule.may_replace(path)


def settle(source: Path, path: Path) -> bool:
    """Whether `source` is to take the place of `path`, which is then on the list of its folder. Where both have the
    same content, there is nothing to do. UserError where the file must stay as it is.
    """
    rule = _rule.get()
    return rule is None or rule.settle(source, path)


def is_as_written(path: Path) -> bool | None:
    """Whether the file is as counterfoil wrote it, for whatever purpose; None where it is not on the list."""
    entry = _read_list(path.parent).get(path.name)
    return None if entry is None else _is_as_written(path, entry)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_as_written(path: Path, entry: dict[str, Any]) -> bool:
    return path.is_file() and not path.is_symlink() and sha256_of(path) in entry["sha256"]


def _is_same(path: Path, other: Path) -> bool:
    """Whether both are one file, by whatever path, symbolic or hard link. SQLite's files beside a database count."""
    try:
        others = [Path(f"{other}{suffix}") for suffix in ("", "-wal", "-shm")]
        return any(one.exists() and path.samefile(one) for one in others)
    except (OSError, ValueError):
        return False


def _read_list(folder: Path) -> dict[str, dict[str, Any]]:
    try:
        listed = json.loads((folder / LIST).read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(listed, dict):
        return {}
    return {
        name: entry
        for name, entry in listed.items()
        if isinstance(entry, dict) and isinstance(entry.get("sha256"), list) and "for" in entry
    }


def _write_list(folder: Path, listed: dict[str, dict[str, Any]]) -> None:
    temporary = folder / f"{LIST}.{os.getpid()}"
    try:
        with temporary.open("wb") as file:
            file.write(json.dumps(listed, indent=2).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / LIST)
    finally:
        temporary.unlink(missing_ok=True)
