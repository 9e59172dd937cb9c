"""The records that a run under way has so far, and the figures that they make: interim ones, which decide nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.running.folder import PARTS, Run
from counterfoil.running.live.state import Live
from counterfoil.running.records import COLUMNS, TEXT_COLUMNS, frame_of
from counterfoil.suite.outcome import OUTCOMES
from counterfoil.suite.second_reader import SECOND_COLUMNS
from counterfoil.suite.suite import AnySuite, Record

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.stats.estimate import Estimate

# Files of more bytes than these are not read every second: progress is told, and figures come at the end.
MOST_BYTES = 64_000_000


def rows_so_far(folder: Path, live: Live) -> list[Record] | None:
    """The records in the order in which they came; None where they are too many to be read again and again."""
    files = sorted((folder / PARTS).glob("*.rows"))
    try:
        if sum(path.stat().st_size for path in files) > MOST_BYTES:
            return None
        names = [*COLUMNS, *live.columns]
        return [dict(zip(names, values, strict=True)) for path in files for _, values in _whole_rows(path)]
    except (OSError, ValueError, msgspec.DecodeError):
        # The run puts its records in order at this moment, or has just done so.
        return []


def _whole_rows(path: Path) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a file to which somebody may be adding at this moment."""
    with path.open("rb") as file:
        while len(size := file.read(8)) == 8:
            content = file.read(int.from_bytes(size, "big"))
            if len(content) < int.from_bytes(size, "big"):
                return
            yield from msgspec.msgpack.decode(content)


def frame_so_far(suite: AnySuite, live: Live, records: Sequence[Record]) -> pl.DataFrame:
    """The records without their texts, as estimates want them."""
    kinds = {name: kind for name, kind in {**suite.columns, **SECOND_COLUMNS}.items() if name in live.columns}
    return frame_of([dict(record) for record in records], kinds).drop(TEXT_COLUMNS)


class Figures(Run):
    """Figures, and how records ended, without the records: nothing is tested of them."""

    def __init__(self, folder: Path, estimates: list[Estimate], outcomes: list[dict[str, Any]]) -> None:
        self.folder = folder / PARTS
        self._figures = estimates
        self._ended = outcomes

    @property
    def estimates(self) -> list[Estimate]:
        return self._figures

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        return self._ended


def interim(folder: Path, suite: AnySuite, live: Live, records: Sequence[Record]) -> Figures:
    """A run as far as it has come."""
    pairs = dict.fromkeys((record["model"], record["variant"]) for record in records)
    counts = {(pair, outcome): 0 for pair in pairs for outcome in OUTCOMES}
    for record in records:
        counts[(record["model"], record["variant"]), record["outcome"]] += 1
    ended = [
        {"model": pair[0], "variant": pair[1], **{outcome: counts[pair, outcome] for outcome in OUTCOMES}}
        for pair in pairs
    ]
    return Figures(folder, interim_estimates(suite, live, records), ended)


def interim_estimates(suite: AnySuite, live: Live, records: Sequence[Record]) -> list[Estimate]:
    """The suite's figures over what has come. Questions come cluster by cluster in random order, so these are what the
    whole run would say, with wider intervals; but who stops at the look that pleases fools themselves.
    """
    from counterfoil.stats.summary import summarize

    if not records:
        return []
    return summarize(suite.metrics, suite.items(frame_so_far(suite, live, records)))
