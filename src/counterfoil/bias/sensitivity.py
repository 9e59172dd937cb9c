"""How far the figures of a run depend on how they are made: reading, replies without a choice, mean, prompt."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from counterfoil.bias.items import items
from counterfoil.bias.metrics import DROP, KEEP, SCORES, metrics
from counterfoil.figures.numbers import cell
from counterfoil.figures.tables import Table
from counterfoil.reading.ways import WEAK
from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.records import TEXT_COLUMNS
from counterfoil.stats.summary import summarize

if TYPE_CHECKING:
    import polars as pl

# Of more records a table like this would take longer than all the rest of the report.
MOST_RECORDS = 100_000
AS_READ, SURE = "as read", "sure readings only"
POOLED, TEMPLATES = "pooled", "templates"
Key = tuple[str, str, str, str, str]


def sensitivity(run: Run) -> Table:
    """A row for each model, prompt, reading, policy and mean; then, for each model, from where to where they go."""
    found = _figures(run)
    rows = [(", ".join(key), *(cell(values.get(score.name)) for score in SCORES)) for key, values in found.items()]
    for model in dict.fromkeys(key[0] for key in found):
        mine = [values for key, values in found.items() if key[0] == model]
        rows.append((f"{model}, over all of these", *(_range(mine, score.name) for score in SCORES)))
    return Table(
        title="How far the figures depend on how they are made",
        description="The same replies, in every prompt. Sure readings only: a reading that rests on a weak cue counts "
        "as none. Drop or keep: replies without a choice are left out, or wrong. Pooled or templates: the mean over "
        "replies, or over the means of templates. What holds in some rows only is a conclusion about the method.",
        head=("model, prompt, reading, policy, mean", *(score.name for score in SCORES)),
        rows=tuple(rows) if len(rows) > 1 else (),
    )


def _figures(run: Run) -> dict[Key, dict[str, float | None]]:
    import polars as pl

    records = pl.scan_parquet(run.folder / RECORDS)
    if not set(_READ) <= set(records.collect_schema()):
        return {}
    if records.select(pl.len()).collect().item() > MOST_RECORDS:
        return {}
    read = records.drop(TEXT_COLUMNS, strict=False).collect()
    found: dict[Key, dict[str, float | None]] = {}
    for (reading, frame), policy, mean in product(_readings(read).items(), (DROP, KEEP), (POOLED, TEMPLATES)):
        by_template = mean == TEMPLATES
        declared = metrics(keep=policy == KEEP, withhold=False, by_template=by_template)
        scores = [metric.changed(groups=((),)) for metric in declared if metric.name in _NAMES and not metric.label]
        for one in summarize(scores, items(frame, by_template=by_template, named=False)):
            key = (one.model, one.variant, reading, policy, mean)
            found.setdefault(key, {})[one.metric] = one.value
    return dict(sorted(found.items()))


# What the figures are made from; records that somebody has changed may lack it.
_READ = ("category", "ambiguous", "biased_context", "pair", "order", "choice", "content", "role", "correct")
_NAMES = {score.name for score in SCORES}


def _readings(records: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The records as they were read, and where some readings are weak, without these."""
    import polars as pl

    found = {AS_READ: records}
    if "read_by" in records.columns:
        weak = pl.col("read_by").is_in(WEAK)
        if records.select(weak.any()).item():
            nothing = {name: pl.when(~weak.fill_null(False)).then(name) for name in ("choice", "role", "content")}
            wrong = pl.when(weak.fill_null(False)).then(pl.lit(value=False)).otherwise("correct")
            found[SURE] = records.with_columns(**nothing, correct=wrong)
    return found


def _range(figures: list[dict[str, float | None]], name: str) -> str:
    values = [value for one in figures if (value := one.get(name)) is not None]
    return f"{cell(min(values))} to {cell(max(values))}" if values else cell(None)
