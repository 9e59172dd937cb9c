"""Records for people: each as a card, and a sample of them to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from counterfoil.errors import UserError
from counterfoil.figures.numbers import cell, plural
from counterfoil.report.html import Html, details, facts, highlighted, joined, language_of, tag
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
    parts = [
        details(
            f"{outcome.replace('_', ' ')}: {len(some):,} of {plural(counts[outcome], 'record')}",
            tag("div", *some, class_="cards"),
        )
        for outcome, some in cards.items()
    ]
    return joined(tag("p", _explained(len(records), "".join(parts))), *parts)


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
    return joined(text, *(part for mark in used for part in (" Marked: " if mark is used[0] else ", ", mark)))


LONGEST_VALUE = 600


def card(record: Record, name: Html, *content: Html | None) -> Html:
    """The record under that name, with the content and all that was read and scored."""
    return tag("article", who(record, name), *content, why(record), facts((k, cut(v)) for k, v in values(record)))


def named(record: Record) -> str:
    """The question, and which repeat of it."""
    repeat = f", repeat {record['repeat']}" if record["repeat"] else ""
    return f"{record['question_id']}{repeat}"


def who(record: Record, name: str | None) -> Html:
    """Model and variant, that name, and how the record ended."""
    correct = record.get("correct") if record["outcome"] == "answered" else None
    right = "" if correct is None else "right" if correct else "wrong"
    ended = ", ".join(filter(None, (record["outcome"].replace("_", " "), right)))
    outcome = tag("span", ended, class_=f"outcome {right or record['outcome']}")
    middle = (f" · {record['variant']} · ", *((name, " · ") if name else ()))
    return tag("p", tag("b", str(record["model"])), *middle, outcome, class_="who")


def why(record: Record) -> Html | None:
    """Why the record ended so, where that is known."""
    return tag("p", f"Why: {cut(record['reason'])}") if record.get("reason") else None


def reply_box(
    record: Record, asked: Mapping[str, str], suite: AnySuite, most: int, *, search: str = "", kind: str = "reply"
) -> Html:
    """At most so many characters of the reply, from where they hold what was searched for; the rest is counted."""
    reply = record["reply"]
    if not reply:
        return tag("p", "no reply" if reply is None else "an empty reply", class_="none")
    start = _start(reply, most, search)
    part = reply[start : start + most]
    content = highlighted(part, suite.marks({**record, "reply": part}, asked) or _found(part, search))
    hidden = len(reply) - len(part)
    rest = tag("span", f" … {plural(hidden, 'more character')}", class_="none") if hidden else None
    # The text's own direction stays its own: it can't turn what stands around it.
    return tag("div", content, rest, class_=kind, dir="auto", lang=language_of(part))


def _start(reply: str, most: int, search: str) -> int:
    spans = _found(reply, search) if len(reply) > most else []
    return max(0, spans[0][0] - most // 3) if spans and spans[0][1] > most else 0


def _found(text: str, search: str) -> list[tuple[int, int, str]]:
    matches = re.finditer(re.escape(search), text, re.IGNORECASE) if search else ()
    return [(*match.span(), "found") for match in matches]


def values(record: Record) -> Iterator[tuple[str, str]]:
    """What was read, and the scores: the suite's own columns, where there is something in them."""
    for name, value in record.items():
        parts = value if isinstance(value, list) else [value]
        if (name == "read_by" or name not in (*COLUMNS, "row")) and any(part is not None for part in parts):
            yield name, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return cell(value)
    return "–" if value is None else str(value)


def cut(text: str) -> str:
    """As much of a value as a list of records shows."""
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} …"
