"""How a run is doing that goes on in another process: progress as the run itself shows it, and interim figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.progress import Progress
from counterfoil.report.headline.table import headline_table
from counterfoil.report.headline.text import headline_text
from counterfoil.running.live.rows import interim, rows_so_far
from counterfoil.running.live.state import Live, Work, duration, read_live
from counterfoil.suite.finding import suite_of_run
from counterfoil.suite.suite import Context

SECONDS = 0.5
# So many new records, and at least a tenth of what there was, are news.
NEWS = 50


class _Watched:
    """A model as the progress of a run shows it, from what the run writes."""

    def __init__(self, work: Work, seconds: float) -> None:
        self.work = work
        self.seconds = seconds
        self.name = work.title

    @property
    def done(self) -> int:
        return self.work.done

    @property
    def total(self) -> int:
        return self.work.total

    def describe(self, seconds: float) -> str:
        return self.work.describe(self.seconds)


def watch(folder: Path, wait: Callable[[float], None]) -> bool:
    """Watch until the run is over; False if it was stopped, or none was under way."""
    live = read_live(folder)
    if live is None:
        return True
    if not live.is_running:
        say(_stopped(folder, live))
        return False
    watched = [_Watched(work, live.seconds) for work in live.works]
    progress = Progress(watched)
    told = 0
    with progress.shown():
        while live is not None and live.is_running:
            for each, work in zip(watched, live.works, strict=False):
                each.work, each.seconds = work, live.seconds
            progress.look()
            told = _tell(folder, live, told)
            wait(SECONDS)
            live = read_live(folder)
    if live is not None and not live.is_running:
        say(_stopped(folder, live))
        return False
    return True


def _tell(folder: Path, live: Live, told: int) -> int:
    """Print the figures so far where there is enough that is new; gives how many records they are of."""
    if live.done < told + max(NEWS, told // 10):
        return told
    records = rows_so_far(folder, live)
    if not records:
        return told
    try:
        suite = suite_of_run(live.suite, live.suite_at)
        suite = suite.configured(live.options, Context(data=str(live.data["name"])))
        table = headline_table(interim(folder, suite, live, records), suite)
    except UserError:
        return len(records)
    if table is not None:
        left = "" if live.seconds_left is None else f", about {duration(live.seconds_left)} left"
        print(
            f"\nInterim, after {len(records):,} of {live.total:,} records{left}:\n\n{headline_text(table)}", flush=True
        )
    return len(records)


def _stopped(folder: Path, live: Live) -> str:
    how = "the same command" if live.command is None else "counterfoil " + " ".join(live.command)
    return f"{folder} was stopped with {live.done:,} of {live.total:,} done. To go on: {how}"
