"""From a model's name to the way to reach it. The name's first part chooses; the modules load when they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.providers import ENTRY_POINTS, PROVIDERS, provider_of
from counterfoil.errors import UserError

Opener = Callable[[ModelSpec], Model]


def open_model(spec: ModelSpec, more: Mapping[str, Opener] | None = None) -> Model:
    """The model of that name, ready to be asked; nothing is sent yet. `more`: openers by first part."""
    if not spec.name:
        raise UserError("A model has no name: `counterfoil models` lists the names.")
    if spec.base_url is not None and not provider_of(spec.name).takes_base_url:
        raise UserError(f"{spec.name} is not behind an address: leave --base-url out.")
    opener = _opener(spec.provider, more or {})
    if opener is None:
        raise UserError(
            f"There is no model {spec.name}{_meant(spec.name)}: `counterfoil models` lists how names begin."
        )
    return opener(spec)


def _opener(name: str, more: Mapping[str, Opener]) -> Opener | None:
    """What opens the models of a provider; None if nobody knows it."""
    if name in more:
        return more[name]
    opener: Opener
    if home := provider_of(name).home:
        module, _, kind = home.partition(":")
        opener = getattr(import_module(f"counterfoil.asking.models.{module}"), kind)
        return opener
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=name):
        opener = point.load()
        return opener
    return None


def _meant(name: str) -> str:
    """A model whose name is known from its price, or with the name of a provider set right."""
    from difflib import get_close_matches

    from counterfoil.asking.prices import load_prices

    provider, slash, rest = name.partition("/")
    by_rest = {full.partition("/")[2]: full for full in reversed(load_prices().shipped)}
    found = [by_rest[close] for close in get_close_matches(name, by_rest, n=1, cutoff=0.8)]
    if slash:
        found = [f"{close}/{rest}" for close in get_close_matches(provider, PROVIDERS, n=1)]
    return f" (did you mean {found[0]}?)" if found else ""
