"""Canned replies from a file: `replay/FILE`, for tests and for sharing a run.

A line of `counterfoil ledger export` answers the same messages and sample, whatever model it came from. A line by hand
answers messages that hold all texts of its `when`. The first that fits is taken.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from counterfoil.asking.ask import Ask, Message, Reply, Status
from counterfoil.asking.models.base import Hopeless, Model, ModelSpec, Sent
from counterfoil.errors import UserError
from counterfoil.inputs import text_of
from counterfoil.tables import decoded, numbered


class _Asked(msgspec.Struct):
    """What of an exported ask must be the same."""

    messages: tuple[Message, ...]
    sample: int = 0


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line: an `ask` with its `reply`, or by hand a `text`."""

    ask: _Asked | None = None
    reply: Reply | None = None
    when: str | list[str] = []
    text: str | None = None
    status: Status = "ok"
    reasoning: str | None = None
    key: str | None = None
    model: str | None = None
    received_at: float | None = None


class ReplayModel(Model):
    """Gives the same reply to the same messages, in process."""

    def __init__(self, spec: ModelSpec) -> None:
        if not spec.rest:
            raise UserError("replay/ names no file: write replay/FILE.")
        path = Path(spec.rest)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise UserError(f"{spec.name}: the file {path} can't be read: {error.strerror}.") from error
        super().__init__(spec, model=f"sha256:{hashlib.sha256(content).hexdigest()}")
        self._exact: dict[tuple[tuple[Message, ...], int], Reply] = {}
        self._by_text: list[tuple[tuple[str, ...], Reply]] = []
        for place, line in numbered(text_of(content, str(path)).encode().splitlines()):
            self._add(line, f"{path}, {place}")
        if not self._exact and not self._by_text:
            raise UserError(f"{spec.name}: the file {path} holds no replies.")

    def _add(self, raw: bytes, where: str) -> None:
        line = decoded(raw, _Line, where)
        if line.reply is not None and line.ask is not None:
            self._exact.setdefault((line.ask.messages, line.ask.sample), line.reply)
        elif line.text is not None:
            when = (line.when,) if isinstance(line.when, str) else tuple(line.when)
            reply = Reply(status=line.status, text=line.text, reasoning=line.reasoning)
            self._by_text.append((when, reply))
        else:
            raise UserError(f"{where}: there is neither a text nor an ask with its reply.")

    async def send(self, ask: Ask, timeout: float) -> Sent:
        reply = self._exact.get((ask.messages, ask.sample)) or self._first_that_fits(ask.prompt)
        if reply is None:
            raise Hopeless("no line of the file fits this ask")
        if reply.status == "failed":
            raise Hopeless(reply.error or reply.text)
        return Sent(reply)

    def _first_that_fits(self, prompt: str) -> Reply | None:
        return next((reply for when, reply in self._by_text if all(text in prompt for text in when)), None)
