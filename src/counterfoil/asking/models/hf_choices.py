"""Replies that are held to given texts: each is scored by the log probabilities of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfoil.asking.models.hf_batches import passes
from counterfoil.asking.models.hf_cache import Rows
from counterfoil.asking.models.hf_job import Job
from counterfoil.asking.models.hf_tokens import draw_share, token_choices
from counterfoil.asking.models.hf_weights import Network

if TYPE_CHECKING:
    from torch import Tensor


def choose_texts(network: Network, rows: Rows, first: Tensor, jobs: Sequence[Job], most_tokens: int) -> None:
    """End each job with the likeliest of its choices, or at a temperature with a drawn one.

    `rows` hold the prompts, `first` the logits after them: those score first tokens. What follows these continues
    copies of the rows.
    """
    import torch

    end = min(network.ends, default=None)
    texts = [_with_ends(job.choices, end) for job in jobs]
    pairs = [(number, choice) for number, job in enumerate(jobs) for choice in range(len(job.choices))]
    logprobs = first.float().log_softmax(-1)
    index = [torch.tensor(side, device=first.device) for side in zip(*pairs, strict=True)]
    begins = torch.tensor([texts[number][choice][0] for number, choice in pairs], device=first.device)
    scores = dict(zip(pairs, logprobs[index[0], begins].tolist(), strict=True))
    said = {pair: first[pair[0]][None] for pair in pairs}
    longer = [pair for pair in pairs if len(texts[pair[0]][pair[1]]) > 1]
    sizes = [rows.lengths[number] + len(texts[number][choice]) for number, choice in longer]
    for places in passes(range(len(longer)), sizes, most_tokens):
        here = [longer[place] for place in places]
        edges = [texts[number][choice] for number, choice in here]
        copies = rows.copies([number for number, _ in here], max(map(len, edges)))
        logits = copies.go_on(network.model, [edge[:-1] for edge in edges]).logits
        for row, (pair, edge) in enumerate(zip(here, edges, strict=True)):
            own = logits[row, : len(edge) - 1]
            following = torch.tensor(edge[1:], device=own.device)[:, None]
            scores[pair] += float(own.float().log_softmax(-1).gather(-1, following).sum())
            if jobs[pair[0]].settings.logprobs:
                said[pair] = torch.cat([said[pair], own])
    for number, job in enumerate(jobs):
        own_scores = [scores[number, choice] for choice in range(len(job.choices))]
        _end(network, job, own_scores, [said[number, choice] for choice in range(len(job.choices))])


def _end(network: Network, job: Job, scores: Sequence[float], said: Sequence[Tensor]) -> None:
    """Choose, and end the job with its choice."""
    if job.settings.temperature > 0:
        place = draw_share(scores, job.settings.temperature, job.draw())
    else:
        place = max(range(len(scores)), key=lambda one: scores[one])
    made = []
    if top := job.settings.logprobs:
        tokens = job.choices[place]
        made = token_choices(said[place][: len(tokens)], tokens, [top] * len(tokens), network.token_text)
    job.choose(place, made)


def _with_ends(choices: Sequence[Sequence[int]], end: int | None) -> list[list[int]]:
    """The tokens to score for each choice: one that begins another is over only with the end of the reply."""
    scored = []
    for choice in choices:
        begins = any(len(other) > len(choice) and list(other[: len(choice)]) == list(choice) for other in choices)
        scored.append([*choice, end] if begins and end is not None else list(choice))
    return scored
