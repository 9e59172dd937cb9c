"""What every way to reach a model has, and how it says that something went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.log import plain


class ModelSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A model as the user named it, with the settings that are its own."""

    name: str
    base_url: str | None = None
    params: dict[str, Any] = {}
    concurrency: int | None = None
    timeout: float = 120.0
    # Nothing will be sent, so that neither a key nor an address is needed.
    dry: bool = False

    @property
    def provider(self) -> str:
        """The first part of the name: it chooses the way."""
        return self.name.partition("/")[0]

    @property
    def rest(self) -> str:
        """The name without its first part."""
        return self.name.partition("/")[2]


class Sent(NamedTuple):
    """A reply, and for how many seconds the model wants to be left alone now."""

    reply: Reply
    quiet: float = 0.0


class Model:
    """One way to reach one model: its name, asks with its identity, and attempts to have them answered."""

    # How many asks it can take at once at the most; None where the pace must find out.
    slots: int | None = None

    def __init__(
        self,
        spec: ModelSpec,
        *,
        provider: str | None = None,
        model: str | None = None,
        base_url: str | None = None,
        runtime: str | None = None,
    ) -> None:
        """What is not given is as the user named it."""
        self.name = spec.name
        self._spec = spec
        self._identity = Ask(
            provider=provider or spec.provider,
            model=spec.rest if model is None else model,
            base_url=base_url,
            runtime=runtime,
            messages=(),
        )

    def begin_round(self, name: str) -> None:
        """From now on asks are of this round: what was asked before is asked again, and kept beside."""
        self._identity = replace(self._identity, round=name)

    def ask(self, messages: Sequence[Message], params: Mapping[str, Any], sample: int) -> Ask:
        """The ask with this model's identity in it."""
        return replace(self._identity, messages=tuple(messages), params=dict(params), sample=sample)

    async def send(self, ask: Ask, timeout: float) -> Sent:
        """One attempt, which takes at most `timeout` seconds, and raises the errors below."""
        raise NotImplementedError

    async def close(self) -> None:
        """Let go of connections and memory."""

    @property
    def adjustments(self) -> Sequence[str]:
        """Settings that the model refused, and what was sent instead, for the manifest."""
        return ()


class ModelError(Exception):
    """An attempt without a reply. The reason may be in a server's words, and is shown and kept."""

    def __init__(self, reason: str) -> None:
        super().__init__(plain(reason))


class TryAgain(ModelError):
    """It may get better. `wait`: the seconds the server asked for. `overloaded`: it wants fewer asks at a time."""

    def __init__(self, reason: str, *, wait: float | None = None, overloaded: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.overloaded = overloaded


class TimedOut(TryAgain):
    """No reply within the limit of one attempt."""


class Unreachable(TryAgain):
    """No connection could be made: hopeless if none ever could, a hiccup otherwise."""


class Hopeless(ModelError):
    """This ask can't get better: another attempt would end the same way."""


class ModelUnusable(ModelError):
    """No ask of this model can be answered: wrong key, unknown model, no credit. One clear sentence."""
