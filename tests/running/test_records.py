"""Parts of the records are whole, also where Ctrl-C comes while one is written."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from counterfoil.running.records import Parts

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
    window = parts.window(0, 0, 1)
    window.put(0, {"model": "m", "outcome": "answered"})
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
