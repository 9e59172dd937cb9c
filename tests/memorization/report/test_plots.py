"""What the report of `memorization` shows: every estimate at its place, and sentences that say no more than it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfoil as cf
from arms import SCHEMA, asked, frame
from counterfoil.figures.plots import Dots, Lines, Plot
from counterfoil.memorization.metrics import KEPT_OLD_EXCESS
from counterfoil.memorization.reading import marks
from counterfoil.memorization.report.headline import headline
from counterfoil.memorization.report.plots import plots
from counterfoil.memorization.suite import suite
from counterfoil.running.asked import shown_of as shown
from run_folders import make_run

pytestmark = pytest.mark.heavy

SHARED = Path(__file__).parents[4] / "shared" / "data" / "cfa"
NAME = "planted/memorization?skill=0.3&memorized=0.6"


def run_of(folder: Path, *rows: list[dict[str, Any]], **manifest: Any) -> cf.Run:
    records = [row | {"reply": "A"} for some in rows for row in some]
    return make_run(
        folder / "run", records, suite.summarize(frame(*rows), None), suite="memorization", schema=SCHEMA, **manifest
    )


def titled(run: cf.Run) -> dict[str, Plot]:
    return {plot.title: plot for plot in plots(run)}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> cf.Run:
    folder = tmp_path_factory.mktemp("memorization")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return cf.run("memorization", model=NAME, levels=[1, 3], variant=["mcq", "open"], out=str(folder / "run"))


EVERYTHING = [
    asked("a", "1", "10", "11", "01", again="11", reshuffled="10", renamed="11", lure="os1", topic="x"),
    asked("b", "0", "00", "10", "00", again="10", reshuffled="00", lure="0o1", topic="y"),
]


def test_accuracy_by_level_beside_the_controls(tmp_path: Path) -> None:
    plot = titled(run_of(tmp_path, *EVERYTHING))["Accuracy by level, beside the controls"]
    assert isinstance(plot, Lines)
    assert [(it.group, it.label, it.value) for it in plot.rows] == [
        ("numbers changed", "original", 0.5),
        # 1/2 and 0; 1 and 1/2; 1/2 and 0.
        ("numbers changed", "level 1", 0.25),
        ("numbers changed", "level 2", 0.75),
        ("another unknown", "level 3", 0.25),
        ("numbers kept", "again", 0.75),
        ("numbers kept", "reshuffled", 0.25),
        # b has no names.
        ("numbers kept", "renamed", 1.0),
    ]
    assert plot.unlinked == ("numbers kept",)
    assert {it.series for it in plot.rows} == {"m"}


def test_the_gap_stands_beside_its_noise_floor(tmp_path: Path) -> None:
    plot = titled(run_of(tmp_path, *EVERYTHING))["The gap beside its noise floor"]
    assert isinstance(plot, Dots)
    assert plot.reference == 0
    # Perturbed 3/4 and 1/4; again 1 and 1/2; reshuffled 1/2 and 0; renamed 1 for a alone.
    assert [(it.label, it.value) for it in plot.rows] == [
        ("gap: numbers changed", 0.0),
        ("control: again", -0.25),
        ("control: reshuffled", 0.25),
        ("control: renamed", 0.0),
        ("excess over changed options", -0.25),
    ]


def test_the_gap_by_topic(tmp_path: Path) -> None:
    plot = titled(run_of(tmp_path, *EVERYTHING))["The gap by topic"]
    assert isinstance(plot, Dots)
    assert [(it.label, it.value) for it in plot.rows] == [("all topics", 0.0), ("x", 0.25), ("y", -0.25)]
    one_topic = run_of(tmp_path / "other", EVERYTHING[0])
    assert "The gap by topic" not in titled(one_topic)


def test_old_answers_beside_shams(tmp_path: Path) -> None:
    plot = titled(run_of(tmp_path, *EVERYTHING))["Old answers and shams"]
    assert isinstance(plot, Dots)
    # Two old and one sham of six.
    assert [it.label for it in plot.rows] == ["old answer", "sham"]
    assert [it.value for it in plot.rows] == pytest.approx([1 / 3, 1 / 6])


def test_what_was_not_asked_is_not_shown(tmp_path: Path) -> None:
    found = titled(run_of(tmp_path, asked("a", "1", "10"), asked("b", "1", "11")))
    assert set(found) == {"Accuracy by level, beside the controls", "The gap beside its noise floor"}
    nothing = run_of(tmp_path / "failed", asked("a", "x", "x"))
    assert plots(nothing) == []
    assert headline(nothing)[0].startswith("For m: whether there is a gap can't be told (gap not defined")


def test_models_and_prompts_have_their_series(planted: cf.Run) -> None:
    for plot in plots(planted):
        assert isinstance(plot, Lines | Dots)
        assert {it.series for it in plot.rows} == {"prompt mcq", "prompt open"}
        for row in plot.rows:
            assert row.value is None or (row.low is not None and row.high is not None) or row.note


def test_the_headline_says_what_the_intervals_say(tmp_path: Path) -> None:
    # Twenty originals right, all changed ones wrong, all asked again right.
    many = [asked(f"q{number}", "1", "00", again="11", lure="oo") for number in range(20)]
    [gap, *rest] = headline(run_of(tmp_path, *many))
    assert gap.startswith("For m: the originals are easier than what they were changed to (gap 1.000 [")
    assert gap.endswith("the intervals lie apart.")
    assert any(sentence.startswith("The interval of kept_old_excess lies above 0") for sentence in rest)
    same = [asked(f"q{number}", "10"[number % 2], "01"[number % 2] * 2) for number in range(20)]
    [gap, *_] = headline(run_of(tmp_path / "same", *same))
    assert gap.startswith("For m: no gap can be told (gap 0.000 [")
    assert "there is no noise floor" in gap


def test_many_models_are_told_of_together(tmp_path: Path) -> None:
    rows = [asked(f"q{q}", "1", "00", model=f"m{model}") for q in range(20) for model in range(8)]
    sentences = headline(run_of(tmp_path, *rows))
    assert sentences[0].startswith("The interval of the gap lies above 0")
    assert not any(sentence.startswith("For ") for sentence in sentences)


def test_the_bank_is_no_evidence_of_memory(planted: cf.Run, tmp_path: Path) -> None:
    assert any("nobody can have memorized them" in sentence for sentence in headline(planted))
    assert not any("nobody can" in sentence for sentence in headline(run_of(tmp_path, *EVERYTHING)))


def test_what_nothing_confirms_is_warned_of(tmp_path: Path) -> None:
    run = run_of(tmp_path, *EVERYTHING, asked("c", "1", "00", status="unverified"))
    assert any("wrong gold answers" in sentence for sentence in headline(run))


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data/cfa is not here")
def test_what_is_wrong_with_an_import_is_in_the_headline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = cf.score("memorization", SHARED / "results_gpt-4o-mini.json", format="cfa", out="run")
    sentences = headline(run)
    who = f"{SHARED / 'results_gpt-4o-mini.json'} (gpt-4o-mini)"
    assert f"{who}: 216 of 702 variants list no change at all." in sentences
    # The study's first trap: 350 ÷ 394 = 0.888 where the letter stays, 98 ÷ 308 = 0.318 where it moves.
    assert f"{who}: 350 of 394 variants are right where the right letter is the original's." in sentences
    assert f"{who}: 98 of 308 variants are right where the right letter is not the original's." in sentences
    values = {it.metric: (it.value, it.n) for it in run.estimates if it.group == {"basis": "finding"}}
    assert values["right_letter_kept"] == (pytest.approx(350 / 394), 394)
    assert values["right_letter_moved"] == (pytest.approx(98 / 308), 308)
    [told] = [sentence for sentence in sentences if sentence.startswith("Of the 702 questions")]
    items = json.loads(Path("run/items.json").read_bytes())
    # One draw each, and no lures: of a single question chance alone explains everything.
    assert not [it for it in items if it["kind"] == "memorized"]
    suspects = [it["question_id"] for it in items if it["kind"] == "suspect"]
    assert f"{len(suspects):,} suspect" in told
    assert f"may make any of these: {', '.join(suspects[:10])} and {len(suspects) - 10:,} more" in told
    [accuracy, floor, kinds] = plots(run)
    assert isinstance(kinds, Dots)
    shares = {it.label: it.value for it in kinds.rows}
    assert set(shares) == {"robust", "suspect", "improved", "wrong in all"}
    assert sum(value for value in shares.values() if value) == pytest.approx(1)
    assert isinstance(accuracy, Lines)
    assert [it.label for it in accuracy.rows] == ["original", "level 1"]
    assert isinstance(floor, Dots)


def test_what_was_asked_comes_from_the_set_beside_the_run(planted: cf.Run) -> None:
    records = planted.records.filter(pl.col("control") == "lure").head(1).to_dicts()
    [question] = shown(planted, records)
    assert set(question) >= {"question", "A", "B", "C", "right answer", "changed", "old answer"}
    assert question["right answer"].startswith(records[0]["gold"])
    [original] = shown(planted, planted.records.filter(level=0).head(1).to_dicts())
    assert "changed" not in original


def test_a_set_that_is_gone_or_changed_shows_nothing(planted: cf.Run, tmp_path: Path) -> None:
    records = planted.records.head(2).to_dicts()
    run = run_of(tmp_path, *EVERYTHING)
    assert shown(run, records) == [{}, {}]
    (run.folder / "set.jsonl").write_bytes((planted.folder / "set.jsonl").read_bytes())
    assert shown(run, records) == [{}, {}], "its hash is not the run's"


def test_marks_are_where_the_answer_was_read(planted: cf.Run) -> None:
    for record in planted.records.filter(outcome="answered").sample(60, seed=1).to_dicts():
        [(start, end, kind)] = marks(record)
        assert kind == "choice"
        said = record["reply"][start:end]
        if record["variant"] == "mcq":
            assert said == record["answer"]
        else:
            assert float(said.replace(",", "")) == pytest.approx(abs(float(record["answer"])))
        assert record["reply"].rindex("ANSWER") < start


@pytest.mark.parametrize(
    ("reply", "answer", "marked"),
    [
        ("A is tempting, but ANSWER: B", "B", "B"),
        ("Call it B. So **B**.", "B", "B"),
        ("ANSWER: $15,030.46", "15030.46", "15,030.46"),
        ("ANSWER: (1,250)", "-1250", "1,250"),
        ("ANSWER: A", "B", None),
        ("12.5% it is", "0.125", None),
        ("", "A", None),
    ],
)
def test_marks_by_hand(reply: str, answer: str, marked: str | None) -> None:
    spans = marks({"reply": reply, "answer": answer})
    assert [reply[start:end] for start, end, _ in spans] == ([] if marked is None else [marked])
    if marked is not None:
        assert spans[0][0] == reply.rindex(marked)


@given(st.text(), st.none() | st.text() | st.sampled_from(["A", "12.5", "-0.07", "nan"]))
def test_marks_lie_within_any_reply(reply: str, answer: str | None) -> None:
    for start, end, _ in marks({"reply": reply, "answer": answer}):
        assert 0 <= start < end <= len(reply)


def test_every_metric_has_its_formula(planted: cf.Run) -> None:
    assert {it.metric for it in planted.estimates} <= {metric.name for metric in suite.metrics}


def test_the_page_holds_plots_and_formulas(planted: cf.Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    cf.report(planted, out=page)
    content = page.read_text(encoding="utf-8")
    for title in titled(planted):
        assert title in content
    assert KEPT_OLD_EXCESS.formula in content
