"""Tables for other tools: nothing is lost, nothing is a formula, nothing is a command."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.errors import UserError
from counterfoil.files import write_json
from counterfoil.report.tables import escaped, latex_table, summary_frame, write_csv, write_latex, write_parquet
from counterfoil.running.folder import Run, Summary
from counterfoil.stats.estimate import Estimate

pytestmark = pytest.mark.heavy


def estimate(metric: str = "accuracy", **more: Any) -> Estimate:
    about: dict[str, Any] = {"model": "m", "variant": "1", "value": 0.5, "low": 0.25, "high": 0.75, "n": 8}
    return Estimate(**(about | {"metric": metric, "clusters": 6, "method": "Wilson"} | more))


def a_run(folder: Path, estimates: list[Estimate], **columns: list[Any]) -> Run:
    folder.mkdir()
    write_json(folder / "summary.json", Summary("bias", estimates))
    pl.DataFrame(columns or {"model": ["m"]}).write_parquet(folder / "records.parquet")
    return Run(folder)


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_an_estimate_is_a_row_and_each_key_of_a_group_a_column(tmp_path: Path) -> None:
    made = [
        estimate(),
        estimate(group={"category": "age"}, value=-0.5, low=None, high=None, note="two, or three"),
        estimate(group={"level": 2, "category": "ses"}, value=None),
    ]
    summary, _ = write_csv(a_run(tmp_path / "run", made), tmp_path / "new" / "tables")
    header, *rows = cells(summary)
    groups = ["group_category", "group_level"]
    assert header[:3] == ["metric", "model", "variant"]
    assert header[3:] == [*groups, "value", "low", "high", "confidence", "n", "clusters", "method", "note"]
    assert rows == [
        ["accuracy", "m", "1", "", "", "0.5", "0.25", "0.75", "0.95", "8", "6", "Wilson", ""],
        ["accuracy", "m", "1", "age", "", "-0.5", "", "", "0.95", "8", "6", "Wilson", "two, or three"],
        ["accuracy", "m", "1", "ses", "2", "", "0.25", "0.75", "0.95", "8", "6", "Wilson", ""],
    ]


def test_a_run_without_estimates_has_a_summary_of_no_rows() -> None:
    frame = summary_frame([])
    assert (frame.height, frame.columns[0]) == (0, "metric")
    assert [str(frame.schema[name]) for name in ("metric", "value", "n")] == ["String", "Float64", "Int64"]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1+1", "'+1+1"),
        ("-A", "'-A"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tA", "'\tA"),
        ("\rA", "'\rA"),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        ("-", "'-"),
        ("-1-1", "'-1-1"),
        # Plain numbers are what they are.
        ("-0.5", "-0.5"),
        ("+3", "+3"),
        ("-1e-05", "-1e-05"),
        ("A=1", "A=1"),
        ('a\r\nb,"c"', 'a\r\nb,"c"'),
        ("", ""),
    ],
)
def test_no_cell_of_a_text_is_a_formula(tmp_path: Path, text: str, cell: str) -> None:
    run = a_run(tmp_path / "run", [estimate(model=text)], reply=[text], number=[-2.5])
    summary, records = write_csv(run, tmp_path)
    assert cells(summary)[1][1] == cell
    assert cells(records) == [["reply", "number"], [cell, "-2.5"]]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_every_text_comes_back_from_csv_and_none_begins_a_formula(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    _, records = write_csv(a_run(folder / "run", [], reply=texts, end=["."] * len(texts)), folder)
    _, *rows = cells(records)
    for text, (cell, end) in zip(texts, rows, strict=True):
        assert end == "."
        assert cell in (text, f"'{text}")
        if cell[:1] in tuple("=+-@\t\r"):
            float(cell)


def test_lists_are_json_and_what_is_missing_is_empty(tmp_path: Path) -> None:
    mentioned = [["=x", 'a "b"', "서울"], [], None]
    scores = [[0.5, -1.0], None, []]
    _, path = write_csv(a_run(tmp_path / "run", [], mentioned=mentioned, scores=scores), tmp_path)
    rows = cells(path)[1:]
    assert [[json.loads(cell) if cell else None for cell in row] for row in rows] == [
        [mentioned[0], scores[0]],
        [[], None],
        [None, []],
    ]


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", [estimate(group={"level": 1}), estimate(group={"level": "two"})], reply=["=1"])
    summary, records = (pl.read_parquet(path) for path in write_parquet(run, tmp_path / "out"))
    assert summary.equals(summary_frame(run.estimates))
    assert summary["group_level"].to_list() == ["1", "two"]
    assert records["reply"].to_list() == ["=1"], "parquet is no spreadsheet"


def test_a_folder_that_is_a_file_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(UserError, match="taken can't be written"):
        write_csv(a_run(tmp_path / "run", []), tmp_path / "taken")


def test_latex_has_a_table_for_each_kind_of_group(tmp_path: Path) -> None:
    made = [
        estimate("diff_bias", value=-0.25, low=-0.5, high=-0.0001),
        estimate(group={"category": "age"}, value=None, low=None, high=None, note="100 % unread"),
        estimate(group={"prompts": "original", "sta/tistic": "mean"}),
    ]
    paths = write_latex(a_run(tmp_path / "run", made), tmp_path)
    assert [path.name for path in paths] == [
        "summary.tex",
        "summary_by_category.tex",
        "summary_by_prompts_sta_tistic.tex",
    ]
    overall, by_category, _ = (path.read_text(encoding="utf-8") for path in paths)
    # −0.0001 rounds to 0, and zero has no sign.
    assert r"diff\_bias & m & 1 & $-0.250$ & [$-0.500$, $0.000$] & 8 & 6 \\" in overall
    assert r"accuracy & age & m & 1 & not defined &  & 8 & 6 \\" in by_category
    assert r"accuracy: 100 \% unread." in by_category
    assert r"\begin{longtable}{llllrlrr}" in by_category
    assert r"bias by category: estimates with intervals at 95 \% confidence" in by_category


# What LaTeX does something with, unless a backslash stands before it.
SPECIAL = re.compile(r"(?<!\\)[&%$#_~^]")


@given(st.text(), st.text(st.sampled_from("\\{}[]*&%$#_~^-`<>|\n a")))
def test_no_text_is_a_command_to_latex(model: str, category: str) -> None:
    for text in (model, category):
        plain = re.sub(r"\\(textbackslash|ascii\w+|text\w+|ensuremath)\b", "", escaped(text))
        assert not SPECIAL.search(plain)
        assert not re.search(r"\\(?![&%$#_{}])", re.sub(r"\\(ge|div)\b", "", plain)), "a backslash before anything else"
        braces = re.sub(r"\\[{}]", "", escaped(text))
        assert braces.count("{") == braces.count("}")
        assert "--" not in escaped(text)
    [row] = [
        line
        for line in latex_table([estimate(model=model, group={"category": category})], "s").split("\n")
        if line.startswith("accuracy")
    ]
    # Eight cells, whatever the texts.
    assert len(re.findall(r"(?<!\\)&", row)) == 7


def test_latex_by_hand() -> None:
    assert escaped(r"a_b 50% {x} \ ~ ^ # $ &") == (
        r"a\_b 50\% \{x\} \textbackslash{} \textasciitilde{} \textasciicircum{} \# \$ \&"
    )
    assert escaped("gpt-4o--x") == "gpt-4o-{}-x"
    assert escaped("[2]\r\n*") == "{[}2]  {*}"
