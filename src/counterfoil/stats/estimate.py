"""The estimate: a number that never travels alone."""

from __future__ import annotations

import msgspec


class Estimate(msgspec.Struct, kw_only=True, omit_defaults=False):
    """A value with its interval, and what is needed to judge it.

    `value` is None where the metric is not defined (no answers left, no denominator); `low` and `high` are None
    where no interval can be given. `note` then says why. `group` is {} for overall.
    """

    metric: str
    model: str
    variant: str
    group: dict[str, str | int] = {}
    value: float | None
    low: float | None
    high: float | None
    confidence: float = 0.95
    n: int
    clusters: int
    method: str
    # Of the test against 0, where there is one; for groups adjusted (Holm) over those of the same model and variant.
    p: float | None = None
    note: str | None = None
