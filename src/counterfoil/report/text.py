"""Summaries, dry runs and comparisons as plain text."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from counterfoil.console import GAP, table
from counterfoil.report.tables import notes_of
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import Run
from counterfoil.running.partial import sentences_of
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.outcome import BROKEN, LEFT_OUT, UNREAD

if TYPE_CHECKING:
    from counterfoil.comparing.compare import Comparison
    from counterfoil.comparing.compared import ComparedFigure
    from counterfoil.running.dry import DryRun
    from counterfoil.suite.suite import AnySuite

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


def comparison_text(comparison: Comparison, suite: AnySuite) -> str:
    """Overall figures first, then groups that differ, what could not be aligned, ties, and the source's own table."""
    beside = set(suite.beside_overall)
    # Ties in the other metrics are in the JSON.
    headlines = {metric.name for metric in suite.metrics if metric.headline}
    sections = []
    for aligned in comparison.alignment:
        overall = [row for row in comparison.rows if (row.a, row.b) == (aligned.a, aligned.b)]
        lines = [f"{aligned.b} against {aligned.a}: {aligned.both:,} items in both."]
        if aligned.only_a or aligned.only_b:
            lines.append(
                f"{aligned.only_a:,} are only in {aligned.a}, {aligned.only_b:,} only in {aligned.b}, "
                f"among them {', '.join(aligned.unpaired[:3])}."
            )
        for label, number in aligned.left_out.items():
            if number:
                lines.append(f"{number:,} failed or were not asked in {label}: left out on both sides.")
        if aligned.compared < aligned.both:
            lines.append(f"{aligned.compared:,} are compared.")
        lines += aligned.caveats
        lines += [f"{aligned.a}: {_counts(aligned.outcomes_a)}.", f"{aligned.b}: {_counts(aligned.outcomes_b)}."]
        whole = [row for row in overall if set(row.group) <= beside]
        heading = ["metric", aligned.a, aligned.b, "difference", "p", "could show", ""]
        lines += ["", table([heading, *map(_cells, whole)])]
        apart = [row for row in overall if row not in whole and row.verdict in ("higher", "lower")]
        tested = sum(1 for row in overall if row not in whole and row.p is not None)
        if tested:
            differ = "differs" if len(apart) == 1 else "differ"
            lines += ["", f"{len(apart)} of {tested} group figures {differ} after correction (Holm)."]
        if apart:
            lines += ["", table([heading, *map(_cells, apart)])]
        notes = list(dict.fromkeys(f"{row.metric}: {row.note}." for row in whole if row.note))
        sections.append("\n".join([*lines, *([""] if notes else []), *notes[:6]]))
    for metric, groups in comparison.tied.items():
        if metric in headlines:
            sections.append(f"{metric}: can't be told apart: {'; '.join(' = '.join(group) for group in groups)}.")
    if comparison.not_compared:
        sections.append(f"Not on all sides, and so not compared: {', '.join(comparison.not_compared)}.")
    if comparison.seed_table:
        sections.append(_source_table(comparison))
    sections.append(
        "Differences are the second side minus the first, with 95 % intervals; `could show` is the smallest true "
        "difference that would be found in 4 of 5 such comparisons. Not told apart is not equal."
    )
    return "\n\n".join(sections)


def _cells(row: ComparedFigure) -> list[str]:
    name = row.metric + (f" ({', '.join(map(str, row.group.values()))})" if row.group else "")
    interval = "" if row.low is None or row.high is None else f" [{row.low:+z.3f}, {row.high:+z.3f}]"
    return [
        name,
        _number(row.value_a),
        _number(row.value_b),
        "" if row.difference is None else f"{row.difference:+z.3f}{interval}",
        "" if row.p_adjusted is None else f"{row.p_adjusted:.4f}",
        "" if row.detectable is None else f"{row.detectable:z.3f}",
        row.verdict,
    ]


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:z.3f}"


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
