"""The file that says how a run is doing. It is there from the first ask until the run is complete."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.running.folder import LIVE


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """One model, judge or second reader that is being asked. `total` is 0 where nobody knows it; `cost` is None where
    no price is known.
    """

    name: str
    role: str
    done: int
    total: int
    in_flight: int
    asked: int
    in_ledger: int
    failed: int
    tokens: int
    cost: float | None
    trouble: str | None
    stopped: str | None

    @property
    def title(self) -> str:
        return self.name + (f" ({self.role})" if self.role != "model" else "")

    def describe(self, seconds: float) -> str:
        """Done, in flight, rate, tokens, money, failures, time left, and what it waits for."""
        asked, seconds = self.asked + self.failed, max(seconds, 0.001)
        parts = [
            f"{self.done:,} of {self.total:,}" if self.total else f"{self.done:,} done",
            f"{self.in_flight} in flight",
            f"{self.in_ledger:,} from the ledger" if self.in_ledger else "",
            f"{asked / seconds:,.1f}/s",
            f"{self.tokens:,} tokens",
            f"${self.cost:,.4f}" if self.cost else "",
            f"{self.failed:,} failed" if self.failed else "",
            f"{duration((self.total - self.done) * seconds / asked)} left" if asked and self.done < self.total else "",
            f"trying again: {self.trouble}" if self.trouble else "",
        ]
        return ", ".join(filter(None, parts))


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is doing `seconds` after it began to ask. `data` is as in the manifest; `columns`: those of the suite
    and the second reader, in the order in which rows have them. `command`: the words of the command line, where there
    was one, and `cwd` where it was given.
    """

    suite: str
    suite_at: str | None
    options: dict[str, Any]
    data: dict[str, Any]
    variants: list[str]
    columns: list[str]
    started_at: str
    seconds: float
    works: list[Work]
    pid: int
    host: str
    command: list[str] | None = None
    cwd: str = ""
    stopped: bool = False

    @property
    def done(self) -> int:
        return sum(work.done for work in self.works if work.role == "model")

    @property
    def total(self) -> int:
        return sum(work.total for work in self.works if work.role == "model")

    @property
    def rate(self) -> float:
        """Asks that were answered or failed, in a second."""
        return sum(work.asked + work.failed for work in self.works) / max(self.seconds, 0.001)

    @property
    def seconds_left(self) -> float | None:
        """By the pace so far of the model that is furthest behind; None while nothing tells it."""
        left = [
            (work.total - work.done) * self.seconds / (work.asked + work.failed)
            for work in self.works
            if work.total > work.done and work.asked + work.failed and work.stopped is None
        ]
        return max(left, default=None)

    @property
    def cost(self) -> float | None:
        """What it has cost so far; None where a price is not known."""
        costs = [work.cost for work in self.works]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    @property
    def is_running(self) -> bool:
        """Whether the process that writes it is there. Of another machine's nobody can tell: it is taken to be."""
        return not self.stopped and (self.host != socket.gethostname() or _is_there(self.pid))


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def read_live(folder: Path) -> Live | None:
    """How the run in the folder is doing; None where none is under way or was left off."""
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode((folder / LIVE).read_bytes(), type=Live)
    return None


def write_live(folder: Path, live: Live) -> None:
    """Replace the file whole: whoever reads sees the old one or the new one. It is no loss if a crash takes it."""
    temporary = folder / f"{LIVE}.{os.getpid()}"
    with suppress(OSError):
        temporary.write_bytes(msgspec.json.encode(live))
        temporary.replace(folder / LIVE)


def end_live(folder: Path, *, is_complete: bool) -> None:
    """The run is over: of one that is not complete it stays known how it was asked, so that it can be gone on with."""
    live = None if is_complete else read_live(folder)
    if live is not None:
        write_live(folder, msgspec.structs.replace(live, stopped=True))
        return
    with suppress(OSError):
        (folder / LIVE).unlink(missing_ok=True)
