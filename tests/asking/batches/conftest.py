"""Each test is in a folder of its own, with no keys and no proxy but those it sets, and with little patience."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quick_batches import have_little_patience


@pytest.fixture(autouse=True)
def _quick_and_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_ORG_ID")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    have_little_patience(monkeypatch)
