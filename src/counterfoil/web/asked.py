"""What the questions of records say, by their suite: neighbours together, since a dataset is read as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from counterfoil.report.page_suite import Record, showing
from counterfoil.web.records_query import Table, table_of
from counterfoil.web.served import ServedRun

# Who looks at one record looks at the next.
BLOCK = 1_000
Key = tuple[str, Any]


def asked_of(run: ServedRun, table: Table, records: Sequence[Record]) -> list[Mapping[str, str]]:
    """For each of the records what its question says; the first one's neighbours are kept for next time."""
    known = _block(run.folder, run.root, table.stamp, records[0]["row"] // BLOCK)
    missing = [record for record in records if _key(record) not in known]
    if missing:
        found = showing(run.whole_summary.suite).asked(run, missing)
        known = known | {_key(record): said for record, said in zip(missing, found, strict=True)}
    return [known[_key(record)] for record in records]


@lru_cache(maxsize=16)
def _block(folder: Path, root: Path, stamp: int, number: int) -> dict[Key, Mapping[str, str]]:
    run = ServedRun(folder, root)
    neighbours = table_of(run).light.slice(number * BLOCK, BLOCK).to_dicts()
    found = showing(run.whole_summary.suite).asked(run, neighbours)
    return {_key(record): said for record, said in zip(neighbours, found, strict=True)}


def _key(record: Record) -> Key:
    """Whatever else a record has, its question is this one."""
    return record["question_id"], record.get("order")
