"""Trials: questions and latent states drawn anew, replies as text, readings, rows, frames of many trials at once."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from counterfoil.asking.ask import Message, Reply, after
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.running.records import COLUMNS, TEXT_COLUMNS
from counterfoil.running.rows import Counts, Item, Rows
from counterfoil.selftest.levels import draw_levels
from counterfoil.suite.planting import GIANT, Cell, Planting
from counterfoil.suite.suite import Row

# Trials that are estimated together, each as a model of its own: that takes hardly more time than one.
TOGETHER = 50
_FOR_POWER = 4
_LARGEST_SAMPLE = 2**62


class PoolQuestion(NamedTuple):
    """A question with its words. `number` tells it from all others of its pool."""

    number: int
    question: Any
    messages: Sequence[Message]
    settings_used: tuple[str, ...]


class Pool:
    """What is drawn from: the questions in clusters, the respondents, and the rows of all that they said so far.

    What was once replied to a question is read and scored once.
    """

    def __init__(self, planting: Planting, cell: Cell) -> None:
        self.planting = planting
        self.suite = planting.suite(cell)
        dataset = self.suite.load(None)
        self.variant, *_ = self.suite.variants([planting.variant] if planting.variant else [], dataset)
        self._questions = list(dataset)
        self.facts = self.suite.prepare(dataset)
        self.clusters = planting.clusters(self._questions, cell)
        numbers = count()
        self.asked = [[self._with_words(next(numbers), question) for question in cluster] for cluster in self.clusters]
        self._respondents: dict[tuple[Any, ...], Respondent] = {}
        self._rows = Rows(self.suite, self.facts, {}, Counts(total=0))
        columns = (COLUMNS | dict(self.suite.columns)).items()
        self._frame = pl.DataFrame(schema={name: kind for name, kind in columns if name not in TEXT_COLUMNS})
        self._numbers: dict[tuple[int, tuple[str, ...]], int] = {}
        self._new: list[tuple[Any, tuple[str, ...]]] = []

    def _with_words(self, number: int, question: Any) -> PoolQuestion:
        messages = self.suite.messages(question, self.variant)
        return PoolQuestion(number, question, messages, tuple(self.planting.settings_used(question)))

    def respondent(self, names: tuple[str, ...], chances: Mapping[str, float]) -> Respondent:
        """The one with the chances of these names."""
        key = (names, *[chances[name] for name in names])
        if key not in self._respondents:
            given = {name: str(chances[name]) for name in names}
            self._respondents[key] = self.suite.planted(given, self._questions)
        return self._respondents[key]

    def row_number(self, asked: PoolQuestion, respond: Respondent, sample: int) -> int:
        """Which row of the frame has what the respondent says to this question, in all turns."""
        texts: tuple[str, ...] = (respond(asked.messages, sample),)
        if self.suite.has_turns:
            while messages := self.suite.follow_up(asked.question, self.variant, list(map(_reply, texts))):
                texts = (*texts, respond(messages, sample))
        key = asked.number, texts
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._new.append((asked.question, texts))
        return number

    def frame(self) -> pl.DataFrame:
        """All rows, each with what its question and reply say; who was asked and how often is still open."""
        rows = [self._row(question, texts) for question, texts in self._new]
        self._new = []
        schema = self._frame.schema
        columns = {name: [row.get(name) for row in rows] for name in schema}
        self._frame = pl.concat([self._frame, pl.DataFrame(columns, schema=schema)])
        return self._frame

    def _row(self, question: Any, texts: tuple[str, ...]) -> Row:
        *earlier, last = map(_reply, texts)
        row = _done(self._rows.of_reply(Item("", self.variant, question, 0, None), after(earlier, last)))
        if row["outcome"] == "failed":
            raise UserError(f"{self.suite.name}, {question.id}: {row['reason']}: the reply is {last.text!r}.")
        return row


class Batch(NamedTuple):
    """The records of some trials, whose numbers are the models; all sides of the same questions.

    `alike` and `unlike` are those of a second and third respondent, where the cell has them.
    """

    trials: int
    first: pl.DataFrame
    alike: pl.DataFrame | None
    unlike: pl.DataFrame | None


def batches(pool: Pool, cell: Cell, trials: int, seed: Sequence[int]) -> Iterator[Batch]:
    """All trials of a cell. Only every fourth has a third respondent: power is no promise, and tests take time."""
    for start in range(0, trials, TOGETHER):
        some = range(start, min(start + TOGETHER, trials))
        first = _Side(pool, cell, cell.settings)
        alike = _Side(pool, cell, cell.settings) if cell.compared else None
        unlike = _Side(pool, cell, cell.settings | cell.other) if cell.other else None
        for trial in some:
            rng = np.random.default_rng([*seed, trial])
            drawn = _drawn(rng, len(pool.clusters), cell)
            first.add(trial, rng, drawn)
            if alike is not None:
                alike.add(trial, rng, drawn)
            if unlike is not None and trial % _FOR_POWER == 0:
                unlike.add(trial, rng, drawn)
        others = [side.frame() if side is not None and side.drawn else None for side in (alike, unlike)]
        yield Batch(len(some), first.frame(), *others)


def _drawn(rng: np.random.Generator, pool: int, cell: Cell) -> list[list[int]]:
    """What each cluster of a trial is made of: mostly one of the pool's; a giant one has many, each once."""
    drawn = [[number] for number in rng.integers(pool, size=cell.clusters).tolist()]
    for place in range(cell.giants):
        drawn[place] = rng.choice(pool, size=min(GIANT, pool), replace=False).tolist()
    return drawn


class _Side:
    """The replies of one respondent in some trials."""

    def __init__(self, pool: Pool, cell: Cell, settings: Mapping[str, float]) -> None:
        self._pool = pool
        self._cell = cell
        self._settings = settings
        self._numbers: list[int] = []
        self.drawn: list[tuple[int, list[list[int]]]] = []

    def add(self, trial: int, rng: np.random.Generator, drawn: list[list[int]]) -> None:
        """Answer these clusters, each with latent states of this respondent alone."""
        cell, constant = self._cell, self._pool.planting.constant
        levels = {
            name: draw_levels(
                rng, mean, 0.0 if name in constant else cell.correlation, len(drawn), cell.spread
            ).tolist()
            for name, mean in self._settings.items()
        }
        if cell.missing:
            hard = next(iter(levels.values()))
            lost = rng.random(len(drawn)) < cell.missing * (1 - np.array(hard))
            kept = np.flatnonzero(~lost).tolist()
            levels = {name: [level[place] for place in kept] for name, level in levels.items()}
            drawn = [drawn[place] for place in kept]
        self.drawn.append((trial, drawn))
        repeats = range(cell.repeats)
        records = sum(len(self._pool.asked[part]) for parts in drawn for part in parts) * len(repeats)
        samples = iter(rng.integers(_LARGEST_SAMPLE, size=records).tolist())
        row_number = self._pool.row_number
        for place, parts in enumerate(drawn):
            chances = {name: level[place] for name, level in levels.items()}
            for asked in (asked for part in parts for asked in self._pool.asked[part]):
                respond = self._pool.respondent(asked.settings_used, chances)
                self._numbers += [row_number(asked, respond, next(samples)) for _ in repeats]

    def frame(self) -> pl.DataFrame:
        """What is drawn is a cluster of its own, with names of its own, however often it was drawn before."""
        planting, repeats = self._pool.planting, self._cell.repeats
        sizes = np.array([len(cluster) * repeats for cluster in self._pool.asked])
        records = [[int(sizes[parts].sum()) for parts in drawn] for _, drawn in self.drawn]
        place = np.concatenate([np.repeat(np.arange(len(each)), each) for each in records])
        trial = np.repeat([trial for trial, _ in self.drawn], list(map(sum, records)))
        said = (
            pl.Series("model", trial).cast(pl.String),
            pl.lit(self._pool.variant.name).alias("variant"),
            pl.Series("repeat", np.arange(len(place)) % repeats),
            pl.Series("cluster", place).cast(pl.String),
        )
        named = [pl.format("{} {}", "cluster", name).alias(name) for name in ("question_id", *planting.names)]
        return self._pool.frame()[self._numbers].with_columns(said).with_columns(named)


def _reply(text: str) -> Reply:
    return Reply(status="ok", text=text, finish_reason="stop")


def _done(coroutine: Coroutine[Any, Any, Row]) -> Row:
    """The result of a coroutine that waits for nothing: without judges, nobody is asked."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        row: Row = end.value
        return row
    raise AssertionError("a row without judges waits for nothing")
