"""What a suite says of replies as training data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """Which replies are good, and how held-out questions are written.

    `scores`: names of the scores that a reply can be good by, the usual one first. `score` gives that score of a
    record, or None where there is none. A reply is usually called good from `good` on, and bad up to `bad`. `encode`
    makes a file of questions that `--data` reads.
    """

    scores: tuple[str, ...]
    score: Callable[[Mapping[str, Any], str], float | None]
    encode: Callable[[Iterable[Any]], bytes]
    good: float = 1.0
    bad: float = 0.0
