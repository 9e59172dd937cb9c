"""How a download is doing: a bar on a terminal, plain lines elsewhere; nothing if it is over in two seconds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass

QUIET_SECONDS = 2.0
TERMINAL_SECONDS = 0.25
LINES_SECONDS = 10.0


@dataclass
class Download:
    """Bytes that have come, of how many; the total is None where the server does not say."""

    name: str
    done: int = 0
    total: int | None = None

    def __str__(self) -> str:
        of = "" if self.total is None else f" of {self.total / 1e6:,.1f}"
        return f"{self.name}: {self.done / 1e6:,.1f}{of} MB"


async def watch(download: Download, say: Callable[[str], None]) -> None:
    """Show how it is until cancelled."""
    await asyncio.sleep(QUIET_SECONDS)
    if sys.stderr.isatty():
        await _watch_on_terminal(download)
    while True:
        say(str(download))
        await asyncio.sleep(LINES_SECONDS)


async def _watch_on_terminal(download: Download) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(download.name, total=download.total)
        while True:
            bar.update(task, completed=download.done, total=download.total)
            await asyncio.sleep(TERMINAL_SECONDS)
