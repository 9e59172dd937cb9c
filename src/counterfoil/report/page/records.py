"""A sample of the records to look at: what went wrong first, then answers of every model and variant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from counterfoil.errors import UserError
from counterfoil.figures.numbers import plural
from counterfoil.report.html import Html, details, facts, joined, tag
from counterfoil.report.page.card import card, cut, named, reply_box
from counterfoil.running.asked import shown_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    import polars as pl

# In the order in which they are shown, and how many of each at the most; what is left of the whole goes to answers.
MOST = {"failed": 40, "not_asked": 10, "out_of_choice": 60, "refused": 20, "truncated": 20}
WHOLE = 200
STRATA = ("model", "variant", "correct")
# A longer reply is cut off here; the whole reply is in records.parquet.
LONGEST = 4_000
KINDS = {"mention": "mentioned", "choice": "the choice that was read", "answer": "the right answer"}


def records_part(run: Run, suite: AnySuite) -> Html:
    """The sample, by outcome, each record with its reply, what was read and what it scored."""
    try:
        counts, records = sample(run)
    except OSError as error:
        raise UserError(f"{run.folder / RECORDS} can't be read: {error}.") from error
    asked = shown_of(run, records)
    cards: dict[str, list[Html]] = {}
    for record, question in zip(records, asked, strict=True):
        name = tag("span", named(record), class_="id")
        words = facts((key, cut(text)) for key, text in question.items()) if question else None
        reply = reply_box(record, question, suite, LONGEST)
        cards.setdefault(record["outcome"], []).append(card(record, name, words, reply))
    if not cards:
        return tag("p", "There are no records.")
    parts = joined(
        details(
            f"{outcome.replace('_', ' ')}: {len(some):,} of {plural(counts[outcome], 'record')}",
            tag("div", *some, class_="cards"),
        )
        for outcome, some in cards.items()
    )
    return joined([tag("p", _explained(len(records), parts)), parts])


def sample(run: Run) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """How many records ended how, and those that are shown: seeded, in turns from each model, variant and correctness.

    Texts are read of these alone.
    """
    import numpy as np
    import polars as pl

    frame = pl.scan_parquet(run.folder / RECORDS)
    try:
        strata = [name for name in STRATA if name in frame.collect_schema().names()]
        light = frame.select("outcome", *strata).with_row_index("row").collect()
        # The same seed shows the same records.
        chance = np.random.default_rng(int(run.manifest.get("seed") or 0))
        light = light.with_columns(draw=pl.Series(chance.permutation(light.height), dtype=pl.Int64))
        turn = pl.int_range(pl.len()).over("outcome", *strata)
        light = light.sort("draw").with_columns(turn=turn).sort("turn", "draw")
        rows = [row for some in _chosen(light) for row in sorted(some)]
        picked = frame.with_row_index("row").filter(pl.col("row").is_in(rows)).collect()
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error).splitlines()[0]) from error
    by_row = {record.pop("row"): record for record in picked.to_dicts()}
    counts = dict(light.group_by("outcome").len().iter_rows())
    return counts, [by_row[row] for row in rows]


def _chosen(light: pl.DataFrame) -> Iterator[list[int]]:
    """The rows of each outcome that are shown."""
    import polars as pl

    left = WHOLE
    for outcome, most in [*MOST.items(), ("answered", WHOLE)]:
        some = light.filter(pl.col("outcome") == outcome)["row"].head(min(most, left)).to_list()
        left -= len(some)
        yield some


def _explained(count: int, cards: str) -> Html:
    """What is shown, and what the marks in it mean."""
    used = [tag("mark", name, class_=kind) for kind, name in KINDS.items() if f'<mark class="{kind}">' in cards]
    text = (
        f"{plural(count, 'record')}, what could not be read first, answers drawn in turns from every model and prompt. "
        "All of them are in records.parquet."
    )
    return joined([text, *(part for mark in used for part in (" Marked: " if mark is used[0] else ", ", mark))])
