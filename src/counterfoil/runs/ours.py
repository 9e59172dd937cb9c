"""What in a folder is a run's own: nothing else is written over, and of an earlier run's nothing stays behind."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.runs.files import explained
from counterfoil.runs.folder import MANIFEST, RECORDS, SUMMARY

REPORT = "report.html"
# What every run's files have, beside what they may lack where they are damaged or older.
_KEYS = {MANIFEST: {"suite", "options", "data", "models", "variants"}, SUMMARY: {"suite", "estimates"}}
_COLUMNS = {"model", "variant", "question_id", "repeat", "cluster", "outcome", "reply", "ask_key"}
# How our pages begin, within so many bytes.
_TITLE, _HEAD = b"<title>counterfoil: ", 2_048


def refuse_others(folder: Path, suite: str) -> None:
    """Refuse a folder that holds another suite's run, or files that only have the names of ours.

    Where one of two files is damaged, the other tells whose they are: to run again is what mends them.
    """
    told = {name: _suite_of(folder / name) for name in _KEYS if (folder / name).exists()}
    for of in told.values():
        if of not in (None, suite):
            raise UserError(
                f"{folder} holds a run of {of}, and this one is of {suite}: name another folder with --out."
            )
    strange = None
    if told and suite not in told.values():
        strange = next(iter(told))
    elif not told and (folder / RECORDS).exists() and not _are_records(folder / RECORDS):
        strange = RECORDS
    if strange is not None:
        raise UserError(
            f"{folder / strange} is not what a run has written, and would be replaced: name another folder with --out."
        )


def files_of(folder: Path) -> set[str]:
    """What the run that is in the folder has written beside the files of every run."""
    names = _read(folder / MANIFEST).get("files")
    if not isinstance(names, list):
        return set()
    own = {MANIFEST, SUMMARY, RECORDS}
    return {name for name in names if isinstance(name, str) and Path(name).name == name and name not in own}


def remove_page(folder: Path) -> None:
    """Take away the page on the run that was there; one that is not of our making stays."""
    if _is_our_page(folder / REPORT):
        remove_files(folder, [REPORT])


def remove_files(folder: Path, names: Collection[str]) -> None:
    """Take these away, as far as they are there and are files."""
    for name in names:
        with explained(folder / name):
            if (folder / name).is_file():
                (folder / name).unlink(missing_ok=True)


def _suite_of(path: Path) -> str | None:
    """The suite that a manifest or summary is of; None where it is none of ours."""
    content = _read(path)
    suite = content.get("suite")
    return suite if isinstance(suite, str) and _KEYS[path.name] <= set(content) else None


def _read(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _are_records(path: Path) -> bool:
    """Whether a run was killed when it had written its records, and no more."""
    import polars as pl

    try:
        return set(pl.read_parquet_schema(path)) >= _COLUMNS
    except (OSError, pl.exceptions.PolarsError):
        return False


def _is_our_page(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _TITLE in file.read(_HEAD)
    except OSError:
        return False
