"""Which providers have a batch interface."""

from __future__ import annotations

WITH_BATCHES = ("openai", "anthropic")


def has_batches(model: str) -> bool:
    """Whether the model of that name can be asked in batches."""
    return model.partition("/")[0] in WITH_BATCHES
