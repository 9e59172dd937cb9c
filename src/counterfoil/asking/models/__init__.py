"""From a model's name to the way to reach it. The name's first part chooses; the modules load when they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.errors import UserError

ENTRY_POINTS = "counterfoil.models"
OPENAI_COMPATIBLE = ("openai", "azure", "openrouter", "together", "clova", "ollama", "vllm")

Opener = Callable[[ModelSpec], Model]


def open_model(spec: ModelSpec, more: Mapping[str, Opener] | None = None) -> Model:
    """The model of that name, ready to be asked; nothing is sent yet. `more`: openers by first part."""
    if not spec.name:
        raise UserError("A model has no name: `counterfoil models` lists the names.")
    if spec.base_url is not None and spec.provider not in (*OPENAI_COMPATIBLE, "anthropic", "inspect"):
        raise UserError(f"{spec.name} is not behind an address: leave --base-url out.")
    return _opener(spec.provider, more or {})(spec)


def _opener(provider: str, more: Mapping[str, Opener]) -> Opener:
    if provider in more:
        return more[provider]
    if provider in OPENAI_COMPATIBLE:
        from counterfoil.asking.models.openai import OpenAIModel

        return OpenAIModel
    if provider == "anthropic":
        from counterfoil.asking.models.anthropic import AnthropicModel

        return AnthropicModel
    if provider in ("gguf", "smollm2"):
        from counterfoil.asking.models.llamacpp import LlamaModel

        return LlamaModel
    if provider == "hf":
        from counterfoil.asking.models.hf.model import HfModel

        return HfModel
    if provider == "inspect":
        from counterfoil.asking.models.inspect import InspectModel

        return InspectModel
    if provider == "replay":
        from counterfoil.asking.models.replay import ReplayModel

        return ReplayModel
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=provider):
        opener: Opener = point.load()
        return opener
    raise UserError(f"There is no way to a model called {provider}: `counterfoil models` lists the names.")
