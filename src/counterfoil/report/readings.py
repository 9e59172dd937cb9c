"""How replies were read: shares, a sentence where many readings are weak, and what a second reader says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from counterfoil.figures.numbers import between, cell, listed, plural, with_interval
from counterfoil.reading.ways import WEAK
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import ALL, Estimate
from counterfoil.suite.second_reader import DIFFERENCE, READING, READING_AGREEMENT, RULES, SECOND

# Up to this share of weak readings nothing is said. Of real replies of five models to the CFE study, all of them right,
# 11 % are read so, at most 17 in a model and prompt, and 101 of these 102 readings are right. Where it is more than a
# fifth, replies are of another kind: if one in ten of the weak readings is wrong, a share moves by two points.
MOST_WEAK = 0.2
# So many models and variants are named.
NAMED = 3
# So many figures are told in sentences; all are in the table.
MOST_FIGURES = 6


class Ways(NamedTuple):
    """How the readings of a model and variant came about: counts, the most frequent first."""

    model: str
    variant: str
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def weak(self) -> dict[str, int]:
        return {way: number for way, number in self.counts.items() if way in WEAK}

    @property
    def weak_share(self) -> float:
        return sum(self.weak.values()) / self.total


def ways_of(run: Run) -> list[Ways]:
    """Of each model and variant; older runs have none."""
    return [
        Ways(row["model"], row["variant"], {way: row[way] for way in row if way not in ("model", "variant")})
        for row in run.whole_summary.readings
    ]


def in_words(way: str) -> str:
    return way.replace("_", " ")


def shares_sentence(run: Run) -> str | None:
    """All readings of a run by how they came about, in a line; None where nothing is known of it."""
    total: Counter[str] = Counter()
    for ways in ways_of(run):
        total.update(ways.counts)
    if not total:
        return None
    shares = (f"{in_words(way)} {number / total.total():.0%}" for way, number in total.most_common())
    return f"How {plural(total.total(), 'reply was', 'replies were')} read: {', '.join(shares)}."


def weak_sentences(run: Run) -> Iterator[str]:
    """Which models and variants have more weak readings than may be passed over, and what to do: at most a sentence."""
    many = [ways for ways in ways_of(run) if ways.weak_share > MOST_WEAK]
    if not many:
        return
    many.sort(key=lambda ways: -ways.weak_share)
    named = [f"{ways.model}, {ways.variant} ({ways.weak_share:.0%}: {_which(ways)})" for ways in many[:NAMED]]
    named += [f"{len(many) - NAMED:,} more"] if len(many) > NAMED else []
    second = "" if run.manifest.get("second_reader") else ", or have a sample read anew with --second-reader MODEL"
    yield (
        f"Many readings are weak, and may be meant otherwise: {'; '.join(named)}. Look at them among the records "
        f"(read_by), ask in a --variant that wants a final line{second}."
    )


def _which(ways: Ways) -> str:
    return listed(f"{number:,} {in_words(way)}" for way, number in ways.weak.items())


def not_reread(run: Run) -> Iterator[str]:
    """Replies that the second reader was to read, and did not."""
    about = run.manifest.get("second_reader")
    if about and run.whole_summary.not_reread:
        missing = plural(run.whole_summary.not_reread, "reply", "replies")
        why = f": {about['stopped']}" if about.get("stopped") else ""
        yield f"The second reader, {about['name']}, gave no reading of {missing} that can be used{why}."


def is_of_second_reader(estimate: Estimate) -> bool:
    """Whether a figure is over the second reader's sample."""
    return estimate.metric == READING_AGREEMENT.name or estimate.group.get(READING) in (RULES, SECOND, DIFFERENCE)


def second_reader_sentences(run: Run) -> list[str]:
    """How far the second reader agrees, where it does so least, and how far the headline figures move by it."""
    about = run.manifest.get("second_reader")
    figures = [estimate for estimate in run.estimates if is_of_second_reader(estimate)]
    if not about or not figures:
        return []
    is_all = any(estimate.model == ALL for estimate in figures)
    figures = [estimate for estimate in figures if (estimate.model == ALL) == is_all]
    return [*_agreement(about, figures), *_moved(figures)]


def _agreement(about: Mapping[str, Any], figures: list[Estimate]) -> Iterator[str]:
    agreement = [estimate for estimate in figures if estimate.metric == READING_AGREEMENT.name]
    whole = next((estimate for estimate in agreement if not estimate.group), None)
    if whole is None or whole.value is None:
        return
    replies = plural(whole.n, "reply", "replies")
    differ = about.get("differ", 0)
    yield (
        f"Of a random sample of {replies}, the second reader, {about['name']}, reads {with_interval(whole)} as the "
        f"rules do, and {differ:,} otherwise."
    )
    by_way = [one for one in agreement if "read_by" in one.group and one.value is not None]
    if len(by_way) > 1 and whole.value < 1:
        least = min(by_way, key=lambda one: one.value or 0.0)
        way = in_words(str(least.group["read_by"]))
        yield f"They agree least on what was read by “{way}”: {with_interval(least)} of {least.n:,}."


def _moved(figures: list[Estimate]) -> Iterator[str]:
    values: dict[tuple[str, str], dict[str, Estimate]] = {}
    for estimate in figures:
        if estimate.metric != READING_AGREEMENT.name:
            rest = ", ".join(str(value) for key, value in estimate.group.items() if key != READING)
            values.setdefault((estimate.metric, rest), {})[str(estimate.group[READING])] = estimate
    told = [(name, of) for name, of in values.items() if of[DIFFERENCE].value is not None]
    for (metric, rest), of in told[:MOST_FIGURES]:
        name = f"{metric} ({rest})" if rest else metric
        moved = of[DIFFERENCE]
        yield (
            f"On this sample {name} is {cell(of[RULES].value)} by the rules and {cell(of[SECOND].value)} by the second "
            f"reader: {cell(moved.value)}{between(moved.low, moved.high)}."
        )
