"""The open studies of a site: each file once, found by its name or by the token of one of its raters."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.rating.store import Rater, Study
from counterfoil.web.served import STUDY_SUFFIX, NotHere, Served


class _Open(NamedTuple):
    inode: int
    study: Study


class Studies:
    """A study stays open for all threads; one whose file was replaced is opened again."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._lock = threading.Lock()
        self._open: dict[Path, _Open] = {}
        self._path_of_token: dict[bytes, Path] = {}

    def named(self, name: str) -> Study:
        """The study in the file of that name."""
        path = self._served.inside(name)
        if not path.name.endswith(STUDY_SUFFIX):
            raise NotHere(name)
        return self._opened(path)

    def rater(self, token: str) -> tuple[Study, Rater]:
        """Whose token that is, and in which study."""
        # By a hash, so that how long the look-up takes tells nothing of a token.
        digest = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        known = self._path_of_token.get(digest)
        for path in [known] if known is not None and known.exists() else self._served.studies():
            try:
                study = self._opened(path)
                rater = study.rater(token)
            except UserError:
                continue
            self._path_of_token[digest] = path
            return study, rater
        raise NotHere("a rater's link")

    def _opened(self, path: Path) -> Study:
        inode = path.stat().st_ino
        with self._lock:
            there = self._open.get(path)
            if there is None or there.inode != inode:
                self._open[path] = there = _Open(inode, Study(path))
            return there.study
