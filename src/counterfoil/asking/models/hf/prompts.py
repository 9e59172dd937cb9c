"""The prompts of a batch through the network: what they begin with in common once, where that is worth its passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from counterfoil.asking.models.hf.batches import Edge, passes, plan_prefixes
from counterfoil.asking.models.hf.cache import Rows, first_tokens, gathered
from counterfoil.asking.models.hf.weights import Network

if TYPE_CHECKING:
    from torch import Tensor

# Tokens computed in one pass at the most, and how many of them a pass costs before its first. A GPU waits for its next
# command longer than it computes, some 25 ms a pass: in that time it computes so many tokens of one parameter.
PASS_TOKENS = {"cpu": 2_048, "cuda": 16_384}
PASS_COST = {"cpu": 32}
GPU_PASS_COST = 5_000_000_000_000
# Small networks take more in a pass; what is in between layers must still have room.
MOST_PASS_TOKENS = 65_536


class PassSizes(NamedTuple):
    """What a pass costs in tokens, and how many tokens it has at the most."""

    cost: int
    most: int


def pass_sizes(network: Network) -> PassSizes:
    if network.device == "cpu":
        return PassSizes(PASS_COST["cpu"], PASS_TOKENS["cpu"])
    cost = int(GPU_PASS_COST // network.model.num_parameters())
    return PassSizes(cost, min(max(PASS_TOKENS["cuda"], 2 * cost), MOST_PASS_TOKENS))


def compute(
    network: Network, prompts: Sequence[Sequence[int]], sizes: PassSizes, *, keep: bool
) -> tuple[Rows | None, list[int], Tensor | None]:
    """The row of each prompt, and the logits after it; or without its last token, and without logits.

    What several prompts begin with is computed once, where that costs less than the passes it takes. Where it does
    not, one pass is enough for all that is needed; with `keep` unset, no rows are kept of it.
    """
    begins = [prompt[:-1] for prompt in prompts]
    plan = plan_prefixes(begins, sizes.cost)
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
    """The same without common beginnings; equal prompts are in one row."""
    import torch

    different = sorted({tuple(prompt) for prompt in prompts}, key=len)
    lengths = [len(prompt) for prompt in different]
    parts, logits = [], []
    for places in passes(range(len(different)), lengths, sizes.most):
        texts = [different[place] for place in places]
        if keep:
            rows = network.root.copies([0] * len(places), max(map(len, texts)))
            said = rows.go_on(network.model, texts, logits_to_keep=1)
            parts.append(rows)
        else:
            said = network.model(**first_tokens(texts, network.device), use_cache=False, logits_to_keep=1)
        logits.append(said.logits[:, -1])
    made = _joined(parts) if keep else None
    at = {prompt: row for row, prompt in enumerate(different)}
    return made, [at[tuple(prompt)] for prompt in prompts], torch.cat(logits)


def _continued(network: Network, above: Rows, edges: Sequence[Edge], sizes: PassSizes) -> Rows:
    """A row for each edge, in passes of edges of about the same length."""
    order = sorted(range(len(edges)), key=lambda place: len(edges[place].tokens))
    parts = []
    for places in passes(order, [len(edge.tokens) for edge in edges], sizes.most):
        tokens = [edges[place].tokens for place in places]
        rows = above.copies([edges[place].parent for place in places], max(map(len, tokens)))
        rows.go_on(network.model.base_model, tokens)
        rows.settle()
        parts.append(rows)
    made = _joined(parts)
    row_of = {place: row for row, place in enumerate(order)}
    return made.copies([row_of[place] for place in range(len(edges))])


def _joined(parts: Sequence[Rows]) -> Rows:
    return parts[0] if len(parts) == 1 else gathered([(rows, range(len(rows.lengths))) for rows in parts])
