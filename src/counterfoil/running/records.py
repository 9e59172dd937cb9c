"""The records of a run: put in any order, kept in files, joined into records.parquet in a fixed order."""

from __future__ import annotations

import hashlib
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.files import explained, replacing
from counterfoil.running.folder import PARTS, RUN_KEY
from counterfoil.running.looks import DECIDED
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.second_reader import SECOND_COLUMNS
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
    "read_by": str,
}
# Columns that older runs lack.
NEWER_COLUMNS = ("read_by",)
# Columns on how replies were read: the summary has that from elsewhere.
HOW_READ = ("read_by", *SECOND_COLUMNS)
# Columns that no estimate needs, and that take most of the space.
TEXT_COLUMNS = ("reply", "ask_key", "judge_keys", "reason")
# The same of what judges say in words, where a suite has such columns.
JUDGE_TEXTS = ("judge_explanation", "judge_ideal", "judge_intersection")

# Rows that are in memory together while the parts are joined, and while the file is read.
ROW_GROUP = 16_384
# Rows that wait in memory until they are written, neighbours that lie in one file until all are there, and rows of a
# part in order.
WAITING, STRETCH, PART = 1_024, 4_096, 1_024


class NoParts:
    """For a dry run: records go nowhere."""

    def put(self, model: int, place: int, row: Row) -> None:
        pass


class Parts:
    """The records of a run until they are joined, in a folder of their own. They come in any order.

    Few are in memory. The others lie in files, each with a stretch of neighbouring places.
    """

    def __init__(self, folder: Path, suite_columns: Mapping[str, Any]) -> None:
        self._folder = folder / PARTS
        self._suite_columns = suite_columns
        self._columns = [*COLUMNS, *suite_columns]
        self._waiting: dict[tuple[int, int], list[tuple[int, list[Any]]]] = {}
        self._count = 0
        with explained(folder):
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)

    def put(self, model: int, place: int, row: Row) -> None:
        """Keep a record. Records are joined in the order of model and place."""
        stretch = self._waiting.setdefault((model, place // STRETCH), [])
        stretch.append((place, list(map(row.get, self._columns))))
        self._count += 1
        if self._count >= WAITING:
            self.write_waiting()

    def write_waiting(self) -> None:
        """Write what waits, so that others see it."""
        with explained(self._folder.parent):
            for (model, stretch), rows in self._waiting.items():
                content = msgspec.msgpack.encode(rows, enc_hook=_plain)
                with (self._folder / f"{model:04}-{stretch:08}.rows").open("ab") as file:
                    file.write(len(content).to_bytes(8, "big"))
                    file.write(content)
        self._waiting.clear()
        self._count = 0

    def so_far(self, models: Sequence[int]) -> pl.DataFrame:
        """The records of these models that have come, in their order, without their texts: what a look is at."""
        import polars as pl

        self.write_waiting()
        left = {name: kind for name, kind in self._suite_columns.items() if name not in (*JUDGE_TEXTS, *HOW_READ)}
        left = {name: kind for name, kind in COLUMNS.items() if name not in (*TEXT_COLUMNS, *HOW_READ)} | left
        places = [self._columns.index(name) for name in left]
        frames = [_typed([[] for _ in left], left)]
        for model in models:
            # Few rows at a time are Python's own, which take several times the memory.
            for stretch in sorted(self._folder.glob(f"{model:04}-*.rows")):
                rows = sorted(_read_rows(stretch), key=_place)
                values = zip(*([values[column] for column in places] for _, values in rows), strict=True)
                frames.append(_typed(map(list, values), left))
        return pl.concat(frames)

    def digest(self) -> str:
        """A hash of all records: equal ones have the same."""
        digest = hashlib.sha256()
        for part in self._in_order():
            with part.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    def join(self, path: Path, id: str) -> None:
        """Make one file of all records, with the id of the run in its metadata."""
        import polars as pl

        parts = self._in_order()
        with replacing(path) as temporary, _errors_of_the_system():
            if parts:
                pl.scan_parquet(parts).sink_parquet(temporary, row_group_size=ROW_GROUP, metadata={RUN_KEY: id})
            else:
                frame_of([], self._suite_columns).write_parquet(temporary, metadata={RUN_KEY: id})
        self.discard()

    def _in_order(self) -> list[Path]:
        """The parts, after all records have come."""
        self.write_waiting()
        for stretch in self._folder.glob("*.rows"):
            self._sort(stretch)
        return sorted(self._folder.iterdir())

    def _sort(self, stretch: Path) -> None:
        """Replace a stretch by parts in order."""
        rows = sorted(_read_rows(stretch), key=_place)
        with explained(self._folder.parent), _errors_of_the_system():
            for number, start in enumerate(range(0, len(rows), PART)):
                values = zip(*(values for _, values in rows[start : start + PART]), strict=True)
                frame = _frame(map(list, values), self._suite_columns)
                part = stretch.with_name(f"{stretch.stem}-{number:04}.parquet")
                _though_interrupted(partial(frame.write_parquet, part))
        stretch.unlink()

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _read_rows(stretch: Path) -> Iterator[tuple[int, list[Any]]]:
    with stretch.open("rb") as file:
        while size := file.read(8):
            yield from msgspec.msgpack.decode(file.read(int.from_bytes(size, "big")))


def _place(row: tuple[int, list[Any]]) -> int:
    return row[0]


def _plain(value: Any) -> Any:
    """A number or an array of numpy's as Python's own."""
    return value.tolist()


def frame_of(rows: Sequence[Row], suite_columns: Mapping[str, Any]) -> pl.DataFrame:
    """Records as a table; what a row does not have is null."""
    names = (*COLUMNS, *suite_columns)
    return _frame(([row.get(name) for row in rows] for name in names), suite_columns)


def _frame(columns: Iterable[list[Any]], suite_columns: Mapping[str, Any]) -> pl.DataFrame:
    return _typed(columns, COLUMNS | dict(suite_columns))


def _typed(columns: Iterable[list[Any]], kinds: Mapping[str, Any]) -> pl.DataFrame:
    import polars as pl

    types: dict[Any, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    types |= {list[str]: pl.List(pl.String), list[float]: pl.List(pl.Float64)}
    types[list[list[str]]] = pl.List(pl.List(pl.String))
    schema = {name: types[kind] for name, kind in kinds.items()}
    return pl.DataFrame(dict(zip(schema, columns, strict=True)), schema=schema)


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


def read_scores(path: Path, categorical: Sequence[str] = (), only: pl.Expr | None = None) -> pl.DataFrame:
    """All records, or `only` some, without their texts: what estimates are made from. Of the others, some as polars'
    Categorical.
    """
    import polars as pl

    scores = pl.scan_parquet(path) if only is None else pl.scan_parquet(path).filter(only)
    scores = scores.drop(TEXT_COLUMNS).drop(*JUDGE_TEXTS, *HOW_READ, strict=False)
    if not categorical:
        return scores.collect()
    return scores.with_columns(pl.col(categorical).cast(pl.Categorical)).collect(engine="streaming")


def read_left_out(path: Path, most: int) -> list[dict[str, Any]]:
    """The first records that failed, or were not asked and should have been; before all others those on which the
    suite's code failed, which alone have a reply.
    """
    import polars as pl

    is_missing = pl.col("outcome").is_in(LEFT_OUT) & pl.col("reason").ne_missing(DECIDED)
    left_out = pl.scan_parquet(path).filter(is_missing)
    without = pl.col("reply").is_null()
    left_out = pl.concat([left_out.filter(~without).head(most), left_out.filter(without).head(most)]).head(most)
    return left_out.select("model", "variant", "question_id", "repeat", "outcome", "reason").collect().to_dicts()


class Answered(msgspec.Struct, frozen=True):
    """How much of what was to be asked has a reply: of a model and variant, or of all (both are None).

    `asked` and `answered` are questions before orders and draws, `replies` are these in all their orders and draws.
    """

    model: str | None
    variant: str | None
    asked: int
    answered: int
    replies: int


def read_answered(path: Path, unit: str, identity: Sequence[str]) -> list[Answered]:
    """Of all records, then of each model and variant. `unit` and `identity` are columns: what a question is before
    orders and draws, and with them.
    """
    import polars as pl

    records = pl.scan_parquet(path)
    has_reply = ~pl.col("outcome").is_in(LEFT_OUT)
    counted = [
        pl.col(unit).filter(pl.col("outcome") != "not_asked").n_unique().alias("asked"),
        pl.col(unit).filter(has_reply).n_unique().alias("answered"),
        pl.struct({unit, *identity}).filter(has_reply).n_unique().alias("replies"),
    ]
    of_all = records.select(pl.lit(None).alias("model"), pl.lit(None).alias("variant"), *counted).collect()
    of_each = records.group_by("model", "variant", maintain_order=True).agg(counted).collect()
    return [Answered(**row) for row in (*of_all.to_dicts(), *of_each.to_dicts())]
