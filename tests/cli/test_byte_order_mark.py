"""Texts from Windows begin with a byte order mark: every reader of users' files drops it, and reads the same."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import counterfoil as cf
from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.ledger.admin import ExportedReply, read_export
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.replay import ReplayModel
from counterfoil.asking.prices import load_prices
from counterfoil.bias.prompts import PARTS
from counterfoil.bias.prompts import load_variants as bias_variants
from counterfoil.explain.prompts import load_variants as explain_variants
from counterfoil.memorization.files import read_results
from counterfoil.memorization.options import OPTIONS
from counterfoil.memorization.prompts import load_variants as memorization_variants
from counterfoil.memorization.questions import load_set
from counterfoil.perturbing.questions import encode_set, read_set
from counterfoil.running.request import read_experiment
from counterfoil.suite.imports import import_jsonl
from counterfoil.suite.options import with_defaults


def _exported() -> bytes:
    ask = Ask(provider="vllm", model="m", messages=(Message("user", "Hello"),), params={}, sample=0)
    line = ExportedReply(ask.key, "vllm/m", 1.0, msgspec.json.decode(ask.canonical), Reply(status="ok", text="A"))
    return msgspec.json.encode(line) + b"\n"


def _set() -> bytes:
    """The first question of the bank, which is an original, and so a set of its own."""
    return encode_set(list(load_set(None, with_defaults(OPTIONS, {})))[:1])


def _replayed(path: Path) -> Any:
    return ReplayModel(ModelSpec(name=f"replay/{path}"))._by_text


def _imported(path: Path) -> list[Any]:
    return [msgspec.structs.replace(it, where="") for it in import_jsonl([path], {})]


READERS: dict[str, tuple[str, Callable[[], bytes], Callable[[Path], Any]]] = {
    "explain's variant": ("w.txt", lambda: b"Answer.", lambda path: explain_variants([str(path)])),
    "memorization's variant": ("w.txt", lambda: b"{question}", lambda path: memorization_variants([str(path)])),
    "bias's variant": (
        "w.tsv",
        lambda: ("\t".join(("prompt_id", *PARTS)) + "\n" + "\t".join("1" * (1 + len(PARTS)))).encode(),
        lambda path: bias_variants([str(path)], [(None, "ko")]),
    ),
    "replay": ("r.jsonl", lambda: b'{"text": "A"}\n', _replayed),
    "jsonl": ("r.jsonl", lambda: b'{"question_id": "q0", "model": "m", "reply": "A"}\n', _imported),
    "cfa": (
        "results.json",
        lambda: b'{"metadata": {"model": "m"}, "results": [{"question_id": "a", "original": {"correct": true}}]}',
        read_results,
    ),
    "frozen set": ("set.jsonl", _set, lambda path: list(read_set(path))),
    "experiment": ("x.toml", lambda: b'suite = "bias"\nlimit = 3\n', read_experiment),
    "prices": ("p.toml", lambda: b'["vllm/m"]\ninput = 1\noutput = 2\n', load_prices),
    "ledger import": ("all.jsonl", _exported, lambda path: list(read_export(path))),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_file_is_read_the_same_with_a_mark_before_it(reader: str, tmp_path: Path) -> None:
    name, content, read = READERS[reader]
    path = tmp_path / name
    path.write_bytes(content())
    plain = read(path)
    assert plain
    path.write_bytes(codecs.BOM_UTF8 + content())
    assert read(path) == plain


UTF_16 = ("explain's variant", "memorization's variant", "bias's variant", "replay", "jsonl", "cfa")


@pytest.mark.parametrize("reader", UTF_16)
def test_a_file_is_read_the_same_in_utf_16(reader: str, tmp_path: Path) -> None:
    name, content, read = READERS[reader]
    path = tmp_path / name
    path.write_bytes(content())
    plain = read(path)
    path.write_bytes(content().decode().encode("utf-16"))
    assert read(path) == plain


def test_a_first_line_with_nothing_but_the_mark_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(codecs.BOM_UTF8 + b'\n{"question_id": "q0", "model": "m", "reply": "A"}\n')
    assert [it.question_id for it in import_jsonl([path], {})] == ["q0"]


def test_no_mark_reaches_the_model(tmp_path: Path) -> None:
    """What goes out stands in the ledger: with the mark and without, it is the same ask."""
    ledger = str(tmp_path / "ledger.sqlite")
    keys = []
    for name, mark in (("plain", b""), ("marked", codecs.BOM_UTF8)):
        (tmp_path / name).mkdir()
        variant = tmp_path / name / "w.txt"
        variant.write_bytes(mark + b"Answer briefly.")
        run = cf.run(
            "explain", model="planted/explain", variant=str(variant), limit=2, ledger=ledger, out=tmp_path / name / "o"
        )
        keys.append(sorted(run.records["ask_key"]))
    assert keys[0] == keys[1]
