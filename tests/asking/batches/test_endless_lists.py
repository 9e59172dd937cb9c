"""A list of batches that never ends: it is not read for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from counterfoil.asking.batches.openai import OpenAIBatches
from counterfoil.asking.models.base import ModelSpec, TryAgain
from counterfoil.asking.models.openai import OpenAIModel


def test_a_server_that_gives_the_same_page_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # It ignores where the page is to begin, and says that there is more.
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    batches = OpenAIBatches(OpenAIModel(ModelSpec(name="openai/m", base_url="http://127.0.0.1:1/v1")))
    pages = 0

    async def get(path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        nonlocal pages
        pages += 1
        return {"data": [{"id": "batch_1", "created_at": 1_800_000_000}], "has_more": True}

    monkeypatch.setattr(batches._server, "get", get)
    with pytest.raises(TryAgain, match="the same batches again and again"):
        asyncio.run(batches.find("token", 1, 1_800_000_000.0, ()))
    assert pages == 2
