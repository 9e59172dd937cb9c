"""The records of a run: collected in windows, written in parts, joined into records.parquet in a fixed order."""

from __future__ import annotations

import hashlib
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.files import explained, replacing
from counterfoil.running.folder import PARTS, RUN_KEY
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.suite import Row

if TYPE_CHECKING:
    import polars as pl

COLUMNS: dict[str, Any] = {
    "model": str,
    "variant": str,
    "question_id": str,
    "repeat": int,
    "cluster": str,
    "outcome": str,
    "reply": str,
    "ask_key": str,
    "judge_keys": list[str],
    "reason": str,
}
# Columns that no estimate needs, and that take most of the space.
TEXT_COLUMNS = ("reply", "ask_key", "judge_keys", "reason")
# The same of what judges say in words, where a suite has such columns.
JUDGE_TEXTS = ("judge_explanation", "judge_ideal", "judge_intersection")

# Rows that are in memory together while the parts are joined, and while the file is read.
ROW_GROUP = 16_384


class Window:
    """Neighbouring records. They are written together when all of them are there."""

    def __init__(self, size: int, write: Callable[[list[Row]], None]) -> None:
        self._rows: list[Row] = [{}] * size
        self._missing = size
        self._write = write

    def put(self, position: int, row: Row) -> None:
        self._rows[position] = row
        self._missing -= 1
        if not self._missing:
            self._write(self._rows)


class NoParts:
    """For a dry run: records go nowhere."""

    def window(self, model: int, number: int, size: int) -> Window:
        return Window(size, lambda rows: None)


class Parts:
    """The parts of records.parquet, in a folder of their own until they are joined."""

    def __init__(self, folder: Path, suite_columns: Mapping[str, Any]) -> None:
        self._folder = folder / PARTS
        self._suite_columns = suite_columns
        with explained(folder):
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)

    def window(self, model: int, number: int, size: int) -> Window:
        """A window for `size` records. Windows are joined in the order of model and number."""
        path = self._folder / f"{model:04}-{number:08}.parquet"
        return Window(size, lambda rows: self._write(path, rows))

    def _write(self, path: Path, rows: list[Row]) -> None:
        with explained(path.parent.parent), _errors_of_the_system():
            _though_interrupted(lambda: frame_of(rows, self._suite_columns).write_parquet(path))

    def digest(self) -> str:
        """A hash of all parts: equal records have the same."""
        digest = hashlib.sha256()
        for part in sorted(self._folder.iterdir()):
            with part.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    def join(self, path: Path, id: str) -> None:
        """Make one file of all parts, with the id of the run in its metadata."""
        import polars as pl

        parts = sorted(self._folder.iterdir())
        with replacing(path) as temporary, _errors_of_the_system():
            if parts:
                pl.scan_parquet(parts).sink_parquet(temporary, row_group_size=ROW_GROUP, metadata={RUN_KEY: id})
            else:
                frame_of([], self._suite_columns).write_parquet(temporary, metadata={RUN_KEY: id})
        self.discard()

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def frame_of(rows: Sequence[Row], suite_columns: Mapping[str, Any]) -> pl.DataFrame:
    """Records as a table; what a row does not have is null."""
    import polars as pl

    types: dict[Any, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    types |= {list[str]: pl.List(pl.String), list[float]: pl.List(pl.Float64)}
    types[list[list[str]]] = pl.List(pl.List(pl.String))
    schema = {name: types[kind] for name, kind in (COLUMNS | dict(suite_columns)).items()}
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=schema)


def _though_interrupted(write: Callable[[], None]) -> None:
    """Write, and write again after Ctrl-C: polars raises KeyboardInterrupt even if another handler takes the signal."""
    while True:
        try:
            return write()
        except KeyboardInterrupt:
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                raise


@contextmanager
def _errors_of_the_system() -> Iterator[None]:
    """Turn polars' errors, such as that of a full disk, into OSError."""
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error)) from error


def read_scores(path: Path) -> pl.DataFrame:
    """All records without their texts: what estimates are made from."""
    import polars as pl

    return pl.scan_parquet(path).drop(TEXT_COLUMNS).drop(JUDGE_TEXTS, strict=False).collect()


def read_left_out(path: Path, most: int) -> list[dict[str, Any]]:
    """The first records that failed or were not asked; before all others those on which the suite's code failed, which
    alone have a reply.
    """
    import polars as pl

    left_out = pl.scan_parquet(path).filter(pl.col("outcome").is_in(LEFT_OUT))
    without = pl.col("reply").is_null()
    left_out = pl.concat([left_out.filter(~without).head(most), left_out.filter(without).head(most)]).head(most)
    return left_out.select("model", "variant", "question_id", "repeat", "outcome", "reason").collect().to_dicts()
