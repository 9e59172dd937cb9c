"""The report's part on how replies were read: the ways, what a second reader says, and where it reads otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.figures.numbers import plural
from counterfoil.report.html import Html, details, facts, items, joined, table, tag
from counterfoil.report.page.records import LONGEST, card, cut, named, reply_box
from counterfoil.report.page.tables import agreement_tables, group_tables
from counterfoil.report.readings import in_words, is_of_second_reader, second_reader_sentences, ways_of
from counterfoil.running.asked import shown_of
from counterfoil.running.folder import RECORDS, Run, readable
from counterfoil.stats.estimate import ALL
from counterfoil.suite.second_reader import READERS_AGREE, READING_AGREEMENT
from counterfoil.suite.suite import AnySuite

# Of the replies that are read otherwise, so many are shown; all are in records.parquet.
MOST_DIFFERENT = 50

Pair = tuple[str, str]


def readings_part(run: Run, suite: AnySuite, order: Sequence[Pair]) -> Html | None:
    """None where the run says nothing of it."""
    parts = [_ways(run, order), *_second_reader(run, suite, order)]
    return joined(*parts) if any(parts) else None


def _ways(run: Run, order: Sequence[Pair]) -> Html | None:
    """How often what was read in which way, of each model and variant."""
    places = {pair: place for place, pair in enumerate(order)}
    every = sorted(ways_of(run), key=lambda ways: places.get((ways.model, ways.variant), len(places)))
    names = list(dict.fromkeys(way for ways in every for way in ways.counts))
    if not names:
        return None
    rows = [
        [
            *(ways.model, ways.variant, f"{ways.total:,}"),
            *(f"{ways.counts.get(name, 0):,} ({ways.counts.get(name, 0) / ways.total:.0%})" for name in names),
        ]
        for ways in every
    ]
    head = ["model", "prompt", "readings", *map(in_words, names)]
    shown = table("How the replies were read", head, rows, names=2)
    return details(f"How the replies were read ({plural(len(names), 'way')})", shown)


def _second_reader(run: Run, suite: AnySuite, order: Sequence[Pair]) -> list[Html | None]:
    figures = [estimate for estimate in run.estimates if is_of_second_reader(estimate)]
    if not figures:
        return []
    agreement = [estimate for estimate in figures if estimate.metric == READING_AGREEMENT.name]
    moved = [estimate for estimate in figures if estimate.metric != READING_AGREEMENT.name]
    over_all = [estimate for estimate in agreement if estimate.model == ALL]
    of_each = [estimate for estimate in agreement if estimate.model != ALL]
    return [
        items(second_reader_sentences(run)),
        _different(run, suite),
        agreement_tables(over_all or of_each),
        details("Agreement in each model and prompt", agreement_tables(of_each)) if over_all else None,
        group_tables(moved, [(ALL, ALL), *order]),
    ]


def _different(run: Run, suite: AnySuite) -> Html | None:
    """The replies that the second reader reads otherwise."""
    import polars as pl

    path = run.folder / RECORDS
    with readable(path):
        frame = pl.scan_parquet(path)
        if READERS_AGREE not in frame.collect_schema().names():
            return None
        different = frame.filter(~pl.col(READERS_AGREE))
        count = different.select(pl.len()).collect().item()
        records = different.head(MOST_DIFFERENT).collect().to_dicts()
    if not records:
        return None
    cards = []
    for record, question in zip(records, shown_of(run, records), strict=True):
        name = tag("span", named(record), class_="id")
        words = facts((key, cut(text)) for key, text in question.items()) if question else None
        cards.append(card(record, name, words, reply_box(record, question, suite, LONGEST)))
    shown = f"{len(records):,} of {count:,}" if len(records) < count else f"{count:,}"
    return details(f"Read otherwise by the second reader: {shown}", tag("div", *cards, class_="cards"))
