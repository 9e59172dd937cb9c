"""Parquet shards: files of replies on storage that all nodes see, for `counterfoil ledger import`.

A place is a path, or an address that fsspec knows (s3://…, gs://…, memory://…). A shard holds the columns of the
ledger's table of replies. It gets its name when it is complete: a list of the place has whole shards only.
"""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.asking.ask import ask_from_canonical
from counterfoil.asking.ledger.admin import Imported
from counterfoil.asking.ledger.file import connect
from counterfoil.asking.ledger.lookup import Lookup, chunks, marks
from counterfoil.asking.ledger.replies import INSERT_COLUMNS, reply_from_row
from counterfoil.errors import UserError

if TYPE_CHECKING:
    import polars as pl

SUFFIX = ".parquet"
COLUMNS = INSERT_COLUMNS.split(", ")
_WHOLE = ("input_tokens", "cached_tokens", "output_tokens", "attempts", "reasoning_tokens")
# What older shards do not have.
_LATER = ("reasoning_tokens",)
_DECIMAL = ("received_at", "latency")
_NEVER_NULL = ("key", "model", "received_at", "ask", "status", "text", "latency", "attempts")


def is_address(place: str) -> bool:
    """Whether the place is an address for fsspec; else it is a path."""
    return "://" in place


def absolute(place: str) -> str:
    """The place as a worker in another folder finds it."""
    return place if is_address(place) else str(Path(place).absolute())


def check_place(place: str) -> None:
    """UserError where no shard can be written; to be known before anything is asked."""
    if is_address(place) and "@" in place.partition("://")[2].partition("/")[0]:
        raise UserError("--shards: others would see a key in the address: set it in the environment of the nodes.")
    try:
        name = write_shard(place, [])
        if is_address(place):
            files, folder = _filesystem(place)
            files.rm(f"{folder}/{name}")
        else:
            (Path(place) / name).unlink()
    except UserError:
        raise
    except Exception as error:  # each storage has errors of its own
        said = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise UserError(f"--shards {place}: nothing can be written there: {said}.") from error


def write_shard(place: str, rows: Sequence[Sequence[Any]]) -> str:
    """Write rows of `reply_row` as one new shard; gives its name. Errors are the storage's own."""
    import polars as pl

    name = f"replies-{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:12]}{SUFFIX}"
    buffer = io.BytesIO()
    pl.DataFrame(rows, schema=_schema(), orient="row").write_parquet(buffer, compression="zstd")
    if is_address(place):
        files, folder = _filesystem(place)
        files.makedirs(folder, exist_ok=True)
        temporary = f"{folder}/.{name}.part"
        files.pipe_file(temporary, buffer.getvalue())
        files.mv(temporary, f"{folder}/{name}")
        return name
    path = Path(place)
    path.mkdir(parents=True, exist_ok=True)
    hidden = path / f".{name}.part"
    try:
        with hidden.open("wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        hidden.replace(path / name)
    finally:
        hidden.unlink(missing_ok=True)
    return name


def write_from_ledger(place: str, ledger: Path, keys: Collection[str]) -> None:
    """Write those replies as new shards. Errors are the storage's own; LookupError where the ledger lacks a reply."""
    with closing(connect(ledger)) as connection:
        ids = Lookup(connection).find([bytes.fromhex(key) for key in keys])
        for some in chunks(sorted(ids.values())):
            sql = f"SELECT {INSERT_COLUMNS} FROM replies WHERE id IN ({marks(some)})"  # noqa: S608
            write_shard(place, connection.execute(sql, some).fetchall())
    if len(ids) < len(keys):
        raise LookupError(f"the ledger lacks {len(keys) - len(ids):,} of them")


def is_shards(place: str) -> bool:
    """Whether a place is read as shards: an address, a folder, or a file with their suffix."""
    return is_address(place) or place.endswith(SUFFIX) or Path(place).is_dir()


def read_shards(place: str) -> Iterator[Imported]:
    """The replies of a shard, or of all shards in a folder, checked."""
    found = False
    for name, content in _contents(place):
        found = True
        for number, row in enumerate(_frame(content, name).iter_rows(), start=1):
            yield _checked(row, f"{name}, row {number}")
    if not found:
        raise UserError(f"{place} holds no shards (files that end in {SUFFIX}). Nothing was taken in.")


def _schema() -> dict[str, pl.DataType]:
    import polars as pl

    kinds = {"key": pl.Binary(), **dict.fromkeys(_WHOLE, pl.Int64()), **dict.fromkeys(_DECIMAL, pl.Float64())}
    return {name: kinds.get(name, pl.String()) for name in COLUMNS}


def _filesystem(address: str) -> tuple[Any, str]:
    """fsspec's file system for an address, and the path in it."""
    try:
        import fsspec
    except ModuleNotFoundError as error:
        raise UserError(
            f"{address} is reached through fsspec: pip install 'counterfoil[ray]', then run again."
        ) from error
    try:
        files, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise UserError(f"{address} can't be reached: {error}.") from error
    return files, path.rstrip("/")


def _contents(place: str) -> Iterator[tuple[str, bytes | Path]]:
    """The shards of a place by name: paths, or the bytes of those at an address."""
    if not is_address(place):
        path = Path(place)
        for shard in sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]:
            if not shard.name.startswith("."):
                yield str(shard), shard
        return
    files, path_there = _filesystem(place)
    try:
        if files.isdir(path_there):
            names = sorted(name for name in files.ls(path_there, detail=False) if name.endswith(SUFFIX))
        else:
            names = [path_there]
        for name in names:
            if not name.rpartition("/")[2].startswith("."):
                yield name, files.cat_file(name)
    except UserError:
        raise
    except Exception as error:  # each storage has errors of its own
        raise UserError(f"{place} can't be read: {error}. Nothing was taken in.") from error


def _frame(content: bytes | Path, name: str) -> pl.DataFrame:
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(content) if isinstance(content, bytes) else content)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise UserError(f"{name} can't be read: {reason}. Nothing was taken in.") from error
    schema = _schema()
    frame = frame.with_columns(pl.lit(None, schema[name]).alias(name) for name in _LATER if name not in frame.columns)
    if dict(frame.schema) != schema:
        raise UserError(f"{name} is no shard of replies: its columns are others. Nothing was taken in.")
    return frame


def _checked(row: tuple[Any, ...], where: str) -> Imported:
    values = dict(zip(COLUMNS, row, strict=True))
    if any(values[name] is None for name in _NEVER_NULL):
        raise UserError(f"{where} is no reply: a value is missing. Nothing was taken in.")
    try:
        ask = ask_from_canonical(values["ask"])
        key = ask.key
        reply = reply_from_row(row[4:])
    except (msgspec.DecodeError, ValueError) as error:
        raise UserError(f"{where} is no reply: {error}. Nothing was taken in.") from error
    if key != values["key"].hex():
        raise UserError(f"{where}: the key does not fit the ask, so one of them was changed. Nothing was taken in.")
    if reply.status not in ("ok", "refused", "truncated"):
        raise UserError(f"{where} is no reply: its status is {reply.status!r}. Nothing was taken in.")
    return Imported(ask, values["model"], values["received_at"], reply)
