"""Real replies without their final line are read as that line says, or not at all; no text raises an exception."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmark_modules import benchmark

bench = benchmark("reading")
needs_data = pytest.mark.skipif(not bench.SOLUTIONS.is_file(), reason="../shared/data/gsm is not here")


@needs_data
@pytest.mark.heavy
def test_solutions_without_their_final_line() -> None:
    counts = bench.without_final_numbers()
    assert counts["all"] > 1_000
    assert counts["line"] == counts["all"]
    assert counts["none"] <= bench.MOST_UNREAD_SOLUTIONS * counts["all"]
    assert counts["other"] <= bench.MOST_OTHER * counts["all"]


@pytest.mark.heavy
def test_any_text_is_read_without_an_exception() -> None:
    assert bench.read_all(bench.random_texts(2_000, seed=2)) == 2_000


def test_the_last_line_is_taken_away_before_letters_are_compared(tmp_path: Path) -> None:
    options = ["maturity", "liquidity", "inflation"]
    replies = [
        # Read without it: C. Then B, where the reply itself says C. Then nothing.
        "Rates rise with prices. Therefore, the premium is for inflation.\n\nANSWER: C",
        "The answer is C.\n\n**ANSWER: B**",
        "It depends.\n\nANSWER: A",
        "No last line, so it is not counted: C.",
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(json.dumps({"reply": reply, "options": options}) for reply in replies))
    assert bench.without_final_letters(path) == {"all": 3, "right": 1, "other": 1, "none": 1}
