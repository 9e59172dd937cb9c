"""Keys and values of several texts as rows of one cache: continued, shared, joined.

Each row ends at the right edge, so that its tokens are next to each other and the next one has the same column in all
rows. Padding to the left is masked. Tokens added in different numbers end unevenly at first, and are moved back to the
edge. Nothing in a cache depends on the column of a token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import Cache
from transformers.cache_utils import DynamicLayer

# Columns added at once when another token has no room.
SPARE = 64


class Layer(DynamicLayer):  # type: ignore[misc]
    """Keys and values, each (rows, heads, columns, size). The first `used` columns are filled.

    The others are room for tokens to come: a new token is copied, and not all the old ones. All tokens are kept, with
    a sliding window, too: the mask of the network does the rest.
    """

    def __init__(self, keys: Tensor, values: Tensor, used: int) -> None:
        super().__init__()
        self.keys, self.values, self.used = keys, values, used
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        start, self.used = self.used, self.used + key_states.shape[2]
        self.keys[:, :, start : self.used] = key_states
        self.values[:, :, start : self.used] = value_states
        return self.keys[:, :, : self.used], self.values[:, :, : self.used]

    def get_seq_length(self) -> int:
        return self.used


class Rows:
    """Keys and values of every layer, and the number of tokens of each row.

    All sides (a layer's keys, a layer's values) of one shape are in one store, (sides, rows, heads, columns, size):
    one command moves rows in all layers. `layout`: the store of each side, and its place there. The first `width`
    columns are filled.
    """

    def __init__(
        self, stores: Sequence[Tensor], layout: Sequence[tuple[int, int]], lengths: Sequence[int], width: int
    ) -> None:
        self.lengths = list(lengths)
        self._missing = [0] * len(self.lengths)
        self._hold(stores, layout, width)

    def _hold(self, stores: Sequence[Tensor], layout: Sequence[tuple[int, int]], width: int) -> None:
        self.stores, self.layout, self.width = stores, layout, width
        sides = [stores[store][place] for store, place in layout]
        self._cache = Cache(layers=[Layer(*pair, used=width) for pair in zip(sides[::2], sides[1::2], strict=True)])

    def go_on(self, forward: Callable[..., Any], edges: Sequence[Sequence[int]], **more: Any) -> Any:
        """Add tokens to each row; gives the network's output after them.

        Rows that begin are padded before their tokens. Others are padded after them, where no token sees it: after
        tokens in different numbers, `settle` is due.
        """
        longest = max(map(len, edges))
        if self.width + longest > self.stores[0].shape[3]:
            wider = gathered([(self, range(len(self.lengths)))], longest + SPARE)
            self._hold(wider.stores, wider.layout, wider.width)
        begin, width = self.width == 0, self.width
        missing = [longest - len(edge) for edge in edges]
        if begin:
            tokens = first_tokens(edges, self.stores[0].device)
        else:
            # One tensor for all numbers: each way to a GPU takes its time.
            rows = zip(edges, missing, self.lengths, strict=True)
            numbers = torch.tensor([[*edge, *[0] * lacks, length, lacks] for edge, lacks, length in rows])
            numbers = numbers.to(self.stores[0].device)
            lengths, lacks = numbers[:, -2:-1], numbers[:, -1:]
            columns = torch.arange(width + longest, device=numbers.device)
            tokens = {
                "input_ids": numbers[:, :-2],
                "attention_mask": (columns >= width - lengths).long(),
                # Padding repeats the last position: the network may know no further one.
                "position_ids": lengths + torch.minimum(columns[:longest], longest - 1 - lacks),
            }
        said = forward(**tokens, past_key_values=self._cache, use_cache=True, **more)
        self.width += longest
        self.lengths = [length + len(edge) for length, edge in zip(self.lengths, edges, strict=True)]
        self._missing = [0] * len(edges) if begin else missing
        return said

    def settle(self) -> None:
        """Move each row to the right edge, over the padding after its last tokens."""
        if not any(self._missing):
            return
        device = self.stores[0].device
        columns = torch.arange(self.width - max(self.lengths), self.width, device=device)
        columns = (columns - torch.tensor(self._missing, device=device)[:, None]).clamp(min=0)[:, None, :, None]
        moved = [store.gather(3, columns.expand(*store.shape[:3], -1, store.shape[4])) for store in self.stores]
        self._missing = [0] * len(self.lengths)
        self._hold(moved, self.layout, max(self.lengths))

    def copies(self, places: Sequence[int], room: int = 0) -> Rows:
        """Copies of the rows at these places, with room for so many tokens."""
        return gathered([(self, places)], room)


def first_tokens(texts: Sequence[Sequence[int]], device: Any) -> dict[str, Tensor]:
    """A network's input for texts that begin: tokens, padded before them, with mask and positions."""
    longest = max(map(len, texts))
    numbers = torch.tensor([[*[0] * (longest - len(text)), *text, longest - len(text)] for text in texts]).to(device)
    ids, lacks = numbers[:, :-1], numbers[:, -1:]
    columns = torch.arange(longest, device=ids.device)
    return {
        "input_ids": ids,
        "attention_mask": (columns >= lacks).long(),
        "position_ids": (columns - lacks).clamp(min=0),
    }


def gathered(parts: Sequence[tuple[Rows, Sequence[int]]], room: int = 0) -> Rows:
    """The rows at these places of each part in one cache, with room for so many more tokens than the longest has."""
    lengths = [part.lengths[place] for part, places in parts for place in places]
    width = max(lengths)
    stores = []
    for number, like in enumerate(parts[0][0].stores):
        sides, _, heads, _, size = like.shape
        made = like.new_zeros(sides, len(lengths), heads, width + room, size)
        start = 0
        for part, places in parts:
            taken = min(width, part.width)
            old = part.stores[number][:, :, :, part.width - taken : part.width]
            if list(places) != list(range(len(part.lengths))):
                old = old.index_select(1, torch.tensor(list(places), device=old.device))
            made[:, start : start + len(places), :, width - taken : width] = old
            start += len(places)
        stores.append(made)
    return Rows(stores, parts[0][0].layout, lengths, width)


def empty_row(sides: Sequence[Tensor]) -> Rows:
    """The row without tokens, for layers with such keys and values, (1, heads, any, size)."""
    shapes = list(dict.fromkeys(side.shape for side in sides))
    stores = [torch.stack([side[:, :, :0] for side in sides if side.shape == shape]) for shape in shapes]
    counts = [0] * len(shapes)
    layout = []
    for side in sides:
        store = shapes.index(side.shape)
        layout.append((store, counts[store]))
        counts[store] += 1
    return Rows(stores, layout, [0], 0)
