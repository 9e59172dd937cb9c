"""What the report of `explain` shows: scores, confusion, mentions by plausibility, and what can't be told."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfoil as cf
from counterfoil.explain.plots import BINS, headline, marks, plots
from counterfoil.explain.suite import suite
from counterfoil.figures.plots import Dots, Histogram, Lines
from counterfoil.running.asked import shown_of
from counterfoil.suite.habits import HABIT
from run_folders import estimate, make_run, record

CFE = Path(__file__).parents[2].parent / "shared" / "data" / "cfe"
needs_data = pytest.mark.skipif(not CFE.exists(), reason="../shared/data/cfe is not here: it holds responses")
SCHEMA = {"mentioned": pl.List(pl.String), "judges": pl.List(pl.String), "judge_confusion": pl.List(pl.Float64)}
RIGHT = {"replies": "correct"}
SHOWN = [(name, RIGHT) for name in ("score_threshold", "discernment", "judge_f1")] + [("mentions", {})]
# Six questions, so that there are clusters enough for an interval.
QUESTIONS = [
    {"id": f"q{i}", "question": f"Which? {i}", "answer": "Gold", "candidates": {"Low": 5, "High": 95, "Top": 100}}
    for i in range(6)
]


def run_of(folder: Path, records: list[dict[str, Any]], *estimates: Any, known: bool = True) -> Any:
    path = folder / "questions.json"
    path.write_text(json.dumps(QUESTIONS), encoding="utf-8")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest() if known else "another"
    return make_run(
        folder / "run",
        records,
        estimates,
        suite="explain",
        schema=SCHEMA,
        data={"name": "questions.json", "given": str(path), "sha256": sha256, "questions": 6, "asked": 6},
        options={"plausibility": "listwise", "confusing_at": 60.0},
    )


def titled(run: Any, start: str) -> Any:
    [plot] = [plot for plot in plots(run) if plot.title.startswith(start)]
    return plot


def test_scores_stand_by_model_and_prompt_under_both_labellings(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        [record()],
        estimate("score_threshold", 0.4, 0.3, 0.5, group=RIGHT),
        estimate("score_confusion_index", 0.6, 0.5, 0.7, group=RIGHT),
        estimate("score_threshold", 0.9, 0.8, 1.0),
        estimate("discernment", 0.1, -0.1, 0.3, group=RIGHT),
    )
    plot = titled(run, "Score")
    assert isinstance(plot, Dots)
    assert [(it.label, it.series, it.group, it.value, it.low, it.high) for it in plot.rows] == [
        ("p", "m", "labels by threshold", 0.4, 0.3, 0.5),
        ("p", "m", "labels by confusion index", 0.6, 0.5, 0.7),
    ]
    assert titled(run, "Discernment").reference == 0


def test_several_judges_stand_beside_each_other(tmp_path: Path) -> None:
    judges = ("a", "b", "panel")
    run = run_of(
        tmp_path,
        [record()],
        *(estimate("judge_f1", i / 10, group={**RIGHT, "judge": judge}) for i, judge in enumerate(judges)),
        estimate("judge_f1", 0.9, group={"judge": "a"}),
    )
    plot = titled(run, "Precision")
    assert [(row.group, row.value) for row in plot.rows] == [("F1, a", 0.0), ("F1, b", 0.1), ("F1, panel", 0.2)]


def test_prompts_stand_in_the_order_of_the_cfe_study_and_others_behind_them(tmp_path: Path) -> None:
    asked = ["mine", "cfe-unrestricted", "baseline", "cfe", "clarify-doubts"]
    run = run_of(
        tmp_path,
        [record(variant=variant) for variant in asked],
        *(estimate(name, 0.5, variant=variant, group=group) for variant in asked for name, group in SHOWN),
    )
    for title in ("Score", "Discernment", "Precision", "Mentions", "Length"):
        labels = list(dict.fromkeys(row.label for row in titled(run, title).rows))
        assert labels == ["baseline", "clarify-doubts", "cfe", "cfe-unrestricted", "mine"], title


def test_what_the_judge_says_by_model_and_prompt(tmp_path: Path) -> None:
    values = {"judge_f1": 0.4, "judge_precision": 0.8, "judge_recall": 0.3}
    run = run_of(tmp_path, [record()], *(estimate(name, value, group=RIGHT) for name, value in values.items()))
    rows = {row.group: (row.series, row.value) for row in titled(run, "Precision").rows}
    assert rows == {"precision": ("m", 0.8), "recall": ("m", 0.3), "F1": ("m", 0.4)}


def test_how_long_replies_are(tmp_path: Path) -> None:
    # Three and five words: the mean is 4. What was refused is no reply.
    replies = ["It is Canberra.", "Canberra, and\nnot  Sydney, mate."]
    records = [record(question_id=f"q{i}", cluster=f"q{i}", reply=reply) for i, reply in enumerate(replies)]
    records.append(record(question_id="q2", cluster="q2", reply="No.", outcome="refused"))
    [row] = titled(run_of(tmp_path, records), "Length").rows
    assert (row.label, row.series, row.value) == ("p", "m", pytest.approx(4))


def test_each_question_counts_once_for_each_judge(tmp_path: Path) -> None:
    scores = [
        ("q0", [0.0, 100.0]),
        ("q0", [0.0, 100.0]),
        ("q1", [49.0, None]),
        ("q2", [50.0, 7.0]),
        ("q4", [60.0, None]),
    ]
    records = [record(question_id=q, judges=["j", "k"], judge_confusion=values) for q, values in scores]
    plot = titled(run_of(tmp_path, [*records, record(question_id="q3")]), "Confusion scores")
    assert isinstance(plot, Histogram)
    assert (plot.threshold, plot.threshold_label) == (60.0, "confusing above 60")
    # Bins are 5 wide: 0 is in the first, 49 in the tenth, 50 in the eleventh, 100 in the last, 7 in the second.
    # 60 is not above 60: it is in the twelfth, left of the line.
    counts = {one.series: {i: n for i, n in enumerate(one.counts) if n} for one in plot.series}
    assert counts == {"j": {0: 1, 9: 1, 10: 1, 11: 1}, "k": {1: 1, BINS - 1: 1}}


def test_without_judges_there_is_the_algorithms_index_alone(tmp_path: Path) -> None:
    titles = [plot.title for plot in plots(run_of(tmp_path, [record(question_id="q0", mentioned=[])]))]
    assert "Confusion index of the questions" in titles
    assert "Confusion scores of the questions" not in titles


def test_the_confusion_index_of_every_question(tmp_path: Path) -> None:
    plot = titled(run_of(tmp_path, [record(question_id="q0", mentioned=[])]), "Confusion index")
    # Sorted 100, 95, 5: the largest drop is behind 95, so M = 195 ÷ 200; S is the largest, so the index is M = 0.975.
    assert plot.threshold == pytest.approx(0.975)
    [one] = plot.series
    assert one.counts == (0,) * (BINS - 1) + (6,)


def test_the_mention_rate_by_plausibility(tmp_path: Path) -> None:
    # Every reply mentions High, half of them Top, too, none Low.
    records = [
        record(question_id=f"q{i}", cluster=f"q{i}", mentioned=["High", "Top"] if i % 2 else ["High"]) for i in range(6)
    ]
    records.append(record(question_id="q0", cluster="q0", outcome="out_of_choice", mentioned=[]))
    plot = titled(run_of(tmp_path, records), "Plausibility")
    assert isinstance(plot, Lines)
    # 95 and 100 share the last step: 6 of 6 and 3 of 6, in all 9 of 12. What could not be read says nothing of it.
    assert [(it.label, it.series, it.value) for it in plot.rows] == [("0–9", "m", 0.0), ("90–100", "m", 0.75)]
    assert all(it.low is not None and it.high is not None for it in plot.rows)


def test_several_prompts_are_a_line_each(tmp_path: Path) -> None:
    records = [record(variant=v, question_id="q0", mentioned=["Low"] if v == "x" else []) for v in ("x", "y")]
    plot = titled(run_of(tmp_path, records), "Plausibility")
    assert {(it.series, it.label): it.value for it in plot.rows} == {
        ("x", "0–9"): 1.0,
        ("x", "90–100"): 0.0,
        ("y", "0–9"): 0.0,
        ("y", "90–100"): 0.0,
    }


def test_a_dataset_that_has_changed_leaves_its_plots_out_and_says_so(tmp_path: Path) -> None:
    run = run_of(tmp_path, [record(question_id="q0", mentioned=[])], known=False)
    assert not any("index" in plot.title or "Plausibility" in plot.title for plot in plots(run))
    assert headline(run) == [
        "Plausibility against mention rate is not shown: the dataset questions.json is not where it was, or has "
        "changed."
    ]
    assert shown_of(run, [{"question_id": "q0"}]) == [{}]


def test_the_question_is_shown_with_its_most_plausible_candidates_first(tmp_path: Path) -> None:
    run = run_of(tmp_path, [record(question_id="q1")])
    assert shown_of(run, [{"question_id": "q1"}, {"question_id": "nix"}]) == [
        {"question": "Which? 1", "right answer": "Gold", "candidates": "Top (100), High (95), Low (5)"},
        {},
    ]


def test_the_headline_gives_both_ends_and_leaves_their_difference_to_a_paired_test(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        [record()],
        estimate("score_threshold", 0.15, 0.1, 0.2, group=RIGHT),
        estimate("score_threshold", 0.35, 0.3, 0.4, model="n", group=RIGHT),
    )
    [sentence] = headline(run)
    assert sentence == (
        "The score of right replies (by threshold; 1 is best) goes from 0.150 [0.100, 0.200] for m to "
        "0.350 [0.300, 0.400] for n."
    )


def test_equal_values_are_told_once(tmp_path: Path) -> None:
    run = run_of(
        tmp_path, [record()], estimate("accuracy", 1.0, 0.9, 1.0), estimate("accuracy", 1.0, 0.8, 1.0, model="n")
    )
    assert headline(run) == [
        "The share of right answers is 1.000 for every model and prompt. The widest interval is [0.800, 1.000]."
    ]


@pytest.mark.parametrize(
    ("reply", "mentioned", "expected"),
    [
        ("Canberra, not Sydney.", ["Sydney"], "answer Canberra, mention Sydney"),
        ("Sydney? No: Canberra. Not Sydney", ["Sydney"], "mention Sydney, answer Canberra, mention Sydney"),
        ("Canberras", [], ""),
        ("Sydney or 14 of 4", ["Sydney", "14 OF"], "mention Sydney, mention 14 of"),  # found by somebody else
        (None, ["Sydney"], ""),
        ("Canberra", None, "answer Canberra"),
    ],
)
def test_mentions_and_the_right_answer_are_marked(reply: str | None, mentioned: Any, expected: str) -> None:
    found = marks({"reply": reply, "mentioned": mentioned}, {"right answer": "Canberra"})
    assert ", ".join(f"{kind} {(reply or '')[start:end]}" for start, end, kind in found) == expected


@given(st.text(), st.lists(st.text(max_size=4), max_size=3), st.text(max_size=4))
def test_marks_lie_within_any_reply_and_not_over_each_other(reply: str, mentioned: list[str], gold: str) -> None:
    end_before = 0
    for start, end, _ in marks({"reply": reply, "mentioned": mentioned}, {"right answer": gold}):
        assert end_before <= start < end <= len(reply)
        end_before = end


@needs_data
def test_every_plot_and_formula_on_real_responses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = cf.score(
        "explain",
        CFE / "responses_dev.csv",
        format="cfe",
        data=str(CFE / "questions_88.json"),
        mentions="given",
        out=str(tmp_path / "run"),
    )
    assert {it.metric for it in run.estimates} <= {metric.name for metric in (*suite.metrics, HABIT)}
    assert [plot.title for plot in plots(run)] == [
        "Score by model and prompt",
        "Discernment by model and prompt",
        "Precision, recall and F1 by the judge",
        "Mentions by model and prompt",
        "Length of replies by model and prompt",
        "Confusion scores of the questions",
        "Confusion index of the questions",
        "Plausibility against mention rate, by prompt, over all models",
    ]
