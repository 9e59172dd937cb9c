"""A curation under review: its questions, what reviewers said of them, the freeze, and the pages of all that."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil import sqlite
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
from counterfoil.explain import curate
from counterfoil.explain.curate import EDITS, REVIEW, REVIEW_COLUMNS, Edit, Row
from counterfoil.files import write_json
from counterfoil.report.html import language_of
from counterfoil.running.folder import locked
from counterfoil.web.pages import form, neighbours, page, served
from counterfoil.web.served import CURATION, NotHere

FILE = "review.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('keep', 'drop')),
    reason TEXT NOT NULL,
    answer TEXT NOT NULL,
    aliases TEXT NOT NULL,
    settles INTEGER NOT NULL,
    at TEXT NOT NULL
)
"""


class Entry(NamedTuple):
    """What one reviewer said of a question, keep or drop, with the answer and aliases as they are to be. `settles`: it
    is the last word where reviewers disagree.
    """

    question: str
    reviewer: str
    decision: str
    reason: str
    answer: str
    aliases: tuple[str, ...]
    settles: bool
    at: str = ""


class Review(NamedTuple):
    """Of one question: the latest entry of each reviewer, and the one that holds, None while that is open."""

    entries: dict[str, Entry]
    holds: Entry | None

    @property
    def is_disputed(self) -> bool:
        return bool(self.entries) and self.holds is None


_COLUMNS = ", ".join(Entry._fields)
_INSERT = f"INSERT INTO entry ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (our own names)
_SELECT = f"SELECT {_COLUMNS} FROM entry ORDER BY id"  # noqa: S608


def add(folder: Path, entry: Entry) -> None:
    """Save an entry: it is on the disk when this returns."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    aliases = msgspec.json.encode(entry.aliases).decode()
    with _connected(folder / FILE) as connection:
        connection.execute(_INSERT, [*entry[:5], aliases, int(entry.settles), at])


def read_reviews(folder: Path) -> dict[str, Review]:
    """Of every question that somebody said something of."""
    if not (folder / FILE).is_file():
        return {}
    by_question: dict[str, list[Entry]] = {}
    with _connected(folder / FILE) as connection:
        for question, reviewer, decision, reason, answer, aliases, settles, at in connection.execute(_SELECT):
            names = msgspec.json.decode(aliases, type=tuple[str, ...])
            entry = Entry(question, reviewer, decision, reason, answer, names, bool(settles), at)
            by_question.setdefault(entry.question, []).append(entry)
    return {question: review_of(entries) for question, entries in by_question.items()}


def review_of(entries: Sequence[Entry]) -> Review:
    """All reviewers of one mind, by their latest entries, or the latest entry that settles it."""
    latest = {entry.reviewer: entry for entry in entries}
    settling = [entry for entry in entries if entry.settles]
    if settling:
        return Review(latest, settling[-1])
    kept = {(entry.answer, entry.aliases) for entry in latest.values() if entry.decision == "keep"}
    is_dropped = any(entry.decision == "drop" for entry in latest.values())
    if len(kept) + is_dropped != 1:
        return Review(latest, None)
    reasons = "; ".join(dict.fromkeys(entry.reason for entry in latest.values() if entry.reason))
    return Review(latest, next(iter(latest.values()))._replace(reason=reasons))


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite.connect(path)) as connection:
            connection.execute(SCHEMA)
            yield connection
    except sqlite3.Error as error:
        raise UserError(f"{path} can't be used: {error}. Check its permissions and the disk.") from error


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
    for path in (folder / file for file in (curate.SAMPLE, curate.VERIFIED, curate.UNAMBIGUOUS)):
        try:
            rows |= {row.id: row for row in curate.read_rows(path)} if path.is_file() else {}
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"{path} can't be read: {error}.") from error
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
    texts = (entry.reviewer, entry.reason, entry.answer, *entry.aliases)
    if any(len(text) > LONGEST or "\0" in text for text in texts):
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


COOKIE = "counterfoil_reviewer"


def reviews_page(request: Request) -> Response:
    """All curations of the directory."""
    shown: list[tuple[str, Curation | None, str]] = []
    for folder in served(request).curations():
        name = served(request).name_of(folder)
        try:
            shown.append((name, open_curation(folder), ""))
        except UserError as error:
            shown.append((name, None, str(error)))
    return page(request, "review/reviews.html", curations=shown, root=served(request).root)


def review_page(request: Request) -> Response:
    """One curation: where its questions stand, and the freeze."""
    curation = open_curation(_folder(request))
    return page(
        request,
        "review/review.html",
        name=request.path_params["folder"],
        curation=curation,
        next=curation.next_for(_reviewer(request)),
        reviewer=_reviewer(request),
        frozen=curation.manifest.step("freeze"),
        dataset=curate.DATASET,
    )


def question_page(request: Request) -> Response:
    """One question, with all that is known of it."""
    curation = open_curation(_folder(request))
    wanted = request.query_params.get("id", "")
    if wanted not in curation.rows:
        raise NotHere(wanted)
    reviewer, row, review = _reviewer(request), curation.rows[wanted], curation.reviews[wanted]
    ids = list(curation.rows)
    return page(
        request,
        "review/question.html",
        name=request.path_params["folder"],
        row=row,
        language=language_of(row.question),
        candidates=sorted(row.plausibilities.items(), key=lambda pair: -pair[1]),
        verdicts=[said for said in ((row.verdict, row.reason), (row.ambiguity, row.ambiguity_reason)) if said[0]],
        reviewer=reviewer,
        mine=review.entries.get(reviewer),
        others={name: entry for name, entry in review.entries.items() if name != reviewer},
        is_disputed=review.is_disputed,
        place=ids.index(wanted) + 1,
        count=len(ids),
        **neighbours(ids, wanted),
    )


def save(request: Request) -> Response:
    """A reviewer's decision; then on to the next question that they have not decided."""
    folder, sent = _folder(request), form(request)
    decision, reviewer = sent.get("decision", ""), " ".join(sent.get("reviewer", "").split())
    if decision not in ("keep", "drop"):
        raise UserError("A question is kept or dropped.")
    aliases = dict.fromkeys(line.strip() for line in sent.get("aliases", "").splitlines() if line.strip())
    entry = Entry(
        sent.get("id", ""),
        reviewer,
        decision,
        sent.get("reason", "").strip(),
        sent.get("answer", "").strip(),
        tuple(aliases),
        sent.get("settles") == "yes",
    )
    decide(folder, entry)
    following = open_curation(folder).next_for(reviewer, entry.question)
    name = quote(request.path_params["folder"])
    address = f"/review/{name}" if following is None else f"/review-question/{name}?{urlencode({'id': following})}"
    answer = RedirectResponse(address, 303)
    answer.set_cookie(COOKIE, quote(reviewer), httponly=True, samesite="lax", max_age=365 * 86_400)
    return answer


def freeze(request: Request) -> Response:
    """Make the dataset of what is kept, with the answers and aliases as reviewers want them."""
    folder = _folder(request)
    with _WRITING:
        curate.freeze(folder)
    return RedirectResponse(f"/review/{quote(request.path_params['folder'])}", 303)


def _folder(request: Request) -> Path:
    return served(request).folder(request.path_params["folder"], CURATION)


def _reviewer(request: Request) -> str:
    return unquote(request.cookies.get(COOKIE, ""))
