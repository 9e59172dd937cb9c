"""From a model's name to the way to reach it. The name's first part chooses; the modules load when they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.providers import ENTRY_POINTS, provider_of
from counterfoil.errors import UserError

Opener = Callable[[ModelSpec], Model]


def open_model(spec: ModelSpec, more: Mapping[str, Opener] | None = None) -> Model:
    """The model of that name, ready to be asked; nothing is sent yet. `more`: openers by first part."""
    if not spec.name:
        raise UserError("A model has no name: `counterfoil models` lists the names.")
    if spec.base_url is not None and not provider_of(spec.name).takes_base_url:
        raise UserError(f"{spec.name} is not behind an address: leave --base-url out.")
    return _opener(spec.provider, more or {})(spec)


def _opener(name: str, more: Mapping[str, Opener]) -> Opener:
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
    raise UserError(f"There is no way to a model called {name}: `counterfoil models` lists the names.")
