"""Asks that wait to be submitted together, on disk: a batch can be far larger than what memory should hold."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

from counterfoil.asking.ask import Ask
from counterfoil.asking.batches.interface import BatchInterface
from counterfoil.errors import UserError


class Outbox:
    """The lines of a batch to be, beside the asks themselves. Its files have no names: they vanish with the process."""

    def __init__(self, interface: BatchInterface) -> None:
        self.keys: list[bytes] = []
        self.bytes = 0
        self._interface = interface
        with _explained():
            self._lines = tempfile.TemporaryFile()  # noqa: SIM115
            self._asks = tempfile.TemporaryFile()  # noqa: SIM115

    def add(self, ask: Ask, line: bytes) -> None:
        """One more; JSON has no line breaks in it, so that each is a line."""
        with _explained():
            self._lines.write(line + b"\n")
            self._asks.write(ask.canonical.encode() + b"\n")
        self.keys.append(bytes.fromhex(ask.key))
        self.bytes += len(line) + len(self._interface.between)

    def canonicals(self) -> Iterator[str]:
        """The asks, in the order they were added."""
        self._asks.seek(0)
        for line in self._asks:
            yield line.decode().removesuffix("\n")

    @contextmanager
    def content(self, chosen: Sequence[int]) -> Iterator[BinaryIO]:
        """What is submitted: the lines at these positions, ascending, as the provider wants them."""
        wanted = set(chosen)
        with tempfile.TemporaryFile() as file:
            with _explained():
                self._lines.seek(0)
                file.write(self._interface.head)
                first = True
                for position, line in enumerate(self._lines):
                    if position in wanted:
                        file.write((b"" if first else self._interface.between) + line.removesuffix(b"\n"))
                        first = False
                file.write(self._interface.tail)
                file.flush()
            yield file

    def close(self) -> None:
        self._lines.close()
        self._asks.close()


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"A batch can't be written to {tempfile.gettempdir()}: {error.strerror}. "
            "Make room there, or name another folder with the variable TMPDIR."
        ) from error
