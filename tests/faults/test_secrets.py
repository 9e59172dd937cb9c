"""A key in the environment appears in no file that a run writes, and in nothing that it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy

KEY = "sk-test-0123456789abcdef-SECRET"


def test_the_key_is_sent_and_nowhere_kept(tmp_path: Path) -> None:
    # The worst of servers: it repeats the key in its replies and in its errors.
    def behave(request: dict[str, Any]) -> Answer:
        number = int(request["messages"][-1]["content"].split("A: ")[1].split("\n")[0])
        if number % 3 == 0:
            return error(400, f"wrong request by {KEY}")
        return completion(f"B, says {KEY}")

    with MockServer(behave) as server:
        done = counterfoil(
            *("run", SUITE, "--model", "openai/gpt-4o", "--base-url", server.url, "--data", "30", "--out", "out"),
            cwd=tmp_path,
            OPENAI_API_KEY=KEY,
        )
        assert all(f"Authorization: Bearer {KEY}" in head for head in server.heads)
    assert done.returncode == 1
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"manifest.json", "records.parquet", "summary.json", "ledger.sqlite"}
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in done.stdout + done.stderr
    export = counterfoil("ledger", "export", cwd=tmp_path)
    # polars compresses records.parquet, so that its bytes prove little: look at the texts themselves.
    import polars as pl

    texts = pl.read_parquet(tmp_path / "out" / "records.parquet").write_json()
    assert KEY not in texts
    assert KEY not in export.stdout
    assert "[key]" in json.loads(export.stdout.splitlines()[0])["reply"]["text"]


def test_a_redirection_that_repeats_the_key_and_steers_the_terminal(tmp_path: Path) -> None:
    # The address that the server sends asks on to holds the key; so do the files and the terminal, unless it is masked.
    headers = {"Location": f"http://127.0.0.1:1/{KEY}/\x1b[2J?token={KEY}"}
    with MockServer(lambda request: Answer(status=302, headers=headers)) as server:
        done = counterfoil(
            *("run", SUITE, "--model", "openai/gpt-4o", "--base-url", server.url, "--data", "5", "--out", "out"),
            cwd=tmp_path,
            OPENAI_API_KEY=KEY,
        )
        shown = counterfoil("show", "out", cwd=tmp_path)
    assert "the server sends asks on to http://127.0.0.1:1/" in done.stderr
    said = done.stdout + done.stderr + shown.stdout + shown.stderr
    assert KEY not in said
    assert "\x1b" not in said
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    import polars as pl

    assert KEY not in pl.read_parquet(tmp_path / "out" / "records.parquet").write_json()
