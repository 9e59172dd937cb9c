"""The next token of all rows, in a shape that stays the same: a GPU then replays the whole pass as one command.

A small network spends its time on starting its commands, some hundreds a pass. A recorded pass (a CUDA graph) starts
them all at once. It needs the same tensors each time: rows and columns are rounded up, tokens are written to the column
that a tensor names, and a mask says what counts.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, Cache
from transformers.cache_utils import DynamicLayer

from counterfoil.asking.models.hf.cache import Rows
from counterfoil.asking.models.hf.network import Network

logger = logging.getLogger(__name__)

# Devices on which a pass of fixed shape is worth its padding.
DEVICES = {"cuda"}
# Columns are rounded up to a multiple of this, rows to a power of two, at least this many.
COLUMNS, LEAST_ROWS = 64, 8
# The most columns that wait for tokens to come: a long reply moves to a wider pass when it needs one.
MOST_SPARE = 256
# A pass that is recorded already serves so many times fewer tokens, too: padding costs less than a recording.
MOST_PADDING = 8
# Memory grows by this factor: each growth ends all recordings.
GROWTH = 1.5
# The name of `grouped_attention` among those of transformers.
ATTENTION = "counterfoil_grouped"
# Passes before the recording: kernels and workspaces are chosen in them.
WARM_UPS = 2


def grouped_attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Attention of one token a row. Heads that share keys and values are multiplied together: nothing is repeated.

    `query` is (rows, heads, 1, size), keys and values (rows, shared heads, columns, size), the mask (rows, 1, 1,
    columns) and True where a column counts.
    """
    rows, heads, _, size = query.shape
    grouped = query.reshape(rows, key.shape[1], heads // key.shape[1], size)
    scores = grouped @ key.transpose(2, 3) * (size**-0.5 if scaling is None else scaling)
    shares = scores.masked_fill(~attention_mask, float("-inf")).softmax(-1, dtype=torch.float32).to(query.dtype)
    return (shares @ value).reshape(rows, 1, heads, size), None


AttentionInterface.register(ATTENTION, grouped_attention)


@contextmanager
def _grouped(config: Any) -> Iterator[None]:
    """Passes inside attend by `grouped_attention`."""
    before = config._attn_implementation
    config._attn_implementation = ATTENTION
    try:
        yield
    finally:
        config._attn_implementation = before


class FixedLayer(DynamicLayer):  # type: ignore[misc]
    """Keys and values with room for `columns` tokens. A new token goes to the column that the tensor `place` holds."""

    def __init__(self, keys: Tensor, values: Tensor, place: Tensor) -> None:
        super().__init__()
        self.keys, self.values, self.place = keys, values, place
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        self.keys.index_copy_(2, self.place, key_states)
        self.values.index_copy_(2, self.place, value_states)
        return self.keys, self.values

    def get_seq_length(self) -> int:
        return int(self.keys.shape[2]) - 1


class FixedPass:
    """A pass for so many rows and columns of `stores`, recorded where the network is on a GPU.

    `numbers` holds the last token and the length of each row, `place` the column of the new token. Rows of length 0 see
    their own token only.
    """

    def __init__(self, network: Network, stores: Sequence[Tensor], layout: Sequence[tuple[int, int]]) -> None:
        self.stores = stores
        device, (rows, columns) = stores[0].device, (stores[0].shape[1], stores[0].shape[3])
        self.numbers = torch.zeros(rows, 2, dtype=torch.long, device=device)
        self.place = torch.zeros(1, dtype=torch.long, device=device)
        self._model = network.model
        self._config = network.model.config.get_text_config()
        self._columns = torch.arange(columns, device=device)
        sides = [stores[store][place] for store, place in layout]
        pairs = zip(sides[::2], sides[1::2], strict=True)
        self._cache = Cache(layers=[FixedLayer(*pair, place=self.place) for pair in pairs])
        self._graph: Any = None
        if device.type == "cuda":
            self._record()

    def logits(self) -> Tensor:
        """The logits after the tokens in `numbers`, which are then part of their rows."""
        if self._graph is None:
            return self._forward()
        self._graph.replay()
        return self._said

    def _forward(self) -> Tensor:
        lengths = self.numbers[:, 1:]
        seen = (self._columns >= self.place - lengths) & (self._columns <= self.place)
        with _grouped(self._config):
            said = self._model(
                input_ids=self.numbers[:, :1],
                attention_mask=seen[:, None, None],
                position_ids=lengths,
                past_key_values=self._cache,
                use_cache=True,
            )
        logits: Tensor = said.logits[:, -1]
        return logits

    def _record(self) -> None:
        """Record the pass. The warm-ups write into column 0, which is padding: a row is loaded after this."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                self._forward()
        torch.cuda.current_stream().wait_stream(stream)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
            self._said = self._forward()


class Steps:
    """Steps of rows that are held in one memory. A pass for each rounded size is made once, when it is needed."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._memory: list[Tensor] = []
        self._passes: dict[tuple[int, int], FixedPass] = {}
        self._running: FixedPass | None = None
        config = network.model.config.get_text_config()
        # The mask is given whole: a sliding window would have to be in it.
        window = getattr(config, "sliding_window", None)
        kinds = set(getattr(config, "layer_types", None) or ["sliding_attention" if window else "full_attention"])
        attention = getattr(config, "_attn_implementation", None)
        self._usable = network.device in DEVICES and kinds == {"full_attention"} and attention == "sdpa"

    def hold(self, rows: Rows, room: int) -> Rows | None:
        """The same rows in the memory of a fixed pass, with room for so many tokens; None where there can't be one."""
        self._running = self._pass_for(rows, min(room, MOST_SPARE)) if self._usable else None
        if self._running is None:
            return None
        for store, old in zip(self._running.stores, rows.stores, strict=True):
            store[:, : old.shape[1], :, : rows.width] = old[:, :, :, : rows.width]
        views = [store[:, : len(rows.lengths)] for store in self._running.stores]
        return Rows(views, rows.layout, rows.lengths, rows.width)

    def step(self, rows: Rows, tokens: Sequence[int]) -> Tensor:
        """The logits after one token more for each row. These rows were held last, and have room."""
        running, count = self._running, len(tokens)
        assert running is not None, "rows are held first"
        numbers = torch.tensor([*zip(tokens, rows.lengths, strict=True)], dtype=torch.long)
        if running.numbers.is_cuda:
            numbers = numbers.pin_memory()
        running.numbers[:count].copy_(numbers, non_blocking=True)
        running.numbers[count:] = 0
        running.place.fill_(rows.width)
        rows.width += 1
        rows.lengths = [length + 1 for length in rows.lengths]
        return running.logits()[:count]

    def forget(self) -> None:
        """Give the memory back."""
        self._memory, self._passes, self._running = [], {}, None

    def _pass_for(self, rows: Rows, room: int) -> FixedPass | None:
        """A pass that has room for these rows, recorded now if need be; None where the network can't be recorded."""
        needed = (_power(len(rows.lengths)), _multiple(rows.width + max(1, room)))
        fitting = [size for size in self._passes if size[0] >= needed[0] and size[1] >= needed[1]]
        best = min(fitting, key=prod, default=needed)
        if best in self._passes and prod(best) <= MOST_PADDING * prod(needed):
            return self._passes[best]
        stores = self._room(needed, rows)
        try:
            self._passes[needed] = FixedPass(self._network, stores, rows.layout)
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:
            logger.debug("hf: this network can't be recorded, so each pass is started anew: %s", error)
            self._usable = False
            self.forget()
            return None
        logger.debug("hf: a pass of %d rows and %d columns is ready", *needed)
        return self._passes[needed]

    def _room(self, size: tuple[int, int], like: Rows) -> list[Tensor]:
        """Stores of this size, all in the same memory: one pass at a time uses it."""
        shapes = [(old.shape[0], size[0], old.shape[2], size[1], old.shape[4]) for old in like.stores]
        sizes = [prod(shape) for shape in shapes]
        if not self._memory or any(flat.numel() < least for flat, least in zip(self._memory, sizes, strict=True)):
            self.forget()
            self._memory = [old.new_zeros(int(GROWTH * least)) for old, least in zip(like.stores, sizes, strict=True)]
        parts = zip(self._memory, sizes, shapes, strict=True)
        return [flat[:least].view(shape) for flat, least, shape in parts]


def _power(rows: int) -> int:
    return max(LEAST_ROWS, 1 << (rows - 1).bit_length())


def _multiple(columns: int) -> int:
    return -(-columns // COLUMNS) * COLUMNS
