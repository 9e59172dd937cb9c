"""The counterfactual view: what differs is marked, the arrows lead to it, and suites say what versions are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.running.folder import Run
from run_folders import make_run, record
from sites import Client, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
from counterfoil.bias.suite import suite as bias
from counterfoil.web.records.questions import asked_of
from counterfoil.web.records.table import table_of
from counterfoil.web.versions.family import differing, versions_of
from counterfoil.web.versions.words import CHANGED, MOST_WORDS, differences

pytestmark = pytest.mark.heavy


def marked(text: str, spans: list[tuple[int, int, str]]) -> list[str]:
    return [text[start:end] for start, end, kind in spans if kind == CHANGED]


@pytest.mark.parametrize(
    ("one", "other", "here", "there"),
    [
        ("rent is $1,710 per month", "rent is $1,440 per month", ["1,710"], ["1,440"]),
        ("A 74-year-old and a 26-year-old", "A 26-year-old and a 74-year-old", ["74", "26"], ["26", "74"]),
        ("the same  words", "the same words", [], []),
        ("the end", "the very end", [], ["very"]),
        ("三人行", "三个人", ["行"], ["个"]),
        ("형은 빠르다", "동생은 빠르다", ["형은"], ["동생은"]),
    ],
)
def test_words_that_differ(one: str, other: str, here: list[str], there: list[str]) -> None:
    found = differences(one, other)
    assert found is not None
    assert (marked(one, found.one), marked(other, found.other)) == (here, there)


def test_texts_that_are_too_long_are_not_compared() -> None:
    assert differences("x " * (MOST_WORDS + 1), "y") is None


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from("abc1"), max_size=12), st.lists(st.sampled_from("abc1"), max_size=12))
def test_without_what_is_marked_both_are_the_same(one: list[str], other: list[str]) -> None:
    texts = " ".join(one), " ".join(other)
    found = differences(*texts)
    assert found is not None
    left = []
    for text, spans in zip(texts, found, strict=True):
        kept = list(text)
        for start, end, _ in spans:
            kept[start:end] = " " * (end - start)
        left.append("".join(kept).split())
    assert left[0] == left[1]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from counterfoil import run

    root = tmp_path_factory.mktemp("versions")
    more = {"ledger": root / "ledger.sqlite"}
    run("bias", data="english", model="planted/bias?unknown=0.5", limit=12, orders=3, out=root / "bias", **more)
    run(
        "memorization",
        model=["planted/memorization?memorized=1", "planted/memorization?skill=1&slip=0"],
        limit=3,
        draws=2,
        out=root / "memo",
        **more,
    )
    return root


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[Client]:
    with serving(root, "--ledger", str(root / "ledger.sqlite")) as up:
        yield Client(up)


def heads(text: str) -> list[str]:
    return [unescape(head) for head in re.findall(r'<th scope="col">([^<]+)</th>', text)]


def test_a_bias_question_stands_beside_the_one_with_the_people_swapped(client: Client, root: Path) -> None:
    frame = Run(root / "bias").records
    # Of ambiguous questions the records say which are a pair.
    pair = frame.drop_nulls("pair")["pair"][0]
    rows = frame.with_row_index("row").filter(pair=pair)
    text = client.get(f"/versions/bias?row={rows['row'][0]}").text
    people = ("as it stands", "people swapped") if rows["question_id"].n_unique() == 2 else ("as it stands",)
    assert heads(text) == [f"{name}, order {order}" for name in people for order in (1, 2, 3)]
    # Each version has its record.
    assert {int(row) for row in re.findall(r'class="verdict[^>]*row=(\d+)', text)} == set(rows["row"])
    assert 'class="changed"' in text
    plain = client.get(f"/versions/bias?row={rows['row'][0]}&diff=0").text
    assert 'class="changed"' not in plain


def test_changed_numbers_stand_beside_the_original(client: Client, root: Path) -> None:
    frame = Run(root / "memo").records.with_row_index("row")
    first = frame.filter(level=1).row(0, named=True)
    text = client.get(f"/versions/memo?row={first['row']}").text
    assert heads(text)[:3] == ["original", "level 1, draw 1", "level 1, draw 2"]
    assert "more versions" in text
    every = heads(client.get(f"/versions/memo?row={first['row']}&all=1").text)
    assert len(every) == frame.filter(parent=first["parent"])["question_id"].n_unique()
    # The record that one came from is marked as such, and so is what differs from the original.
    assert f'row={first["row"]}" aria-current="true"' in text


def test_the_arrows_lead_through_what_differs(client: Client, root: Path) -> None:
    run = Run(root / "memo")
    table = table_of(run)
    asked = asked_of(run, table)
    # By hand: questions on which one model is right about one version and wrong about another.
    frame = run.records.filter(~run.records["outcome"].is_in(["failed", "not_asked"]))
    values: dict[str, dict[str, set[bool]]] = {}
    for row in frame.iter_rows(named=True):
        values.setdefault(row["parent"], {}).setdefault(row["model"], set()).add(bool(row["correct"]))
    expected = {parent for parent, by in values.items() if any(len(said) > 1 for said in by.values())}
    parents = [run.records["parent"][int(asked.question.is_in(places).arg_max() or 0)] for places in asked.families]
    assert {parents[family] for family in differing(table, asked)} == expected
    assert expected
    start = f"/versions/memo?row={int(asked.question.is_in(asked.families[0]).arg_max() or 0)}"
    seen, address = 0, start
    while (way := re.search(r'rel="next" href="\?([^"]+)"', client.get(address).text)) is not None:
        address = f"/versions/memo?{unescape(way[1])}"
        seen += 1
    assert seen == len(expected) - (0 in differing(table, asked))


def test_another_run_stands_beside_it(client: Client) -> None:
    text = client.get("/versions/memo?row=0&with=memo").text
    assert text.count("memorized=1</b>") == 2
    assert client.get("/versions/memo?row=0&with=nowhere").status == 404
    assert client.get("/versions/memo?row=999999").status == 404


def test_without_its_dataset_the_versions_are_told_by_their_records(tmp_path: Path) -> None:
    rows = [record(question_id="q", order=order, correct=order == 0, role=None) for order in (0, 1)]
    import polars as pl

    run = make_run(tmp_path / "run", rows, suite="bias", schema={"order": pl.Int64, "correct": pl.Boolean})
    table = table_of(run)
    asked = asked_of(run, table)
    assert [version.name for version in versions_of(asked, 0)] == ["q 0", "q 1"]
    assert differing(table, asked) == [0]


def test_swapped_people_come_behind_the_first(root: Path) -> None:
    first, *rest = [question for question in bias.load("english") if question.pair and not question.order]
    one, other = first, next(question for question in rest if question.pair == first.pair)
    assert [name for _, name in bias.versions([one, other])] == ["as it stands", "people swapped"]


def test_a_point_in_a_plot_leads_to_the_records_that_it_stands_for(client: Client, root: Path) -> None:
    found = re.findall(r'<a href="(/records/memo[?][^"]+)" aria-label="([^"]+)"', client.get("/run/memo").text)
    leads = {unescape(says).partition(":")[0]: unescape(href) for href, says in found}
    # Draws of level 1, by one of two models; and the three questions as they were, without their controls.
    shown = client.get(leads["numbers changed, level 1, memorized=1"]).text
    mine = Run(root / "memo").records.filter(level=1, model="planted/memorization?memorized=1")
    assert f'<p id="count">{mine.height} records of' in shown
    original = client.get(leads["numbers changed, original, memorized=1"]).text
    assert '<p id="count">3 records of' in original
