"""A sample of the records to look at: what went wrong first, then answers of every model and variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from counterfoil.errors import UserError
from counterfoil.figures.numbers import cell, plural
from counterfoil.report.page.html import Html, details, facts, highlighted, joined, tag
from counterfoil.running.asked import shown_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.records import COLUMNS
from counterfoil.suite.suite import AnySuite, Record

if TYPE_CHECKING:
    import polars as pl

# In the order in which they are shown, and how many of each at the most; what is left of the whole goes to answers.
MOST = {"failed": 40, "not_asked": 10, "out_of_choice": 60, "refused": 20, "truncated": 20}
WHOLE = 200
STRATA = ("model", "variant", "correct")
# Who wrote more than this is cut off here; the whole reply is in records.parquet.
LONGEST = 4_000
LONGEST_VALUE = 600
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
        cards.setdefault(record["outcome"], []).append(_card(record, question, suite))
    parts: list[Html] = []
    for outcome, some in cards.items():
        name = f"{outcome.replace('_', ' ')}: {len(some):,} of {plural(counts[outcome], 'record')}"
        parts.append(details(name, tag("div", *some, class_="cards")))
    if not parts:
        return tag("p", "There are no records.")
    return joined([tag("p", _explained(len(records), joined(parts))), *parts])


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


def _card(record: Record, asked: Mapping[str, str], suite: AnySuite) -> Html:
    repeat = f", repeat {record['repeat']}" if record["repeat"] else ""
    correct = record.get("correct") if record["outcome"] == "answered" else None
    right = "" if correct is None else "right" if correct else "wrong"
    outcome = record["outcome"].replace("_", " ")
    return tag(
        "article",
        tag(
            "p",
            tag("b", record["model"]),
            f" · {record['variant']} · ",
            tag("span", f"{record['question_id']}{repeat}", class_="id"),
            " · ",
            tag("span", ", ".join(filter(None, (outcome, right))), class_=f"outcome {right or record['outcome']}"),
            class_="who",
        ),
        facts((name, _cut(text, LONGEST_VALUE)) for name, text in asked.items()) if asked else None,
        _reply(record, asked, suite),
        tag("p", f"Why: {_cut(record['reason'], LONGEST_VALUE)}") if record.get("reason") else None,
        facts(_values(record)),
    )


def _reply(record: Record, asked: Mapping[str, str], suite: AnySuite) -> Html:
    reply = record["reply"]
    if not reply:
        return tag("p", "no reply" if reply is None else "an empty reply", class_="none")
    head = reply[:LONGEST]
    content = highlighted(head, suite.marks({**record, "reply": head}, asked))
    more = len(reply) - len(head)
    rest = tag("span", f" … {plural(more, 'more character')}", class_="none") if more else None
    # The text's own direction stays its own: it can't turn what stands around it.
    return tag("div", content, rest, class_="reply", dir="auto")


def _values(record: Record) -> Iterator[tuple[str, str]]:
    """What was read, and the scores: the suite's own columns, where there is something in them."""
    for name, value in record.items():
        values = value if isinstance(value, list) else [value]
        if name not in COLUMNS and any(it is not None for it in values):
            yield name, _cut(_text(value), LONGEST_VALUE)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return cell(value)
    return "–" if value is None else str(value)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
