"""Parquet shards: whole files, and taken into a ledger all or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import counterfoil
from counterfoil.asking.ask import Ask, Message, Reply, TokenChoice
from counterfoil.asking.cluster.shards import COLUMNS, check_place, is_shards, read_shards, write_shard
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.ledger.replies import reply_row
from counterfoil.errors import UserError

FULL = Reply(
    status="truncated",
    text="Ja, „B“",
    reasoning="weil",
    finish_reason="length",
    served_model="m-1",
    input_tokens=12,
    cached_tokens=4,
    output_tokens=3,
    reasoning_tokens=1,
    logprobs=(TokenChoice("B", -0.25, {"B": -0.25, "A": -1.5}),),
    latency=0.125,
    attempts=2,
)


def ask(number: int) -> Ask:
    return Ask(provider="vllm", model="m", messages=(Message("user", f"{number}?"),), params={"temperature": 0.0})


def rows(*numbers: int, reply: Reply | None = None) -> list[tuple[Any, ...]]:
    return [reply_row(ask(n), "vllm/m", 1000.5 + n, reply or Reply(status="ok", text=f"{n}")) for n in numbers]


def taken_in(folder: Path, *places: str) -> str:
    done = counterfoil("ledger", "import", *places, cwd=folder)
    return done.stdout if done.returncode == 0 else done.stderr


def test_what_was_written_is_read_as_it_was(tmp_path: Path) -> None:
    write_shard(str(tmp_path / "new" / "shards"), rows(1, reply=FULL))
    (read,) = read_shards(str(tmp_path / "new" / "shards"))
    assert (read.ask, read.model, read.received_at, read.reply) == (ask(1), "vllm/m", 1001.5, FULL)
    assert read.ask.key == ask(1).key


def test_older_shards_do_not_count_thoughts(tmp_path: Path) -> None:
    name = write_shard(str(tmp_path), rows(1))
    pl.read_parquet(tmp_path / name).drop("reasoning_tokens").write_parquet(tmp_path / name)
    (read,) = read_shards(str(tmp_path))
    assert read.reply == Reply(status="ok", text="1")


def test_shards_of_several_places_are_taken_in_once(tmp_path: Path) -> None:
    write_shard(str(tmp_path / "a"), rows(1, 2, 3))
    write_shard(str(tmp_path / "a"), rows(3, 4))
    name = write_shard(str(tmp_path / "b"), rows(4, 5))
    # 1 to 5 are new; 3 and 4 come twice.
    assert taken_in(tmp_path, "a", f"b/{name}") == "5 replies were taken in, 2 were there.\n"
    assert taken_in(tmp_path, "a", "b") == "0 replies were taken in, 7 were there.\n"
    with Ledger(tmp_path / ".counterfoil" / "ledger.sqlite") as ledger:
        found = ledger.get([ask(n).key for n in range(7)])
    assert {key: reply.text for key, reply in found.items()} == {ask(n).key: str(n) for n in range(1, 6)}


def test_shards_and_exports_can_be_taken_in_together(tmp_path: Path) -> None:
    write_shard(str(tmp_path / "a"), rows(*range(40)))
    taken_in(tmp_path, "a")
    exported = counterfoil("ledger", "export", "--to", "all.jsonl", cwd=tmp_path)
    assert exported.returncode == 0
    write_shard(str(tmp_path / "b"), rows(99))
    done = counterfoil("ledger", "import", "all.jsonl", "b", "--ledger", "other.sqlite", cwd=tmp_path)
    assert done.stdout == "41 replies were taken in, 0 were there.\n"


def forged(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(ask=pl.lit(json.dumps(json.loads(frame["ask"][0]) | {"sample": 7})))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (forged, "the key does not fit the ask"),
        (lambda frame: frame.with_columns(status=pl.lit("failed")), "its status is 'failed'"),
        (lambda frame: frame.with_columns(text=pl.lit(None, pl.String)), "a value is missing"),
        (lambda frame: frame.with_columns(ask=pl.lit("{")), "is no reply"),
        (lambda frame: frame.with_columns(logprobs=pl.lit("[")), "is no reply"),
        (lambda frame: frame.drop("latency"), "its columns are others"),
        (lambda frame: frame.with_columns(attempts=pl.lit("one")), "its columns are others"),
    ],
)
def test_one_bad_shard_and_nothing_is_taken_in(change: Any, sentence: str, tmp_path: Path) -> None:
    write_shard(str(tmp_path / "good"), rows(1, 2, 3))
    name = write_shard(str(tmp_path / "bad"), rows(4))
    change(pl.read_parquet(tmp_path / "bad" / name)).write_parquet(tmp_path / "bad" / name)
    said = taken_in(tmp_path, "good", "bad")
    assert sentence in said
    assert "Nothing was taken in" in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / ".counterfoil" / "ledger.sqlite").exists()


def test_what_is_no_parquet_is_refused_and_half_a_shard_is_not_seen(tmp_path: Path) -> None:
    name = write_shard(str(tmp_path), rows(1))
    (tmp_path / f".{name}.part").write_bytes(b"PAR1 half of")
    assert len(list(read_shards(str(tmp_path)))) == 1
    (tmp_path / "x.parquet").write_bytes(b"PAR1 half of")
    with pytest.raises(UserError, match=r"x\.parquet can't be read"):
        list(read_shards(str(tmp_path)))
    with pytest.raises(UserError, match=r"missing\.parquet can't be read"):
        list(read_shards(str(tmp_path / "missing.parquet")))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="holds no shards"):
        list(read_shards(str(tmp_path / "empty")))


def test_where_it_can_not_be_written_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_shard(str(tmp_path / "file"), rows(1))


def test_the_columns_are_the_ledgers() -> None:
    assert COLUMNS[:5] == ["key", "model", "received_at", "ask", "status"]
    assert len(COLUMNS) == len(rows(1)[0])


def test_a_place_is_told_by_its_name(tmp_path: Path) -> None:
    assert is_shards("s3://bucket/replies")
    assert is_shards("one.parquet")
    assert is_shards(str(tmp_path))
    assert not is_shards("replies.jsonl")


def test_a_place_is_tried_before_anything_is_asked(tmp_path: Path) -> None:
    check_place(str(tmp_path / "new"))
    assert list((tmp_path / "new").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="nothing can be written there"):
        check_place(str(tmp_path / "file" / "below"))


def test_a_key_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(UserError, match="others would see a key in the address") as error:
        check_place("s3://KEY:SECRET@bucket/shards")
    assert "SECRET" not in str(error.value)
