"""`inspect/…` where Inspect is not installed; tests/extras has the rest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from counterfoil.adapters.inspect.log import export_log
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import ModelSpec
from counterfoil.errors import UserError
from run_folders import make_run, record


def test_without_inspect_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(UserError, match=r"inspect/openai/x needs Inspect: pip install 'counterfoil\[inspect\]'"):
        open_model(ModelSpec(name="inspect/openai/x"))
    with pytest.raises(UserError, match=r"--to inspect needs Inspect: pip install 'counterfoil\[inspect\]'"):
        export_log(make_run(tmp_path / "run", [record()], suite="bias"), tmp_path / "logs")
