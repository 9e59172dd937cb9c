"""What SQLite and the file system say of a database file, in four kinds that users can do something about."""

from __future__ import annotations

from typing import Literal

Trouble = Literal["damaged", "full", "locked", "refused"]


def trouble_of(error: Exception) -> Trouble:
    """SQLite has no types for them; its words have been the same for many years."""
    said = str(error)
    if "not a database" in said or "malformed" in said:
        return "damaged"
    if "full" in said or "disk I/O" in said or "No space" in said:
        return "full"
    return "locked" if "locked" in said else "refused"
