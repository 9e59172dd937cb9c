"""Tables as text that a suite wants shown beside those of its estimates."""

from __future__ import annotations

import msgspec


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows under a head; the first cell names its row. `brief`: it is short, and the terminal shows it, too."""

    title: str
    description: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    brief: bool = False
