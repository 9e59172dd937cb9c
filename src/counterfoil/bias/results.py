"""What a reply says."""

from __future__ import annotations

import msgspec


class Reading(msgspec.Struct, frozen=True):
    """The choice that was taken, by its place in the dataset's own list, whatever the order it was shown in."""

    content: int
