"""The site over a run of 200,000 records: how long its pages take, in a server process of its own.

Every page is asked for as a browser does, one after the other. The median of each kind must be below 300 ms.
"""

from __future__ import annotations

import http.client
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import msgspec
import numpy as np
import polars as pl

RECORDS = 200_000
REPEATS = 15
MOST_SECONDS = 0.3
CATEGORIES = ("age", "gender", "origin", "religion", "family")
WORDS = ("the", "answer", "is", "that", "city", "and", "not", "because", "of", "what", "was", "in", "context", "about")
# Beside the plain list: what people filter by, far pages, and a text that nobody has searched for before.
PAGES = {
    "first page": "/records/run",
    "far page": "/records/run?page=3999",
    "by outcome and category": "/records/run?outcome=refused&category=age&page={n}",
    "by an expression": "/records/run?where=score > 0.4 and score < 0.6 and not correct&page={n}",
    "by an expression on replies": '/records/run?where=reply contains "number {n}7" and correct',
    "sorted by a score": "/records/run?sort=-score&page={n}",
    "sorted by the reply": "/records/run?sort=reply&page={n}",
    "by model, variant and correctness": "/records/run?model=model-1&variant=v2&correct=false&page={n}",
    "search, first time": "/records/run?text=number {n}7",
    "search, next page": "/records/run?text=context about&page={n}",
    "one record": "/record/run?row={n}0001",
    "one record of those that fit": "/record/run?row={n}0001&where=correct",
    "all versions of its question": "/versions/run?row={n}0001",
    "matrix": "/matrix/run?page={n}",
    "matrix, least of one mind first": "/matrix/run?order_by=apart&page={n}",
}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        _write_run(Path(folder) / "run")
        process = subprocess.Popen(
            [sys.executable, "-m", "counterfoil", "serve", folder, "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        try:
            assert process.stderr is not None
            found = re.search(r":(\d+)/", process.stderr.readline())
            assert found is not None, "the site did not start"
            port = int(found.group(1))
            start = time.perf_counter()
            _get(port, "/records/run")
            print(f"{RECORDS:,} records; the very first page: {1000 * (time.perf_counter() - start):.0f} ms")
            medians = {name: _median(port, address) for name, address in PAGES.items()}
        finally:
            process.kill()
            process.communicate()
    for name, median in medians.items():
        print(f"{name:36} {1000 * median:6.0f} ms")
    slow = [name for name, median in medians.items() if median > MOST_SECONDS]
    print(f"over {1000 * MOST_SECONDS:.0f} ms: {', '.join(slow) or 'none'}")
    return int(bool(slow))


def _median(port: int, address: str) -> float:
    taken = []
    for number in range(1, REPEATS + 1):
        start = time.perf_counter()
        _get(port, quote(address.format(n=number), safe="/?=&:"))
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def _get(port: int, address: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", address)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, (address, answer.status, body[:200])


def _write_run(folder: Path) -> None:
    """Replies of some 500 characters, four models, five variants."""
    folder.mkdir()
    chance = np.random.default_rng(0)
    texts = [" ".join(chance.choice(WORDS, 90)) for _ in range(20_000)]
    rows = np.arange(RECORDS)
    frame = pl.DataFrame(
        {
            "model": [f"model-{i % 4}" for i in rows],
            "variant": [f"v{i // 4 % 5}" for i in rows],
            "question_id": [f"q{i // 20:06}" for i in rows],
            "repeat": np.zeros(RECORDS, dtype=np.int64),
            "cluster": [f"q{i // 20:06}" for i in rows],
            "outcome": np.where(chance.random(RECORDS) < 0.95, "answered", "refused"),
            "reply": [f"{texts[i * 7919 % 20_000]} number {i}" for i in rows],
            "ask_key": [f"{i:064x}" for i in rows],
            "judge_keys": pl.Series([None] * RECORDS, dtype=pl.List(pl.String)),
            "reason": pl.Series([None] * RECORDS, dtype=pl.String),
            "category": chance.choice(CATEGORIES, RECORDS),
            "correct": chance.random(RECORDS) < 0.7,
            "score": chance.random(RECORDS),
        }
    )
    frame.write_parquet(folder / "records.parquet", row_group_size=16_384)
    outcomes = [
        {"model": f"model-{m}", "variant": f"v{v}", "answered": RECORDS // 20, "out_of_choice": 0, "refused": 0}
        | {"truncated": 0, "failed": 0, "not_asked": 0}
        for m in range(4)
        for v in range(5)
    ]
    summary = {"suite": "none", "estimates": [], "outcomes": outcomes}
    manifest = {"suite": "none", "options": {}, "data": {"name": "made", "given": None, "sha256": ""}}
    manifest |= {"models": [], "variants": [], "finished_at": "2026-01-01T00:00:00+00:00"}
    (folder / "summary.json").write_bytes(msgspec.json.encode(summary))
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))


if __name__ == "__main__":
    sys.exit(main())
