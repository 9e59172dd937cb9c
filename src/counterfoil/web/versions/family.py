"""A family of questions: its versions in their order, who answered them, and which families show a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from counterfoil.running.asked import key_of_question
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.suite import Record
from counterfoil.web.latest import Latest
from counterfoil.web.records.questions import Asked
from counterfoil.web.records.table import Table

WHO = ("model", "variant", "repeat")


class Version(NamedTuple):
    """A question of the family: its place among the run's questions, what it is called, its words by name."""

    question: int
    name: str
    words: Mapping[str, str]


def versions_of(asked: Asked, family: int) -> list[Version]:
    """As the suite puts them side by side; where the dataset is gone, in the order of the records."""
    places = asked.families[family]
    known = {place: asked.known[asked.keys[place]] for place in places if asked.keys[place] in asked.known}
    if len(known) < len(places):
        return [Version(place, _plain_name(asked.keys[place]), {}) for place in places]
    by_key = {asked.keys[place]: place for place in places}
    named = asked.suite.versions(list(known.values()))
    found = [(by_key[key_of_question(asked.suite, question)], question, name) for question, name in named]
    return [Version(place, name, dict(asked.suite.shown(question))) for place, question, name in found]


def _plain_name(key: Sequence[Any]) -> str:
    return " ".join(str(part) for part in key if part is not None)


def rows_of_family(table: Table, asked: Asked, family: int) -> pl.DataFrame:
    """Row, question, and who answered, of all its records."""
    questions = asked.families[family]
    return (
        table.light.select("row", *WHO)
        .with_columns(question=asked.question)
        .filter(pl.col("question").is_in(questions))
    )


def alike_of(asked: Asked, record: Record) -> list[Any]:
    """What should be the same in all versions. Right answers are alike, whatever was chosen."""
    right = record.get("correct") is True
    return [right if right or name == "correct" else record.get(name) for name in asked.suite.alike]


def _unless_right(name: str, has_correct: bool) -> pl.Expr:
    """The same of a column."""
    if name == "correct" or not has_correct:
        return pl.col(name)
    return pl.when(pl.col("correct").fill_null(False)).then(None).otherwise(pl.col(name)).alias(name)


_DIFFERING: Latest[tuple[Path, int], list[int]] = Latest(4)


def differing(table: Table, asked: Asked) -> list[int]:
    """The families in which somebody's answers to two versions differ; where no question has versions, those in which
    two respondents' answers do.
    """
    return _DIFFERING.of((table.path, table.stamp), lambda: _differing(table, asked))


def _differing(table: Table, asked: Asked) -> list[int]:
    names = [name for name in asked.suite.alike if name in table.light.columns]
    if not names:
        return []
    alike = [_unless_right(name, "correct" in table.light.columns) for name in names]
    families = pl.Series("family", asked.family, dtype=pl.Int64).gather(asked.question)
    frame = table.light.select(*WHO, "outcome", *alike).with_columns(families)
    frame = frame.filter(~pl.col("outcome").is_in(LEFT_OUT))
    has_versions = any(len(places) > 1 for places in asked.families)
    by = ["family", *WHO] if has_versions else ["family"]
    several = frame.group_by(by).agg(pl.max_horizontal(pl.col(name).n_unique() for name in names).alias("values"))
    found: list[int] = several.filter(pl.col("values") > 1)["family"].unique().sort().to_list()
    return found
