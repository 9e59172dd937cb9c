"""A list for people to keep or drop from: a CSV file that a spreadsheet can open and save."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.files import read_bytes, replacing
from counterfoil.tables import Cells, cells_of, delimiter_of, text_of

# What people fill in.
KEEP, REASON = "keep", "reason"
DECISIONS = {"yes": True, "y": True, "no": False, "n": False}
# A cell that begins with one of these is a formula to a spreadsheet.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class Reviewed(NamedTuple):
    """One row: `keep` is None while nobody has decided. The id is as the file has it: compare it with `cell(id)`."""

    id: str
    keep: bool | None
    reason: str


def cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def write_review(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write the list, with a mark that tells spreadsheets its encoding."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, [*columns, KEEP, REASON], restval="")
        writer.writeheader()
        writer.writerows({name: cell(text) for name, text in row.items()} for row in rows)


def read_review(path: Path) -> list[Reviewed]:
    """All rows; a sentence that names the line where one can't be understood."""
    rows: dict[str, Reviewed] = {}
    for place, row in review_cells(path, ("id", KEEP, REASON)):
        if not any(isinstance(value, str) and value.strip() for value in row.values()):
            continue
        found = _reviewed(row, f"{path}, {place}")
        if found.id in rows:
            raise UserError(f"{path}, {place}: the id {found.id} was there before.")
        rows[found.id] = found
    return list(rows.values())


def review_cells(path: Path, needed: Sequence[str] = ()) -> Iterator[tuple[str, Cells]]:
    """The rows of a list as a spreadsheet may have saved it."""
    text = text_of(read_bytes(path), str(path))
    return cells_of(text, str(path), needed, delimiter_of(text))


def has_entries(path: Path) -> bool:
    """Whether people have begun to fill it in."""
    return path.exists() and any(row.keep is not None or row.reason for row in read_review(path))


def decided(path: Path) -> tuple[int, int]:
    """How many questions of the list are decided, and how many there are."""
    rows = read_review(path)
    return sum(row.keep is not None for row in rows), len(rows)


def decisions(path: Path, drawn: Sequence[str]) -> dict[str, str | None]:
    """For each id that was drawn, None if it is kept, or the reason why it is not; all must be decided."""
    by_cell = {cell(drawn_id): drawn_id for drawn_id in drawn}
    made: dict[str, str | None] = {}
    for row in read_review(path):
        if row.id not in by_cell:
            raise UserError(f"{path}: the question {row.id!r} is not one of those that were drawn.")
        if row.keep is not None:
            made[by_cell[row.id]] = None if row.keep else row.reason
    undecided = [drawn_id for drawn_id in drawn if drawn_id not in made]
    if undecided:
        raise UserError(
            f"{len(undecided)} of the {len(drawn)} questions of {path} are undecided, the first is {undecided[0]}: "
            "write yes or no into the column keep."
        )
    return made


def _reviewed(row: Mapping[str, str | None], where: str) -> Reviewed:
    said = (row[KEEP] or "").strip()
    if said and said.lower() not in DECISIONS:
        raise UserError(f"{where}: keep is {said!r}, and must be yes or no, or empty until it is decided.")
    return Reviewed((row["id"] or "").strip(), DECISIONS.get(said.lower()), (row[REASON] or "").strip())
