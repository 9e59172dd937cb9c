"""The report: one HTML file that opens from disk, without anything from elsewhere, and without script."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from counterfoil.errors import UserError
from counterfoil.figures.numbers import listed, money
from counterfoil.files import check_target, explained, replacing
from counterfoil.report.html import Html, table, tag
from counterfoil.report.page.run import run_part
from counterfoil.report.plots.marks import DARK, LIGHT
from counterfoil.running.folder import Run
from counterfoil.suite.outcome import LEFT_OUT, OUTCOMES

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
# More models than these are counted, not named, in a title.
NAMED = 3


def write_report(runs: Sequence[Run], path: Path) -> Path:
    """Write the page on these runs, a section each, in place of what was there."""
    if not runs:
        raise UserError("Name at least one run to report on.")
    check_target(path)
    content = page(runs)
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(content, encoding="utf-8")
    return path


def page(runs: Sequence[Run]) -> str:
    """The whole document."""
    titles = [_title(run) for run in runs]
    title = f"counterfoil: {titles[0]}" if len(runs) == 1 else f"counterfoil: {len(runs)} runs"
    names = [f"Run {run.folder.resolve().name}" for run in runs]
    if len(runs) > 1:
        names = [f"{name}: {what}" for name, what in zip(names, titles, strict=True)]
    sections = [run_part(run, f"run-{i}", name) for i, (run, name) in enumerate(zip(runs, names, strict=True), 1)]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", style()),
    )
    body = tag(
        "body",
        tag("a", "Skip to the results", href="#run-1-result", class_="skip"),
        tag("header", tag("h1", title), _overview(runs, titles) if len(runs) > 1 else None),
        tag("main", *sections),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


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


def _overview(runs: Sequence[Run], titles: Sequence[str]) -> Html:
    """A row for each run that leads to its section."""
    rows = []
    for i, (run, title) in enumerate(zip(runs, titles, strict=True), 1):
        manifest, outcomes = run.manifest, run.outcomes
        counts = {name: sum(row[name] for row in outcomes) for name in OUTCOMES}
        costs = manifest["cost"]["models"], manifest["cost"]["judges"]
        rows.append(
            [
                tag("a", title, href=f"#run-{i}"),
                run.folder.resolve().name,
                manifest["data"]["name"],
                ", ".join(dict.fromkeys(row["variant"] for row in outcomes)),
                f"{sum(counts.values()):,}",
                f"{sum(counts[name] for name in LEFT_OUT):,}",
                money(None if None in costs else sum(costs)),
            ]
        )
    return table("The runs", ["run", "folder", "dataset", "prompts", "records", "left out", "cost"], rows)
