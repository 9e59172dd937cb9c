"""The directory that is served: what lies in it, and nothing that lies outside of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from counterfoil.console import shown_name
from counterfoil.errors import UserError
from counterfoil.running.folder import LIVE, MANIFEST, PARTS, RECORDS, SUMMARY, Run
from counterfoil.running.live.state import Live, read_live
from counterfoil.suite.outcome import LEFT_OUT, OUTCOMES

CURATION = "curation.json"
STUDY_SUFFIX = ".study.sqlite"
# Runs lie in runs/NAME as a rule; what lies deeper than this is served by naming its folder.
DEPTH = 4
MOST_FOLDERS = 20_000


class NotHere(Exception):
    """Nothing of that name is served."""


class RunInfo(NamedTuple):
    """A run as the list shows it. `path` is relative to the served directory; `problem`: why it can't be read."""

    path: str
    suite: str
    models: tuple[str, ...]
    variants: tuple[str, ...]
    data: str
    records: int
    left_out: int
    finished: str
    problem: str | None = None


class ServedRun(Run):
    """A run whose manifest is not trusted. Of the files that it names, those outside of the directory are not opened.
    Of the suites that it names, only those that are installed, or that the site was started with, are loaded.
    """

    def __init__(self, folder: Path, served: Served) -> None:
        super().__init__(folder)
        self._served = served

    @property
    def manifest(self) -> dict[str, Any]:
        manifest = super().manifest
        manifest["suite_at"] = self._served.place_of(str(manifest["suite"]), self.folder.name)
        for part in ("data", "options"):
            if isinstance(values := manifest.get(part), dict):
                confined = {name: None if self._leads_outside(value) else value for name, value in values.items()}
                manifest[part] = confined
        return manifest

    def _leads_outside(self, value: Any) -> bool:
        """Whether a value is the path of something that is there, and not in the directory."""
        if not isinstance(value, str):
            return False
        try:
            return Path(value).exists() and not Path(value).resolve().is_relative_to(self._served.root)
        except (OSError, ValueError, RuntimeError):
            return True


class Served:
    """A directory. Every path that comes from an address goes through `inside`.

    `suites`: where each suite is that may be loaded beside the installed ones, as MODULE:ATTRIBUTE by its name.
    """

    def __init__(self, root: Path, suites: Mapping[str, str] | None = None) -> None:
        if not root.is_dir():
            raise UserError(f"{root} is no folder: name the one that holds the runs.")
        self.root = root.resolve()
        self._suites = suites or {}

    def inside(self, name: str) -> Path:
        """The path of that name, if it is there, and within the directory after every symbolic link was followed."""
        pure = PurePosixPath(name)
        if "\0" in name or "\\" in name or pure.is_absolute() or ".." in pure.parts:
            raise NotHere(name)
        try:
            path = (self.root / pure).resolve(strict=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise NotHere(name) from error
        if not path.is_relative_to(self.root):
            raise NotHere(name)
        return path

    def name_of(self, path: Path) -> str:
        """The name that `inside` knows a path by; `.` is the directory itself."""
        return path.relative_to(self.root).as_posix()

    def run(self, name: str) -> ServedRun:
        """The run of that name."""
        info = self._info(name)
        if info.problem is not None:
            raise UserError(info.problem)
        return self.open(self.inside(name))

    def open(self, folder: Path) -> ServedRun:
        """The run in a folder that `folder` gave."""
        return ServedRun(folder, self)

    def place_of(self, suite: str, of: str) -> str | None:
        """Where a suite may be loaded from that a run or study names; None where its name must be enough."""
        # A name of the form MODULE:ATTRIBUTE is itself a place to load from.
        if ":" in suite and suite not in self._suites:
            raise UserError(f"{of} names {suite!r} as its suite, which is no suite's name.")
        return self._suites.get(suite)

    def folder(self, name: str, *files: str) -> Path:
        """The folder of that name, which has these files, and of whose files none lies outside of the directory."""
        folder = self.inside(name)
        if not folder.is_dir() or not all((folder / file).is_file() for file in files):
            raise NotHere(name)
        for path in folder.iterdir():
            self.inside(self.name_of(path))
        return folder

    def runs(self) -> list[RunInfo]:
        """All runs, newest first."""
        found = []
        for folder in self._folders_with(SUMMARY):
            with suppress(NotHere, OSError):
                found.append(self._info(self.name_of(folder)))
        return sorted(found, key=lambda info: (info.finished, info.path), reverse=True)

    def live(self, name: str) -> tuple[Path, Live] | None:
        """The folder of that name and how its run is doing, if one is under way or was left off there."""
        folder = self.inside(name)
        parts = folder / PARTS
        for path in (folder / LIVE, parts, *parts.glob("*.rows")):
            if path.is_symlink():
                raise NotHere(name)
        live = read_live(folder)
        return None if live is None else (folder, live)

    def live_runs(self) -> list[tuple[str, Live]]:
        """All that are under way or were left off, the latest first."""
        found = []
        for folder in self._folders_with(LIVE):
            name = self.name_of(folder)
            with suppress(NotHere, OSError):
                if (there := self.live(name)) is not None:
                    found.append((name, there[1]))
        return sorted(found, key=lambda each: each[1].started_at, reverse=True)

    def curations(self) -> list[Path]:
        """The folders of curations that have a list for people."""
        return [folder for folder in self._folders_with(CURATION) if self._is_inside(folder / CURATION)]

    def studies(self) -> list[Path]:
        """The files of rating studies."""
        found = [Path(at) / name for at, names in self._walk() for name in names if name.endswith(STUDY_SUFFIX)]
        return sorted(path for path in found if self._is_inside(path))

    def _info(self, name: str) -> RunInfo:
        folder = self.folder(name, SUMMARY, MANIFEST, RECORDS)
        return self._read_info(folder, name, stamps(folder, MANIFEST, SUMMARY, RECORDS))

    @lru_cache(maxsize=4096)  # noqa: B019 (a process serves one directory)
    def _read_info(self, folder: Path, name: str, state: tuple[int, ...]) -> RunInfo:
        """Kept until one of the files changes."""
        try:
            run = self.open(folder)
            summary, manifest = run.whole_summary, run.manifest
            counts = {outcome: sum(int(row[outcome]) for row in summary.outcomes) for outcome in OUTCOMES}
            return RunInfo(
                name,
                summary.suite,
                tuple(dict.fromkeys(str(row["model"]) for row in summary.outcomes)),
                tuple(dict.fromkeys(str(row["variant"]) for row in summary.outcomes)),
                str(manifest["data"]["name"]),
                sum(counts.values()),
                sum(counts[outcome] for outcome in LEFT_OUT),
                str(manifest["finished_at"]),
            )
        except (UserError, KeyError, TypeError, ValueError, msgspec.MsgspecError) as error:
            return RunInfo(name, "", (), (), "", 0, 0, "", problem=str(error) or repr(error))

    def _is_inside(self, path: Path) -> bool:
        try:
            self.inside(self.name_of(path))
        except NotHere:
            return False
        return True

    def _folders_with(self, file: str) -> list[Path]:
        return sorted(Path(at) for at, names in self._walk() if file in names)

    def _walk(self) -> Iterator[tuple[str, list[str]]]:
        """Folders with their files' names. Hidden ones, those whose names are other bytes than UTF-8, and what symbolic
        links lead to, are left out.
        """
        for count, (at, folders, names) in enumerate(os.walk(self.root)):
            if count >= MOST_FOLDERS:
                return
            depth = len(Path(at).relative_to(self.root).parts)
            folders[:] = [] if depth >= DEPTH else sorted(filter(_is_shown, folders))
            yield at, names


def _is_shown(name: str) -> bool:
    return not name.startswith(".") and shown_name(name) == name


def stamps(folder: Path, *files: str) -> tuple[int, ...]:
    """When the files were last changed: what was made from them is kept as long as these are the same."""
    return tuple((folder / file).stat().st_mtime_ns for file in files)
