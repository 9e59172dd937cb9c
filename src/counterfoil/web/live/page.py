"""A run under way: how far it is, its figures so far, what came last, what failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from counterfoil.errors import UserError
from counterfoil.figures.numbers import money
from counterfoil.report.headline.html import headline_html
from counterfoil.report.headline.table import headline_table
from counterfoil.report.html import Html, language_of
from counterfoil.running.live.rows import interim, rows_so_far
from counterfoil.running.live.state import Live, Work, duration
from counterfoil.suite.finding import suite_of_run
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.suite import AnySuite, Context, Record
from counterfoil.web.latest import Latest
from counterfoil.web.live.commands import command_line
from counterfoil.web.pages import page, served
from counterfoil.web.served import Served

# What came last, and the failures, at the most.
LAST, FAILURES = 12, 8
LONGEST = 300


class Said(NamedTuple):
    """A record as the page tells it."""

    who: str
    question: str
    outcome: str
    kind: str
    text: str
    language: str | None


def live_page(request: Request, name: str, folder: Path, live: Live) -> Response:
    """The page is made anew every two seconds as long as the run is under way."""
    records = rows_so_far(folder, live)
    return page(
        request,
        "runs/live.html",
        name=name,
        live=live,
        works=[(work, _described(work, live)) for work in live.works],
        left=None if live.seconds_left is None else duration(live.seconds_left),
        took=duration(live.seconds),
        cost=money(live.cost),
        figures=None if records is None else _figures(served(request), folder, live, records),
        last=[_said(record) for record in reversed((records or [])[-LAST:])],
        failures=[_said(record) for record in records or [] if record["outcome"] in LEFT_OUT][-FAILURES:],
        too_many=records is None,
        command=command_line(live.command),
        can_start=request.app.state.starter.is_on,
        can_stop=request.app.state.starter.can_stop(name),
    )


def _described(work: Work, live: Live) -> str:
    """What stands beside a bar."""
    if live.is_running and work.stopped is None:
        return work.describe(live.seconds)
    return f"{work.done:,} of {work.total:,}" + (f", stopped: {work.stopped}" if work.stopped else "")


def suite_of_live(site: Served, live: Live, of: str) -> AnySuite:
    """The suite of a run under way: an installed one, or one that the site was started with."""
    suite = suite_of_run(live.suite, site.place_of(live.suite, of))
    return suite.configured(live.options, Context(data=str(live.data["name"])))


_FIGURES: Latest[tuple[Path, str, int], Html | None] = Latest(8)


def _figures(site: Served, folder: Path, live: Live, records: Sequence[Record]) -> Html | None:
    """The headline table of what has come; made again when more has."""

    def made() -> Html | None:
        try:
            suite = suite_of_live(site, live, folder.name)
            table = headline_table(interim(folder, suite, live, records), suite)
        except UserError:
            return None
        return None if table is None else headline_html(table)

    return _FIGURES.of((folder, live.started_at, len(records)), made) if records else None


def _said(record: Record) -> Said:
    correct = record.get("correct") if record["outcome"] == "answered" else None
    outcome = record["outcome"] if correct is None else "right" if correct else "wrong"
    text = str(record.get("reply") or record.get("reason") or "")
    who = f"{record['model']} · {record['variant']}"
    return Said(who, record["question_id"], outcome.replace("_", " "), outcome, text[:LONGEST], language_of(text))
