"""Filters against what they say, record by record."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.running.folder import Run
from run_folders import make_run, record

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
from counterfoil.suite.suite import Record
from counterfoil.web.records.query import PAGE, Query, parsed, rows_of
from counterfoil.web.records.table import EMPTY, read_rows, rows_of_question, table_of

pytestmark = pytest.mark.heavy

SCHEMA = {"category": pl.String, "level": pl.Int64, "correct": pl.Boolean, "share": pl.Float64, "text": pl.String}
WORDS = ("Canberra", "CANBERRA", "sydney", "a.b", "a+b", "", "é", "É")


def value(kind: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | kind


RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "model": st.sampled_from(["m", "n"]),
            "question_id": st.sampled_from(["q1", "q2", "Canberra?"]),
            "outcome": st.sampled_from(["answered", "failed"]),
            "reply": value(st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)),
            "category": value(st.sampled_from(["a", "b", EMPTY])),
            "level": value(st.integers(0, 2)),
            "correct": value(st.booleans()),
            "share": value(st.sampled_from([0.0, 0.25, 0.5, 1.0, float("nan")])),
        }
    ),
    max_size=140,
)


def find(run: Run, query: Query) -> tuple[list[Record], int]:
    """The records of the query's page, and how many fit in all."""
    table = table_of(run)
    rows = rows_of(run, table, query)
    return read_rows(table, rows.slice((query.page - 1) * PAGE, PAGE).to_list()), len(rows)


def fits(row: dict[str, Any], query: Query) -> bool:
    for name, wanted in query.groups:
        there = row[name]
        as_text = EMPTY if there is None else str(there).lower() if isinstance(there, bool) else str(there)
        if as_text != wanted:
            return False
    texts = [row.get(name) or "" for name in ("reply", "question_id", "reason")]
    return query.text.lower() in "\n".join(texts).lower()


def in_order(places: list[int], records: list[dict[str, Any]], sort: str) -> list[int]:
    """The places sorted by a column of theirs, those that have nothing there at the end; else as they are."""

    def value(place: int) -> Any:
        there = records[place][sort.removeprefix("-")]
        if sort == "reply" and there is not None:
            return len(there)
        return None if there is None or there != there else there

    if not sort:
        return places
    some = sorted((place for place in places if value(place) is not None), key=value)
    if sort.startswith("-"):
        # Equal ones stay in the order of the file.
        some = sorted(sorted(some), key=value, reverse=True)
    return some + [place for place in places if value(place) is None]


@settings(max_examples=60, deadline=None)
@given(
    RECORDS,
    st.fixed_dictionaries(
        {},
        optional={
            "model": st.sampled_from(["", "m", "n", "nobody"]),
            "category": st.sampled_from(["a", EMPTY, "c"]),
            "level": st.sampled_from(["0", "2", EMPTY]),
            "correct": st.sampled_from(["true", "false", EMPTY]),
            "sort": st.sampled_from(["share", "-share", "-category", "reply", "nothing"]),
            "text": st.sampled_from(["canberra", "A.B", "a+b", "(", "\\", "é", "q1"]),
            "page": st.sampled_from(["1", "2", "0", "-3", "9" * 30, "x"]),
        },
    ),
)
def test_a_page_holds_what_fits_and_nothing_else(rows: list[dict[str, Any]], address: dict[str, str]) -> None:
    records = [record(**row) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder) / "run", records, schema=SCHEMA)
        table = table_of(run)
        query = parsed(address, table)
        expected = in_order([place for place, row in enumerate(records) if fits(row, query)], records, query.sort)
        found, total = find(run, query)
        assert (total, table.light.height) == (len(expected), len(records))
        assert [it["row"] for it in found] == expected[(query.page - 1) * PAGE : query.page * PAGE]
        assert all(it["reply"] == records[it["row"]]["reply"] for it in found)
        for question in ("q1", "Canberra?", "nowhere"):
            there = [place for place, row in enumerate(records) if row["question_id"] == question]
            assert rows_of_question(table, question) == there
            assert [it["question_id"] for it in read_rows(table, there)] == [question] * len(there)


def test_what_an_address_can_choose_from(tmp_path: Path) -> None:
    many = [record(question_id=f"q{i}", category=f"c{i}", level=i % 3, text="x" * (i % 2)) for i in range(100)]
    table = table_of(make_run(tmp_path / "run", many, schema=SCHEMA))
    # category has 100 values, correct none, model and outcome one; `text` is what the search is called.
    assert table.groups == {"level": ["0", "1", "2"]}


def test_what_a_second_reader_reads_otherwise_comes_first(tmp_path: Path) -> None:
    # Every tenth is read otherwise, the others the same, or not a second time.
    agree = [False if i % 10 == 3 else [True, None][i % 2] for i in range(PAGE + 20)]
    rows = [record(question_id=f"q{i}", readers_agree=same) for i, same in enumerate(agree)]
    run = make_run(tmp_path / "run", rows, schema={"readers_agree": pl.Boolean})
    first, total = find(run, Query())
    second, _ = find(run, Query(page=2))
    assert total == PAGE + 20
    order = [it["row"] for it in (*first, *second)]
    different = [i for i, same in enumerate(agree) if same is False]
    assert order == [*different, *(i for i in range(PAGE + 20) if i not in different)]
    found, _ = find(run, parsed({"readers_agree": "false"}, table_of(run)))
    assert [it["row"] for it in found] == different


def test_records_of_an_older_run_have_no_way_of_reading(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record()])
    path = run.folder / "records.parquet"
    pl.read_parquet(path).drop("read_by").write_parquet(path)
    [shown], total = find(run, Query())
    assert total == 1
    assert "read_by" not in shown
