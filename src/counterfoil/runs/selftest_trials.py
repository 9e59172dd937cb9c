"""Trials: questions and latent states drawn anew, replies as text, readings, rows, and frames of many trials at once."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.runs.records import COLUMNS, TEXT_COLUMNS
from counterfoil.runs.rows import Item, Rows, Standing
from counterfoil.runs.selftest_cells import Cell, Planting
from counterfoil.runs.selftest_levels import draw_levels
from counterfoil.runs.suite import Row, Suite, Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Trials that are estimated together, each as a model of its own: that takes hardly more time than one.
TOGETHER = 50
_LARGEST_SAMPLE = 2**62


class Asked(NamedTuple):
    """A question with its words. `number` tells it from all others of its pool."""

    number: int
    question: Any
    messages: Sequence[Message]
    felt: tuple[str, ...]


class Scored:
    """The rows of all replies so far. What was once replied to a question is read and scored once."""

    def __init__(self, suite: Suite, facts: Any, variant: Variant) -> None:
        self._rows = Rows(suite, facts, {}, Standing(total=0))
        self._variant = variant
        self._columns = {name: kind for name, kind in (COLUMNS | dict(suite.columns)).items() if name not in TEXT_COLUMNS}
        self._numbers: dict[tuple[int, str], int] = {}
        self._new: list[tuple[Any, str]] = []
        self._frame = pl.DataFrame(schema=self._columns)

    def number(self, asked: Asked, text: str) -> int:
        """Which row of the frame this reply to this question has."""
        key = asked.number, text
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._new.append((asked.question, text))
        return number

    def frame(self) -> pl.DataFrame:
        rows = [self._row(question, text) for question, text in self._new]
        self._new = []
        columns = {name: [row.get(name) for row in rows] for name in self._columns}
        self._frame = pl.concat([self._frame, pl.DataFrame(columns, schema=self._columns)])
        return self._frame

    def _row(self, question: Any, text: str) -> Row:
        item = Item("", self._variant, question, 0, None)
        return _done(self._rows.of_reply(item, Reply(status="ok", text=text, finish_reason="stop")))


class Trials:
    """All trials of one cell."""

    def __init__(self, planting: Planting, cell: Cell) -> None:
        self.cell = cell
        self.suite = planting.suite(cell)
        dataset = self.suite.dataset(None)
        [variant] = self.suite.variants([planting.variant], dataset)
        self.facts = self.suite.prepare(dataset)
        self.pool = planting.clusters(dataset, cell)
        self._planting = planting
        self._scored = Scored(self.suite, self.facts, variant)
        self._respondents: dict[tuple[Any, ...], Respondent] = {}
        numbers = iter(range(sum(map(len, self.pool))))
        self._asked = [
            [Asked(next(numbers), it, self.suite.messages(it, variant), tuple(planting.felt(it))) for it in cluster]
            for cluster in self.pool
        ]

    def batches(self, trials: int, seed: Sequence[int]) -> Iterator[list[pl.DataFrame]]:
        """The records of some trials after the other: one frame for each respondent, all of the same questions.

        The trial's number is the model.
        """
        sides = [self.cell.settings]
        sides += [self.cell.settings] if self.cell.compared else []
        sides += [self.cell.settings | self.cell.other] if self.cell.other else []
        for start in range(0, trials, TOGETHER):
            some = range(start, min(start + TOGETHER, trials))
            drawn: list[NDArray[np.int64]] = []
            replies: list[list[int]] = [[] for _ in sides]
            for trial in some:
                rng = np.random.default_rng([*seed, trial])
                drawn.append(rng.integers(len(self.pool), size=self.cell.clusters))
                for numbers, settings in zip(replies, sides, strict=True):
                    numbers += self._replies(rng, drawn[-1].tolist(), settings)
            yield self._frames(some, drawn, replies)

    def _replies(self, rng: np.random.Generator, drawn: list[int], settings: Mapping[str, float]) -> list[int]:
        """The numbers of the rows of a respondent's replies. Each respondent has latent states of its own."""
        levels = {
            name: draw_levels(
                rng, mean, 0.0 if name in self._planting.constant else self.cell.correlation, len(drawn)
            ).tolist()
            for name, mean in settings.items()
        }
        repeats = range(self.cell.repeats)
        records = sum(len(self._asked[cluster]) for cluster in drawn) * self.cell.repeats
        samples = iter(rng.integers(_LARGEST_SAMPLE, size=records).tolist())
        numbers = []
        for place, cluster in enumerate(drawn):
            chances = {name: level[place] for name, level in levels.items()}
            for asked in self._asked[cluster]:
                respond = self._respondent(asked.felt, chances)
                numbers += [
                    self._scored.number(asked, respond(asked.messages, next(samples))) for _ in repeats
                ]
        return numbers

    def _respondent(self, felt: tuple[str, ...], chances: Mapping[str, float]) -> Respondent:
        """The one with these chances, of which only those count that the question feels."""
        key = (felt, *[chances[name] for name in felt])
        if key not in self._respondents:
            self._respondents[key] = self.suite.planted({name: str(chances[name]) for name in felt})
        return self._respondents[key]

    def _frames(
        self, trials: range, drawn: list[NDArray[np.int64]], replies: list[list[int]]
    ) -> list[pl.DataFrame]:
        sizes = np.array([len(cluster) * self.cell.repeats for cluster in self._asked])
        places = np.arange(self.cell.clusters)
        place = np.concatenate([np.repeat(places, sizes[clusters]) for clusters in drawn])
        trial = np.repeat(np.array(trials), [int(sizes[clusters].sum()) for clusters in drawn])
        said = {
            "model": pl.Series(trial).cast(pl.String),
            "variant": pl.lit(self._planting.variant),
            "repeat": pl.Series(np.arange(len(place)) % self.cell.repeats),
            "cluster": pl.Series(place).cast(pl.String),
        }
        named = [pl.format("{} {}", "cluster", name).alias(name) for name in ("question_id", *self._planting.names)]
        scored = self._scored.frame()
        return [scored[numbers].with_columns(**said).with_columns(named) for numbers in replies]


def _done(coroutine: Coroutine[Any, Any, Row]) -> Row:
    """The result of a coroutine that waits for nothing: without judges, nobody is asked."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        row: Row = end.value
        return row
    raise AssertionError("a row without judges waits for nothing")
