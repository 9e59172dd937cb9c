"""What was said to a model and what it said, from the ledgers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.ledger import REPLY_COLUMNS, Lookup, reply_from_row
from counterfoil.asking.ledger_file import connect_to_read, explained

_KEY = re.compile("[0-9a-f]{64}")


class Exchange(NamedTuple):
    """One ask and its reply; `model` by the name it was asked under."""

    model: str
    messages: tuple[Message, ...]
    params: dict[str, Any]
    reply: Reply


class _Asked(msgspec.Struct):
    messages: tuple[Message, ...] = ()
    params: dict[str, Any] = {}


class Exchanges:
    """Finds exchanges by their keys, in the first ledger that has them."""

    def __init__(self, ledgers: Sequence[Path]) -> None:
        self._ledgers = ledgers

    @property
    def is_there(self) -> bool:
        """Whether there is any ledger to look into."""
        return any(path.exists() for path in self._ledgers)

    def find(self, keys: Sequence[str]) -> dict[str, Exchange]:
        """Those of the keys that a ledger holds."""
        found: dict[str, Exchange] = {}
        for path in self._ledgers:
            missing = [key for key in keys if key not in found and _KEY.fullmatch(key)]
            if missing:
                found |= _read(path, missing)
        return found


def _read(path: Path, keys: Sequence[str]) -> dict[str, Exchange]:
    connection = connect_to_read(path)
    if connection is None:
        return {}
    found: dict[str, Exchange] = {}
    with explained(path), closing(connection):
        rows = Lookup(connection).rows([bytes.fromhex(key) for key in keys], f"model, ask, {REPLY_COLUMNS}")
        for key, (model, ask, *values) in rows:
            asked = msgspec.json.decode(ask, type=_Asked)
            found[key.hex()] = Exchange(model, asked.messages, asked.params, reply_from_row(values))
    return found
