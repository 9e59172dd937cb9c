"""What the pages' commands find: a folder of their own, and stand-ins for what only their readers have."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

import counterfoil.asking.models as ways
from annuity_proposal import PROPOSAL
from batch_server import BatchServer
from counterfoil.asking.models.anthropic import AnthropicModel
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.openai import OpenAIModel
from counterfoil.asking.models.providers import provider_of
from mock_server import MockServer, completion
from published import published
from quick_batches import have_little_patience

# What a judge or a proposer is asked, by words of its instructions, and a reply that can be read.
JUDGED = {
    "rate a question on how likely": "Explanation: They are often mixed up.\nScore: 70",
    "list of plausible but incorrect alternatives": "Alternatives:\n- Sydney\n- Melbourne",
    "expert fact checker": "Reason: It is.\nVerdict: correct",
    "this one answer, and no other": "Reason: It is.\nVerdict: clear",
    "unneeded clarification": "Explanation: There is none.\nVerdict: no",
    "turn a multiple-choice question into a template": json.dumps(PROPOSAL),
}
# They need nobody's server.
OWN_WAYS = ("planted", "replay")
KEYS = ("ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "OPENAI_API_KEY")


def say(request: dict[str, Any]) -> str:
    """Judge where there is something to judge, and say A otherwise."""
    words = json.dumps([request.get("system"), request["messages"]], ensure_ascii=False)
    return next((reply for asked, reply in JUDGED.items() if asked in words), "A")


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    with MockServer(lambda request: completion(say(request))) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, server: MockServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to be in, where every model that is not simulated is the test's server."""
    original = ways._opener

    def opener(provider: str, more: Any) -> Any:
        return original(provider, more) if provider in OWN_WAYS else stand_in

    def stand_in(spec: ModelSpec) -> Model:
        is_alike = provider_of(spec.name).home == "openai:OpenAIModel"
        here = spec if is_alike else msgspec.structs.replace(spec, name=f"vllm/{spec.name}")
        return OpenAIModel(msgspec.structs.replace(here, base_url=server.url))

    monkeypatch.setattr(ways, "_opener", opener)
    monkeypatch.chdir(tmp_path)
    variables = {
        "COUNTERFOIL_CACHE": str(tmp_path / "cache"),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        # Where pip finds packages; of others it knows nothing.
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path / "wheels"),
        "AZURE_OPENAI_ENDPOINT": server.url,
        "OPENAI_API_VERSION": "2024-06-01",
        **dict.fromkeys(KEYS, "not-a-key"),
    }
    # A page may export more of them.
    with patch.dict(os.environ, variables), published():
        yield tmp_path


@pytest.fixture
def batches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same, where OpenAI and Anthropic have batch interfaces that answer at once; all asks must go there."""
    models = {"openai": OpenAIModel, "anthropic": AnthropicModel}
    have_little_patience(monkeypatch)
    with BatchServer(say) as server:

        def opener(provider: str, more: Any) -> Any:
            return lambda spec: models[provider](msgspec.structs.replace(spec, base_url=server.url(spec.name)))

        monkeypatch.setattr(ways, "_opener", opener)
        yield
        assert server.batches
        assert server.asked_one_by_one == []
