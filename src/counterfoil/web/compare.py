"""Two sides set against each other: any run, model and prompt against any other. Only these two are computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

from counterfoil.comparing.changes import changed_items, with_records
from counterfoil.comparing.compare import Comparison, JoinedSides, compare_pairs
from counterfoil.comparing.sides import AND, Side, chosen_sides, contrasts
from counterfoil.errors import UserError
from counterfoil.figures.names import short_names
from counterfoil.figures.plots import Of
from counterfoil.report.comparing.changed import changed_cards
from counterfoil.report.comparing.page import EXPLAINED, figures_table, forest_plot, in_short
from counterfoil.report.page.page import figure_of
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import RECORDS, SUMMARY, Run
from counterfoil.stats.metric import Metric, by_name
from counterfoil.web.pages import page, served, whole_number
from counterfoil.web.served import Served, stamps

PAGE = 20
LETTERS = ("a", "b")


class Choice(NamedTuple):
    """What can be chosen for a side, and what is."""

    run: str
    models: list[str]
    prompts: list[str]
    model: str
    # Several prompts are joined by a comma; empty stands for all.
    prompt: str


def compare_page(request: Request) -> Response:
    """Side a and side b, each a run, one of its models, and one or all of its prompts."""
    asked = request.query_params
    infos = [info for info in served(request).runs() if info.problem is None]
    if not asked.get("a"):
        return page(request, "runs/compare.html", infos=infos, names=["", ""], comparison=None, choices=None)
    names = [asked["a"], asked.get("b") or asked["a"]]
    runs = [served(request).run(name) for name in names]
    a, b = _sides(runs, [(asked.get(f"model_{it}", ""), asked.get(f"prompt_{it}")) for it in LETTERS])
    choices = [_choice(name, side) for name, side in zip(names, (a, b), strict=True)]
    state = tuple(stamps(side.run.folder, SUMMARY, RECORDS) for side in (a, b))
    chosen = tuple((side.run.folder, side.model, side.variants) for side in (a, b))
    comparison, joined = _compared(served(request), chosen, state)
    metrics = by_name(joined.metrics)
    metric = metrics.get(asked.get("metric", "")) or _first(metrics)
    moved, same = changed_items(joined, metric)
    pages = max(1, -(-moved.height // PAGE))
    number = min(max(whole_number(asked.get("page", "1")) or 1, 1), pages)
    changes = with_records(joined, metric, moved.slice((number - 1) * PAGE, PAGE))
    rows = comparison.rows
    overall, groups = ([row for row in rows if bool(row.group) == is_group] for is_group in (False, True))
    root = f"{served(request).root}/"
    labels = [side.label.replace(root, "") for side in (joined.one, joined.other)]
    short = list(short_names(labels).values()) if labels[0] != labels[1] else labels
    plot = forest_plot(overall, *short)
    fixed = {"a": names[0], "b": names[1]}
    for letter, choice in zip(LETTERS, choices, strict=True):
        fixed |= {f"model_{letter}": choice.model, f"prompt_{letter}": choice.prompt}

    def link(side: int, row: int) -> str:
        return f"/record/{quote(names[side])}?row={row}"

    def versions(side: int, row: int) -> str:
        other = {} if names[0] == names[1] else {"with": names[1 - side]}
        return f"/versions/{quote(names[side])}?{urlencode({'row': row, **other})}"

    def by_item(of: Of) -> str | None:
        """Where the items stand that make a figure of the plot."""
        return f"/compare?{urlencode({**fixed, **dict(of)})}#items" if dict(of).get("metric") in metrics else None

    return page(
        request,
        "runs/compare.html",
        infos=infos,
        names=names,
        comparison=comparison,
        choices=choices,
        fixed=fixed,
        aligned=comparison.alignment[0],
        labels=labels,
        sentence=in_short(overall, *short),
        explained=EXPLAINED,
        plot=figure_of(plot, by_item) if plot is not None else None,
        overall=figures_table(overall),
        grouped=figures_table(groups),
        metrics=list(metrics),
        metric=metric.name,
        changes=changed_cards(joined, metric, changes, link, versions) if changes else None,
        count=moved.height,
        same=same,
        number=number,
        pages=pages,
        near=[
            (n, f"/compare?{urlencode({**fixed, 'metric': metric.name, 'page': n})}#items")
            for n in (number - 1, number + 1)
        ],
    )


def _sides(runs: Sequence[Run], chosen: Sequence[tuple[str, str | None]]) -> tuple[Side, Side]:
    """Those that were chosen; else the first that one would compare."""
    if any(model for model, _ in chosen):
        names = [
            [name for name in (model, *(prompt or AND.join(_prompts(run, model))).split(AND)) if name]
            for run, (model, prompt) in zip(runs, chosen, strict=True)
        ]
        return chosen_sides(runs, *names)
    try:
        return contrasts(list(dict.fromkeys(runs)) if runs[0].folder != runs[1].folder else runs[:1], (), ())[0]
    except UserError:
        models = [str(run.outcomes[0]["model"]) for run in runs]
        return chosen_sides(runs, *([model, *_prompts(run, model)] for run, model in zip(runs, models, strict=True)))


def _prompts(run: Run, model: str) -> list[str]:
    return [str(row["variant"]) for row in run.outcomes if row["model"] == model]


def _choice(name: str, side: Side) -> Choice:
    models = list(dict.fromkeys(str(row["model"]) for row in side.run.outcomes))
    prompts = list(dict.fromkeys(str(row["variant"]) for row in side.run.outcomes))
    return Choice(name, models, prompts, side.model, AND.join(side.variants))


@lru_cache(maxsize=8)
def _compared(
    site: Served, chosen: tuple[tuple[Path, str, tuple[str, ...]], ...], state: tuple[object, ...]
) -> tuple[Comparison, JoinedSides]:
    """Made once for each state of the files."""
    runs = {folder: site.open(folder) for folder, _, _ in chosen}
    first = runs[chosen[0][0]]
    try:
        suite_of(first)
    except UserError as error:
        name = first.manifest["suite"]
        raise UserError(
            f"Only a suite can compare its runs, and {name} is not installed: start the site with --suite "
            "MODULE:ATTRIBUTE to say where it is."
        ) from error
    sides = chosen_sides([runs[folder] for folder, _, _ in chosen], *([model, *names] for _, model, names in chosen))
    comparison, [joined] = compare_pairs([sides])
    if not joined.metrics:
        raise UserError("These runs have no metric in common: there is nothing to compare item by item.")
    return comparison, joined


def _first(metrics: dict[str, Metric]) -> Metric:
    """The headline, where there is one."""
    return next((metric for metric in metrics.values() if metric.headline), next(iter(metrics.values())))
