"""Which asks are with a provider in a batch, for those who only want to know."""

from __future__ import annotations

from pathlib import Path

from counterfoil.asking.ledger_file import connect_to_read, explained

# What was claimed and not posted is with nobody yet, and has cost nothing.
_POSTED = "FROM batch_asks JOIN batches ON batches.id = batch WHERE state IN ('posting', 'under way')"


class UnderWay:
    """Use as `with UnderWay(ledger) as under_way`. It changes nothing in the file, which need not be there."""

    def __init__(self, ledger: Path) -> None:
        self._path = ledger
        self._connection = connect_to_read(ledger)
        self.is_empty = not self._finds("SELECT 1 FROM sqlite_master WHERE name = 'batch_asks'") or not self._finds(
            f"SELECT 1 {_POSTED} LIMIT 1"
        )

    def __enter__(self) -> UnderWay:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def holds(self, key: str) -> bool:
        """Whether the ask of that key is in a batch that was posted and is not home."""
        return not self.is_empty and self._finds(f"SELECT 1 {_POSTED} AND key = ?", bytes.fromhex(key))

    def _finds(self, sql: str, *values: bytes) -> bool:
        if self._connection is None:
            return False
        with explained(self._path):
            return self._connection.execute(sql, values).fetchone() is not None
