"""Asks and replies as the ledgers hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.ledger.file import connect_to_read, explained
from counterfoil.asking.ledger.lookup import Lookup
from counterfoil.asking.ledger.replies import REPLY_COLUMNS, reply_from_row

_KEY = re.compile("[0-9a-f]{64}")


class Exchange(NamedTuple):
    """One ask and its reply, from a ledger; `model` by the name it was asked under."""

    model: str
    messages: tuple[Message, ...]
    params: dict[str, Any]
    reply: Reply


class _Asked(msgspec.Struct):
    messages: tuple[Message, ...] = ()
    params: dict[str, Any] = {}


def find_exchanges(ledgers: Sequence[Path], keys: Sequence[str]) -> dict[str, Exchange]:
    """Those of the keys that a ledger holds, each from the first that does."""
    found: dict[str, Exchange] = {}
    for path in ledgers:
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
