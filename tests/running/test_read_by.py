"""How a reading came about is in the records, and counted in the summary."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.asking.ask import Reply
from counterfoil.bias.reading import Reading as BiasReading
from counterfoil.running.rows import Counts, Item, Rows
from counterfoil.suite.imports import Imported
from counterfoil.suite.multiple_choice import Choice, ChoiceQuestion, MultipleChoice
from counterfoil.suite.suite import Variant
from three_choice import suite as three_choice


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Tides(MultipleChoice):
    """A suite whose reader says how it reads."""

    name = "tides"
    questions = (ChoiceQuestion(name="cause", text="What causes tides?", choices=("The Moon", "Rain"), right=0),)

    def read(self, question: ChoiceQuestion, variant: Variant, reply: Reply) -> Choice | None:
        return Choice(0, read_by="final_line") if reply.text == "A" else None


def test_a_row_says_how_its_reading_came_about_and_nothing_where_there_is_none() -> None:
    suite = Tides()
    [question] = suite.load(None)
    [variant] = suite.variants([], None)
    counts = Counts(0)
    rows = Rows(suite, None, {}, counts)
    item = Item("m", variant, question, 0, None)
    assert rows.of_reply_alone(item, Reply(status="ok", text="A"))["read_by"] == "final_line"
    assert rows.of_reply_alone(item, Reply(status="ok", text="?"))["read_by"] is None
    assert rows.of_reply_alone(item, Reply(status="refused", text="A"))["read_by"] is None
    assert counts.read_by == {("m", "plain", "final_line"): 1}


def test_a_reading_that_came_with_a_reply_was_given() -> None:
    suite = Tides()
    [question] = suite.load(None)
    [variant] = suite.variants([], None)
    rows = Rows(suite, None, {}, Counts(0))
    item = Item("m", variant, question, 0, None)
    reply = Reply(status="ok", text="A")
    whose = {"model": "m", "variant": "plain", "question_id": question.id, "reply": reply}
    given = asyncio.run(rows.of_reply(item, reply, Imported(**whose, reading=Choice(1))))
    assert (given["choice"], given["read_by"]) == ("B", "given")
    # An importer that reads by our rules knows how it did.
    read = asyncio.run(rows.of_reply(item, reply, Imported(**whose, reading=Choice(1, read_by="stated"))))
    assert (read["choice"], read["read_by"]) == ("B", "stated")
    nothing = asyncio.run(rows.of_reply(item, reply, Imported(**whose, was_read=True)))
    assert (nothing["outcome"], nothing["read_by"]) == ("out_of_choice", None)
    ours = asyncio.run(rows.of_reply(item, reply, Imported(**whose)))
    assert (ours["choice"], ours["read_by"]) == ("A", "final_line")


def test_a_suite_whose_reading_does_not_tell_has_none() -> None:
    run = cf.run("three_choice:suite", model="planted/three_choice:suite", data="20", out="run")
    assert three_choice.columns.keys() < set(run.records.columns)
    assert run.records["read_by"].null_count() == 20
    assert run.whole_summary.readings == []


def test_a_summary_of_an_older_run_is_readable() -> None:
    run = cf.run("three_choice:suite", model="planted/three_choice:suite", data="20", out="run")
    path = run.folder / "summary.json"
    content = json.loads(path.read_bytes())
    del content["readings"]
    path.write_text(json.dumps(content))
    assert cf.Run("run").whole_summary.readings == []


def test_readings_are_what_they_were_without_a_word_on_how() -> None:
    assert BiasReading(1) == BiasReading(content=1, read_by="")
