"""The records that fit, as a file: CSV for spreadsheets, JSONL for programs."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import msgspec
import polars as pl
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from counterfoil.errors import UserError
from counterfoil.report.tables import neutral, without_lists
from counterfoil.running.asked import key_of_record
from counterfoil.web.pages import served
from counterfoil.web.records.query import QUESTION, Query, parsed, rows_of
from counterfoil.web.records.questions import Asked, asked_of
from counterfoil.web.records.shown import words_of
from counterfoil.web.records.table import Table, table_of

# Rows that are in memory together, where the order is the file's.
STRETCH = 8_192
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
# Spreadsheets tell by it that the file is UTF-8.
MARK = "\ufeff"


def export(request: Request) -> Response:
    """What the table of records shows with the same address, all pages of it, with whole texts."""
    name = request.path_params["run"]
    kind = request.query_params.get("format", "csv")
    if kind not in TYPES:
        raise UserError(f"Records are exported as {' or '.join(TYPES)}, not as {kind[:20]!r}.")
    run = served(request).run(name)
    table = table_of(run)
    query = parsed(request.query_params, table)
    rows, asked = rows_of(run, table, query), asked_of(run, table)
    file = f"{run.folder.name}-records.{kind}"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(file, safe='')}"}
    lines = _csv if kind == "csv" else _jsonl
    return StreamingResponse(lines(_frames(table, asked, query, rows)), media_type=TYPES[kind], headers=headers)


def _frames(table: Table, asked: Asked, query: Query, rows: pl.Series) -> Iterator[pl.DataFrame]:
    """The rows with all their columns and their question's words. In another order than the file's all are read."""
    in_order = rows.is_sorted()
    step = STRETCH if in_order else max(1, table.light.height)
    for start in range(0, max(1, table.light.height), step):
        wanted = rows.filter(rows.is_between(start, start + step, closed="left"))
        if wanted.is_empty() and (start or not rows.is_empty()):
            continue
        frame = pl.scan_parquet(table.path).slice(start, step).collect()
        frame = frame[(wanted - start).to_list()] if not wanted.is_empty() else frame.clear()
        texts = [words_of(asked.words(key_of_record(asked.suite, row))) for row in frame.to_dicts()]
        yield frame if QUESTION in frame.columns else frame.with_columns(pl.Series(QUESTION, texts, dtype=pl.String))


def _csv(frames: Iterator[pl.DataFrame]) -> Iterator[str]:
    for number, frame in enumerate(frames):
        text = without_lists(frame.lazy()).with_columns(pl.col(pl.String).pipe(neutral)).collect()
        yield (MARK if number == 0 else "") + text.write_csv(include_header=number == 0)


def _jsonl(frames: Iterator[pl.DataFrame]) -> Iterator[bytes]:
    for frame in frames:
        yield b"".join(msgspec.json.encode(row) + b"\n" for row in frame.to_dicts())
