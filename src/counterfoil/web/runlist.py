"""The list of runs: those under way, and the others with their results, tags and notes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil.errors import UserError
from counterfoil.figures.names import short_names
from counterfoil.figures.numbers import cell
from counterfoil.report.headline.html import bar
from counterfoil.report.headline.table import headline_table
from counterfoil.report.html import Html
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import MANIFEST, RECORDS, SUMMARY
from counterfoil.running.live.rows import Figures
from counterfoil.web.latest import Latest
from counterfoil.web.notes import Note, read_note, write_note
from counterfoil.web.pages import form, page, served
from counterfoil.web.served import NotHere, RunInfo, Served, stamps

FILTERS = ("suite", "model", "data", "tag")
# Results of a run that the list has room for, and names of its models.
MOST_RESULTS = 4


class Result(NamedTuple):
    """The figure that counts most, of one model and prompt."""

    name: str
    value: str
    bar: Html | None


class Results(NamedTuple):
    """What the figure is called, the first results, and how many more there are."""

    title: str
    better: str
    first: list[Result]
    more: int


class Listed(NamedTuple):
    """A run in the list."""

    info: RunInfo
    note: Note
    results: Results | None
    models: str


def runs_page(request: Request) -> Response:
    """All runs, newest first; suite, model, data, tag and words in the address narrow them down."""
    site = served(request)
    every = [(info, read_note(site.root / info.path)) for info in site.runs()]
    asked = {name: request.query_params.get(name, "") for name in FILTERS}
    text = request.query_params.get("text", "").strip()[:200]
    choices = {
        name: sorted({value for info, note in every for value in _values(info, note, name)} - {""}) for name in FILTERS
    }
    shown = [
        (info, note)
        for info, note in every
        if all(not asked[name] or asked[name] in _values(info, note, name) for name in FILTERS)
        and _holds(info, note, text)
    ]
    live = [
        (name, each) for name, each in site.live_runs() if each.is_running or not (site.root / name / SUMMARY).exists()
    ]
    return page(
        request,
        "runs/runs.html",
        live=live,
        runs=[Listed(info, note, _results(site, info), _named(info.models)) for info, note in shown],
        whole=len(every),
        choices={name: values for name, values in choices.items() if values},
        asked=asked,
        text=text,
        root=site.root,
        stamp=_stamp(every),
        can_start=request.app.state.starter.is_on,
    )


def note(request: Request) -> Response:
    """Keep the tags and the note of a run."""
    name = request.path_params["run"]
    run = served(request).run(name)
    sent = form(request)
    write_note(run.folder, sent.get("tags", ""), sent.get("text", ""))
    return RedirectResponse(f"/run/{quote(name)}", 303)


def _values(info: RunInfo, note: Note, name: str) -> Sequence[str]:
    by_name: Mapping[str, Sequence[str]] = {
        "suite": (info.suite,),
        "model": info.models,
        "data": (info.data,),
        "tag": note.tags,
    }
    return by_name[name]


def _holds(info: RunInfo, note: Note, text: str) -> bool:
    """Whether all the words stand somewhere in what is known of the run."""
    known = "\n".join(
        (info.path, info.suite, info.data, *info.models, *info.variants, *note.tags, note.text)
    ).casefold()
    return all(word in known for word in text.casefold().split())


def _stamp(every: Sequence[tuple[RunInfo, Note]]) -> str:
    """Tells lists apart: a page that has an older one says so."""
    known = "\n".join(f"{info.path} {info.finished}" for info, _ in every)
    return hashlib.sha256(known.encode("utf-8", "replace")).hexdigest()[:12]


def _named(models: Sequence[str]) -> str:
    """The models in a line, without what all of their names share."""
    names = list(short_names(models).values())
    more = len(names) - MOST_RESULTS
    return ", ".join(names[:MOST_RESULTS]) + (f" and {more} more" if more > 0 else "")


_RESULTS: Latest[tuple[Path, tuple[int, ...]], Results | None] = Latest(2_000)


def _results(site: Served, info: RunInfo) -> Results | None:
    """Made once for each state of the run's files."""
    if info.problem is not None:
        return None
    try:
        folder = site.inside(info.path)
        state = stamps(folder, MANIFEST, SUMMARY, RECORDS)
    except (NotHere, OSError):
        return None
    return _RESULTS.of((folder, state), lambda: _made(site, folder))


def _made(site: Served, folder: Path) -> Results | None:
    run = site.open(folder)
    try:
        table = headline_table(Figures(folder, run.estimates, run.outcomes), suite_to_show(run))
    except UserError:
        return None
    if table is None:
        return None
    column = table.columns[0]
    first = []
    for row in table.rows[:MOST_RESULTS]:
        one = row.cells[0]
        value = "–" if one.estimate is None or one.estimate.value is None else cell(one.estimate.value)
        first.append(Result(" · ".join(filter(None, (row.name, row.prompt))), value, bar(column, one)))
    return Results(", ".join(column.title), column.better, first, len(table.rows) - len(first))
