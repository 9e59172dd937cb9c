"""The questions behind the records, where they can still be had: their words, and which are versions of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from counterfoil.running.asked import Key, key_of_record, known_questions, suite_to_show
from counterfoil.running.folder import Run
from counterfoil.suite.suite import AnySuite
from counterfoil.web.latest import Latest
from counterfoil.web.records.table import Table


class Asked(NamedTuple):
    """What a run's records are about.

    `keys` are the questions in the order in which the records first name them; `question` has for each record the place
    of its question among them, `family` for each question the place of its family among `families`.
    """

    suite: AnySuite
    keys: list[Key]
    known: dict[Key, Any]
    question: pl.Series
    family: list[int]
    families: list[list[int]]

    def words(self, key: Key) -> dict[str, str]:
        """What is shown of a question, by name; empty where the dataset is gone."""
        question = self.known.get(key)
        return {} if question is None else dict(self.suite.shown(question))


_KEPT = 3
_LATEST: Latest[tuple[Path, int], Asked] = Latest(_KEPT)
_TEXTS: Latest[tuple[Path, int], pl.Series] = Latest(_KEPT)


def asked_of(run: Run, table: Table) -> Asked:
    """What the run's records are about; made again when they have changed."""
    return _LATEST.of((table.path, table.stamp), lambda: _asked(run, table))


def texts_of(asked: Asked, table: Table) -> pl.Series:
    """For each question all its words in one text, to search in."""

    def made() -> pl.Series:
        return pl.Series(["\n".join(asked.words(key).values()) for key in asked.keys], dtype=pl.String)

    return _TEXTS.of((table.path, table.stamp), made)


def _asked(run: Run, table: Table) -> Asked:
    suite, known = suite_to_show(run), dict(known_questions(run))
    names = [name for name in suite.identity if name in table.light.columns] or ["question_id"]
    first = table.light.group_by(names, maintain_order=True).agg(place=pl.col("row").first())
    places = table.light.select(names).join(
        first.with_row_index("number"), on=names, how="left", nulls_equal=True, maintain_order="left"
    )
    unit = suite.unit_column if suite.unit_column in table.light.columns else "question_id"
    units = table.light[unit].gather(first["place"]).cast(pl.String).to_list()
    keys = [key_of_record(suite, row) for row in first.select(names).to_dicts()]
    family: list[int] = []
    numbers: dict[str, int] = {}
    families: list[list[int]] = []
    for place, (key, of_unit) in enumerate(zip(keys, units, strict=True)):
        question = known.get(key)
        name = of_unit if question is None else question.family
        number = numbers.setdefault(name, len(families))
        if number == len(families):
            families.append([])
        families[number].append(place)
        family.append(number)
    return Asked(suite, keys, known, places["number"], family, families)
