"""A comparison as plain text: what was compared, the figures, what they say in one sentence."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from counterfoil.console import table
from counterfoil.figures.numbers import plural
from counterfoil.report.comparing.page import in_short
from counterfoil.stats.estimate import BASIS

if TYPE_CHECKING:
    from counterfoil.comparing.compare import Alignment, Comparison
    from counterfoil.comparing.compared import ComparedFigure
    from counterfoil.suite.suite import AnySuite

MOST_NOTES = 6
# A name of a side is cut in the middle beyond this.
LONGEST_NAME = 60
USUAL_WIDTH = 120
# After the metric and both sides.
COLUMNS = ("difference", "p", "could show", "")


def comparison_text(comparison: Comparison, suite: AnySuite) -> str:
    """Overall figures first, then groups that differ, what could not be aligned, ties, and the source's own table."""
    beside = {*suite.beside_overall, BASIS}
    # Ties in the other metrics are in the JSON.
    headlines = {metric.name for metric in suite.metrics if metric.headline}
    sections = [_pair_text(aligned, comparison.rows, beside) for aligned in comparison.alignment]
    for metric, groups in comparison.tied.items():
        if metric in headlines:
            sections.append(f"{metric}: can't be told apart: {'; '.join(' = '.join(group) for group in groups)}.")
    if not comparison.with_groups:
        sections.append("Groups are not compared between so many sides: name two of them with --a and --b.")
    if comparison.not_compared:
        sections.append(f"Not on all sides, and so not compared: {', '.join(comparison.not_compared)}.")
    if comparison.seed_table:
        sections.append(_source_table(comparison))
    sections.append(
        "Differences are the second side minus the first. Test and interval are corrected for all overall figures "
        "together (Holm): the interval leaves 0 out only where both tell the sides apart. `could show` is the smallest "
        "true difference that would be found in 4 of 5 such comparisons. Not told apart is not equal. "
        f"{comparison.of_whom}"
    )
    return "\n\n".join(sections)


def _pair_text(aligned: Alignment, rows: Sequence[ComparedFigure], beside: set[str]) -> str:
    """What is said of two sides."""
    mine = [row for row in rows if (row.a, row.b) == (aligned.a, aligned.b)]
    a, b = (_shortened(label) for label in (aligned.a, aligned.b))
    shown = [row for row in mine if row.same_as is None]
    whole = [row for row in shown if set(row.group) <= beside]
    groups = [row for row in shown if not set(row.group) <= beside and row.p is not None]
    apart = [row for row in groups if row.told_apart]
    again = [f"{row.name} as {row.same_as}" for row in mine if row.same_as is not None and set(row.group) <= beside]
    lines = [*_aligned(aligned, a, b), "", _figures(whole, a, b)]
    if groups:
        are = "is" if len(apart) == 1 else "are"
        lines += ["", f"Of {plural(len(groups), 'figure')} of groups, {len(apart)} {are} told apart (Holm)."]
    if apart:
        lines += ["", _figures(apart, a, b, with_names=False)]
    if again:
        lines += ["", f"The same numbers, and not shown again: {', '.join(again)}."]
    notes = list(_notes(whole))
    return "\n".join([*lines, *([""] if notes else []), *notes, "", in_short(whole, a, b)])


def _aligned(aligned: Alignment, a: str, b: str) -> list[str]:
    lines = [f"{b} against {a}: {aligned.both:,} items in both."]
    if aligned.only_a or aligned.only_b:
        among = f", among them {', '.join(aligned.unpaired[:3])}" if aligned.unpaired else ""
        lines.append(f"{aligned.only_a:,} are only in {a}, {aligned.only_b:,} only in {b}{among}.")
    for label, name in ((aligned.a, a), (aligned.b, b)):
        if aligned.left_out.get(label):
            lines.append(f"{aligned.left_out[label]:,} failed or were not asked in {name}: left out on both sides.")
    if aligned.compared < aligned.both:
        lines.append(f"{aligned.compared:,} are compared.")
    return [*lines, *aligned.caveats, f"{a}: {_counts(aligned.outcomes_a)}.", f"{b}: {_counts(aligned.outcomes_b)}."]


def _figures(rows: Sequence[ComparedFigure], a: str, b: str, *, with_names: bool = True) -> str:
    """A table that fits the terminal. If the names of both sides take too much room, they are said before it; next,
    each metric is on a line of its own; at last, what could be shown is left out.
    """
    room = shutil.get_terminal_size((USUAL_WIDTH, 24)).columns
    cells = [_cells(row) for row in rows]
    whole = table([["metric", a, b, *COLUMNS], *cells])
    if _width(whole) <= room:
        return whole
    brief = table([["metric", "a", "b", *COLUMNS], *cells])
    for left_out in ((), (COLUMNS.index("could show"),)):
        if _width(brief) > room:
            brief = _below(cells, left_out)
    return f"a is {a}, b is {b}.\n\n{brief}" if with_names else brief


def _below(cells: Sequence[Sequence[str]], left_out: Sequence[int]) -> str:
    """Each metric on a line of its own, its numbers on the next."""
    rows = [["", "a", "b", *COLUMNS], *(["", *row[1:]] for row in cells)]
    kept = [[cell for place, cell in enumerate(row) if place - 3 not in left_out] for row in rows]
    heading, rule, *body = table(kept).split("\n")
    names = [row[0] for row in cells]
    return "\n".join([heading, rule, *(line for pair in zip(names, body, strict=True) for line in pair)])


def _width(text: str) -> int:
    return max(map(len, text.split("\n")))


def _cells(row: ComparedFigure) -> list[str]:
    interval = "" if row.low is None or row.high is None else f" [{row.low:+z.3f}, {row.high:+z.3f}]"
    return [
        row.name,
        _number(row.value_a),
        _number(row.value_b),
        "" if row.difference is None else f"{row.difference:+z.3f}{interval}",
        "" if row.p_adjusted is None else f"{row.p_adjusted:.4f}",
        "" if row.detectable is None else f"{row.detectable:z.3f}",
        row.verdict,
    ]


def _notes(rows: Sequence[ComparedFigure]) -> Iterator[str]:
    """Each note with the figures that it is on."""
    of: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            of.setdefault(row.note, []).append(row.name)
    for note, names in list(of.items())[:MOST_NOTES]:
        yield f"{', '.join(names)}: {note}."
    if len(of) > MOST_NOTES:
        yield f"{len(of) - MOST_NOTES} more notes are in --json."


def _shortened(name: str) -> str:
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:z.3f}"


def _counts(outcomes: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in outcomes.items()) or "no records"


def _source_table(comparison: Comparison) -> str:
    lines = []
    for row in comparison.seed_table:
        if "accuracy_diff" in row:
            lines.append(f"diff_bias_diff: {row['diff_bias_diff']:.2f}%, accuracy_diff: {row['accuracy_diff']:.2f}%")
        else:
            lines.append(f"{row['side']}, mean over all rows of the result table")
            lines += [f"  {name:<38}{value:.6f}" for name, value in row.items() if name != "side"]
    return "\n".join(lines)
