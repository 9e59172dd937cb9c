"""One run's part of the page: what was found, what was asked, tables, plots, records, methods, manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.figures.numbers import money, plural, with_interval
from counterfoil.figures.numbers import table as plot_table
from counterfoil.figures.plots import Plot
from counterfoil.report.html import Html, details, facts, items, joined, table, tag
from counterfoil.report.page.methods import methods_part
from counterfoil.report.page.records import records_part
from counterfoil.report.page.tables import agreement_table, group_tables, overall_tables
from counterfoil.report.plots.svg import draw
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import Run, Summary
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Metric, by_name
from counterfoil.suite.outcome import LEFT_OUT, OUTCOMES
from counterfoil.suite.suite import AnySuite

SENTENCES = 6


def run_part(run: Run, key: str, title: str) -> Html:
    """The run as a section whose ids begin with `key`."""
    summary, manifest = run.whole_summary, run.manifest
    suite = suite_to_show(run)
    order = [(row["model"], row["variant"]) for row in summary.outcomes]
    metrics = by_name([*suite.metrics, *suite.people_metrics])
    figures = [it for it in summary.estimates if not _is_agreement(it, metrics)]
    agreement = agreement_table([it for it in summary.estimates if _is_agreement(it, metrics)])
    parts: dict[str, Html | None] = {
        "Result": joined(
            [
                items(_headline(run, suite, summary)),
                _in_brackets(summary, several=len(order) > 1),
                _left_out(summary),
            ]
        ),
        "What was asked": _asked(manifest, summary),
        "Plots": joined(_figure(plot) for plot in suite.plots(run)) or None,
        "Estimates": joined([overall_tables(figures, order), group_tables(figures, order)]) or None,
        "Agreement": agreement and joined([tag("p", AGREEMENT), agreement]),
        "Records": records_part(run, suite),
        "How the numbers were computed": methods_part(summary.estimates, metrics),
        "Manifest": details("manifest.json", tag("pre", tag("code", _pretty(manifest)), tabindex="0")),
    }
    there = {name: content for name, content in parts.items() if content}
    ids = {name: f"{key}-{name.split()[0].lower()}" for name in there}
    contents = tag(
        "nav",
        tag("ul", *(tag("li", tag("a", name, href=f"#{ids[name]}")) for name in there)),
        aria_label=f"Sections of {title}",
    )
    sections = [tag("section", tag("h3", name, id=ids[name]), content) for name, content in there.items()]
    return tag("section", tag("h2", title, id=key), contents, *sections, class_="run")


AGREEMENT = (
    "How far the algorithm's labels and scores, the judges and people say the same: 1 is full agreement, 0 what chance "
    "would give. Labels are compared over questions, scores over replies."
)


def _is_agreement(estimate: Estimate, metrics: Mapping[str, Metric]) -> bool:
    return estimate.metric in metrics and metrics[estimate.metric].agreement


def _headline(run: Run, suite: AnySuite, summary: Summary) -> list[str]:
    """The suite's sentences, or the first overall estimates where it has none."""
    found = [it for it in summary.estimates if not it.group][:SENTENCES]
    return suite.headline(run) or [f"{it.model}, {it.variant}: {it.metric} {with_interval(it)}." for it in found]


def _in_brackets(summary: Summary, *, several: bool) -> Html | None:
    levels = ", ".join(f"{level:.0%}" for level in sorted({it.confidence for it in summary.estimates}))
    if not levels:
        return None
    test = (
        " ",
        tag("code", "counterfoil compare"),
        " tests whether two models or prompts differ, question by question.",
    )
    return tag("p", f"In brackets: the {levels} interval.", *(test if several else ()))


def _left_out(summary: Summary) -> Html | None:
    """What the numbers do not speak of."""
    sentences = []
    missing = sum(row[name] for row in summary.outcomes for name in LEFT_OUT)
    if missing:
        named = "; ".join(
            f"{it.model}, {it.variant}, {it.question_id}: {it.outcome.replace('_', ' ')}"
            + (f", {it.reason}" if it.reason else "")
            for it in summary.unanswered[:3]
        )
        sentences.append(f"{plural(missing, 'record')} failed or were not asked, and are left out: {named}.")
    if summary.unjudged:
        sentences.append(f"{summary.unjudged:,} replies could not be judged, or not in every step.")
    return tag("div", *(tag("p", it) for it in sentences), class_="warning") if sentences else None


def _asked(manifest: Mapping[str, Any], summary: Summary) -> Html:
    data = manifest["data"]
    cost = manifest["cost"]
    pairs = [
        ("suite", summary.suite),
        ("dataset", f"{data['name']}: {data['asked']:,} of {plural(data['questions'], 'question')}"),
        ("prompts", ", ".join(dict.fromkeys(row["variant"] for row in summary.outcomes))),
        ("finished", str(manifest["finished_at"]).replace("T", " ").replace("+00:00", " UTC")),
        *((f"cost of {role}", money(cost[role])) for role in ("models", "judges") if manifest[role]),
        ("versions", ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())),
    ]
    if manifest["stopped"]:
        pairs.append(("stopped", manifest["stopped"]))
    senders = [(it, role) for role in ("model", "judge") for it in manifest[f"{role}s"]]
    return joined(
        [
            facts(pairs),
            _senders(senders) if senders else tag("p", "No model was asked: the replies were made elsewhere."),
            _outcomes(summary),
        ]
    )


def _senders(senders: Sequence[tuple[Mapping[str, Any], str]]) -> Html:
    head = [
        "name",
        "as",
        "asked",
        "from the ledger",
        "failed",
        "retries",
        "tokens in",
        "tokens out",
        "cost",
        "settings",
    ]
    counts = ("asked", "in_ledger", "failed", "retries", "input_tokens", "output_tokens")
    rows = [
        [
            it["name"],
            role,
            *(f"{it[name]:,}" for name in counts),
            money(it["cost"]),
            ", ".join(
                [*(f"{name} {value}" for name, value in it["params"].items()), *map(str, it["adjustments"])]
                + ([f"stopped: {it['stopped']}"] if it["stopped"] else [])
            ),
        ]
        for it, role in senders
    ]
    return table("Models and judges", head, rows)


def _outcomes(summary: Summary) -> Html:
    """Counts and shares, of every model and variant."""
    there = [name for name in OUTCOMES if any(row[name] for row in summary.outcomes)]
    rows = []
    for row in summary.outcomes:
        whole = sum(row[name] for name in there)
        shares = [f"{row[name]:,} ({row[name] / whole:.1%})" if row[name] else "0" for name in there]
        rows.append([row["model"], row["variant"], f"{whole:,}", *shares])
    head = ["model", "prompt", "records", *(name.replace("_", " ") for name in there)]
    return table("How the records ended", head, rows, names=2)


def _figure(plot: Plot) -> Html:
    head, *rows = plot_table(plot)
    return tag(
        "figure",
        tag("div", draw(plot), class_="plot", role="group", aria_label=plot.title, tabindex="0"),
        tag("figcaption", plot.description),
        details("The numbers as a table", table(plot.title, head, rows)),
    )


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
