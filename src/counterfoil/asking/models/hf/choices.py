"""Replies that are held to given texts: each is scored by the log probabilities of its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from counterfoil.asking.ask import TokenChoice
from counterfoil.asking.models.hf.batches import passes
from counterfoil.asking.models.hf.cache import Rows
from counterfoil.asking.models.hf.job import Job
from counterfoil.asking.models.hf.tokens import draw_share, token_choices
from counterfoil.asking.models.hf.weights import Network

if TYPE_CHECKING:
    from torch import Tensor


def choose_texts(
    network: Network, rows: Rows | None, at: Sequence[int], first: Tensor, jobs: Sequence[Job], most_tokens: int
) -> None:
    """End each job with the likeliest of its choices, or at a temperature with a drawn one.

    `rows` hold the prompts, each at its place of `at`; `first` are the logits after them, which score first tokens.
    What follows these continues copies of the rows, which may be missing where all choices are of one token.
    """
    import torch

    end = min(network.ends, default=None)
    texts = [_with_ends(job.choices, end) for job in jobs]
    pairs = [(number, choice) for number, job in enumerate(jobs) for choice in range(len(job.choices))]
    begins = [[number, texts[number][choice][0]] for number, choice in pairs]
    index = torch.tensor(begins, device=first.device)
    scores = dict(zip(pairs, first.float().log_softmax(-1)[index[:, 0], index[:, 1]].tolist(), strict=True))
    # What was said before each token but the first, of the choices whose log probabilities are wanted.
    said: dict[tuple[int, int], Tensor] = {}
    longer = [pair for pair in pairs if len(texts[pair[0]][pair[1]]) > 1]
    sizes = [len(jobs[number].prompt) + len(texts[number][choice]) for number, choice in longer]
    for places in passes(range(len(longer)), sizes, most_tokens):
        here = [longer[place] for place in places]
        edges = [texts[number][choice] for number, choice in here]
        longest = max(map(len, edges))
        assert rows is not None, "only choices of one token do without rows"
        copies = rows.copies([at[number] for number, _ in here], longest)
        logits = copies.go_on(network.model, [edge[:-1] for edge in edges]).logits
        following = torch.tensor([[*edge[1:], *[0] * (longest - len(edge))] for edge in edges], device=logits.device)
        added = []
        for row, (pair, edge) in enumerate(zip(here, edges, strict=True)):
            own, count = logits[row], len(edge) - 1
            added.append(own[:count].float().log_softmax(-1).gather(-1, following[row, :count, None]).sum())
            if jobs[pair[0]].settings.logprobs:
                said[pair] = own[:count]
        for pair, score in zip(here, torch.stack(added).tolist(), strict=True):
            scores[pair] += score
    chosen = [
        _choose(job, [scores[number, choice] for choice in range(len(job.choices))]) for number, job in enumerate(jobs)
    ]
    logprobs = _logprobs(network, first, said, jobs, chosen)
    for number, (job, choice) in enumerate(zip(jobs, chosen, strict=True)):
        job.choose(choice, logprobs.get(number, []))


def _choose(job: Job, scores: Sequence[float]) -> int:
    if job.settings.temperature > 0:
        return draw_share(scores, job.settings.temperature, job.draw())
    return max(range(len(scores)), key=lambda one: scores[one])


def _logprobs(
    network: Network,
    first: Tensor,
    said: Mapping[tuple[int, int], Tensor],
    jobs: Sequence[Job],
    chosen: Sequence[int],
) -> dict[int, list[TokenChoice]]:
    """Of the tokens of what was chosen, by the numbers of those jobs that want them; all in one go."""
    import torch

    wanting = [number for number, job in enumerate(jobs) if job.settings.logprobs]
    if not wanting:
        return {}
    tokens = [jobs[number].choices[chosen[number]] for number in wanting]
    rows = []
    for number, own in zip(wanting, tokens, strict=True):
        rows.append(first[number : number + 1])
        if len(own) > 1:
            rows.append(said[number, chosen[number]][: len(own) - 1])
    flat = [token for own in tokens for token in own]
    tops = [jobs[number].settings.logprobs for number, own in zip(wanting, tokens, strict=True) for _ in own]
    made = iter(token_choices(torch.cat(rows), flat, tops, network.token_text))
    return {number: list(islice(made, len(own))) for number, own in zip(wanting, tokens, strict=True)}


def _with_ends(choices: Sequence[Sequence[int]], end: int | None) -> list[list[int]]:
    """The tokens to score for each choice: one that begins another is over only with the end of the reply."""
    scored = []
    for choice in choices:
        begins = any(len(other) > len(choice) and list(other[: len(choice)]) == list(choice) for other in choices)
        scored.append([*choice, end] if begins and end is not None else list(choice))
    return scored
