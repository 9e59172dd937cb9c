"""From what a network says to the next token: settings, likeliest or drawn, log probabilities, scores of choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from counterfoil.asking.ask import TokenChoice

if TYPE_CHECKING:
    from torch import Tensor


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of an ask. What is not named is not done, whatever the weights come with.

    `device` and `dtype` say how the network is computed, and are the same in all asks of a model.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int | None = None
    seed: int = 0
    stop: str | list[str] = msgspec.field(default_factory=list)
    logprobs: int = 0
    choices: list[str] = msgspec.field(default_factory=list)
    chat_template_kwargs: dict[str, Any] = {}
    device: Literal["cpu", "cuda"] | None = None
    dtype: Literal["float32", "bfloat16", "float16"] | None = None

    def __post_init__(self) -> None:
        counts = {"max_tokens": 1 if self.max_tokens is None else self.max_tokens}
        low = [name for name, value in counts.items() if value < 1]
        low += [name for name in ("temperature", "top_k", "logprobs") if getattr(self, name) < 0]
        if low:
            raise ValueError(f"{low[0]} is {getattr(self, low[0])}, which is too low")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}, and must be above 0 and at most 1")
        if "" in self.stops or "" in self.choices:
            raise ValueError(f"{'stop' if '' in self.stops else 'choices'} has an empty text in it")

    @property
    def stops(self) -> list[str]:
        return [self.stop] if isinstance(self.stop, str) else self.stop


def read_settings(params: Mapping[str, Any]) -> Settings:
    """The parameters, checked; ValueError says in words which of them is wrong."""
    for name in params:
        if name not in Settings.__struct_fields__:
            raise ValueError(f"there is no parameter {name} here")
    whole = {name: int(value) if _is_whole(value) else value for name, value in params.items()}
    return msgspec.convert(whole, Settings)


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def next_tokens(logits: Tensor, settings: Sequence[Settings], draws: Sequence[float]) -> list[int]:
    """One token for each row of logits: the likeliest, or at a temperature the one that a number from [0, 1) draws.

    The number falls into one token's share of the probability, so that a row depends on nothing but its own logits and
    its own number. `top_p` leaves the likeliest tokens that reach this probability together, `top_k` that many.
    """
    tokens = logits.argmax(-1)
    drawn = [row for row, one in enumerate(settings) if one.temperature > 0]
    if drawn:
        tokens[drawn] = _draw(logits[drawn], [settings[row] for row in drawn], [draws[row] for row in drawn])
    return [int(token) for token in tokens.tolist()]


def _draw(logits: Tensor, settings: Sequence[Settings], draws: Sequence[float]) -> Tensor:
    import torch

    def column(values: Sequence[float]) -> Tensor:
        return torch.tensor(values, dtype=torch.float64, device=logits.device)[:, None]

    shares = (logits.double() / column([one.temperature for one in settings])).softmax(-1)
    order = None
    if any(one.top_p < 1 or one.top_k for one in settings):
        shares, order = shares.sort(-1, descending=True)
        before = shares.cumsum(-1) - shares
        ranks = torch.arange(shares.shape[-1], device=logits.device)[None]
        kept = before < column([one.top_p for one in settings])
        kept &= ranks < column([one.top_k or shares.shape[-1] for one in settings])
        shares = shares * kept
    reached = shares.cumsum(-1)
    places = (reached <= column(draws) * reached[:, -1:]).sum(-1, keepdim=True)
    # Rounding can put the number past the last share that is not 0.
    last = (shares > 0).long().cumsum(-1).argmax(-1, keepdim=True)
    places = torch.minimum(places, last)
    return (places if order is None else order.gather(-1, places))[:, 0]


def token_choices(
    logits: Tensor, tokens: Sequence[int], tops: Sequence[int], text_of: Callable[[int], str]
) -> list[TokenChoice]:
    """For each row, the log probability of its token, and those of its so many likeliest. Temperature has no part."""
    import torch

    logprobs = logits.float().log_softmax(-1)
    own = logprobs.gather(-1, torch.tensor(tokens, device=logits.device)[:, None])[:, 0]
    values, ids = logprobs.topk(min(max(tops), logprobs.shape[-1]))
    made = []
    rows = zip(values.tolist(), ids.tolist(), own.tolist(), tokens, tops, strict=True)
    for best, their_ids, own_logprob, token, most in rows:
        top: dict[str, float] = {}
        for logprob, one in zip(best[:most], their_ids[:most], strict=True):
            top.setdefault(text_of(one), logprob)  # of two tokens that read alike the likelier
        made.append(TokenChoice(text_of(token), own_logprob, top))
    return made


def draw_share(logprobs: Sequence[float], temperature: float, draw: float) -> int:
    """Which of several log probabilities a number from [0, 1) draws."""
    import torch

    return int(_draw(torch.tensor([logprobs]), [Settings(temperature=temperature)], [draw])[0])
