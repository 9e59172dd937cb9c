"""What a network has computed of several texts, as rows of one cache: continued, shared, joined.

Each row ends at the right edge, so that its tokens are next to each other and the next one stands at the same place in
all rows; what is to the left of it is padding, and masked. Tokens that are added in different numbers end unevenly
for the moment: they are moved back to the edge. Nothing in a cache depends on where in it a token stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import DynamicCache

    Layers = list[tuple[Tensor, Tensor]]


class Rows:
    """Keys and values of every layer, each (rows, heads, width, size), and how many tokens each row has."""

    def __init__(self, cache: DynamicCache, lengths: Sequence[int]) -> None:
        self._cache = cache
        self.lengths = list(lengths)

    @property
    def layers(self) -> Layers:
        return [(layer.keys, layer.values) for layer in self._cache.layers]

    @property
    def width(self) -> int:
        """The length of the longest row, and perhaps some padding."""
        return int(self._cache.layers[0].keys.shape[2])

    def go_on(self, forward: Callable[..., Any], edges: Sequence[Sequence[int]]) -> Any:
        """Add tokens to each row, and give what the network says after them.

        They are ended at the right by padding, which nothing before it sees. Rows of one length need no more; others
        are to be ended evenly by `settle`.
        """
        import torch

        device = self._cache.layers[0].keys.device
        longest = max(len(edge) for edge in edges)
        ids = torch.tensor([[*edge, *[0] * (longest - len(edge))] for edge in edges], device=device)
        lengths = torch.tensor(self.lengths, device=device)[:, None]
        counts = torch.tensor([len(edge) for edge in edges], device=device)[:, None]
        # Padding has the last place again: a network with as many places as its context knows no further one.
        places = lengths + torch.minimum(torch.arange(longest, device=device)[None], (counts - 1).clamp(min=0))
        columns = torch.arange(self.width + longest, device=device)[None]
        mask = (columns >= self.width - lengths).long()
        said = forward(
            input_ids=ids, attention_mask=mask, position_ids=places, past_key_values=self._cache, use_cache=True
        )
        self.lengths = [length + len(edge) for length, edge in zip(self.lengths, edges, strict=True)]
        return said

    def settle(self, missing: Sequence[int]) -> None:
        """Move each row to the right by so many places: it ends with as much padding."""
        import torch

        layers = self._cache.layers
        cut = self.width - max(self.lengths)
        if any(missing):
            device = layers[0].keys.device
            columns = torch.arange(self.width, device=device)[None] - torch.tensor(missing, device=device)[:, None]
            columns = columns.clamp(min=0)[:, None, cut:, None]
            for layer in layers:
                layer.keys = layer.keys.gather(2, columns.expand(*layer.keys.shape[:2], -1, layer.keys.shape[3]))
                layer.values = layer.values.gather(
                    2, columns.expand(*layer.values.shape[:2], -1, layer.values.shape[3])
                )
        elif cut:
            for layer in layers:
                layer.keys, layer.values = layer.keys[:, :, cut:], layer.values[:, :, cut:]

    def keep(self, places: Sequence[int]) -> None:
        """Let go of all rows but these."""
        import torch

        index = torch.tensor(places, device=self._cache.layers[0].keys.device)
        self.lengths = [self.lengths[place] for place in places]
        cut = self.width - max(self.lengths)
        for layer in self._cache.layers:
            layer.keys = layer.keys[:, :, cut:].index_select(0, index)
            layer.values = layer.values[:, :, cut:].index_select(0, index)

    def copies(self, places: Sequence[int]) -> Rows:
        """New rows, each a copy of the one at its place; the old ones stay."""
        import torch

        index = torch.tensor(places, device=self._cache.layers[0].keys.device)
        lengths = [self.lengths[place] for place in places]
        cut = self.width - max(lengths)
        layers = [
            (keys[:, :, cut:].index_select(0, index), values[:, :, cut:].index_select(0, index))
            for keys, values in self.layers
        ]
        return rows_of(layers, lengths)


def rows_of(layers: Layers, lengths: Sequence[int]) -> Rows:
    from transformers import DynamicCache

    # Without a config every layer keeps all tokens, those with a sliding window, too: its mask does the rest.
    cache = DynamicCache()
    for number, (keys, values) in enumerate(layers):
        cache.update(keys[:, :, :0], values[:, :, :0], number)
        cache.layers[number].keys, cache.layers[number].values = keys, values
    return Rows(cache, lengths)


def joined(parts: Sequence[Rows]) -> Rows:
    """All rows in one cache, as wide as the widest."""
    if len(parts) == 1:
        return parts[0]
    import torch
    from torch.nn.functional import pad

    width = max(part.width for part in parts)
    layers = []
    for same_layer in zip(*(part.layers for part in parts), strict=True):
        sides = zip(*same_layer, strict=True)
        keys, values = (torch.cat([pad(one, (0, 0, width - one.shape[2], 0)) for one in side]) for side in sides)
        layers.append((keys, values))
    return rows_of(layers, [length for part in parts for length in part.lengths])
