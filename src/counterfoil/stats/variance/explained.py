"""What is told of where a figure's uncertainty comes from; `parts.py` says how it is found."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

FIXED, SAMPLE = PROMPTS_ARE = ("fixed", "sample")
# Sources, in the order in which they are told.
SOURCES = ("questions", "prompts", "repeats", "judges")


class Explained(msgspec.Struct, kw_only=True):
    """Of a headline figure of a model, over all its prompts: where its uncertainty comes from.

    `shares` of the variance, by source, add up to 1, prompts taken for a sample of all that could have been; None where
    a source was asked once, so that nothing is known of it. `narrower`: by which share twice as many of a source would
    narrow the interval. `low` and `high` are an interval of the figure, over these prompts or over prompts like them,
    as `prompts_are` says.
    """

    metric: str
    model: str
    label: dict[str, str | int] = {}
    prompts: int
    repeats: int
    judges: int
    clusters: int
    value: float
    low: float
    high: float
    prompts_are: str
    shares: dict[str, float | None]
    narrower: dict[str, float | None]

    @property
    def name(self) -> str:
        return ", ".join([self.metric, *map(str, self.label.values())])


def sentence(one: Explained) -> str:
    """Without a full stop: where the figure's uncertainty comes from, and what twice as much would bring."""
    known = [source for source in SOURCES if one.shares[source] is not None]
    shares = ", ".join(f"{source} {share_of(one.shares, source)}" for source in known)
    twice = ", ".join(f"twice the {source} by {share_of(one.narrower, source)}" for source in known)
    return (
        f"The uncertainty of {one.name} of {one.model} comes from {shares}; its interval would be narrower with {twice}"
    )


def share_of(shares: Mapping[str, float | None], source: str, sign: str = "") -> str:
    """As text; empty where nothing is known of it."""
    share = shares[source]
    if share is None:
        return ""
    return f"{sign if round(share, 2) else ''}{share:.0%}"
