"""Figures over a second reader's sample: values by hand, and intervals that hold the planted truth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from counterfoil.running.rows import Reread
from counterfoil.running.second_reader.figures import second_figures
from counterfoil.running.second_reader.reading import same_value
from counterfoil.stats.estimate import ALL, Estimate
from counterfoil.suite.multiple_choice import MultipleChoice


class Plain(MultipleChoice):
    name = "plain"
    questions = ()


def row(number: int, choice: str | None, read_by: str | None, **more: Any) -> dict[str, Any]:
    """A reply to a question whose right choice is A."""
    usual = {
        "model": "m",
        "variant": "p",
        "question_id": f"q{number}",
        "repeat": 0,
        "cluster": f"c{number}",
        "order": 0,
    }
    read = {"choice": choice, "content": None if choice is None else "AB".index(choice), "correct": choice == "A"}
    outcome = "out_of_choice" if choice is None else "answered"
    return {**usual, **read, "order": 0, "outcome": outcome, "read_by": read_by, **more}


def reread(number: int, first: str | None, second: str | None, read_by: str | None = "stated", **more: Any) -> Reread:
    by = None if first is None else read_by
    rows = row(number, first, by, **more), row(number, second, "second_reader", **more)
    return Reread(*rows, {"choice": first == second})


def found(estimates: Sequence[Estimate], metric: str, model: str = "m", **group: str) -> Estimate:
    [one] = [one for one in estimates if (one.metric, one.model, one.group) == (metric, model, group)]
    return one


def test_values_by_hand() -> None:
    # Rules: A A A B and none; second reader: A A B B and A. They agree on 3 of 5: 2 of 2 that were stated, 1 of 2 that
    # were only mentioned, 0 of 1 in which nothing was read.
    read = [
        *(reread(0, "A", "A"), reread(1, "A", "A")),
        *(reread(2, "A", "B", "only_mentioned"), reread(3, "B", "B", "only_mentioned")),
        reread(4, None, "A"),
    ]
    figures = second_figures(Plain(), read)
    assert found(figures, "reading_agreement").value == pytest.approx(0.6)
    by_way = {"stated": (1.0, 2), "only_mentioned": (0.5, 2), "none": (0.0, 1)}
    for way, (value, n) in by_way.items():
        one = found(figures, "reading_agreement", read_by=way)
        assert (one.value, one.n) == (value, n)
    # Right by the rules: 3 of 5; by the second reader: 3 of 5, others.
    assert found(figures, "accuracy", reading="rules").value == pytest.approx(0.6)
    assert found(figures, "accuracy", reading="second_reader").value == pytest.approx(0.6)
    moved = found(figures, "accuracy", reading="difference")
    assert (moved.value, moved.n, moved.clusters) == (0.0, 5, 5)


def test_an_empty_reply_counts_in_figures_and_not_in_agreement() -> None:
    empty = row(0, None, None)
    figures = second_figures(Plain(), [Reread(empty, empty, {}), reread(1, "A", "B")])
    assert found(figures, "reading_agreement").n == 1
    assert found(figures, "accuracy", reading="rules").value == 0.5
    assert found(figures, "accuracy", reading="second_reader").value == 0.0
    assert second_figures(Plain(), []) == []


def test_models_that_share_questions_share_their_clusters() -> None:
    read = [reread(number, "A", "B" if number == 0 else "A", model=model) for model in "ab" for number in range(6)]
    figures = second_figures(Plain(), read)
    # One of six, and of all two of twelve, in the six clusters of the questions.
    assert found(figures, "reading_agreement", "a").value == pytest.approx(5 / 6)
    of_all = found(figures, "reading_agreement", ALL)
    assert (of_all.value, of_all.n, of_all.clusters) == (pytest.approx(5 / 6), 12, 6)
    moved = found(figures, "accuracy", ALL, reading="difference")
    assert (moved.value, moved.n, moved.clusters) == (pytest.approx(-1 / 6), 12, 6)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["Sydney", "Perth"], ("Perth", "Sydney"), True),
        (["Sydney"], [], False),
        ("12.50", "12.5", True),
        ("12.5", "1.25", False),
        ("A", "A", True),
        ("A", None, False),
        (None, None, True),
        (True, False, False),
    ],
)
def test_readings_are_the_same_whatever_their_form(one: Any, other: Any, same: bool) -> None:
    assert same_value(one, other) is same


@pytest.mark.heavy
def test_intervals_hold_the_planted_truth() -> None:
    """100 questions, read right by the rules with a chance of 0.9, by the second reader always; the model is right with
    a chance of 0.7. Where the rules err they read the other choice: agreement 0.9. Accuracy is 0.7 by the second reader
    and 0.9 · 0.7 + 0.1 · 0.3 = 0.66 by the rules: 0.04 more. Each interval should hold its truth in 95 % of 300 trials,
    give or take 1.3 %, and may do so more often.
    """
    held = {"agreement": 0, "difference": 0}
    trials = 300
    for trial in range(trials):
        luck = random.Random(trial)
        read = []
        for number in range(100):
            truth = "A" if luck.random() < 0.7 else "B"
            said = truth if luck.random() < 0.9 else "AB"[truth == "A"]
            read.append(reread(number, said, truth))
        figures = second_figures(Plain(), read)
        for name, one, value in (
            ("agreement", found(figures, "reading_agreement"), 0.9),
            ("difference", found(figures, "accuracy", reading="difference"), 0.04),
        ):
            assert one.low is not None
            assert one.high is not None
            held[name] += one.low <= value <= one.high
    assert all(number >= 0.92 * trials for number in held.values()), held
