"""The page of one run, with its tables and plots; while it is under way, how it is doing."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urlencode

import polars as pl
from starlette.requests import Request
from starlette.responses import Response

from counterfoil.figures.plots import Of
from counterfoil.report.html import Html
from counterfoil.report.page.page import run_part
from counterfoil.running.folder import MANIFEST, RECORDS, SUMMARY, readable
from counterfoil.web.live.commands import command_line
from counterfoil.web.live.page import live_page
from counterfoil.web.notes import read_note
from counterfoil.web.pages import page, served
from counterfoil.web.records.table import EMPTY, RESERVED
from counterfoil.web.served import Served, stamps


def run_page(request: Request) -> Response:
    """What the report says of one run."""
    name = request.path_params["run"]
    there = served(request).live(name)
    if there is not None and (there[1].is_running or not (there[0] / SUMMARY).is_file()):
        return live_page(request, name, *there)
    run = served(request).run(name)
    suite = run.whole_summary.suite
    others = [info.path for info in served(request).runs() if info.path != name and info.suite == suite]
    content = _content(served(request), name, run.folder, stamps(run.folder, MANIFEST, SUMMARY, RECORDS))
    different = (run.manifest.get("second_reader") or {}).get("differ", 0)
    return page(
        request,
        "runs/run.html",
        name=name,
        content=content,
        others=others,
        different=different,
        note=read_note(run.folder),
        stopped=None if there is None else command_line(there[1].command),
        can_start=request.app.state.starter.is_on,
        can_write=not request.app.state.read_only,
    )


@lru_cache(maxsize=16)
def _content(site: Served, name: str, folder: Path, state: tuple[int, ...]) -> Html:
    """Made once for each state of the files: plots over many records take their time."""
    run = site.open(folder)
    with readable(folder / RECORDS):
        columns = pl.read_parquet_schema(folder / RECORDS)

    def address(of: Of) -> str | None:
        return records_address(name, of, columns)

    return run_part(run, "run", f"Run {folder.name}", address=address)


def records_address(name: str, of: Of, columns: Collection[str]) -> str | None:
    """The records table with what a mark stands for; None where a column that it needs is not there."""
    if not all(column in columns and column not in RESERVED for column, _ in of):
        return None
    return f"/records/{quote(name)}?{urlencode([(column, EMPTY if value is None else value) for column, value in of])}"
