"""Strange replies: each in its outcome, none of them silently wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import SUITE, counterfoil
from counterfoil import Run
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy

NO_CHOICES = Answer(json.dumps({"choices": [], "usage": {"prompt_tokens": 5}}).encode())
NO_MESSAGE = Answer(json.dumps({"choices": [{"finish_reason": "stop"}]}).encode())

CASES = {
    "a good answer": (completion("B"), "answered"),
    "empty": (completion(""), "out_of_choice"),
    "null": (completion(None), "out_of_choice"),
    "no message": (NO_MESSAGE, "out_of_choice"),
    "no choices": (NO_CHOICES, "out_of_choice"),
    "nothing to read": (completion("Well, it depends."), "out_of_choice"),
    "filtered": (completion(None, "content_filter"), "refused"),
    "filtered before the model": (error(400, "filtered", code="content_filter"), "refused"),
    "refusal": (completion(None, refusal="I can't help with that."), "refused"),
    "cut off": (completion("Let me think about all of these", "length"), "truncated"),
    "cut off after the answer": (completion("B, since", "length"), "answered"),
    "too long": (error(400, "maximum context length is 8192 tokens", code="context_length_exceeded"), "failed"),
    "only thoughts": (completion("<think>A or B?</think>"), "out_of_choice"),
    "thoughts before the answer": (completion("<think>A or C?</think>B"), "answered"),
}


@pytest.mark.parametrize("case", CASES)
def test_each_reply_ends_in_its_outcome(case: str, tmp_path: Path) -> None:
    answer, outcome = CASES[case]
    with MockServer(lambda request: answer) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "2", "--out", "out")
        done = counterfoil(*arguments, cwd=tmp_path)
        asked = len(server.requests)
        assert asked == 2, "none of these gets better by asking again"
        counterfoil(*arguments, cwd=tmp_path)
        asked_again = len(server.requests) - asked
    assert done.returncode == (1 if outcome == "failed" else 0), done.stderr
    run = Run(tmp_path / "out")
    assert run.records["outcome"].to_list() == [outcome, outcome]
    # What was answered is never asked again; what failed is.
    assert asked_again == (2 if outcome == "failed" else 0)
    accuracy = next(estimate for estimate in run.estimates if estimate.metric == "accuracy")
    # Unread, refused and cut-off replies count as wrong; failed ones leave the question out.
    assert accuracy.n == (0 if outcome == "failed" else 2)
    if outcome == "failed":
        assert accuracy.value is None
        assert run.unanswered[0].reason is not None
        assert "maximum context length" in run.unanswered[0].reason
