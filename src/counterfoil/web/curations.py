"""A curation under review: its questions, what reviewers said, the list for spreadsheets, and the freeze."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

import msgspec

from counterfoil.datasets.curation import (
    KEEP,
    REASON,
    Manifest,
    cell,
    read_manifest,
    read_review,
    review_cells,
    write_review,
)
from counterfoil.errors import UserError
from counterfoil.explain.curate import EDITS, REVIEW, REVIEW_COLUMNS, SAMPLE, UNAMBIGUOUS, VERIFIED, Edit, Row, freeze
from counterfoil.files import write_json
from counterfoil.running.folder import locked
from counterfoil.web.review_store import Entry, Review, add, read_reviews

# One at a time within this process; other processes are kept out by a lock on the folder.
_WRITING = threading.Lock()
LONGEST = 2_000
FROM_FILE = "(4-review.csv)"


class Curation(NamedTuple):
    """A folder with a list for people. `rows` are those that were drawn, in their order."""

    folder: Path
    manifest: Manifest
    rows: dict[str, Row]
    reviews: dict[str, Review]

    @property
    def decided(self) -> int:
        return sum(review.holds is not None for review in self.reviews.values())

    @property
    def disputed(self) -> int:
        return sum(review.is_disputed for review in self.reviews.values())

    def next_for(self, reviewer: str, after: str | None = None) -> str | None:
        """The first question behind `after`, or else of all, that this reviewer has not decided."""
        ids = list(self.rows)
        start = ids.index(after) + 1 if after in self.rows else 0
        return next((each for each in ids[start:] + ids[:start] if reviewer not in self.reviews[each].entries), None)


def open_curation(folder: Path) -> Curation:
    """The curation in that folder; what was written into the list by hand counts, too, as one reviewer's."""
    manifest = read_manifest(folder)
    listed = manifest.step("review") if manifest is not None else None
    if manifest is None or listed is None:
        raise UserError(f"{folder.name} has no list for people yet: run its `counterfoil data curate` to the end.")
    rows: dict[str, Row] = {}
    for file in (SAMPLE, VERIFIED, UNAMBIGUOUS):
        rows |= {row.id: row for row in _read_rows(folder / file)}
    drawn = {name: rows[name] for name in listed.more["ids"] if name in rows}
    said = read_reviews(folder)
    by_hand = {row.id: row for row in read_review(folder / REVIEW) if row.keep is not None}
    found = {}
    for question, row in drawn.items():
        hand = by_hand.get(cell(question))
        if question in said or hand is None:
            found[question] = said.get(question, Review({}, None))
        else:
            decision = "keep" if hand.keep else "drop"
            entry = Entry(question, FROM_FILE, decision, hand.reason, row.answer, row.aliases, False)
            found[question] = Review({FROM_FILE: entry}, entry)
    return Curation(folder, manifest, drawn, found)


def decide(folder: Path, entry: Entry) -> None:
    """Check an entry, save it, and bring the list for spreadsheets up to date."""
    row = open_curation(folder).rows.get(entry.question)
    if row is None:
        raise UserError(f"The question {entry.question!r} is not one of those that were drawn.")
    if not entry.reviewer:
        raise UserError("Say who you are: the name goes with your decision.")
    if entry.decision == "drop" and not entry.reason:
        raise UserError("Say why the question is dropped.")
    if not entry.answer:
        raise UserError("The answer is empty: write it, or drop the question.")
    if any(
        len(text) > LONGEST or "\0" in text for text in (entry.reviewer, entry.reason, entry.answer, *entry.aliases)
    ):
        raise UserError(f"Names, answers and reasons have at most {LONGEST:,} characters.")
    clash = {name.casefold() for name in row.candidates} & {name.casefold() for name in (entry.answer, *entry.aliases)}
    if entry.decision == "keep" and clash:
        raise UserError(f"{clash.pop()!r} is one of the candidates, so it can't be the answer or an alias: drop it.")
    with _WRITING:
        add(folder, entry)
        with locked(folder):
            curation = open_curation(folder)
            _write_edits(curation)
            _write_list(curation)


def freeze_reviewed(folder: Path) -> Manifest:
    """Freeze what is kept, with the answers and aliases as reviewers want them."""
    with _WRITING:
        return freeze(folder)


def _write_edits(curation: Curation) -> None:
    """4-edits.json: what holds where it is not what was drawn, for whoever freezes."""
    edits = {
        question: Edit(holds.answer, tuple(holds.aliases))
        for question, review in curation.reviews.items()
        if (holds := review.holds) is not None
        and holds.decision == "keep"
        and (holds.answer, holds.aliases) != (curation.rows[question].answer, curation.rows[question].aliases)
    }
    write_json(curation.folder / EDITS, edits)


def _write_list(curation: Curation) -> None:
    """4-review.csv with what holds; all else in it stays as it is."""
    path = curation.folder / REVIEW
    by_cell = {cell(question): review for question, review in curation.reviews.items()}
    rows = []
    for _, row in review_cells(path):
        review = by_cell.get((row.get("id") or "").strip())
        shown = {name: row.get(name) or "" for name in (*REVIEW_COLUMNS, KEEP, REASON)}
        if review is not None and review.entries:
            holds = review.holds
            shown[KEEP] = "" if holds is None else "yes" if holds.decision == "keep" else "no"
            shown[REASON] = "" if holds is None else holds.reason
        rows.append(shown)
    write_review(path, REVIEW_COLUMNS, rows)


def _read_rows(path: Path) -> list[Row]:
    if not path.is_file():
        return []
    try:
        return [msgspec.json.decode(line, type=Row) for line in path.read_bytes().splitlines()]
    except (OSError, msgspec.DecodeError) as error:
        raise UserError(f"{path} can't be read: {error}.") from error
