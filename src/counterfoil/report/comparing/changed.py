"""The items that changed between two sides: the question, both values, both replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from counterfoil.comparing.changes import Change
from counterfoil.figures.numbers import cell, plural
from counterfoil.report.html import Html, details, facts, tag
from counterfoil.report.page.records import cut, reply_box
from counterfoil.running.asked import shown_of, suite_to_show
from counterfoil.running.folder import RECORDS, readable
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    from counterfoil.comparing.compare import JoinedSides
    from counterfoil.comparing.sides import Side
    from counterfoil.stats.metric import Metric

# As much of a reply as stands beside another; of an item made of several records, so many replies of each side.
LONGEST, MOST_REPLIES = 600, 3
# The address of a record of side 0 or 1, by its row, and of the question behind it in all its versions.
Link = Callable[[int, int], str]


def changed_cards(joined: JoinedSides, metric: Metric, changes: Sequence[Change], link: Link, versions: Link) -> Html:
    """An article for each item."""
    sides = (joined.one, joined.other)
    wanted = ([row for one in changes for row in one.rows_a], [row for one in changes for row in one.rows_b])
    records = [_records(side, rows) for side, rows in zip(sides, wanted, strict=True)]
    suites = [suite_to_show(side.run) for side in sides]
    cards = [_card(metric, change, sides, records, suites, link, versions) for change in changes]
    return tag("div", *cards, class_="cards changed")


def _card(
    metric: Metric,
    change: Change,
    sides: Sequence[Side],
    records: Sequence[Mapping[int, dict[str, Any]]],
    suites: Sequence[AnySuite],
    link: Link,
    versions: Link,
) -> Html:
    word = _word(metric, change)
    rows = (change.rows_a, change.rows_b)
    first = next(((n, row) for n, some in enumerate(rows) for row in some if row in records[n]), None)
    name = tag("a", change.item, class_="id", href=versions(*first)) if first else tag("span", change.item, class_="id")
    head = tag(
        "p",
        tag("b", f"{cell(change.a)} → {cell(change.b)}"),
        *((" ", tag("span", word, class_=f"verdict {word}")) if word else ()),
        " ",
        name,
        class_="who",
    )
    words = shown_of(sides[first[0]].run, [records[first[0]][first[1]]])[0] if first else {}
    columns = [
        _replies(letter, number, rows[number], records[number], suites[number], words, link)
        for number, letter in enumerate("ab")
    ]
    question = facts((name, cut(text)) for name, text in words.items()) if words else None
    return tag("article", head, question, tag("div", *columns, class_="beside"))


def _replies(
    letter: str,
    number: int,
    rows: Sequence[int],
    records: Mapping[int, dict[str, Any]],
    suite: AnySuite,
    words: Mapping[str, str],
    link: Link,
) -> Html:
    shown = [
        tag(
            "div",
            tag("p", tag("a", f"{letter}: {_ended(records[row])}", href=link(number, row))),
            reply_box(records[row], words, suite, LONGEST),
        )
        for row in rows[:MOST_REPLIES]
        if row in records
    ]
    more = rows[MOST_REPLIES:]
    rest = [tag("a", str(n), href=link(number, row)) for n, row in enumerate(more, MOST_REPLIES + 1)]
    links = (part for one in rest for part in (one, " "))
    return tag("div", *shown, details(f"{plural(len(more), 'more reply', 'more replies')}", *links) if more else None)


def _ended(record: Mapping[str, Any]) -> str:
    """How the reply ended, and whether it is right."""
    if record["outcome"] != "answered":
        return str(record["outcome"]).replace("_", " ")
    correct = record.get("correct")
    return "answered" if correct is None else "right" if correct else "wrong"


def _word(metric: Metric, change: Change) -> str:
    """Whether b is better on this item, where the metric says which way is better."""
    if metric.better is None:
        return ""
    far = {"higher": lambda x: -x, "lower": lambda x: x, "zero": abs}[metric.better]
    a, b = far(change.a), far(change.b)
    return "" if a == b else "better" if b < a else "worse"


def _records(side: Side, rows: Sequence[int]) -> dict[int, dict[str, Any]]:
    """These rows of the run, whole."""
    import polars as pl

    path = side.run.folder / RECORDS
    with readable(path):
        picked = pl.scan_parquet(path).with_row_index("row").filter(pl.col("row").is_in(sorted(set(rows)))).collect()
    return {int(record["row"]): record for record in picked.to_dicts()}
