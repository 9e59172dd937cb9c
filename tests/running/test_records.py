"""Records come in any order and are joined in theirs. Parts are whole, even if Ctrl-C comes while one is written."""

from __future__ import annotations

import random
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import polars as pl
import pytest

from counterfoil.running.records import PART, STRETCH, Parts

write_parquet = pl.DataFrame.write_parquet


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As polars does it: the first time it is interrupted, half of the file is there. Gives what was written."""
    written: list[str] = []

    def write(frame: pl.DataFrame, path: Path) -> None:
        written.append(path.name)
        if len(written) == 1:
            path.write_bytes(b"PAR1")
            raise KeyboardInterrupt
        write_parquet(frame, path)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", write)
    return written


@contextmanager
def handler(of: Callable[..., Any]) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, of)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def fill(folder: Path) -> Path:
    parts = Parts(folder, {})
    parts.put(0, 0, {"model": "m", "outcome": "answered"})
    parts.join(folder / "records.parquet", "an id")
    return folder / "records.parquet"


def test_a_run_that_acts_on_ctrl_c_itself_still_has_its_part(interrupted: list[str], tmp_path: Path) -> None:
    with handler(lambda *_: None):
        path = fill(tmp_path)
    assert len(interrupted) == 2
    assert pl.read_parquet(path)["model"].to_list() == ["m"]


def test_where_nobody_acts_on_it_it_is_passed_on(interrupted: list[str], tmp_path: Path) -> None:
    with handler(signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        fill(tmp_path)
    assert len(interrupted) == 1


def test_records_of_any_order_and_size_are_joined_in_theirs(tmp_path: Path) -> None:
    """Two models, more records than wait in memory, more than lie in one file, and neither a whole number of parts."""
    places = [(model, place) for model in (0, 1) for place in range(STRETCH + PART + 7)]
    shuffled = list(places)
    random.Random(1).shuffle(shuffled)
    parts = Parts(tmp_path, {"score": float, "names": list[str], "right": bool})
    for model, place in shuffled:
        score = None if place % 3 == 0 else float("nan") if place % 3 == 1 else numpy.float64(place)
        row = {"score": score, "names": ("a", str(place)), "right": numpy.bool_(place % 2)}
        parts.put(model, place, {"model": f"m{model}", "question_id": f"q{place}", "repeat": place, **row})
    parts.join(tmp_path / "records.parquet", "an id")
    records = pl.read_parquet(tmp_path / "records.parquet")
    assert list(zip(records["model"], records["repeat"], strict=True)) == [
        (f"m{model}", place) for model, place in places
    ]
    assert records["names"].to_list() == [["a", str(place)] for _, place in places]
    assert records["right"].to_list() == [place % 2 == 1 for _, place in places]
    assert records["score"].null_count() == sum(place % 3 == 0 for _, place in places)
    assert records["score"].is_nan().sum() == sum(place % 3 == 1 for _, place in places)
    assert [path.name for path in tmp_path.iterdir()] == ["records.parquet"]


def test_few_records_are_in_memory(tmp_path: Path) -> None:
    parts = Parts(tmp_path, {})
    reply = "x" * 20_000
    tracemalloc.start()
    try:
        for place in range(5_000):
            parts.put(0, place * 7 % 5_000, {"model": "m", "reply": f"{place}{reply}"})
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 1,024 of them, twice while they are written; all of them would be 100 MB.
    assert most < 60e6
