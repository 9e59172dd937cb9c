"""Each test is in a folder of its own, with no keys and no proxy but those it sets, and with little patience."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from counterfoil.asking.batches import collecting, lock, submitting, waiting


@pytest.fixture(autouse=True)
def _quick_and_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_ORG_ID")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for module, name, value in (
        (waiting, "FIRST_LOOK", 0.01),
        (waiting, "LONGEST_LOOK", 0.01),
        (submitting, "FIRST_WAIT", 0.01),
        (submitting, "LONGEST_WAIT", 0.01),
        (submitting, "LOOK_SECONDS", 0.02),
        (submitting, "SETTLE_SECONDS", 0.1),
        (lock, "WAIT_SECONDS", 0.01),
        (collecting, "LINES_AT_ONCE", 7),
    ):
        monkeypatch.setattr(module, name, value)
