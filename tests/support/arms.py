"""Records made by hand: one letter for each reply."""

from __future__ import annotations

from typing import Any

import polars as pl

SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("model", "variant", "question_id", "cluster", "outcome", "parent", "control"), pl.String),
    **dict.fromkeys(("topic", "status", "gold", "answer"), pl.String),
    **dict.fromkeys(("repeat", "level", "draw"), pl.Int64),
    **dict.fromkeys(("correct", "kept_old", "took_sham"), pl.Boolean),
}
CONTROLS = ("again", "reshuffled", "renamed", "lure")
# Right, wrong, wrong with the old answer, wrong with the sham, nothing read, no reply.
OUTCOMES = {"1": "answered", "0": "answered", "o": "answered", "s": "answered", "-": "out_of_choice", "x": "failed"}

Rows = list[dict[str, Any]]


def asked(parent: str, original: str, level_1: str = "", level_2: str = "", level_3: str = "", **more: str) -> Rows:
    """The records of an original and of what was made from it: a letter of `OUTCOMES` for each reply.

    `more`: the controls by name, and what is not as usual in every row.
    """
    common: dict[str, Any] = {"model": "m", "variant": "mcq", "cluster": parent, "topic": "t", "status": "verified"}
    common |= {"parent": parent, "repeat": 0, "gold": "A"}
    common |= {name: value for name, value in more.items() if name not in CONTROLS}
    rows = [_row(common | {"status": "verified"}, 0, None, 0, letter) for letter in original]
    for level, letters in ((1, level_1), (2, level_2), (3, level_3)):
        rows += [_row(common, level, None, draw, letter) for draw, letter in enumerate(letters)]
    for control in CONTROLS:
        rows += [_row(common, 0, control, draw, letter) for draw, letter in enumerate(more.get(control, ""))]
    return rows


def _row(common: dict[str, Any], level: int, control: str | None, draw: int, letter: str) -> dict[str, Any]:
    kind = control or level
    row = common | {"level": level, "control": control, "draw": draw, "outcome": OUTCOMES[letter]}
    row["question_id"] = f"{common['parent']}/{kind}/{draw}" if kind else common["parent"]
    if letter == "x":
        return row | {"gold": None}
    row |= {"correct": letter == "1", "kept_old": letter == "o", "took_sham": letter == "s"}
    return row | {"answer": None if letter == "-" else "A" if letter == "1" else "B"}


def frame(*rows: Rows) -> pl.DataFrame:
    return pl.DataFrame([row for some in rows for row in some], schema=SCHEMA)
