"""The report: one HTML file that opens from disk, without anything from elsewhere, and without script."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.models.providers import provider_of
from counterfoil.console import shown_name
from counterfoil.errors import UserError
from counterfoil.figures.corrections import correction_plot, correction_sentences, corrections_of
from counterfoil.figures.numbers import listed, money, plural
from counterfoil.figures.numbers import table as plot_table
from counterfoil.figures.plots import Plot
from counterfoil.figures.population import population_sentence, shares_asked
from counterfoil.figures.tables import Table
from counterfoil.files import check_target, explained, replacing
from counterfoil.report import uncertainty
from counterfoil.report.headline.html import headline_html
from counterfoil.report.headline.table import headline_table
from counterfoil.report.html import Html, details, facts, items, joined, table, tag
from counterfoil.report.page.anonymous import without_traces
from counterfoil.report.page.cite import cite_part
from counterfoil.report.page.readings import readings_part
from counterfoil.report.page.records import records_part
from counterfoil.report.page.tables import SHOWN_ROWS, agreement_tables, group_tables, methods_part, overall_tables
from counterfoil.report.plots.element import Address
from counterfoil.report.plots.marks import DARK, LIGHT
from counterfoil.report.plots.svg import draw
from counterfoil.report.readings import is_of_second_reader
from counterfoil.report.sentences import PROSE, data_sentence, headline_of, served_as, warnings_of
from counterfoil.report.tables import tables_of
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import REPORT_ON, Run, Summary, writing_about
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import by_name
from counterfoil.stats.variance.explained import Explained
from counterfoil.suite.habits import HABIT
from counterfoil.suite.outcome import LEFT_OUT, OUTCOMES
from counterfoil.suite.second_reader import READING_AGREEMENT
from counterfoil.suite.suite import AnySuite

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
# More models than these are counted, not named, in a title.
NAMED = 3


def write_report(
    runs: Sequence[Run], path: Path, *, overwrite: bool = False, title: str | None = None, anonymous: bool = False
) -> Path:
    """Write the page on these runs, a section each, in place of an earlier one."""
    if not runs:
        raise UserError("Name at least one run to report on.")
    with writing_about(REPORT_ON, [run.folder for run in runs], overwrite=overwrite):
        check_target(path)
        content = page(runs, title=title, anonymous=anonymous)
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(content, encoding="utf-8")
    return path


def page(runs: Sequence[Run], *, title: str | None = None, anonymous: bool = False) -> str:
    """The whole document. `anonymous`: without paths, addresses of servers and the manifest."""
    titles = [_title(run) for run in runs]
    usual = f"counterfoil: {titles[0]}" if len(runs) == 1 else f"counterfoil: {len(runs)} runs"
    folders = [f"{i}" if anonymous else shown_name(run.folder.resolve().name) for i, run in enumerate(runs, 1)]
    names = [f"Run {folder}" for folder in folders]
    if len(runs) > 1:
        names = [f"{name}: {what}" for name, what in zip(names, titles, strict=True)]
    sections = [
        run_part(run, f"run-{i}", name, anonymous=anonymous)
        for i, (run, name) in enumerate(zip(runs, names, strict=True), 1)
    ]
    shown = title if title is not None else usual
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", usual if title is None else f"counterfoil: {title}"),
        tag("link", rel="icon", href="data:,"),
        tag("style", style()),
    )
    body = tag(
        "body",
        tag("a", "Skip to the results", href="#run-1-result", class_="skip"),
        tag("header", tag("h1", shown), _overview(runs, titles, folders) if len(runs) > 1 else None),
        tag("main", *sections),
    )
    document = f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"
    return without_traces(document, runs) if anonymous else document


@functools.cache
def style() -> Html:
    """The style sheet, with the plots' colours for light and dark."""
    css = (resources.files("counterfoil.report") / "page.css").read_text(encoding="utf-8")
    light, dark = (" ".join(f"--{name}: {value};" for name, value in colours.items()) for colours in (LIGHT, DARK))
    return Html(f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{css}")


def _title(run: Run) -> str:
    summary = run.whole_summary
    models = list(dict.fromkeys(row["model"] for row in summary.outcomes))
    who = listed(models) if len(models) <= NAMED else f"{len(models)} models"
    return f"{summary.suite}, {who}" if who else summary.suite


def _overview(runs: Sequence[Run], titles: Sequence[str], folders: Sequence[str]) -> Html:
    """A row for each run that leads to its section."""
    rows = []
    for i, (run, title) in enumerate(zip(runs, titles, strict=True), 1):
        manifest, outcomes = run.manifest, run.outcomes
        counts = {name: sum(row[name] for row in outcomes) for name in OUTCOMES}
        costs = manifest["cost"].values()
        rows.append(
            [
                tag("a", title, href=f"#run-{i}"),
                folders[i - 1],
                manifest["data"]["name"],
                ", ".join(dict.fromkeys(row["variant"] for row in outcomes)),
                f"{sum(counts.values()):,}",
                f"{sum(counts[name] for name in LEFT_OUT):,}",
                money(None if None in costs else sum(costs)),
            ]
        )
    return table("The runs", ["run", "folder", "dataset", "prompts", "records", "left out", "cost"], rows)


def run_part(run: Run, key: str, title: str, *, anonymous: bool = False, address: Address | None = None) -> Html:
    """The run as a section whose ids begin with `key`. With `address`, marks of plots lead to their records."""
    summary, manifest = run.whole_summary, run.manifest
    suite = suite_to_show(run)
    order = [(row["model"], row["variant"]) for row in summary.outcomes]
    metrics = by_name([*suite.metrics, HABIT, READING_AGREEMENT, *suite.people_metrics])
    agreeing = {name for name, metric in metrics.items() if metric.agreement}
    figures = [
        estimate
        for estimate in summary.estimates
        if estimate.metric not in agreeing and not is_of_second_reader(estimate)
    ]
    agreement = agreement_tables([estimate for estimate in summary.estimates if estimate.metric in agreeing])
    pretty = msgspec.json.format(msgspec.json.encode(manifest), indent=2).decode()
    parts: dict[str, Html | None] = {
        "Result": _result(run, suite),
        "What was asked": _asked(manifest, summary),
        "Checked by people": corrections_part(summary.estimates),
        "Plots": joined(*(figure_of(plot, address) for plot in suite.plots(run))),
        "Questions": joined(*(_table_part(one) for one in tables_of(run, suite))),
        "Estimates": joined(overall_tables(figures, order), group_tables(figures, order)),
        "Uncertainty": uncertainty_part(summary.variance),
        "Reading": readings_part(run, suite, order),
        "Agreement": joined(tag("p", AGREEMENT), agreement) if agreement else None,
        "Records": records_part(run, suite),
        "How the numbers were computed": methods_part(summary.estimates, metrics),
        "To cite": cite_part(run),
        "Manifest": None if anonymous else details("manifest.json", tag("pre", tag("code", pretty), tabindex="0")),
    }
    there = {name: content for name, content in parts.items() if content}
    ids = {name: f"{key}-{name.split()[0].lower()}" for name in there}
    links = items(tag("a", name, href=f"#{place}") for name, place in ids.items())
    contents = tag("nav", links, aria_label=f"Sections of {title}")
    sections = [tag("section", tag("h3", name, id=ids[name]), content) for name, content in there.items()]
    return tag("section", tag("h2", title, id=key), contents, *sections, class_="run")


def uncertainty_part(every: Sequence[Explained]) -> Html | None:
    """Where the uncertainty of the headline figures comes from."""
    if not (figures := uncertainty.worth_telling(every)):
        return None
    made = table(uncertainty.TITLE, uncertainty.head(figures), uncertainty.rows(figures), names=2)
    return joined(made, tag("p", uncertainty.words(figures)))


def _table_part(one: Table) -> Html:
    """A suite's own table with what it tells; folded away where it is long."""
    content = joined(tag("p", one.description), table(one.title, one.head, one.rows))
    if len(one.rows) <= SHOWN_ROWS:
        return content
    return details(f"{one.title} ({plural(len(one.rows), 'row')})", content)


def _result(run: Run, suite: AnySuite) -> Html:
    """The headline table, at most five sentences below it, and the others folded."""
    headline = headline_table(run, suite)
    sentences = headline_of(run, suite)
    more = sentences[PROSE:]
    return joined(
        _warnings(run),
        headline_html(headline) if headline else None,
        items(sentences[:PROSE]),
        details(f"{plural(len(more), 'more sentence')}", items(more)) if more else None,
        _in_brackets(run.whole_summary, several=len(run.outcomes) > 1),
    )


AGREEMENT = (
    "How far the algorithm's labels and scores, the judges and people say the same: 1 is full agreement, 0 what chance "
    "would give. Labels are compared over questions, scores over replies."
)


def _in_brackets(summary: Summary, *, several: bool) -> Html | None:
    levels = ", ".join(f"{level:.0%}" for level in sorted({estimate.confidence for estimate in summary.estimates}))
    if not levels:
        return None
    command = tag("code", "counterfoil compare")
    test = (" ", command, " tests whether two models or prompts differ, question by question.")
    return tag("p", f"In brackets: the {levels} interval.", *(test if several else ()))


def _warnings(run: Run) -> Html | None:
    sentences = warnings_of(run)
    return tag("div", *(tag("p", sentence) for sentence in sentences), class_="warning") if sentences else None


_ROLES = {"models": "models", "judges": "judges", "second_reader": "the second reader"}


def _asked(manifest: Mapping[str, Any], summary: Summary) -> Html:
    cost = manifest["cost"]
    pairs = [
        ("suite", summary.suite),
        ("dataset", data_sentence(manifest)),
        ("intervals", population_sentence(summary.population, shares_asked(manifest))),
        ("prompts", ", ".join(dict.fromkeys(row["variant"] for row in summary.outcomes))),
        ("finished", str(manifest["finished_at"]).replace("T", " ").replace("+00:00", " UTC")),
        *((f"cost of {name}", money(cost.get(role))) for role, name in _ROLES.items() if manifest.get(role)),
        ("versions", ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())),
    ]
    if manifest.get("fresh"):
        pairs.append(("asked afresh", f"since {str(manifest['fresh'])[:19].replace('T', ' ')} UTC"))
    if manifest["stopped"]:
        pairs.append(("stopped", manifest["stopped"]))
    senders = [(sender, role) for role in ("model", "judge") for sender in manifest[f"{role}s"]]
    senders += [(sender, "second reader") for sender in [manifest.get("second_reader")] if sender]
    asked = _senders(senders) if senders else tag("p", "No model was asked: the replies were made elsewhere.")
    return joined(facts(pairs), asked, _outcomes(summary))


NAMED_BY_SERVER, THINKING = "named by the server", "of these thinking"
_COUNTS = {
    "asked": "asked",
    "from the ledger": "in_ledger",
    "failed": "failed",
    "retries": "retries",
    "tokens in": "input_tokens",
    "tokens out": "output_tokens",
    THINKING: "reasoning_tokens",
}
_SELDOM = (NAMED_BY_SERVER, THINKING)


def _senders(senders: Sequence[tuple[Mapping[str, Any], str]]) -> Html:
    rows = []
    for sender, role in senders:
        settings = [f"{name} {value}" for name, value in sender["params"].items()]
        settings += map(str, sender["adjustments"])
        estimated = sender.get("estimated")
        if estimated and provider_of(sender["name"]).kind != "here":
            settings.append(f"tokens of {estimated:,} replies by their letters: the server did not count them")
        if sender["stopped"]:
            settings.append(f"stopped: {sender['stopped']}")
        if sender.get("oldest"):
            settings.append(f"the oldest reply of the ledger is of {sender['oldest'][:10]}")
        counts = (f"{sender.get(name, 0):,}" for name in _COUNTS.values())  # older manifests lack some
        rows.append([sender["name"], role, served_as(sender), *counts, money(sender["cost"]), ", ".join(settings)])
    head = ["name", "as", NAMED_BY_SERVER, *_COUNTS, "cost", "settings"]
    # The table is wide enough without a column that nobody fills.
    shown = [i for i, name in enumerate(head) if name not in _SELDOM or any(row[i] not in ("", "0") for row in rows)]
    return table("Models and judges", [head[i] for i in shown], [[row[i] for i in shown] for row in rows])


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


def corrections_part(estimates: Sequence[Estimate]) -> Html | None:
    """Figures as reported, as labels correct them, and by people alone: in sentences and in one plot."""
    corrections = corrections_of(estimates)
    plot = correction_plot(corrections)
    sentences = correction_sentences(corrections)
    return joined(items(sentences), figure_of(plot) if plot is not None else None) if sentences else None


def figure_of(plot: Plot, address: Address | None = None) -> Html:
    """The plot with its description, and its numbers as a table."""
    head, *rows = plot_table(plot)
    return tag(
        "figure",
        tag("div", draw(plot, address=address), class_="plot", role="group", aria_label=plot.title, tabindex="0"),
        tag("figcaption", plot.description),
        details("The numbers as a table", table(plot.title, head, rows)),
    )
