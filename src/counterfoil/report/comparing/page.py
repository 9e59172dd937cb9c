"""The figures of two sides as a page shows them: a sentence, a forest plot of the differences, tables."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.comparing.compared import ComparedFigure
from counterfoil.figures.numbers import between, cell, listed, plural
from counterfoil.figures.plots import Axis, Dot, Dots
from counterfoil.report.html import Html, joined, table, tag

APART = ("better", "worse", "higher", "lower")
ALIKE = "can't be told apart"
EXPLAINED = (
    "The difference is b − a. Test and interval are corrected for all figures of the table together (Holm): the "
    "interval leaves 0 out only where both tell the sides apart. “Could show” is the smallest true difference that "
    "would be found in 4 of 5 such comparisons. Not told apart is not equal."
)


def in_short(rows: Sequence[ComparedFigure], a: str, b: str) -> str:
    """The comparison in a sentence."""
    by_word: dict[str, list[str]] = {}
    for row in rows:
        if row.told_apart and row.same_as is None:
            by_word.setdefault(row.verdict.split(",")[0], []).append(row.name)
    tested = sum(row.p is not None and row.same_as is None for row in rows)
    if not by_word:
        none = f"In short: none of {plural(tested, 'figure')} tells {b} from {a}."
        return f"{none} That does not show that they are equal."
    words = [f"{word} in {listed(by_word[word])}" for word in APART if word in by_word]
    rest = tested - sum(map(len, by_word.values()))
    others = [f"{plural(rest, 'other figure')} can't tell them apart"] if rest else []
    return f"In short, {b} against {a}: {'; '.join([*words, *others])}."


def forest_plot(rows: Sequence[ComparedFigure], a: str, b: str) -> Dots | None:
    """The differences of shares with their intervals; numbers on other scales are in the table alone. What has no
    interval is not drawn.
    """
    drawn = [
        Dot(
            row.name,
            word if (word := row.verdict.split(",")[0]) in APART else ALIKE,
            row.difference,
            row.low,
            row.high,
            "" if row.p_adjusted is None else f"p = {row.p_adjusted:.4f}",
            of=(("metric", row.metric),),
        )
        for row in rows
        if row.same_as is None and row.low is not None and _is_share(row)
    ]
    if not drawn:
        return None
    return Dots(
        title=f"{b} against {a}",
        description="Each difference with its interval, corrected for all of them together. At 0 both are the same.",
        x=Axis("difference, b − a"),
        rows=tuple(drawn),
        label_name="metric",
        series_name="in words",
        reference=0.0,
    )


def _is_share(row: ComparedFigure) -> bool:
    return all(value is None or abs(value) <= 1 for value in (row.value_a, row.value_b, row.difference))


def figures_table(rows: Sequence[ComparedFigure]) -> Html | None:
    """The figures with their tests and what they mean in words."""
    if not rows:
        return None
    has_groups = any(row.group for row in rows)
    head = [
        "metric",
        *(["group"] if has_groups else []),
        "a",
        "b",
        "b − a",
        "in words",
        "p (Holm)",
        "could show",
        "pairs",
    ]
    body = [_cells(row, has_groups=has_groups) for row in rows if row.same_as is None]
    again = [f"{row.name} is {row.same_as}" for row in rows if row.same_as is not None]
    same = tag("p", f"The same numbers: {'; '.join(again)}.", class_="notes") if again else None
    return joined(table("By group" if has_groups else "Overall", head, body, kind="estimates"), same)


def _cells(row: ComparedFigure, *, has_groups: bool) -> list[str]:
    group = [", ".join(f"{name} {value}" for name, value in row.group.items())] if has_groups else []
    difference: str = "not defined"
    if row.difference is not None:
        interval = tag("span", between(row.low, row.high).strip(), class_="interval")
        difference = joined(tag("b", cell(row.difference)), interval)
    p = "–" if row.p_adjusted is None else f"{row.p_adjusted:.4f}"
    word = row.verdict.split(",")[0]
    verdict = tag("span", row.verdict, class_=f"verdict {word}" if word in APART else "verdict", title=row.note)
    values = ["–" if value is None else cell(value) for value in (row.value_a, row.value_b)]
    could = "–" if row.detectable is None else cell(row.detectable)
    return [row.metric, *group, *values, difference, verdict, p, could, f"{row.pairs:,}"]
