"""The providers: one row for each, with all that is known of it. A provider is the first part of a model's name."""

from __future__ import annotations

import os
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from counterfoil.asking.models.base import ModelSpec

# Other packages add their providers here.
ENTRY_POINTS = "counterfoil.models"

# service: of somebody else, at an address of its own, for money. server: of the user, at an address that only the user
# knows. weights: in the process that asks. here: it needs what only this process has, such as the run's questions.
Kind = Literal["service", "server", "weights", "here", "other"]


class Provider(NamedTuple):
    """One provider.

    `rest` is what stands behind its name. `home`: the module and the class that reach it; most have OpenAI's interface.
    `key` and `base_url_variable` are the environment variables that hold its key and, if it has no fixed one, its
    address; `variables` are those that it needs besides. `extra`: the extra of counterfoil and the package in it that
    it needs.
    """

    name: str
    what: str
    kind: Kind
    base_url: str | None = None
    key: str | None = None
    home: str | None = "openai:OpenAIModel"
    rest: str = "/NAME"
    base_url_variable: str | None = None
    variables: tuple[str, ...] = ()
    extra: tuple[str, str] | None = None
    has_batches: bool = False

    @property
    def takes_base_url(self) -> bool:
        return self.kind in ("service", "server")

    @property
    def is_free(self) -> bool:
        """On this machine its tokens cost nothing, unless a price file says otherwise."""
        return self.kind in ("server", "weights", "here")


_LLAMA = "llamacpp:LlamaModel"
_LOCAL = ("local", "xllamacpp")

_TABLE = (
    Provider("openai", "OpenAI's models", "service", "https://api.openai.com/v1", "OPENAI_API_KEY", has_batches=True),
    Provider(
        "anthropic",
        "Anthropic's models",
        "service",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        home="anthropic:AnthropicModel",
        has_batches=True,
    ),
    Provider(
        "azure",
        "a deployment on Azure OpenAI",
        "service",
        key="AZURE_OPENAI_API_KEY",
        rest="/DEPLOYMENT",
        base_url_variable="AZURE_OPENAI_ENDPOINT",
        variables=("OPENAI_API_VERSION",),
    ),
    Provider("openrouter", "any model of OpenRouter", "service", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    Provider("together", "any model of Together", "service", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    Provider("clova", "CLOVA Studio", "service", key="CLOVA_API_KEY", base_url_variable="CLOVA_URL"),
    Provider("ollama", "Ollama on this machine, or at --base-url", "server", "http://localhost:11434/v1"),
    Provider(
        "vllm", "any OpenAI-compatible server, on this machine or at --base-url", "server", "http://localhost:8000/v1"
    ),
    Provider(
        "smollm2",
        "SmolLM2-135M in this process, the default: tiny, a smoke test",
        "weights",
        home=_LLAMA,
        rest="",
        extra=_LOCAL,
    ),
    Provider("gguf", "GGUF weights in this process, by llama.cpp", "weights", home=_LLAMA, rest="/PATH", extra=_LOCAL),
    Provider(
        "hf",
        "Hugging Face weights in this process, by transformers",
        "weights",
        home="hf.model:HfModel",
        rest="/PATH-OR-NAME",
        extra=("hf", "transformers"),
    ),
    Provider(
        "inspect",
        "any provider of Inspect",
        "service",
        home="inspect:InspectModel",
        rest="/PROVIDER/NAME",
        extra=("inspect", "inspect_ai"),
    ),
    Provider("planted", "a simulated respondent with known true values", "here", home=None, rest="/SUITE?…"),
    Provider("replay", "canned replies from a file", "here", home="replay:ReplayModel", rest="/FILE"),
)
PROVIDERS = {row.name: row for row in _TABLE}


class ModelName(msgspec.Struct):
    """One kind of name. `needs` says what to do before it can be used; None: nothing."""

    name: str
    what: str
    needs: str | None


def provider_of(model: str) -> Provider:
    """The provider of the model of that name; of other packages' providers nothing is known."""
    name = model.partition("/")[0]
    return PROVIDERS.get(name) or Provider(name, "", "other", home=None)


def is_this_machine(url: str) -> bool:
    """Whether the address is one of the machine that this process runs on."""
    host = urlsplit(url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def missing_variables(spec: ModelSpec) -> list[str]:
    """The environment variables that a model still needs. With an address of the user's own, a key is optional."""
    provider = provider_of(spec.name)
    own = (provider.key, provider.base_url_variable) if spec.base_url is None else ()
    return [name for name in (*own, *provider.variables) if name and not os.environ.get(name)]


def model_names() -> list[ModelName]:
    """All kinds of names, those of other packages included. Nothing is sent to find out."""
    names = [ModelName(row.name + row.rest, row.what, _needs(row)) for row in PROVIDERS.values()]
    from importlib.metadata import entry_points

    others = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    return names + [ModelName(f"{point.name}/…", f"from {point.value.partition(':')[0]}", None) for point in others]


def _needs(provider: Provider) -> str | None:
    from counterfoil.asking.models.weights import smollm2_is_here

    needs = []
    if missing := missing_variables(ModelSpec(name=provider.name + provider.rest)):
        needs.append(f"set {' and '.join(missing)}")
    if provider.extra is not None and find_spec(provider.extra[1]) is None:
        needs.append(f"pip install 'counterfoil[{provider.extra[0]}]'")
    if provider.name == "smollm2" and not smollm2_is_here():
        needs.append("counterfoil models get smollm2")
    return ", then ".join(needs) or None
