"""The page of one question in all its versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from counterfoil.figures.names import short_names
from counterfoil.report.html import Html, language_of
from counterfoil.running.folder import Run
from counterfoil.suite.suite import Record
from counterfoil.web.pages import page, served, whole_number
from counterfoil.web.records.questions import Asked, asked_of
from counterfoil.web.records.shown import Span, layered, reply_text
from counterfoil.web.records.table import Table, read_rows, rows_of_question, table_of
from counterfoil.web.served import NotHere
from counterfoil.web.versions.family import Version, alike_of, differing, rows_of_family, versions_of
from counterfoil.web.versions.words import differences

# Versions that stand side by side before one asks for all of them, and respondents at the most.
FIRST, MOST_WHO = 6, 60
LONGEST_REPLY = 4_000
Who = tuple[str, ...]


class Source(NamedTuple):
    """A run whose answers are shown."""

    name: str
    run: Run
    table: Table
    asked: Asked


class Told(NamedTuple):
    """A part of a question by its name, with what differs from the first version."""

    name: str
    content: Html
    language: str | None


class Answer(NamedTuple):
    """A reply in the table: what was read, how it ended, whether that is another than in the first version."""

    run: str
    row: int
    read: str
    ended: str
    kind: str
    differs: bool
    reply: Html
    language: str | None
    is_asked: bool


def versions_page(request: Request) -> Response:
    """The family of a record (`row`), or of a question (`id`, with what else tells it); `with` adds another run."""
    asked_for = request.query_params
    source = _source(request, request.path_params["run"])
    row = _row(source.table, asked_for)
    family = source.asked.family[source.asked.question[row]]
    versions = versions_of(source.asked, family)
    shows_all = asked_for.get("all") == "1" or len(versions) <= FIRST
    here = source.asked.question[row]
    kept = versions if shows_all else versions[:FIRST]
    kept += [version for version in versions if version.question == here and version not in kept]
    sources = [source, *(_source(request, name) for name in [asked_for.get("with", "")] if name)]
    shows_changes = asked_for.get("diff") != "0"
    answers = _answers(sources, kept, row, shows_changes)
    own = {name: asked_for[name] for name in ("with", "all", "diff") if asked_for.get(name)}
    ways = _ways(source, family)
    return page(
        request,
        "runs/versions.html",
        name=source.name,
        row=row,
        id=str(source.table.light["question_id"][row]),
        versions=[(version, _told(version, kept[0] if shows_changes else version)) for version in kept],
        hidden=len(versions) - len(kept),
        answers=answers,
        short=short_names(model for _, model, *_ in answers),
        several=len({name for name, *_ in answers}) > 1,
        shows_changes=shows_changes,
        links={word: urlencode({"row": at, **own}) for word, at in ways.rows.items()},
        ways=ways,
        with_all=urlencode({"row": row, **own, "all": "1"}),
        other_diff=urlencode({"row": row, **own, "diff": "0" if shows_changes else "1"}),
    )


def _source(request: Request, name: str) -> Source:
    run = served(request).run(name)
    table = table_of(run)
    return Source(name, run, table, asked_of(run, table))


def _row(table: Table, asked_for: Mapping[str, str]) -> int:
    """The record that is asked for."""
    row = whole_number(asked_for.get("row", ""))
    if row is not None and row < table.light.height:
        return row
    question = asked_for.get("id", "")
    more = {name: value for name, value in asked_for.items() if name not in ("id", "row")}
    rows = rows_of_question(table, question, **more) or rows_of_question(table, question)
    if not rows:
        raise NotHere(question)
    return rows[0]


class Ways(NamedTuple):
    """The way on: rows of the families beside this one, and where one is among all, and among those that differ."""

    rows: dict[str, int]
    place: int
    of: int
    differing_place: int | None
    differing_of: int


def _ways(source: Source, family: int) -> Ways:
    asked = source.asked
    apart = differing(source.table, asked)
    neighbours = {"previous": family - 1, "next": family + 1}
    neighbours["previous that differs"] = max((each for each in apart if each < family), default=-1)
    neighbours["next that differs"] = min((each for each in apart if each > family), default=-1)
    inside = {word: at for word, at in neighbours.items() if 0 <= at < len(asked.families)}
    first = {at: _first_row(source, at) for at in set(inside.values())}
    return Ways(
        {word: first[at] for word, at in inside.items()},
        family + 1,
        len(asked.families),
        apart.index(family) + 1 if family in apart else None,
        len(apart),
    )


def _first_row(source: Source, family: int) -> int:
    rows = source.asked.question.is_in(source.asked.families[family])
    return int(rows.arg_max() or 0)


def _told(version: Version, first: Version) -> list[Told]:
    """The words of a version. What the first has otherwise is marked."""
    told = []
    for name, text in version.words.items():
        base = first.words.get(name)
        apart = None if base is None or version is first else differences(base, text)
        told.append(Told(name, layered(text, apart.other if apart else []), language_of(text)))
    return told


def _answers(
    sources: Sequence[Source], versions: Sequence[Version], row: int, shows_changes: bool
) -> list[tuple[str, str, str, list[Answer | None]]]:
    """For each respondent run, model, prompt with the repeat, and the answers to the versions."""
    found = []
    for number, source in enumerate(sources):
        mine = versions if number == 0 else _same_questions(sources[0], source, versions)
        places = {version.question: i for i, version in enumerate(mine) if version is not None}
        by_who: dict[Who, list[int | None]] = {}
        wanted = [question for question in places if question >= 0]
        if not wanted:
            continue
        frame = rows_of_family(source.table, source.asked, source.asked.family[wanted[0]])
        for at, model, variant, repeat, question in frame.iter_rows():
            if question in places:
                who = model, variant, repeat
                by_who.setdefault(who, [None] * len(versions))[places[question]] = at
        shown = {who: by_who[who] for who in _grouped(by_who)[:MOST_WHO]}
        rows = [at for some in shown.values() for at in some if at is not None]
        records = {record["row"]: record for record in read_rows(source.table, rows)}
        for (model, variant, repeat), some in shown.items():
            prompt = variant + (f", repeat {int(repeat) + 1}" if int(repeat) else "")
            line = [None if at is None else records[at] for at in some]
            asked_row = row if number == 0 else -1
            found.append((source.name, model, prompt, _line(source, line, versions, asked_row, shows_changes)))
    return found


def _grouped(respondents: Iterable[Who]) -> list[Who]:
    """All of a model together, models and prompts in the order in which they first come."""
    found = list(respondents)
    models, variants = ([who[part] for who in found] for part in (0, 1))
    return sorted(found, key=lambda who: (models.index(who[0]), variants.index(who[1])))


def _same_questions(one: Source, other: Source, versions: Sequence[Version]) -> list[Version]:
    """The versions as the other run has them; where it has not, with a place that no question has."""
    places = {key: place for place, key in enumerate(other.asked.keys)}
    return [
        version._replace(question=places.get(one.asked.keys[version.question], -1 - i))
        for i, version in enumerate(versions)
    ]


def _line(
    source: Source, records: Sequence[Record | None], versions: Sequence[Version], row: int, shows_changes: bool
) -> list[Answer | None]:
    first = records[0]
    line: list[Answer | None] = []
    for record, version in zip(records, versions, strict=True):
        if record is None:
            line.append(None)
            continue
        spans: list[Span] = []
        if shows_changes and first is not None and record is not first:
            apart = differences(str(first["reply"] or ""), str(record["reply"] or ""))
            spans = apart.other if apart else []
        words, suite = version.words, source.asked.suite
        reply = str(record["reply"] or "")
        line.append(
            Answer(
                source.name,
                record["row"],
                _read(source, record),
                *_ended(record),
                first is not None and alike_of(source.asked, first) != alike_of(source.asked, record),
                reply_text(record, words, suite, LONGEST_REPLY, spans=spans),
                language_of(reply),
                record["row"] == row,
            )
        )
    return line


def _read(source: Source, record: Record) -> str:
    """What was read, and what else should be the same in all versions."""
    suite = source.asked.suite
    names = [name for name in (*suite.read_columns, *suite.alike) if name != "correct"]
    values = [record.get(name) for name in dict.fromkeys(names)]
    return " · ".join(_word(value) for value in values if value is not None)


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value).replace("_", " ")


def _ended(record: Record) -> tuple[str, str]:
    correct = record.get("correct") if record["outcome"] == "answered" else None
    if correct is None:
        return record["outcome"].replace("_", " "), record["outcome"]
    return ("right", "right") if correct else ("wrong", "wrong")
