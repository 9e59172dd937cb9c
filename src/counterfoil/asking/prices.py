"""What models cost: a data file that a user can override. An unknown price is None, never a guess."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec

from counterfoil.asking.ask import Reply
from counterfoil.asking.models.providers import provider_of
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


def load_prices(override: Path | None = None) -> dict[str, Price]:
    """Model name to price: those that ship with the package, and over them the user's."""
    shipped = resources.files("counterfoil.asking").joinpath("prices.toml").read_text(encoding="utf-8")
    prices = _read(shipped, "prices.toml")
    if override is not None:
        try:
            prices |= _read(override.read_text(encoding="utf-8-sig"), str(override))
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"The price file {override} can't be read: {error}") from error
    return prices


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price by the model's full name; None where it is not known."""
    if model in prices:
        return prices[model]
    return FREE if provider_of(model).is_free else None


def _read(text: str, where: str) -> dict[str, Price]:
    try:
        return msgspec.convert(tomllib.loads(text), dict[str, Price])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UserError(
            f'The price file {where} is wrong: {error}. It wants tables like ["openai/gpt-4o"] with input and output, '
            "in dollars for a million tokens."
        ) from error
