"""Every code block of the pages on what needs extras does what it says.

They are gone through like the others (tests/docs/test_code_blocks.py). A local server, a local Ray cluster and weights
that nobody has trained take the place of the reader's, and of questions there are a few.
"""

from __future__ import annotations

import gc
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
from counterfoil.asking.models.weights import smollm2_path
from mock_server import MockServer, completion
from page_blocks import work_through
from pages import DOCS, NEEDS_EXTRAS
from ray_nodes import RayNodes
from tiny_model import make_model

# What the harnesses and Ray leave lying is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")
CONTEXT = 6_000
FEW = "--limit 2 --max-tokens 4"
# Replies that can be read, whatever the weights.
CHOICES = '--param \'choices=["A","B","C"]\''
TINY = f"--limit 24 {CHOICES}"
SOME = '{"counterfoil": {"limit": 2}}'
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
        "--worker-cores 8": "--worker-cores 1 --limit 1 --variant 1 --orders 1 --max-tokens 2",
        # Shards are of what is asked, and the first block's replies are in the ledger.
        "--shards s3://bucket/kobbq": "--shards shards --ledger apart.sqlite",
        "s3://bucket/kobbq": "shards",
        "s3://bucket": "shards",
    },
    "training.md": {
        "--model hf/SmolLM2-135M-Instruct.Q4_1.gguf": f"--model hf/tiny {TINY}",
        "--model hf/tuned-sft": f"--model hf/tuned-sft {TINY}",
    },
    "transformers.md": {
        "hf/models/Qwen3-4B": f"hf/models/Qwen3-4B {FEW}",
        "hf/Qwen/Qwen3-4B": f"hf/Qwen/Qwen3-4B {FEW}",
    },
}
# Where the pages' weights are: folders of the tiny model, and a file that is SmolLM2's.
FOLDERS = {
    "lm-eval.md": ["tiny"],
    "training.md": ["tiny", "tuned-sft"],
    "transformers.md": ["models/Qwen3-4B", "Qwen/Qwen3-4B"],
}
GGUF = {"scale.md": "weights/llama.gguf"}
SMOLLM2 = smollm2_path()


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(lambda request: completion("A")) as server:
        yield server
    gc.collect()  # while connections that clients have left open may complain


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model"), context=CONTEXT)


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a cluster, for the page that needs one."""
    if request.node.callspec.params["name"] != "scale.md":
        yield ""
        return
    with RayNodes(1) as nodes:
        yield nodes.address


@pytest.fixture
def reached(
    server: MockServer, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
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
        "RAY_ADDRESS": cluster,
        "INSPECT_DISPLAY": "none",
        **dict.fromkeys(KEYS, "not-a-key"),
    }
    addresses = ("http://gpu-1:8000/v1", "http://gpu-2:8000/v1", "http://localhost:8000/v1")
    with patch.dict(os.environ, variables):
        yield {**dict.fromkeys(addresses, server.url), "head:6379": cluster}


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
