"""What the pages' commands find: a folder of their own, and stand-ins for what only their readers have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

import counterfoil.asking.models as ways
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.openai import PROVIDERS, OpenAIModel
from mock_server import Answer, MockServer, completion

# What a judge is asked, by words of its instructions, and a reply that can be read.
JUDGED = {
    "rate a question on how likely": "Explanation: They are often mixed up.\nScore: 70",
    "list of plausible but incorrect alternatives": "Alternatives:\n- Sydney\n- Melbourne",
    "expert fact checker": "Reason: It is.\nVerdict: correct",
    "this one answer, and no other": "Reason: It is.\nVerdict: clear",
    "unneeded clarification": "Explanation: There is none.\nVerdict: no",
}
# They need nobody's server.
OWN_WAYS = ("planted", "replay")
KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY")


def behave(request: dict[str, Any]) -> Answer:
    """Judge where there is something to judge, and say A otherwise."""
    words = "\n".join(str(message["content"]) for message in request["messages"])
    return completion(next((reply for asked, reply in JUDGED.items() if asked in words), "A"))


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    with MockServer(behave) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, server: MockServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to be in, where every model that is not simulated is the test's server."""
    original = ways._opener

    def opener(provider: str, more: Any) -> Any:
        return original(provider, more) if provider in OWN_WAYS else stand_in

    def stand_in(spec: ModelSpec) -> Model:
        here = spec if spec.provider in PROVIDERS else msgspec.structs.replace(spec, name=f"vllm/{spec.name}")
        return OpenAIModel(msgspec.structs.replace(here, base_url=server.url))

    monkeypatch.setattr(ways, "_opener", opener)
    monkeypatch.chdir(tmp_path)
    variables = {
        "COUNTERFOIL_CACHE": str(tmp_path / "cache"),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "AZURE_OPENAI_ENDPOINT": server.url,
        "OPENAI_API_VERSION": "2024-06-01",
        **dict.fromkeys(KEYS, "not-a-key"),
    }
    # A page may export more of them.
    with patch.dict(os.environ, variables):
        yield tmp_path
