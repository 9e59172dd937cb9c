"""What models cost: a data file that a user can override. An unknown price is None, never a guess."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec

from counterfoil.asking.ask import Reply
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.providers import is_this_machine, provider_of
from counterfoil.errors import UserError

Dollars = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens; `cached` for input tokens that came from the provider's cache."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None

    def of(self, reply: Reply) -> float:
        """What a reply has cost."""
        input_tokens = reply.input_tokens or 0
        cached = min(reply.cached_tokens or 0, input_tokens)
        cached_price = self.input if self.cached is None else self.cached
        return self.of_tokens(input_tokens - cached, reply.output_tokens or 0) + cached * cached_price / 1e6

    def of_tokens(self, input_tokens: float, output_tokens: float) -> float:
        """What so many tokens cost, none of them cached."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6

    @property
    def halved(self) -> Price:
        """What the batch interfaces of OpenAI and Anthropic ask for."""
        return Price(self.input / 2, self.output / 2, None if self.cached is None else self.cached / 2)


FREE = Price(input=0.0, output=0.0)


# A snapshot's name is its family's with a date behind it: gpt-5-2025-08-07, claude-sonnet-4-5-20250929.
_DATE = re.compile(r"[-@](\d{4}-\d\d-\d\d|\d{8}|latest)$")


class Prices(msgspec.Struct, frozen=True):
    """Prices by the full names of models: those that the user gave, and those that ship with the package."""

    own: dict[str, Price]
    shipped: dict[str, Price]

    def of(self, spec: ModelSpec) -> Price | None:
        """The model's price; None where it is not known. A snapshot without a price of its own has its family's.

        What ships holds for the providers' own addresses. What another machine's address costs only the user knows;
        what runs on this machine is free.
        """
        is_elsewhere = spec.base_url is not None and not is_this_machine(spec.base_url)
        for prices in (self.own,) if is_elsewhere else (self.own, self.shipped):
            for name in (spec.name, _DATE.sub("", spec.name)):
                if name in prices:
                    return prices[name]
        return FREE if provider_of(spec.name).is_free and not is_elsewhere else None


def load_prices(own: Path | None = None) -> Prices:
    """The prices that ship with the package, and those of the user's file."""
    shipped = resources.files("counterfoil.asking").joinpath("prices.toml").read_text(encoding="utf-8")
    try:
        given = {} if own is None else _read(own.read_text(encoding="utf-8-sig"), str(own))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The price file {own} can't be read: {error}") from error
    return Prices(given, _read(shipped, "prices.toml"))


def _read(text: str, where: str) -> dict[str, Price]:
    try:
        return msgspec.convert(tomllib.loads(text), dict[str, Price])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UserError(
            f'The price file {where} is wrong: {error}. It wants tables like ["openai/gpt-4o"] with input and output, '
            "in dollars for a million tokens."
        ) from error
