"""Passes through a network: the prompts of a batch, the next token of each row, the scores of given choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import torch
from torch import Tensor

from counterfoil.asking.ask import TokenChoice
from counterfoil.asking.models.hf.batches import Edge, divide, plan_prefixes
from counterfoil.asking.models.hf.cache import Rows, first_tokens, gathered
from counterfoil.asking.models.hf.job import Job, Settings
from counterfoil.asking.models.hf.network import Network

# The most tokens of a pass, and the cost of a pass in tokens. A GPU waits some 25 ms a pass for its next commands: in
# that time it computes GPU_PASS_COST tokens of one parameter.
PASS_TOKENS = {"cpu": 2_048}
PASS_COST = {"cpu": 32}
GPU_PASS_COST = 5_000_000_000_000
# On a GPU, memory sets the most tokens: values between layers may take this share of what is free.
PASS_SHARE = 0.1
LEAST_PASS_TOKENS, MOST_PASS_TOKENS = 4_096, 131_072


class PassSizes(NamedTuple):
    """The cost of a pass in tokens, and its most tokens."""

    cost: int
    most: int


def pass_sizes(network: Network) -> PassSizes:
    if network.device == "cpu":
        return PassSizes(PASS_COST["cpu"], PASS_TOKENS["cpu"])
    config = network.model.config.get_text_config()
    cost = int(GPU_PASS_COST // network.model.num_parameters())
    # A layer holds its input, its output, queries, keys and values, and three times its feed-forward.
    widths = 8 * config.hidden_size + 3 * (getattr(config, "intermediate_size", None) or 4 * config.hidden_size)
    free = torch.cuda.mem_get_info()[0] * PASS_SHARE / (widths * network.model.dtype.itemsize)
    return PassSizes(cost, int(min(max(free, LEAST_PASS_TOKENS), MOST_PASS_TOKENS)))


def compute(
    network: Network, prompts: Sequence[Sequence[int]], sizes: PassSizes, *, keep: bool
) -> tuple[Rows | None, list[int], Tensor | None]:
    """Rows, the place of each prompt in them, and the logits by the same places.

    Common beginnings are computed once where that saves more than its passes cost. The rows then lack the last token of
    each prompt, and there are no logits. Where it does not, one pass gives both; without `keep`, only the logits.
    """
    plan = plan_prefixes([prompt[:-1] for prompt in prompts], sizes.cost)
    if len(plan.levels) <= 1:
        return _whole(network, prompts, sizes, keep=keep)
    levels, above = {-1: network.root}, network.root
    for number, edges in enumerate(plan.levels):
        levels[number] = above = _continued(network, above, edges, sizes)
    used = sorted(set(plan.places))
    parts = [(rows, [row for level, row in used if level == number]) for number, rows in levels.items()]
    made = gathered([(rows, places) for rows, places in parts if places])
    return made, [used.index(place) for place in plan.places], None


def _whole(
    network: Network, prompts: Sequence[Sequence[int]], sizes: PassSizes, *, keep: bool
) -> tuple[Rows | None, list[int], Tensor]:
    """The same without common beginnings. Equal prompts are in one row."""
    different = sorted({tuple(prompt) for prompt in prompts}, key=len)
    lengths = [len(prompt) for prompt in different]
    parts, logits = [], []
    for places in divide(range(len(different)), lengths, sizes.most):
        texts = [different[place] for place in places]
        if keep:
            rows = network.root.copies([0] * len(places), max(map(len, texts)))
            said = rows.go_on(network.model, texts, logits_to_keep=1)
            parts.append(rows)
        else:
            said = network.model(**first_tokens(texts, network.device), use_cache=False, logits_to_keep=1)
        logits.append(said.logits[:, -1])
    at = {prompt: row for row, prompt in enumerate(different)}
    return _joined(parts) if keep else None, [at[tuple(prompt)] for prompt in prompts], torch.cat(logits)


def _continued(network: Network, above: Rows, edges: Sequence[Edge], sizes: PassSizes) -> Rows:
    """A row for each edge. Edges of about the same length share a pass."""
    order = sorted(range(len(edges)), key=lambda place: len(edges[place].tokens))
    parts = []
    for places in divide(order, [len(edge.tokens) for edge in edges], sizes.most):
        tokens = [edges[place].tokens for place in places]
        rows = above.copies([edges[place].parent for place in places], max(map(len, tokens)))
        rows.go_on(network.model.base_model, tokens)
        rows.settle()
        parts.append(rows)
    row_of = {place: row for row, place in enumerate(order)}
    return _joined(parts).copies([row_of[place] for place in range(len(edges))])


def _joined(parts: Sequence[Rows]) -> Rows:
    return parts[0] if len(parts) == 1 else gathered([(rows, range(len(rows.lengths))) for rows in parts])


def next_tokens(logits: Tensor, settings: Sequence[Settings], draws: Sequence[float]) -> list[int]:
    """One token for each row of logits: the likeliest, or at a temperature the one that a number from [0, 1) draws.

    The number falls into one token's share of the probability: a row depends on its own logits and its own number only.
    `top_p` leaves the likeliest tokens that reach this probability together, `top_k` that many.
    """
    tokens = logits.argmax(-1)
    drawn = [row for row, one in enumerate(settings) if one.temperature > 0]
    if drawn:
        tokens[drawn] = _draw(logits[drawn], [settings[row] for row in drawn], [draws[row] for row in drawn])
    return [int(token) for token in tokens.tolist()]


def _draw(logits: Tensor, settings: Sequence[Settings], draws: Sequence[float]) -> Tensor:
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
    """The log probability of each row's token, and of as many likeliest as `tops` says. Temperature has no part."""
    logprobs = logits.float().log_softmax(-1)
    own = logprobs.gather(-1, torch.tensor(tokens, device=logits.device)[:, None])[:, 0]
    values, ids = logprobs.topk(min(max(tops), logprobs.shape[-1]))
    made = []
    rows = zip(values.tolist(), ids.tolist(), own.tolist(), tokens, tops, strict=True)
    for best, their_ids, own_logprob, token, most in rows:
        top: dict[str, float] = {}
        for logprob, one in zip(best[:most], their_ids[:most], strict=True):
            top.setdefault(text_of(one), logprob)  # of two tokens that read alike, the likelier
        made.append(TokenChoice(text_of(token), own_logprob, top))
    return made


def choose_texts(
    network: Network, rows: Rows | None, at: Sequence[int], first: Tensor, jobs: Sequence[Job], most_tokens: int
) -> None:
    """End each job with the likeliest of its choices, or at a temperature with a drawn one.

    The score of a choice is the log probability of its tokens. `rows` hold the prompts, each at its place of `at`;
    `first` are the logits after them, which score first tokens. Later tokens continue copies of the rows. Choices of
    one token need no rows.
    """
    texts = [_scored_tokens(job.choices, min(network.ends, default=None)) for job in jobs]
    pairs = [(number, choice) for number, job in enumerate(jobs) for choice in range(len(job.choices))]
    begins = [[number, texts[number][choice][0]] for number, choice in pairs]
    index = torch.tensor(begins, device=first.device)
    scores = dict(zip(pairs, first.float().log_softmax(-1)[index[:, 0], index[:, 1]].tolist(), strict=True))
    # The logits for each token but the first, of the choices whose log probabilities are wanted.
    said: dict[tuple[int, int], Tensor] = {}
    longer = [pair for pair in pairs if len(texts[pair[0]][pair[1]]) > 1]
    sizes = [len(jobs[number].prompt) + len(texts[number][choice]) for number, choice in longer]
    for places in divide(range(len(longer)), sizes, most_tokens):
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
        settings = Settings(temperature=job.settings.temperature)
        return next_tokens(torch.tensor([scores]), [settings], [job.draw()])[0]
    return max(range(len(scores)), key=lambda choice: scores[choice])


def _logprobs(
    network: Network, first: Tensor, said: Mapping[tuple[int, int], Tensor], jobs: Sequence[Job], chosen: Sequence[int]
) -> dict[int, list[TokenChoice]]:
    """The log probabilities of chosen tokens, by the numbers of the jobs that want them."""
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


def _scored_tokens(choices: Sequence[list[int]], end: int | None) -> list[list[int]]:
    """The tokens to score for each choice. A choice that begins another one is over only with the end of the reply."""

    def begins_another(choice: list[int]) -> bool:
        return any(len(other) > len(choice) and other[: len(choice)] == choice for other in choices)

    return [[*choice, end] if end is not None and begins_another(choice) else choice for choice in choices]
