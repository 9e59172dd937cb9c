"""The names that models can have, and what each of them still needs before it can be used."""

from __future__ import annotations

from importlib import metadata

import msgspec

from counterfoil.asking.models import ENTRY_POINTS, OPENAI_COMPATIBLE, anthropic, openai
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.weights import smollm2_is_here

WHAT = {
    "openai": "OpenAI's models",
    "azure": "a deployment on Azure OpenAI",
    "openrouter": "any model of OpenRouter",
    "together": "any model of Together",
    "clova": "CLOVA Studio",
    "ollama": "Ollama on this machine, or at --base-url",
    "vllm": "any OpenAI-compatible server, on this machine or at --base-url",
}


class ModelName(msgspec.Struct):
    """One kind of name. `needs` says what to do before it can be used; None: nothing."""

    name: str
    what: str
    needs: str | None


def model_names() -> list[ModelName]:
    """All kinds of names, those of other packages included. Nothing is sent to find out."""
    names = []
    for provider in OPENAI_COMPATIBLE:
        name = "azure/DEPLOYMENT" if provider == "azure" else f"{provider}/NAME"
        missing = openai.missing_variables(ModelSpec(name=name))
        names.append(ModelName(name, WHAT[provider], _variables(missing)))
    missing = anthropic.missing_variables(ModelSpec(name="anthropic/NAME"))
    names.insert(1, ModelName("anthropic/NAME", "Anthropic's models", _variables(missing)))
    runtime = _extra("local", "xllamacpp")
    weights = None if smollm2_is_here() else "counterfoil models get smollm2"
    needs_of_smollm2 = ", then ".join(need for need in (runtime, weights) if need) or None
    names += [
        ModelName("smollm2", "SmolLM2-135M in this process, the default: tiny, a smoke test", needs_of_smollm2),
        ModelName("gguf/PATH", "GGUF weights in this process, by llama.cpp", runtime),
        ModelName(
            "hf/PATH-OR-NAME", "Hugging Face weights in this process, by transformers", _extra("hf", "transformers")
        ),
        ModelName("inspect/PROVIDER/NAME", "any provider of Inspect", _extra("inspect", "inspect_ai")),
        ModelName("planted/SUITE?…", "a simulated respondent with known true values", None),
        ModelName("replay/FILE", "canned replies from a file", None),
    ]
    others = sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    names += [ModelName(f"{point.name}/…", f"from {point.value.partition(':')[0]}", None) for point in others]
    return names


def _extra(name: str, package: str) -> str | None:
    """What to install before a model in process can be used, where that is not there."""
    return None if _is_installed(package) else f"pip install 'counterfoil[{name}]'"


def _variables(missing: list[str]) -> str | None:
    return f"set {' and '.join(missing)}" if missing else None


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True
