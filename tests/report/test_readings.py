"""How replies were read, for people: shares, a warning where many readings are weak, and what a second reader says."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from counterfoil.reading.ways import WAYS
from counterfoil.report.page.page import page
from counterfoil.report.readings import (
    is_of_second_reader,
    second_reader_sentences,
    shares_sentence,
    weak_sentences,
)
from counterfoil.report.sentences import warnings_of
from counterfoil.report.summary import summary_text
from counterfoil.running.folder import Run
from counterfoil.suite.outcome import GIVEN
from run_folders import SECOND_READER, estimate, make_run, record

AGREEMENT = "reading_agreement"


def read(folder: Path, **ways: int) -> Run:
    summary = {"readings": [{"model": "m", "variant": "p", **ways}]}
    return make_run(folder, [record()], suite="none", summary=summary)


def test_shares_are_told_in_a_line(tmp_path: Path) -> None:
    run = read(tmp_path / "run", final_line=70, stated=20, only_mentioned=10)
    said = "How 100 replies were read: final line 70%, stated 20%, only mentioned 10%."
    assert shares_sentence(run) == said
    assert said in summary_text(run)
    text = page([run])
    assert "How the replies were read (3 ways)" in text
    assert "<td>70 (70%)</td>" in text


@pytest.mark.parametrize(("weak", "is_said"), [(0, False), (20, False), (21, True)])
def test_more_than_a_fifth_of_weak_readings_is_said_with_what_to_do(tmp_path: Path, weak: int, is_said: bool) -> None:
    run = read(tmp_path / "run", final_line=100 - weak, **({"only_mentioned": weak} if weak else {}))
    assert [*weak_sentences(run)] == warnings_of(run)
    assert [*weak_sentences(run)] == is_said * [
        "Many readings are weak, and may be meant otherwise: m, p (21%: 21 only mentioned). Look at them among the "
        "records (read_by), ask in a --variant that wants a final line, or have a sample read anew with "
        "--second-reader MODEL."
    ]


def test_of_many_models_the_worst_are_named_in_one_sentence(tmp_path: Path) -> None:
    readings = [
        {"model": f"m{number}", "variant": "p", "stated": 10 - number, "concluded": number} for number in range(1, 8)
    ]
    [sentence] = weak_sentences(make_run(tmp_path / "run", [record()], suite="none", summary={"readings": readings}))
    # Of ten readings each, 3 to 7 are weak in five models; 1 and 2 are not more than a fifth.
    named = "m7, p (70%: 7 concluded); m6, p (60%: 6 concluded); m5, p (50%: 5 concluded); 2 more. Look"
    assert f"otherwise: {named}" in sentence


def test_an_older_run_says_nothing_of_it(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record()], suite="none")
    assert shares_sentence(run) is None
    assert second_reader_sentences(run) == []
    assert 'id="run-1-reading"' not in page([run])


def reread(folder: Path) -> Run:
    """Three replies of which the second reader reads one otherwise."""
    records = [
        record(question_id=f"q{i}", reply=f"reply {i}", read_by=way, second_reading=said, readers_agree=agree)
        for i, (way, said, agree) in enumerate(
            [("stated", "A", True), ("only_mentioned", "B", False), ("stated", "A", True), ("stated", None, None)]
        )
    ]
    figures = [
        estimate("accuracy", 0.5, 0.4, 0.6),
        estimate(AGREEMENT, 0.667, 0.2, 0.9, n=3),
        estimate(AGREEMENT, 1.0, 0.3, 1.0, n=2, group={"read_by": "stated"}),
        estimate(AGREEMENT, 0.0, 0.0, 0.7, n=1, group={"read_by": "only_mentioned"}),
        estimate("accuracy", 1.0, 0.5, 1.0, n=3, group={"reading": "rules"}),
        estimate("accuracy", 0.667, 0.2, 0.9, n=3, group={"reading": "second_reader"}),
        estimate("accuracy", -0.333, -0.8, 0.2, n=3, group={"reading": "difference"}),
    ]
    return make_run(
        folder,
        records,
        figures,
        suite="none",
        schema={"second_reading": pl.String, "readers_agree": pl.Boolean},
        summary={"readings": [{"model": "m", "variant": "p", "stated": 3, "only_mentioned": 1}]},
        second_reader=SECOND_READER,
        cost={"models": 0.0, "judges": 0.0, "second_reader": 0.0},
    )


def test_what_a_second_reader_says_is_told_in_sentences(tmp_path: Path) -> None:
    run = reread(tmp_path / "run")
    assert second_reader_sentences(run) == [
        "Of a random sample of 3 replies, the second reader, vllm/reader, reads 0.667 [0.200, 0.900] as the rules do, "
        "and 1 otherwise.",
        "They agree least on what was read by “only mentioned”: 0.000 [0.000, 0.700] of 1.",
        "On this sample accuracy is 1.000 by the rules and 0.667 by the second reader: -0.333 [-0.800, 0.200].",
    ]
    [weak] = warnings_of(run)
    assert weak.endswith("ask in a --variant that wants a final line.")  # there is a second reader


def test_the_report_lists_what_is_read_otherwise(tmp_path: Path) -> None:
    text = page([reread(tmp_path / "run")])
    reading = text.partition('id="run-1-reading"')[2].partition("<section>")[0]
    assert "Read otherwise by the second reader: 1" in reading
    assert "reply 1" in reading
    assert "reply 0" not in reading
    assert "vllm/reader" in text.partition("Models and judges")[2]
    # The sample's figures stand beside those of the run in their own tables alone.
    estimates = text.partition('id="run-1-estimates"')[2].partition("<section>")[0]
    assert "second_reader" not in estimates
    assert "reading_agreement" not in estimates


def test_a_reader_that_gave_no_reading_is_told_of(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run",
        [record()],
        suite="none",
        summary={"not_reread": 4},
        second_reader={**SECOND_READER, "stopped": "no"},
    )
    assert "The second reader, vllm/reader, gave no reading of 4 replies that can be used: no." in warnings_of(run)
    assert not run.is_complete


def test_what_people_read_is_no_figure_of_a_second_reader() -> None:
    assert not is_of_second_reader(estimate("human_reading", 0.9, group={"reading": "read"}))
    assert is_of_second_reader(estimate("accuracy", 0.9, group={"reading": "rules"}))


def test_the_documentation_names_every_way_of_reading() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reading.md").read_text(encoding="utf-8")
    assert not [way for way in (*WAYS, GIVEN) if f"`{way}`" not in page]
