"""Weights in process by transformers: the same replies as one by one, whatever shares a batch with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'counterfoil[hf]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install 'counterfoil[hf]'")

import torch
import transformers

from counterfoil.asking.ask import Reply
from counterfoil.asking.models.base import Hopeless
from counterfoil.asking.models.hf import passes
from counterfoil.asking.models.hf.job import read_settings
from counterfoil.asking.models.hf.passes import next_tokens
from hf_asks import GREEDY, many, plainly, replies, send, user
from tiny_model import CONTEXT, make_model

pytestmark = pytest.mark.usefixtures("alone")


@pytest.mark.parametrize("kind", ["llama", "sliding", "gpt2"])
def test_replies_are_those_of_plain_generate(kind: str, tmp_path: Path) -> None:
    path = make_model(tmp_path / "model", kind=kind)
    asks = many(GREEDY)
    expected = plainly(path, asks)
    assert len(set(expected)) > 10  # a network that says the same to everything would show nothing
    assert [reply.text for reply in replies(path, asks)] == expected
    assert [reply.text for reply in replies(path, asks, together=False)] == expected


def test_replies_do_not_depend_on_order_batch_size_or_shared_beginnings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = [
        (messages, {**params, "max_tokens": 3 + place}, n) for place, (messages, params, n) in enumerate(many(GREEDY))
    ]
    expected = [reply.text for reply in replies(folder, asks)]
    assert [reply.text for reply in replies(folder, asks[::-1])][::-1] == expected
    for rows in (1, 3):  # rows leave one by one, and others take their places
        assert [reply.text for reply in replies(folder, asks, concurrency=rows)] == expected
    monkeypatch.setitem(passes.PASS_TOKENS, "cpu", 64)
    assert [reply.text for reply in replies(folder, asks)] == expected
    monkeypatch.setitem(passes.PASS_COST, "cpu", 10**9)
    assert [reply.text for reply in replies(folder, asks)] == expected


def test_common_beginnings_are_computed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []
    forward = transformers.LlamaModel.forward

    def counting(self: Any, input_ids: Any = None, **more: Any) -> Any:
        computed.append(input_ids.numel())
        return forward(self, input_ids=input_ids, **more)

    monkeypatch.setattr(transformers.LlamaModel, "forward", counting)
    common = "The same long beginning of every ask, word for word. " * 3
    asks = [(user(common + str(number)), {"max_tokens": 1}, 0) for number in range(10)]
    got = replies(folder, asks)
    # One token for the row to begin with; the beginning with its template once; ten times the rest, of
    # "0\n", "<s>" and 11 more, whose last is the step's; and padding where the burst came in two.
    beginning = len("<s>user: " + common) - 2
    assert got[0].input_tokens is not None
    rest = got[0].input_tokens - beginning
    assert rest == 14
    assert sum(computed) <= 1 + 2 * beginning + 10 * rest
    assert sum(computed) < 10 * beginning / 2


def test_drawn_replies_depend_on_the_ask_alone(folder: Path) -> None:
    params = {"temperature": 1.0, "max_tokens": 12, "seed": 7, "top_p": 0.95}
    asks = many(params) + [(user("Hm."), params, sample) for sample in range(2, 5)]
    expected = [reply.text for reply in replies(folder, asks, together=False)]
    assert [reply.text for reply in replies(folder, asks)] == expected
    assert [reply.text for reply in replies(folder, asks[::-1], concurrency=4)][::-1] == expected
    of_one_prompt = [expected[12], *expected[14:]]  # five samples
    assert len(set(of_one_prompt)) == 5
    (other_seed,) = replies(folder, [(user("Hm."), {**params, "seed": 8}, 0)])
    assert other_seed.text != expected[12]


def test_draws_follow_the_probabilities() -> None:
    # Shares 0.5, 0.3, 0.2 at temperature 1; the number falls into one of them.
    logits = torch.tensor([[0.5, 0.3, 0.2]]).log()
    for draw, token in ((0.0, 0), (0.49, 0), (0.51, 1), (0.79, 1), (0.81, 2), (0.999999, 2)):
        assert next_tokens(logits, [read_settings({"temperature": 1})], [draw]) == [token]
    # At temperature 0.5 the squares: 0.25, 0.09, 0.04 of 0.38, so the second ends at 0.8947.
    assert next_tokens(logits, [read_settings({"temperature": 0.5})], [0.89]) == [1]
    assert next_tokens(logits, [read_settings({"temperature": 0.5})], [0.9]) == [2]
    # 0.5 and 0.3 reach 0.7: of these two, the first has five eighths.
    for params in ({"top_p": 0.7}, {"top_k": 2}):
        settings = [read_settings({"temperature": 1, **params})]
        assert [next_tokens(logits, settings, [draw])[0] for draw in (0.62, 0.63, 0.999999)] == [0, 1, 1]
    both = [read_settings({"temperature": 1, "top_k": 1}), read_settings({})]
    assert next_tokens(torch.cat([logits, logits.flip(-1)]), both, [0.99, 0.5]) == [0, 2]


def test_a_reply_ends_at_its_limit_at_a_stop_and_at_the_end(folder: Path) -> None:
    long = {**GREEDY, "max_tokens": 200}
    (whole,) = replies(folder, [(user("Hm"), long, 0)])
    (cut,) = replies(folder, [(user("Hm"), {**GREEDY, "max_tokens": 5}, 0)])
    assert (cut.status, cut.finish_reason, cut.output_tokens) == ("truncated", "length", 5)
    assert whole.text.startswith(cut.text[:2])
    assert len(whole.text) > 155
    stops = [whole.text[place : place + 5] for place in (3, 60, 150)]
    for stop, stopped in zip(
        stops, replies(folder, [(user("Hm"), {**long, "stop": [stop, "not in it"]}, 0) for stop in stops]), strict=True
    ):
        assert stopped.text == whole.text[: whole.text.index(stop)]
        assert (stopped.status, stopped.finish_reason) == ("ok", "stop")
    # Drawn almost evenly of 98 tokens, one of which is the end, many replies end in 300.
    drawn = {"temperature": 50.0, "max_tokens": 300}
    ended = [one for one in replies(folder, [(user("Hm."), drawn, n) for n in range(12)]) if one.status == "ok"]
    assert ended
    assert all(one.finish_reason == "stop" and "</s>" not in one.text for one in ended)


def test_the_context_ends_a_reply_and_refuses_a_prompt(folder: Path) -> None:
    # "<s>user: ", the text, a newline and "<s>assistant: " are 7 + n + 1 + 12 tokens.
    fits, full = send(folder, [(user("x" * (CONTEXT - 22)), GREEDY, 0), (user("x" * (CONTEXT - 20)), GREEDY, 0)])
    assert isinstance(fits, Reply)
    assert (fits.input_tokens, fits.output_tokens, fits.status) == (CONTEXT - 2, 2, "truncated")
    assert type(full) is Hopeless
    assert str(full) == f"the prompt has {CONTEXT} tokens, and the model's context is {CONTEXT} long"
