"""Simulated respondents with known true values: `planted/SUITE?name=value&…`. Each suite brings its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec

from counterfoil import __version__
from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models.base import Model, ModelSpec, Sent
from counterfoil.errors import UserError
from counterfoil.tables import in_words

Respondent = Callable[[Sequence[Message], int], str]
S = TypeVar("S", bound=msgspec.Struct)


def parse_settings(name: str, given: Mapping[str, str], kind: type[S]) -> S:
    """The settings of `planted/NAME` from the model's name. Those that are floats are chances from 0 to 1."""
    fields = msgspec.structs.fields(kind)
    names = [field.name for field in fields]
    try:
        settings = msgspec.convert(dict(given), kind, strict=False)
    except msgspec.ValidationError as error:
        takes = f"{', '.join(names[:-1])} and {names[-1]}"
        raise UserError(f"planted/{name}: {in_words(error)}. It takes {takes}.") from error
    for field in fields:
        value = getattr(settings, field.name)
        if isinstance(value, float) and not 0 <= value <= 1:
            raise UserError(f"planted/{name}: {field.name} is a chance from 0 to 1, and is {value}.")
    return settings


class PlantedModel(Model):
    """Answers in process from the messages alone, as any model has to; `respondent_of` makes the suite's."""

    def __init__(self, spec: ModelSpec, respondent_of: Callable[[str, Mapping[str, str]], Respondent]) -> None:
        super().__init__(spec, runtime=f"counterfoil {__version__}")
        suite, _, query = spec.rest.partition("?")
        try:
            pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
        except ValueError as error:
            raise UserError(f"{spec.name} can't be read: after the ? come name=value pairs, joined by &.") from error
        settings = dict(pairs)
        if len(settings) < len(pairs):
            raise UserError(f"{spec.name} sets the same name twice: write each once.")
        self._respond = respondent_of(suite, settings)

    async def send(self, ask: Ask, timeout: float) -> Sent:
        text = self._respond(ask.messages, ask.sample)
        return Sent(Reply(status="ok", text=text, finish_reason="stop"))
