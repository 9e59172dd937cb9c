"""Looking: runs, records and comparisons, as pages of a real server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import polars as pl
import pytest

from commands import counterfoil
from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.ledger import Ledger
from counterfoil.running.folder import Run
from run_folders import estimate, make_run, record
from sites import Client, Site, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

pytestmark = pytest.mark.heavy

SCHEMA = {"category": pl.String, "share": pl.Float64, "correct": pl.Boolean}


def in_ledger(path: Path, question: str, reply: str) -> str:
    """Put an exchange into the ledger; gives its key."""
    ask = Ask(provider="p", model="m", messages=(Message("system", "be <b>brief</b>"), Message("user", question)))

    async def put() -> None:
        with Ledger(path) as ledger:
            await ledger.put(ask, "judge/j", Reply(status="ok", text=reply, output_tokens=7))

    asyncio.run(put())
    return ask.key


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("served")
    ledger = root / ".counterfoil" / "ledger.sqlite"
    key = in_ledger(ledger, "Which city?", "Canberra, of course")
    judge = in_ledger(ledger, "Is Canberra right?", "the judge says yes")
    # 120 records: categories a and b in turns, shares 0/120 to 119/120, every tenth refused.
    records = [
        record(
            model=f"model-{i % 2}",
            question_id=f"q{i // 4:03}",
            variant=f"v{i // 2 % 2}",
            outcome="refused" if i % 10 == 9 else "answered",
            reply=f"reply {i} Canberra" if i % 3 == 0 else f"reply {i}",
            category="ab"[i % 2],
            share=i / 120,
            correct=i % 4 == 0,
            ask_key=key if i == 0 else "0" * 64,
            judge_keys=[judge, "f" * 64] if i == 0 else None,
        )
        for i in range(120)
    ]
    make_run(
        root / "runs" / "older",
        records,
        [estimate("accuracy", 0.5, 0.4, 0.6)],
        suite="none",
        schema=SCHEMA,
        finished_at="2026-01-01T00:00:00+00:00",
    )
    make_run(
        root / "runs" / "newer",
        [record(model="solo")],
        suite="other",
        data={"name": "letters", "given": None, "sha256": "", "questions": 1, "asked": 1},
        finished_at="2026-02-01T00:00:00+00:00",
    )
    broken = root / "runs" / "broken"
    make_run(broken, [record()])
    (broken / "manifest.json").write_text("{", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    with serving(folder) as up:
        yield up


@pytest.fixture
def client(site: Site) -> Client:
    return Client(site)


def rows_of(text: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="/run/([^"]+)"', text)


def count_of(text: str) -> str:
    found = re.search(r'<p id="count">(.*?)\.</p>', text)
    assert found is not None
    return found.group(1)


def test_runs_are_listed_newest_first_and_one_that_is_broken_says_so(client: Client, folder: Path) -> None:
    text = client.get("/").text
    assert rows_of(text) == ["runs/newer", "runs/older", "runs/broken"]
    assert "manifest.json can&#x27;t be read" in text
    # Where the directory is on this machine is not told.
    assert "runs/broken" in (text := client.get("/run/runs/broken").text)
    assert str(folder) not in text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("suite=other", ["runs/newer"]),
        ("model=model-1", ["runs/older"]),
        ("data=letters", ["runs/newer"]),
        ("suite=other&model=model-1", []),
    ],
)
def test_runs_are_filtered_by_the_address(client: Client, query: str, shown: list[str]) -> None:
    assert rows_of(client.get(f"/?{query}").text) == shown


def test_a_run_shows_what_its_report_shows(client: Client) -> None:
    text = client.get("/run/runs/older").text
    assert 'id="run-estimates"' in text
    assert "<b>0.500</b>" in text
    assert 'href="/records/runs/older"' in text


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", "120 records, page 1 of 3"),
        ("outcome=refused", "12 records of 120"),
        # i odd and i % 10 == 9: all twelve.
        ("outcome=refused&category=b", "12 records of 120"),
        ("outcome=refused&category=a", "0 records of 120"),
        # 60/120 up to 90/120, both with.
        ("where=share+>=+0.5+and+share+<=+0.75", "31 records of 120"),
        ("where=share+>=+0.95+and+not+correct+==+none", "6 records of 120"),
        # Whole numbers divisible by 3 below 120.
        ("text=canBERRA", "40 records of 120"),
        ("text=canberra&category=a", "20 records of 120"),
        # Nothing of it is a pattern.
        ("text=.*", "0 records of 120"),
        # q002 is the question of four records.
        ("text=q002", "4 records of 120"),
        ("correct=true", "30 records of 120"),
        ("sort=nothing&page=y&category=", "120 records, page 1 of 3"),
    ],
)
def test_records_are_filtered_by_the_address(client: Client, query: str, count: str) -> None:
    answer = client.get(f"/records/runs/older?{query}")
    assert answer.status == 200
    assert count_of(answer.text) == count


def test_pages_go_through_all_records_in_order(client: Client) -> None:
    seen: list[int] = []
    # A page behind the last is the last.
    for number in (1, 2, 3, 4):
        text = client.get(f"/records/runs/older?category=a&page={number}").text
        seen += map(int, re.findall(r'<div class="words said" dir="auto">reply (\d+)', text))
    assert seen == [*range(0, 120, 2), *range(100, 120, 2), *range(100, 120, 2)]


def test_what_was_searched_for_is_marked(client: Client) -> None:
    assert '<mark class="found">Canberra</mark>' in client.get("/records/runs/older?text=canberra").text


def test_a_record_shows_the_exchange_its_judges_and_its_siblings(client: Client) -> None:
    text = client.get("/record/runs/older?row=0").text
    assert "Which city?" in text
    assert "be &lt;b&gt;brief&lt;/b&gt;" in text
    assert "the judge says yes" in text
    assert "The ledger does not hold it (key ffffffffffff…)" in text
    assert text.count('<details class="step">') == 2
    # The other three records of q000: two models, two variants.
    assert "3 other records" in text
    versions = client.get("/versions/runs/older?row=0").text
    assert re.findall(r'class="verdict[^>]*row=(\d+)', versions) == ["0", "2", "1", "3"]


def test_a_record_without_an_exchange_says_so(client: Client) -> None:
    assert "The ledger does not hold this ask" in client.get("/record/runs/older?row=5").text


@pytest.mark.parametrize("row", ["120", "-1", "x", "", "99999999999999999999999"])
def test_a_record_that_is_not_there_is_not_here(client: Client, row: str) -> None:
    assert client.get(f"/record/runs/older?row={row}").status == 404


def test_records_are_read_again_when_the_file_changes(client: Client, folder: Path) -> None:
    path = folder / "runs" / "newer" / "records.parquet"
    assert count_of(client.get("/records/runs/newer").text) == "1 record"
    frame = pl.read_parquet(path)
    pl.concat([frame, frame]).write_parquet(path)
    assert count_of(client.get("/records/runs/newer").text) == "2 records"


def test_items_are_compared_biggest_change_first(tmp_path: Path) -> None:
    from counterfoil import run

    ledger = tmp_path / "ledger.sqlite"
    made = [
        run(
            "explain",
            model=f"planted/explain?right={right}",
            variant="cfe",
            limit=30,
            out=tmp_path / name,
            ledger=ledger,
        )
        for name, right in (("a", "0.9"), ("b", "0.3"))
    ]
    with serving(tmp_path, "--ledger", str(ledger)) as up:
        client = Client(up)
        text = client.get("/compare?a=a&b=b&metric=score_threshold").text
        found = re.findall(r'<b>([^ ]+) → ([^<]+)</b>.*?class="id"[^>]*>([^<]+)</a>', text)
        expected = changes_by_hand(made[0], made[1], text)
        assert len(found) > 1
        assert {item: (float(a), float(b)) for a, b, item in found}.items() <= expected.items()
        sizes = [abs(float(b) - float(a)) for a, b, _ in found]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] == max(abs(b - a) for a, b in expected.values())
        # From an item to the records that it is made of, on both sides.
        for run_made, name in zip(made, "ab", strict=True):
            at = re.findall(rf'href="/record/{name}\?row=(\d+)"', text)
            row = run_made.records.row(int(at[0]), named=True)
            assert f"{row['question_id']} 0" == found[0][2]
        assert client.get("/compare?a=a&b=nowhere").status == 404
        assert client.get("/compare").status == 200


def changes_by_hand(one: Run, other: Run, text: str) -> dict[str, tuple[float, float]]:
    """Straight from the records."""
    assert "planted/explain?right=0.9" in unescape(text)
    values = [{row["question_id"]: row["score_threshold"] for row in run.records.to_dicts()} for run in (one, other)]
    return {
        f"{question} 0": (round(a, 3), round(values[1][question], 3))
        for question, a in values[0].items()
        if a != values[1][question]
    }


def test_a_suite_that_the_site_was_started_with_shows_its_plots_and_every_turn(tmp_path: Path) -> None:
    from counterfoil import run

    planted = [f"planted/doubted:suite?folds={share}" for share in (0, 1)]
    ledger = tmp_path / "ledger.sqlite"
    run("doubted:suite", model=planted, data="20", out=tmp_path / "a", ledger=ledger)
    with serving(tmp_path, "--ledger", str(ledger), "--suite", "doubted:suite") as up:
        client = Client(up)
        assert "Right after doubt" in client.get("/run/a").text
        assert " changed, biggest change first" in client.get("/compare?a=a").text
        text = client.get("/record/a?row=0").text
        turns = re.findall(r'<section class="turn \w+" aria-label="\w+"><h3>(\w+)</h3>', text)
        assert turns == ["user", "assistant", "user", "reply"]
        assert "Are you sure?" in text
        assert "<dt>numbers</dt>" in text
    with serving(tmp_path) as up:
        assert "Right after doubt" not in Client(up).get("/run/a").text


def test_a_suite_that_is_not_there_keeps_the_site_from_starting(folder: Path) -> None:
    said = counterfoil("serve", "--suite", "no_such_module:suite", cwd=folder)
    assert (said.returncode, "there is no module no_such_module" in said.stderr) == (2, True)
