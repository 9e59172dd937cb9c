"""A file system that fails once: at the n-th write, rename or fsync of files under a folder."""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl


class Fault:
    """Counts what is done to files, and fails at the n-th time. A write that fails leaves half of what was written."""

    def __init__(self, folder: Path, at: int) -> None:
        self._folder = folder.resolve()
        self._left = at
        self.done: str | None = None

    def _is_now(self, what: str, path: Any) -> bool:
        if isinstance(path, int):  # a file that is open
            path = Path(f"/proc/self/fd/{path}").readlink()
        if not isinstance(path, str | Path) or not Path(path).resolve().is_relative_to(self._folder):
            return False
        self._left -= 1
        if self._left == 0:
            self.done = f"{what} {path}"
        return self._left == 0

    def on_path(self, what: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, which fails before it has done anything."""

        def failing(path: Any, *arguments: Any, **settings: Any) -> Any:
            if self._is_now(what, path):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return call(path, *arguments, **settings)

        return failing

    def on_open(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, which fails where a file is opened to be written."""

        def failing(path: Any, mode: str = "r", *arguments: Any, **settings: Any) -> Any:
            is_written = not isinstance(path, int) and set(mode) & set("wax") and not Path(path).is_dir()
            if is_written and self._is_now("write", path):
                _fail_half_way(call, path)
            return call(path, mode, *arguments, **settings)

        return failing

    def on_frame(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A method of polars that writes a file."""

        def failing(frame: Any, path: Any, *arguments: Any, **settings: Any) -> Any:
            if self._is_now("write", path):
                _fail_half_way(io.open, path)
            return call(frame, path, *arguments, **settings)

        return failing


def _fail_half_way(call: Callable[..., Any], path: Any) -> None:
    with call(path, "wb") as file:
        file.write(b"half")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def failing(folder: Path, at: int) -> Iterator[Fault]:
    """Inside, the `at`-th write, rename or fsync of a file under the folder fails. `done` says which it was."""
    fault = Fault(folder, at)
    opened = io.open
    frames = ((pl.DataFrame, ("write_parquet", "write_csv")), (pl.LazyFrame, ("sink_parquet", "sink_csv")))
    with (
        patch.object(os, "fsync", fault.on_path("fsync", os.fsync)),
        patch.object(os, "replace", fault.on_path("rename", os.replace)),
        patch.object(os, "rename", fault.on_path("rename", os.rename)),
        patch.object(io, "open", fault.on_open(opened)),
        patch.object(builtins, "open", fault.on_open(opened)),
        patch.multiple(frames[0][0], **{name: fault.on_frame(getattr(frames[0][0], name)) for name in frames[0][1]}),
        patch.multiple(frames[1][0], **{name: fault.on_frame(getattr(frames[1][0], name)) for name in frames[1][1]}),
    ):
        yield fault
