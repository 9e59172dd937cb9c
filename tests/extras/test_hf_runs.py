"""Whole runs with weights in process, and the small model that ships with the package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'counterfoil[hf]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install 'counterfoil[hf]'")

from commands import counterfoil_process as counterfoil
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.hf.model import HfModel
from counterfoil.asking.models.weights import SMOLLM2_SHA256, smollm2_is_here, smollm2_path
from hf_asks import Asked, replies, user
from tiny_model import make_model


def test_a_run_asks_it_and_asks_nothing_twice(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model", context=4_000)
    command = ["run", "bias", "--model", f"hf/{folder}", "--data", "english", "--limit", "4", "--by", "logprob"]
    command += ["--param", 'choices=["A","B","C"]', "--variant", "en", "--out", "run"]
    first = counterfoil(*command, cwd=tmp_path, OMP_NUM_THREADS="1", COUNTERFOIL_CACHE=str(tmp_path / "cache"))
    assert first.returncode == 0, first.stderr
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert (
        manifest["outcomes"]["answered"] == sum(manifest["outcomes"].values()) == 12
    )  # four questions in three orders
    info = counterfoil("ledger", "info", "--json", cwd=tmp_path)
    assert [model["replies"] for model in json.loads(info.stdout)] == [12]
    again = counterfoil(*command, cwd=tmp_path, OMP_NUM_THREADS="1", COUNTERFOIL_CACHE=str(tmp_path / "cache"))
    assert again.returncode == 0
    assert counterfoil("ledger", "info", "--json", cwd=tmp_path).stdout == info.stdout


@pytest.mark.skipif(
    not smollm2_is_here(), reason="the weights of smollm2 are not here: `counterfoil models get smollm2`"
)
def test_the_real_small_model_answers() -> None:
    path = smollm2_path()
    question = "Which is a fruit?\nA: apple\nB: stone\nC: car\nAnswer with one letter."
    asks: list[Asked] = [
        (user("What is the capital of France?"), {"temperature": 0, "max_tokens": 12}, 0),
        (user(question), {"temperature": 0, "max_tokens": 1, "logprobs": 5}, 0),
        (user(question), {"temperature": 0, "choices": ["A", "stone"]}, 0),
    ]
    capital, letter, choice = replies(path, asks)
    assert "Paris" in capital.text
    assert letter.logprobs is not None
    assert {"A", "B", "C"} & letter.logprobs[0].top.keys()
    assert choice.text == "A"
    model = HfModel(ModelSpec(name=f"hf/{path}"))
    assert model.ask(user("Hm."), {}, 0).model == f"sha256:{SMOLLM2_SHA256}"
