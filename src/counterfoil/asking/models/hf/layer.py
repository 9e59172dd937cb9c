"""One layer of a cache with room for tokens to come: adding one copies that one, and not all that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transformers.cache_utils import DynamicLayer

if TYPE_CHECKING:
    from torch import Tensor


class Layer(DynamicLayer):  # type: ignore[misc]
    """Keys and values, each (rows, heads, columns, size), of which the first `used` columns are filled.

    It keeps all tokens, of a network with a sliding window, too: its mask does the rest.
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
