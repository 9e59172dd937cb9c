"""The summary of a run for a terminal: the headline table, the report's sentences, and where the rest is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterfoil.console import GAP, page_width, table, width_of, wrapped
from counterfoil.figures.numbers import plural
from counterfoil.figures.tables import Table
from counterfoil.report.headline.table import headline_table
from counterfoil.report.headline.text import headline_text
from counterfoil.report.readings import second_reader_sentences, shares_sentence
from counterfoil.report.sentences import PROSE, data_sentence, headline_of, of_whom, warnings_of
from counterfoil.report.tables import notes_of, tables_of
from counterfoil.report.uncertainty import uncertainty_text
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import BASIS, CORRECTED, Estimate
from counterfoil.suite.suite import AnySuite

MOST_NOTES = 6
# Words that notes use.
WORDS = {
    "cluster": "A cluster is a group of questions that are not independent, as those made from one template.",
    "rough": "A rough interval comes from few clusters: it may hold the truth less often than it says.",
    "each counts as one record": "Clusters that agree don't tell how far others would differ, so each counts as one "
    "record, however many it has.",
}


def summary_text(run: Run, *, every_row: bool = False) -> str:
    """What the figures do not speak of, the few figures that count, what they say, and how the records ended.

    With `every_row` all figures, each with its notes, and all sentences.
    """
    suite = suite_to_show(run)
    headline = headline_table(run, suite)
    figures = _all_figures(run, suite) if every_row or headline is None else []
    first = [one.estimate for row in headline.rows for one in row.cells if one.estimate] if headline else []
    notes = _notes([estimate for _, estimate in figures] or first, MOST_NOTES if not every_row else None)
    left = len(run.estimates) - len(figures or first)
    sentences = headline_of(run, suite)
    told = sentences if every_row else sentences[:PROSE]
    if len(told) < len(sentences):
        told = [*told, f"{plural(len(sentences) - PROSE, 'more sentence')}: in the report, and with --all."]
    sections = [
        *map(wrapped, warnings_of(run)),
        headline_text(headline) if headline else "",
        wrapped(headline.note) if headline else "",
        "\n".join(wrapped(f"- {sentence}", "  ") for sentence in told),
        *(_suites_table(one) for one in tables_of(run, suite) if one.brief or every_row),
        *_tables(figures, [(row["model"], row["variant"]) for row in run.outcomes]),
        "\n".join(map(wrapped, notes)),
        _over_prompts(run.estimates) if every_row else "",
        uncertainty_text(run.whole_summary.variance),
        _outcomes(run),
        "\n".join(wrapped(f"- {sentence}", "  ") for sentence in second_reader_sentences(run)),
        wrapped(shares_sentence(run) or ""),
        wrapped(f"{data_sentence(run.manifest)}. {of_whom(run)}"),
        "" if every_row or not left else f"{plural(left, 'more figure')}: counterfoil show {run.folder} --all.",
    ]
    return "\n\n".join(filter(None, sections))


def _suites_table(one: Table) -> str:
    """A suite's own table under its title."""
    return f"{one.title}\n\n{table([list(one.head), *map(list, one.rows)], left=True)}"


def _all_figures(run: Run, suite: AnySuite) -> list[tuple[str, Estimate]]:
    """All, with names that tell their groups; what is over several prompts has a table of its own."""
    return [
        (_name(estimate, suite.group_names) or _plain_name(estimate), estimate)
        for estimate in run.estimates
        if set(estimate.group) != {"prompts", "statistic"}
    ]


def _name(estimate: Estimate, names: Mapping[str, str]) -> str | None:
    """The metric, with the judge, level or control where each has its own; None for groups that are not named."""
    parts = [estimate.metric]
    for key, value in estimate.group.items():
        name = CORRECTED if (key, value) == (BASIS, CORRECTED) else names.get(f"{key}={value}", names.get(key))
        if name is None:
            return None
        parts.append(name.format(value))
    return ", ".join(parts)


def _plain_name(estimate: Estimate) -> str:
    return ", ".join([estimate.metric, *(f"{key} {value}" for key, value in estimate.group.items())])


def _tables(figures: Sequence[tuple[str, Estimate]], order: Sequence[tuple[str, str]]) -> list[str]:
    """One table, or several where the terminal is too narrow for all models and variants, in the order of asking."""
    cells = {(name, estimate.model, estimate.variant): _cell(estimate) for name, estimate in figures}
    metrics = list(dict.fromkeys(name for name, _ in figures))
    there = dict.fromkeys((estimate.model, estimate.variant) for _, estimate in figures)
    columns = [column for column in order if column in there] + [column for column in there if column not in order]
    room = page_width() - max(map(width_of, metrics), default=0)
    tables: list[str] = []
    while columns:
        some: list[tuple[str, str]] = []
        used = 0
        while columns:
            # A name may be cut, a figure may not.
            width = max(width_of(cells.get((metric, *columns[0]), "")) for metric in metrics) + len(GAP)
            if some and used + width > room:
                break
            used += width
            some.append(columns.pop(0))
        rows = [["", *(model for model, _ in some)], ["", *(variant for _, variant in some)]]
        rows += [
            [metric, *(cells.get((metric, *column), "") for column in some)]
            for metric in metrics
            if any((metric, *column) in cells for column in some)
        ]
        tables.append(table(rows, heading=2))
    return tables


def _notes(estimates: Sequence[Estimate], most: int | None) -> list[str]:
    notes = [f"{metrics}: {note}." for note, metrics in notes_of(estimates).items()]
    if most is not None and len(notes) > most:
        notes[most:] = [f"{len(notes) - most} more notes are in summary.json."]
    return [*notes, *(text for word, text in WORDS.items() if any(word in note for note in notes))]


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


def _outcomes(run: Run) -> str:
    """How the records ended."""
    outcomes = run.outcomes
    if not outcomes:
        return ""
    shown = [name for name in outcomes[0] if name not in ("model", "variant") and any(row[name] for row in outcomes)]
    rows = [["records", "variant", *shown]]
    rows += [[row["model"], row["variant"], *(f"{row[name]:,}" for name in shown)] for row in outcomes]
    return table(rows)
