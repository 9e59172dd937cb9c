"""Each test starts without any provider's variables and without a proxy, and sets what it needs."""

from __future__ import annotations

import os

import pytest

VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_ORG_ID",
    "OPENAI_API_VERSION",
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "CLOVA_API_KEY",
    "CLOVA_URL",
)


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    proxies = [name for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "all_proxy")]
    for name in (*VARIABLES, *proxies):
        monkeypatch.delenv(name, raising=False)
