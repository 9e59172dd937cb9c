"""Replies that were cut off or are empty are said first, with the option that helps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil
from counterfoil import Run
from counterfoil.report.cut_off import cut_off_sentences
from mock_server import Answer, MockServer, completion


def manifest(role: str = "models", **counts: Any) -> dict[str, Any]:
    usual = {"name": "m/x", "asked": 60, "in_ledger": 40, "output_tokens": 1000, "reasoning_tokens": 0}
    about = usual | {"params": {"max_tokens": 64}, "adjustments": [], **counts}
    return {"models": [], "judges": [], role: [about]}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (manifest(truncated=5), None),  # 5 of 100 are not more than 5 %
        (manifest(truncated=3, empty=2), None),
        (manifest(), None),
        (
            manifest(truncated=82),
            "m/x: 82 of 100 replies (82%) were cut off. Raise --max-tokens (it was 64).",
        ),
        (
            manifest(truncated=4, empty=2),
            "m/x: 6 of 100 replies (6%) were cut off (4) or are empty (2). Raise --max-tokens (it was 64).",
        ),
        (
            manifest(empty=100),
            "m/x: 100 of 100 replies (100%) are empty. "
            "Look at the server: at its log, and at the model's chat template.",
        ),
        (
            manifest(truncated=50, reasoning_tokens=980, params={"max_completion_tokens": 500, "max_tokens": 64}),
            "m/x: 50 of 100 replies (50%) were cut off. Thinking took 98% of the tokens out. "
            "Raise --max-tokens (it was 500) or lower --reasoning-effort.",
        ),
        (
            manifest("judges", truncated=50, params={}),
            "m/x (judge): 50 of 100 replies (50%) were cut off. "
            "Raise --max-tokens in the judge's table of an experiment file.",
        ),
    ],
)
def test_what_is_said(content: dict[str, Any], sentence: str | None) -> None:
    assert cut_off_sentences(content) == ([] if sentence is None else [sentence])


def test_a_manifest_from_before_it_was_counted_says_nothing() -> None:
    content = manifest()
    del content["models"][0]["reasoning_tokens"]
    assert cut_off_sentences(content) == []


def test_it_comes_first_on_the_terminal_and_in_the_report(tmp_path: Path) -> None:
    def thinks_for_ever(request: dict[str, Any]) -> Answer:
        answer = completion("", "length")
        body = json.loads(answer.body)
        limit = request["max_completion_tokens"]
        body["usage"] |= {"completion_tokens": limit, "completion_tokens_details": {"reasoning_tokens": limit}}
        answer.body = json.dumps(body).encode()
        return answer

    with MockServer(thinks_for_ever) as server:
        arguments = ("run", SUITE, "--model", "openai/gpt-5-mini", "--base-url", server.url, "--data", "20")
        done = counterfoil(*arguments, "--reasoning-effort", "high", "--out", "out", cwd=tmp_path)
        assert {request["max_completion_tokens"] for request in server.requests} == {16_384}
        assert {request["reasoning_effort"] for request in server.requests} == {"high"}
    said = (
        "Nothing could be read in any of the 20 replies of openai/gpt-5-mini, plain: all were cut off. Thinking "
        "took 100% of the tokens out. Raise --max-tokens (it was 16,384) or lower --reasoning-effort."
    )
    assert done.stdout.startswith(said)
    assert counterfoil("show", "out", cwd=tmp_path).stdout.startswith(said)
    page = (tmp_path / "out" / "report.html").read_text()
    result = page[page.index("Result</h3>") :]
    assert result.index(said) < result.index("<ul")
    (model,) = Run(tmp_path / "out").manifest["models"]
    # gpt-5-mini costs 0.25 dollars for a million tokens in and 2 out: 20 x (60 x 0.25 + 16,384 x 2) millionths.
    assert model["reasoning_tokens"] == 20 * 16_384
    assert model["cost"] == pytest.approx(20 * (60 * 0.25 + 16_384 * 2) / 1e6)
    assert f"{20 * 16_384:,}" in page
