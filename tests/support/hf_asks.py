"""Asks to weights in process, and what the same weights say by plain transformers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.hf.model import HfModel

GREEDY = {"temperature": 0, "max_tokens": 12}
Asked = tuple[Sequence[Message], Mapping[str, Any], int]


def user(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


def send(
    path: Path, asks: Sequence[Asked], *, together: bool = True, concurrency: int | None = None, **spec: Any
) -> list[Reply | BaseException]:
    """What the model gives to these asks, in one burst or one after the other."""

    async def sending() -> list[Reply | BaseException]:
        model = HfModel(ModelSpec(name=f"hf/{path}", concurrency=concurrency, **spec))
        made = [model.ask(messages, params, sample) for messages, params, sample in asks]
        try:
            if together:
                sent = await asyncio.gather(*(model.send(ask, 120) for ask in made), return_exceptions=True)
            else:
                sent = [(await asyncio.gather(model.send(ask, 120), return_exceptions=True))[0] for ask in made]
        finally:
            await model.close()
        return [one if isinstance(one, BaseException) else one.reply for one in sent]

    return asyncio.run(sending())


def replies(path: Path, asks: Sequence[Asked], **how: Any) -> list[Reply]:
    got = send(path, asks, **how)
    assert all(isinstance(one, Reply) for one in got), got
    return [one for one in got if isinstance(one, Reply)]


def many(params: Mapping[str, Any]) -> list[Asked]:
    """Prompts with a common instruction, of which some share a context, too; one that shares nothing; one twice."""
    asks: list[Asked] = []
    for question in range(4):
        context = f"In town number {question} there are two people, and a third one who is {'very ' * question}late."
        for order in ("A B C", "B C A", "C A B"):
            messages = (
                Message("system", "Answer with one letter, and nothing else."),
                Message("user", context + order),
            )
            asks.append((messages, params, 0))
    return [*asks, (user("Hm."), params, 0), (user("x" * 150), params, 0), (user("Hm."), params, 1)]


@cache
def loaded(path: Path) -> tuple[Any, Any]:
    model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    return transformers.AutoTokenizer.from_pretrained(path), model.eval()


def plainly(path: Path, asks: Sequence[Asked]) -> list[str]:
    """The same by transformers' own generate, one by one."""
    tokenizer, model = loaded(path)
    texts = []
    for messages, params, _ in asks:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")
        made = model.generate(**ids, max_new_tokens=params["max_tokens"], do_sample=False, pad_token_id=1)
        texts.append(tokenizer.decode(made[0, ids.input_ids.shape[1] :], skip_special_tokens=True))
    return texts


def forward_logprobs(path: Path, text: str) -> Any:
    """The tokens, and log probabilities of what follows each, by one plain pass."""
    tokenizer, model = loaded(path)
    with torch.no_grad():
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt").input_ids
        return ids[0].tolist(), model(ids).logits[0].log_softmax(-1)
