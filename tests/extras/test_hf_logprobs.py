"""Log probabilities of tokens and of given texts: those of a plain pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'counterfoil[hf]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install 'counterfoil[hf]'")

from counterfoil.asking.ask import TokenChoice
from counterfoil.asking.models.hf import passes
from hf_asks import GREEDY, forward_logprobs, loaded, many, replies, user

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture(params=["shared", "apart"])
def _beginnings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What prompts begin with in common is computed once; or never, as on a GPU with a small network."""
    if request.param == "apart":
        monkeypatch.setitem(passes.PASS_COST, "cpu", 10**9)


def close_to(one: TokenChoice, logprobs: Any, token: int, text_of: Callable[[int], str], top: int) -> None:
    assert one.token == text_of(token)
    assert math.isclose(one.logprob, float(logprobs[token]), abs_tol=1e-4)
    values, ids = logprobs.topk(top)
    assert list(one.top) == [text_of(number) for number in ids.tolist()]
    assert all(math.isclose(a, b, abs_tol=1e-4) for a, b in zip(one.top.values(), values.tolist(), strict=True))


@pytest.mark.usefixtures("_beginnings")
@pytest.mark.parametrize("max_tokens", [1, 3])
def test_log_probabilities_are_those_of_a_plain_pass(folder: Path, max_tokens: int) -> None:
    asks = many({**GREEDY, "max_tokens": max_tokens, "logprobs": 4})
    got = replies(folder, asks)
    tokenizer, _ = loaded(folder)
    for (messages, _, _), reply in zip(asks, got, strict=True):
        assert reply.logprobs is not None
        assert len(reply.logprobs) == reply.output_tokens
        prompt = "".join(f"<s>{message.role}: {message.content}\n" for message in messages) + "<s>assistant: "
        ids, logprobs = forward_logprobs(folder, prompt)
        assert len(ids) == reply.input_tokens
        close_to(
            reply.logprobs[0], logprobs[-1], int(logprobs[-1].argmax()), lambda one: str(tokenizer.decode([one])), 4
        )
    assert replies(folder, [(user("Hm."), GREEDY, 0)])[0].logprobs is None


@pytest.mark.usefixtures("_beginnings")
@pytest.mark.parametrize("longer", [["no", "not"], []])
def test_choices_are_scored_by_their_tokens(folder: Path, longer: list[str]) -> None:
    choices = [*ascii_uppercase, *longer]
    params = {"temperature": 0, "max_tokens": 2, "choices": choices, "logprobs": 2}
    asks = many(params)
    got = replies(folder, [*asks, *many(GREEDY)])
    assert [reply.text for reply in got[len(asks) :]] == [reply.text for reply in replies(folder, many(GREEDY))]
    tokenizer, _ = loaded(folder)
    for (messages, _, _), reply in zip(asks[:6], got[:6], strict=True):
        prompt = "".join(f"<s>{message.role}: {message.content}\n" for message in messages) + "<s>assistant: "
        scores = []
        for choice in choices:
            # "no" begins another choice: it is said only where the reply ends after it.
            ids, logprobs = forward_logprobs(folder, prompt + choice + ("</s>" if choice == "no" else ""))
            start = len(prompt.replace("<s>", "."))
            scores.append(sum(float(logprobs[place - 1, ids[place]]) for place in range(start, len(ids))))
        best = choices[scores.index(max(scores))]
        assert (reply.text, reply.status, reply.finish_reason) == (best, "ok", "stop")
        assert reply.logprobs is not None
        assert "".join(one.token for one in reply.logprobs) == best
        own = sum(one.logprob for one in reply.logprobs)
        assert best == "no" or math.isclose(own, max(scores), abs_tol=1e-3)
        ids, logprobs = forward_logprobs(folder, prompt + best)
        for one, place in zip(reply.logprobs, range(len(ids) - len(best), len(ids)), strict=True):
            close_to(one, logprobs[place - 1], ids[place], lambda token: str(tokenizer.decode([token])), 2)
    assert len({reply.text for reply in got[: len(asks)]}) > 1


def test_choices_alone_are_those_beside_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Apart, a batch of nothing but choices of one token keeps no rows.
    asks = many({"temperature": 0, "choices": [*ascii_uppercase]})
    beside = [reply.text for reply in replies(folder, [*asks, *many(GREEDY)])[: len(asks)]]
    monkeypatch.setitem(passes.PASS_COST, "cpu", 10**9)
    assert [reply.text for reply in replies(folder, asks)] == beside


def test_choices_are_drawn_at_a_temperature(folder: Path) -> None:
    params = {"temperature": 5.0, "choices": ["A", "B", "C"]}
    drawn = [reply.text for reply in replies(folder, [(user("Hm."), params, sample) for sample in range(40)])]
    assert set(drawn) <= {"A", "B", "C"}
    assert len(set(drawn)) > 1
