"""Every code block of the pages on what needs extras does what it says.

They are gone through like the others (tests/docs/test_code_blocks.py). A local server and weights that nobody has
trained take the place of the reader's, the machines of a cluster are two nodes on this one, and of questions there are
a few.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

pytest.importorskip("inspect_ai")
pytest.importorskip("lm_eval")
pytest.importorskip("ray")
pytest.importorskip("torch")

from commands import SUPPORT
from mock_server import MockServer, completion
from page_blocks import work_through
from page_servers import free_port
from pages import DOCS, NEEDS_EXTRAS, blocks
from published import SMOLLM2
from tiny_model import make_model

# What the harnesses and Ray leave lying is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")
CONTEXT = 6_000
FEW = "--limit 2 --max-tokens 4"
# Replies that can be read, whatever the weights.
CHOICES = '--param \'choices=["A","B","C"]\''
TINY = f"--limit 24 {CHOICES}"
SOME = '{"counterfoil": {"limit": 2}}'
# Of the head of a cluster; Ray keeps 10002 to 19999 for its workers.
PORT = free_port()
KEYS = ("MINE_API_KEY", "OPENAI_API_KEY")
# By page, what stands there and what is run instead; servers and clusters are in `reached`.
INSTEAD: dict[str, dict[str, str]] = {
    "inspect.md": {
        "limit=200": "limit=4",
        "variant=cfe,baseline": "variant=cfe,baseline -T limit=4",
        "--limit 50": "--limit 4",
        # The packages of these providers are not here.
        "anthropic/claude-sonnet-4-5": "openai/gpt-4o",
        "google/gemini-2.5-pro": "openai/gpt-4o",
    },
    "lm-eval.md": {
        "$ lm_eval ": f"$ {sys.executable} {SUPPORT / 'lm_eval_alone.py'} ",
        "num_concurrent=16": f"num_concurrent=16 --metadata '{SOME}'",
        "pretrained=HuggingFaceTB/SmolLM2-135M-Instruct": "pretrained=tiny --gen_kwargs max_gen_toks=4",
        '"limit": 200': '"limit": 2',
        '"kobbq"': '"korean"',
    },
    "scale.md": {
        "kobbq-all": "korean",
        "--port 6379": f"--port {PORT}",
        "head:6379": f"127.0.0.1:{PORT}",
        "--worker-cores 8": "--worker-cores 1 --limit 1 --variant 1 --orders 1 --max-tokens 2",
        # Shards are of what is asked, and the first block's replies are in the ledger.
        "--shards s3://bucket/kobbq": "--shards shards --ledger apart.sqlite",
        "s3://bucket/kobbq": "shards",
        "s3://bucket": "shards",
    },
    "training.md": {
        "--model hf/SmolLM2-135M-Instruct.Q4_1.gguf": f"--model hf/tiny {TINY}",
        "--model hf/tuned-sft": f"--model hf/tuned-sft {TINY}",
        "finetune.py SmolLM2-135M-Instruct.Q4_1.gguf": "finetune.py tiny",
        "--epochs 4": "--max-steps 2 --batch-size 2",
    },
    "transformers.md": {
        "hf/models/Qwen3-4B": f"hf/models/Qwen3-4B {FEW}",
        "hf/Qwen/Qwen3-4B": f"hf/Qwen/Qwen3-4B {FEW}",
        "hf/weights.Q4_1.gguf": f"hf/weights.Q4_1.gguf {FEW}",
    },
}
# Where the pages' weights are: folders of the tiny model, and a file that is SmolLM2's.
FOLDERS = {
    "lm-eval.md": ["tiny"],
    "training.md": ["tiny"],
    "transformers.md": ["models/Qwen3-4B", "Qwen/Qwen3-4B"],
}
GGUF = {"scale.md": "weights/llama.gguf", "transformers.md": "weights.Q4_1.gguf"}


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(lambda request: completion("A")) as server:
        yield server
    gc.collect()  # while connections that clients have left open may complain


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model"), context=CONTEXT)


@pytest.fixture
def reached(server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """An empty folder to be in; what stands for the addresses that pages name."""
    monkeypatch.chdir(tmp_path)
    variables = {
        "COUNTERFOIL_CACHE": str(tmp_path / "cache"),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "OPENAI_BASE_URL": server.url,
        "OLLAMA_BASE_URL": server.url,
        "INSPECT_DISPLAY": "none",
        **dict.fromkeys(KEYS, "not-a-key"),
    }
    addresses = ("http://gpu-1:8000/v1", "http://gpu-2:8000/v1", "http://localhost:8000/v1")
    with patch.dict(os.environ, variables):
        yield dict.fromkeys(addresses, server.url)


@pytest.mark.parametrize("name", NEEDS_EXTRAS)
def test_every_block_works(name: str, tiny: Path, reached: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    for folder in FOLDERS.get(name, ()):
        Path(folder).parent.mkdir(parents=True, exist_ok=True)
        Path(folder).symlink_to(tiny)
    if name in GGUF:
        if not SMOLLM2.is_file():
            pytest.skip("smollm2 is not here: counterfoil models get smollm2")
        Path(GGUF[name]).parent.mkdir(parents=True, exist_ok=True)
        Path(GGUF[name]).symlink_to(SMOLLM2)
    work_through(DOCS / name, capsys, {**INSTEAD[name], **reached})
    if name in AFTERWARDS:
        AFTERWARDS[name]()


def every_evaluation_succeeded() -> None:
    """Inspect's own exit code is 0 as well where a task ended in an error."""
    from inspect_ai.log import read_eval_log

    logs = [read_eval_log(str(path), header_only=True) for path in Path("logs").glob("*.eval")]
    # Three of the command line, one of Python, the page's own, and an export.
    assert [log.status for log in logs] == ["success"] * 6


def exports_look_as_they_are_shown() -> None:
    shown = [json.loads(block.text) for block in blocks(DOCS / "training.md") if block.language == "json"]
    for folder, example in zip(("sft", "dpo"), shown, strict=True):
        with Path(folder, "train.jsonl").open(encoding="utf-8") as file:
            assert list(json.loads(file.readline())) == list(example)


AFTERWARDS = {"inspect.md": every_evaluation_succeeded, "training.md": exports_look_as_they_are_shown}
