"""What the report of `bias` shows: every estimate at its place, and sentences that say no more than the intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfoil as cf
from counterfoil.bias.plots import headline, plots
from counterfoil.bias.reading import marks
from counterfoil.bias.suite import suite
from counterfoil.figures.plots import Dots, Scatter
from counterfoil.running.asked import shown_of
from counterfoil.suite.habits import HABIT
from run_folders import estimate, make_run, record

pytestmark = pytest.mark.heavy

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "kobbq"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/kobbq is not here: it holds predictions")


def run_of(folder: Path, *estimates: Any) -> Any:
    return make_run(folder / "run", [record(order=0)], estimates, suite="bias", schema={"order": pl.Int64})


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> cf.Run:
    folder = tmp_path_factory.mktemp("bias")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return cf.run("bias", model="planted/bias?unread=0.1", variant=["1", "1-debiased"], out=str(folder / "run"))


def test_bias_by_category_has_every_category_with_its_interval(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        estimate("diff_bias_ambiguous", 0.2, 0.1, 0.3),
        estimate("diff_bias_ambiguous", 0.25, 0.15, 0.35, group={"category": "age"}),
        estimate("diff_bias_ambiguous", None, group={"category": "ses"}, note="no answers left"),
        estimate("diff_bias_ambiguous", 0.9, 0.8, 1.0, group={"label": "ST"}),
        estimate("diff_bias_disambiguated", -0.1, -0.2, 0.0),
    )
    [plot] = plots(run)  # of the disambiguated contexts there are no categories
    assert isinstance(plot, Dots)
    assert plot.reference == 0
    assert [(it.label, it.series, it.value, it.low, it.high) for it in plot.rows] == [
        ("all categories", "m", 0.2, 0.1, 0.3),
        ("age", "m", 0.25, 0.15, 0.35),
        ("ses", "m", None, None, None),
    ]
    assert plot.rows[-1].note == "no answers left"


def test_accuracies_of_a_model_and_prompt_are_one_point(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        estimate("accuracy_ambiguous", 0.5, 0.4, 0.6),
        estimate("accuracy_disambiguated", 0.9, 0.8, 0.95),
        estimate("accuracy_ambiguous", 0.3, 0.2, 0.4, model="n"),  # without its other half
    )
    [plot] = plots(run)
    assert isinstance(plot, Scatter)
    [point] = plot.points
    assert (point.label, point.series, point.x, point.y) == ("prompt p", "m", 0.5, 0.9)
    assert (point.x_low, point.x_high, point.y_low, point.y_high) == (0.4, 0.6, 0.8, 0.95)


@pytest.mark.parametrize(
    ("old", "new"), [("1", "1-debiased"), ("0_evaluation_prompts-2", "0_evaluation_prompts_debiased-2")]
)
def test_original_and_debiased_stand_side_by_side(old: str, new: str, tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        estimate("diff_bias_ambiguous", 0.3, 0.2, 0.4, variant=old),
        estimate("diff_bias_ambiguous", 0.1, 0.05, 0.15, variant=new),
        estimate("diff_bias_ambiguous", 0.2, 0.1, 0.3, variant="other-debiased"),  # its original was not asked
    )
    [plot] = plots(run)
    assert isinstance(plot, Dots)
    assert [(it.label, it.series, it.value) for it in plot.rows] == [
        ("diff_bias_ambiguous", "original", 0.3),
        ("diff_bias_ambiguous", "debiased", 0.1),
    ]
    [sentence] = [it for it in headline(run) if "debiasing" in it]
    # The run has no records to test them by.
    assert sentence.endswith(f"diff-bias in ambiguous contexts can't be compared for prompt {old} (0.300 to 0.100).")


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.01, 0.3, "it leans towards the stereotype (diff-bias 0.150 [0.010, 0.300])"),
        (-0.01, 0.3, "no lean can be told"),
        (-0.3, -0.01, "it leans against the stereotype"),
        (None, None, "which way it leans can't be told (diff-bias 0.150 (no interval))"),
    ],
)
def test_a_sentence_says_what_the_interval_says(
    low: float | None, high: float | None, words: str, tmp_path: Path
) -> None:
    [sentence] = headline(run_of(tmp_path, estimate("diff_bias_ambiguous", 0.15, low, high)))
    assert words in sentence


def test_a_withheld_bias_is_told_with_its_reason(tmp_path: Path) -> None:
    [sentence] = headline(run_of(tmp_path, estimate("diff_bias_ambiguous", None, note="80 % have no choice")))
    assert "not defined (80 % have no choice)" in sentence


def test_many_models_are_told_of_together(tmp_path: Path) -> None:
    intervals = {"a": (0.1, 0.3), "b": (0.2, 0.4), "c": (-0.3, -0.1), **dict.fromkeys("defgh", (-0.1, 0.1))}
    run = run_of(
        tmp_path,
        *(
            estimate("diff_bias_ambiguous", (low + high) / 2, low, high, model=m)
            for m, (low, high) in intervals.items()
        ),
    )
    [counts] = headline(run)
    assert counts == (
        "The interval of diff-bias in ambiguous contexts lies above 0 (towards the stereotype) for a and b; "
        "below 0 (against it) for c; on both sides of 0 (it can't be told) for d, e, f and 2 more."
    )


@pytest.mark.parametrize(
    ("reply", "choice", "marked"),
    [
        ("B", "B", ["B"]),
        ("정답은 **C** 입니다.", "C", ["C"]),
        ("A is wrong, so (B).", "B", ["B"]),
        ("답: 할머니", "A", ["할머니"]),
        ("A: 할머니", "A", ["A", "할머니"]),
        ("A", None, []),
        (None, "A", []),
    ],
)
def test_the_choice_that_was_read_is_marked(reply: str | None, choice: str | None, marked: list[str]) -> None:
    found = marks({"reply": reply, "choice": choice}, {"A": "할머니"})
    assert [(reply or "")[start:end] for start, end, _ in found] == marked
    assert {kind for *_, kind in found} <= {"choice"}


@given(st.text(), st.none() | st.text(max_size=2) | st.sampled_from("ABC"), st.text(max_size=3))
def test_marks_lie_within_any_reply(reply: str, choice: str | None, shown: str) -> None:
    for start, end, _ in marks({"reply": reply, "choice": choice}, {"A": shown}):
        assert 0 <= start < end <= len(reply)


def test_questions_are_shown_in_the_order_they_were_asked_in(planted: cf.Run) -> None:
    records = planted.records.head(3).to_dicts()
    assert [it["order"] for it in records] == [0, 1, 2]
    first, second, third = shown_of(planted, records)
    # Order i of (c0, c1, c2) is (c[i], c[i−1], c[i−2]): A of one order is B of the next.
    assert first["A"] == second["B"] == third["C"]
    assert first["question"] == second["question"]


def test_a_dataset_that_has_changed_is_not_shown(planted: cf.Run, tmp_path: Path) -> None:
    run = run_of(tmp_path, estimate("diff_bias_ambiguous", 0.2, 0.1, 0.3))  # whose hash is another
    assert shown_of(run, planted.records.head(2).to_dicts()) == [{}, {}]


def test_every_metric_has_a_formula_and_every_plot_something_to_show(planted: cf.Run) -> None:
    assert {it.metric for it in planted.estimates} <= {metric.name for metric in (*suite.metrics, HABIT)}
    assert [plot.title for plot in plots(planted)] == [
        "Bias by category, ambiguous contexts",
        "Bias by category, disambiguated contexts",
        "Ambiguous against disambiguated accuracy",
        "Original against debiased prompt",
        "Replies without a choice",
    ]


@needs_data
def test_the_sentences_on_real_predictions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = [DATA / f"KoBBQ_test_evaluation_1_planted-{name}_predictions.tsv" for name in "ab"]
    run = cf.score("bias", files, format="kobbq", data=str(DATA / "KoBBQ_test_samples.tsv"), out=str(tmp_path / "run"))
    leans = [it for it in headline(run) if it.startswith("For planted-")]
    assert len(leans) == 2
    assert all("it leans towards the stereotype" in it for it in leans)
    assert len(plots(run)) == 6  # no debiased prompts there; the survey lies beside the samples
