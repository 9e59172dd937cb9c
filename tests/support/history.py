"""What a server was sent and answered, what the ledger holds and what the records say: do they fit together?"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl

from counterfoil import Run
from mock_server import Answer, completion


def rows_of(ledger: Path) -> list[tuple[str, str, str]]:
    """Key, prompt and text of each durable reply, as another process sees them; none in what is no ledger yet."""
    if not ledger.exists():
        return []
    sql = "SELECT lower(hex(key)), json_extract(ask, '$.messages[0].content'), text FROM replies"
    with closing(sqlite3.connect(ledger)) as connection, suppress(sqlite3.OperationalError):
        return connection.execute(sql).fetchall()
    return []


def stored_prompts(ledger: Path) -> set[str]:
    """The prompts whose replies are durable."""
    return {prompt for _, prompt, _ in rows_of(ledger)}


class History:
    """A server's side of a run: every answer is another text, so that each can be told from all others.

    `behave` of it is for a `MockServer`; `on_request` is called with the number of each request before it is answered.
    """

    def __init__(self, ledger: Path, places: int) -> None:
        self.ledger = ledger
        self.places = places
        self.sent: list[str] = []
        self.answers: dict[str, set[str]] = defaultdict(set)
        self.on_request: Callable[[int], None] = lambda number: None

    def behave(self, request: dict[str, Any]) -> Answer:
        prompt = request["messages"][-1]["content"]
        self.sent.append(prompt)
        text = f"B ({len(self.sent)})"
        self.answers[prompt].add(text)
        self.on_request(len(self.sent))
        return completion(text)

    @contextmanager
    def life(self, processes: int = 1) -> Iterator[None]:
        """The life of one process, or of several at a time, however it ends; checked when it has ended."""
        sent_before, stored_before = len(self.sent), stored_prompts(self.ledger)
        yield
        stored, sent = stored_prompts(self.ledger), self.sent[sent_before:]
        assert stored_before <= stored, "a stored reply is gone"
        assert not stored_before & set(sent), "an ask whose reply was stored was sent again"
        if processes == 1:
            assert len(sent) == len(set(sent)), "an ask was sent twice"
        lost = set(sent) - stored
        assert len(lost) <= processes * self.places, f"{len(lost)} replies lost, with {self.places} places"
        self.check_ledger()

    def check_ledger(self) -> None:
        """Each reply is one that the server gave to that prompt; no key is there twice."""
        rows = rows_of(self.ledger)
        for _, prompt, text in rows:
            assert text in self.answers[prompt], f"nobody said {text!r} to {prompt!r}"
        assert len({key for key, *_ in rows}) == len(rows), "a key is there twice"
        if self.ledger.exists():
            with closing(sqlite3.connect(self.ledger)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    def check_records(self, folder: Path, questions: int) -> None:
        """Every question is there once, answered with what the ledger holds for it."""
        held = {key: text for key, _, text in rows_of(self.ledger)}
        records = Run(folder).records
        assert records.height == records["question_id"].n_unique() == questions
        assert records.filter(pl.col("outcome") != "answered").is_empty()
        for key, reply in records.select("ask_key", "reply").iter_rows():
            assert held[key] == reply, f"the record says {reply!r}, the ledger {held[key]!r}"
