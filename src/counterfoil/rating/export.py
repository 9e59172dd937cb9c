"""A study as CSV: every rating that was ever saved, one row each."""

from __future__ import annotations

from pathlib import Path

from counterfoil.files import replacing
from counterfoil.rating.store import Study
from counterfoil.report.tables import neutral

COLUMNS = (
    "id",
    "at",
    "form",
    "rater",
    "task",
    "question",
    "alternative",
    "value",
    "undoes",
    "holds",
    "model",
    "variant",
    "question_id",
    "repeat",
)


def write_csv(study: Study, path: Path) -> None:
    """In the order in which they were saved. `holds`: whether it is the latest of its item, and was not taken back;
    `value` is empty where an answer was taken back; yes and no are true and false. No cell is a formula.
    """
    import polars as pl

    made = {it.task.id: it for it in study.made()}
    holding = {it.id for it in study.latest()}
    rows = []
    for rating in study.history():
        task, source = made[rating.task].task, made[rating.task].source
        question, _, place = rating.item.partition(".")
        value = str(rating.value).lower() if isinstance(rating.value, bool) else rating.value
        named = task.alternatives[int(place)] if place else None
        rows.append(
            (
                *(rating.id, rating.at, rating.form, rating.rater, rating.task, question, named),
                *(None if value is None else f"{value:g}" if isinstance(value, float) else value, rating.undoes),
                *("true" if rating.id in holding else "false", source.model, source.variant),
                *(source.question_id, source.repeat),
            )
        )
    types = {name: pl.Int64 if name in ("id", "task", "undoes", "repeat") else pl.String for name in COLUMNS}
    frame = pl.DataFrame(rows, schema=types, orient="row")
    with replacing(path) as temporary:
        frame.with_columns(pl.col(pl.String).pipe(neutral)).write_csv(temporary, include_bom=True)
