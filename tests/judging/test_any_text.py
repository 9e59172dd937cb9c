"""Any text is read or asked for again; what is well-formed comes back as it was."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from counterfoil.judging.parsing import read_list, read_ratings, read_score, read_verdict
from counterfoil.judging.second_reader import choice_task, explanation_task, number_task
from counterfoil.judging.text import Unreadable, fold

pytestmark = pytest.mark.heavy

ASPECTS = ("clarity", "accuracy", "convincingness")
names = st.from_regex(r"[A-Z][a-z]{2,9}( [A-Z][a-z]{2,9})?", fullmatch=True).filter(
    lambda name: name.lower() not in ("none", "empty")
)
numbers = st.integers(0, 100)


pieces = st.lists(
    st.sampled_from(
        [
            *("Score:", "Explanation:", "Alternatives:", "Verdict:", "- ", "* ", "1. ", "\n", "\n\n", " ", "42", "250"),
            *("Choice:", "Number:", "Answer:", "Instead:", "Mentioned:", "A", "right", "none"),
            *("None", "yes", "Sydney", "**", "```", "```json\n", "{", "}", "[", "]", '"', ":", ",", "<", ">", "|"),
            *(
                '{"score": ',
                '{"alternatives": [',
                '{"verdict": ',
                "clarity: 5 | accuracy: 5 | convincingness: 5",
                "null",
            ),
        ]
    ),
    max_size=30,
).map("".join)


@given(st.one_of(st.text(), pieces, st.recursive(st.none() | st.text(), st.lists).map(json.dumps)))
@example("[" * 990 + "]" * 990)
@example('{"score": ' + "9" * 5_000 + "}")
@example("\ud800 Score: \ud800")
def test_any_text_is_read_or_asked_for_again(text: str) -> None:
    for read in (
        read_score,
        read_verdict,
        lambda text: read_list(text, "Alternatives"),
        lambda text: read_ratings(text, ["Sydney", "Perth"], ASPECTS),
        choice_task("?", [("A", "Sydney"), ("B", "Perth")], "", lambda place: place).parse,
        number_task("?", "", lambda said: said).parse,
        explanation_task("?", ["Canberra"], ["Sydney", "Perth"], "", lambda *parts: parts).parse,
    ):
        with suppress(Unreadable):
            read(text)


@given(numbers, st.booleans())
def test_scores_come_back(score: int, as_json: bool) -> None:
    text = json.dumps({"explanation": "x", "score": score}) if as_json else f"Explanation: x\nScore: {score}"
    assert read_score(text) == ("x", score)


@given(st.lists(names, unique_by=fold), st.booleans())
def test_lists_come_back(entries: list[str], as_json: bool) -> None:
    lines = "\n".join(f"- {entry}" for entry in entries)
    text = json.dumps({"alternatives": entries}) if as_json else f"Alternatives:\n{lines}"
    assert read_list(text, "Alternatives") == tuple(entries)


@given(st.dictionaries(names, st.tuples(numbers, numbers, numbers), min_size=1))
def test_ratings_come_back(ratings: dict[str, tuple[int, int, int]]) -> None:
    lines = [
        f"- {name} | " + " | ".join(f"{aspect}: {value}" for aspect, value in zip(ASPECTS, values, strict=True))
        for name, values in ratings.items()
    ]
    assert read_ratings("\n".join(["Ratings:", *lines]), list(ratings), ASPECTS) == ratings
