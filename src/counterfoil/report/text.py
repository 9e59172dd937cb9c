"""Summaries and dry runs as plain text."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from counterfoil.console import GAP, table
from counterfoil.report.cut_off import cut_off_sentences
from counterfoil.report.tables import notes_of
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import Run
from counterfoil.running.partial import sentences_of
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.outcome import BROKEN, LEFT_OUT, UNREAD

if TYPE_CHECKING:
    from counterfoil.running.dry import DryRun

# An estimate over all models and variants is named so.
ALL = "all"
MOST_NOTES = 6


def summary_text(run: Run) -> str:
    """The estimates with their intervals, how the records ended, and what was left out and why.

    Overall ones, and those of each judge where there are several; agreement and what is over all models below.
    """
    # With all replies read, both policies for unread ones say the same.
    hidden = set() if any(row[name] for row in run.outcomes for name in UNREAD) else {"policy"}
    names = suite_to_show(run).group_names
    named = [(_name(each, names), each) for each in run.estimates if ALL not in (each.model, each.variant)]
    shown = [(name, each) for name, each in named if name is not None and hidden.isdisjoint(each.group)]
    notes = [f"{metrics}: {note}." for note, metrics in notes_of(estimate for _, estimate in shown).items()]
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{len(notes) - MOST_NOTES} more notes are in summary.json."]
    over_all = [
        [each.metric, ", ".join(map(str, each.group.values())), _cell(each)]
        for each in run.estimates
        if each.model == ALL
    ]
    sections = [
        _broken(run),
        "\n".join(cut_off_sentences(run.manifest)),
        "\n".join(sentences_of(run)),
        *_tables(shown, [(row["model"], row["variant"]) for row in run.outcomes]),
        "\n".join(notes),
        table([["over all models", "", ""], *over_all], left=True) if over_all else "",
        _over_prompts(run.estimates),
        _outcomes(run),
    ]
    return "\n\n".join(filter(None, sections))


def _tables(estimates: Sequence[tuple[str, Estimate]], order: Sequence[tuple[str, str]]) -> list[str]:
    """One table, or several where the terminal is too narrow for all models and variants, in the order of asking."""
    cells = {(name, estimate.model, estimate.variant): _cell(estimate) for name, estimate in estimates}
    metrics = list(dict.fromkeys(name for name, _ in estimates))
    there = dict.fromkeys((estimate.model, estimate.variant) for _, estimate in estimates)
    columns = [column for column in order if column in there] + [column for column in there if column not in order]
    room = shutil.get_terminal_size((110, 24)).columns - max((len(metric) for metric in metrics), default=0)
    tables: list[str] = []
    while columns:
        some: list[tuple[str, str]] = []
        used = 0
        while columns:
            width = max(*map(len, columns[0]), *(len(cells.get((m, *columns[0]), "")) for m in metrics)) + len(GAP)
            if some and used + width > room:
                break
            used += width
            some.append(columns.pop(0))
        rows = [["", *(model for model, _ in some)], ["", *(variant for _, variant in some)]]
        rows += [[metric, *(cells.get((metric, *column), "") for column in some)] for metric in metrics]
        # The rule goes below the second line of the heading.
        first, rule, second, *body = table(rows).split("\n")
        tables.append("\n".join([first, second, rule, *body]))
    return tables


def _name(estimate: Estimate, names: Mapping[str, str]) -> str | None:
    """The metric, with the judge, level or control where each has its own; None for groups that are not named."""
    parts = [estimate.metric]
    for key, value in estimate.group.items():
        name = names.get(f"{key}={value}", names.get(key))
        if name is None:
            return None
        parts.append(name.format(value))
    return ", ".join(parts)


def _over_prompts(estimates: Sequence[Estimate]) -> str:
    """Mean and range over several prompts, for overall figures."""
    rows: dict[tuple[str, str, str], dict[str, float]] = {}
    for estimate in estimates:
        if set(estimate.group) == {"prompts", "statistic"} and estimate.value is not None:
            key = estimate.metric, estimate.model, str(estimate.group["prompts"])
            rows.setdefault(key, {})[str(estimate.group["statistic"])] = estimate.value
    if not rows:
        return ""
    kinds = {prompts for *_, prompts in rows}
    lines = [["over prompts", "", "mean", "lowest", "highest"]]
    for (metric, model, prompts), found in rows.items():
        label = model if len(kinds) == 1 else f"{model}, {prompts}"
        lines.append([metric, label, *(f"{found[name]:.3f}" for name in ("mean", "lowest", "highest"))])
    return table(lines)


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"not defined (n={estimate.n})"
    interval = "no interval" if estimate.low is None else f"[{estimate.low:z.3f}, {estimate.high:z.3f}]"
    return f"{estimate.value:z.3f} {interval}"


def _broken(run: Run) -> str:
    """What went wrong in the suite itself: it comes before all figures."""
    if not (broken := run.whole_summary.broken):
        return ""
    first = next((row for row in run.unanswered if row.reason and row.reason.startswith(BROKEN)), None)
    where = f" The first: {first.model}, {first.variant}, {first.question_id}: {first.reason}." if first else ""
    replies = "1 reply" if broken == 1 else f"{broken:,} replies"
    return f"The suite's own code failed on {replies}, left out of all figures.{where}"


def _outcomes(run: Run) -> str:
    outcomes = run.outcomes
    if not outcomes:
        return ""
    shown = [name for name in outcomes[0] if name not in ("model", "variant") and any(row[name] for row in outcomes)]
    rows = [["records", "variant", *shown]]
    rows += [[row["model"], row["variant"], *(f"{row[name]:,}" for name in shown)] for row in outcomes]
    text = table(rows)
    if run.unjudged:
        text += f"\n\n{run.unjudged:,} replies could not be judged, or not in every step: see judge_failures."
    missing = sum(row[name] for row in outcomes for name in LEFT_OUT)
    if missing:
        text += f"\n\n{missing:,} were left out, among them:"
        for row in run.unanswered[:5]:
            text += f"\n  {row.model}, {row.variant}, {row.question_id}: {row.outcome}, {row.reason}"
    return text


def dry_run_text(rows: Sequence[DryRun]) -> str:
    """The dry run as a table; estimates are marked as such."""
    in_batches = any(row.under_way for row in rows)
    heading = ["asks", "in ledger", *(["in batches"] if in_batches else []), "to ask", "~tokens in", "~tokens out"]
    lines = [["model", *heading, "~cost", ""]]
    for row in rows:
        output = "?" if row.output_tokens is None else f"{row.output_tokens:,}"
        cost = "?" if row.cost is None else f"${row.cost:,.4f}"
        name = f"{row.model} (judge)" if row.judge else row.model
        counts = [row.asks, row.in_ledger, *([row.under_way] if in_batches else []), row.to_ask, row.input_tokens]
        lines.append([name, *(f"{number:,}" for number in counts), output, cost, row.note or ""])
    known = [row.cost for row in rows if row.cost is not None]
    total = f"In all about ${sum(known):,.4f}" + (", and what is marked ?." if len(known) < len(rows) else ".")
    judges = " Judges' asks about replies that are not there yet come on top." if any(row.judge for row in rows) else ""
    return f"{table(lines)}\n\n{total}{judges} Nothing was asked."
