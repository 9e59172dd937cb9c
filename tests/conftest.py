"""What all tests share. No test depends on how long something takes."""

from __future__ import annotations

import pytest
from hypothesis import settings

from counterfoil import progress

settings.register_profile("counterfoil", deadline=None)
settings.load_profile("counterfoil")


@pytest.fixture(autouse=True)
def _no_progress_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown when something takes long is not among what a command says, however slow the machine."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 1e9)
