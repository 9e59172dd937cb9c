"""The pages of runs: the list, one run with its tables and plots, and two set against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import polars as pl
from starlette.requests import Request
from starlette.responses import Response

from counterfoil.comparing.compare import Comparison, align, compare_runs
from counterfoil.comparing.compared import ComparedFigure
from counterfoil.comparing.items import is_item_of, items_of, over_variants
from counterfoil.comparing.sides import Side, contrasts
from counterfoil.errors import UserError
from counterfoil.figures.numbers import between, cell
from counterfoil.report.html import Html, table, tag
from counterfoil.report.page.page import run_part
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import MANIFEST, RECORDS, SUMMARY
from counterfoil.stats.metric import Metric, by_name
from counterfoil.web.pages import page, served, whole_number
from counterfoil.web.served import RunInfo, Served, stamps

FILTERS = ("suite", "model", "data")
PAGE = 50
# Columns that tell which record of a question an item is.
TOLD_APART = ("order", "repeat", "draw", "level")


def runs_page(request: Request) -> Response:
    """All runs, newest first; suite, model and data in the address narrow them down."""
    every = served(request).runs()
    asked = {name: request.query_params.get(name, "") for name in FILTERS}
    choices = {name: sorted({value for info in every for value in _values(info, name)} - {""}) for name in FILTERS}
    shown = [info for info in every if all(not asked[name] or asked[name] in _values(info, name) for name in FILTERS)]
    return page(
        request, "runs/runs.html", runs=shown, whole=len(every), choices=choices, asked=asked, root=served(request).root
    )


def run_page(request: Request) -> Response:
    """What the report says of one run."""
    name = request.path_params["run"]
    run = served(request).run(name)
    suite = run.whole_summary.suite
    others = [info.path for info in served(request).runs() if info.path != name and info.suite == suite]
    content = _content(served(request), run.folder, stamps(run.folder, MANIFEST, SUMMARY, RECORDS))
    different = (run.manifest.get("second_reader") or {}).get("differ", 0)
    return page(request, "runs/run.html", name=name, content=content, others=others, different=different)


def _values(info: RunInfo, name: str) -> tuple[str, ...]:
    return {"suite": (info.suite,), "model": info.models, "data": (info.data,)}[name]


@lru_cache(maxsize=16)
def _content(site: Served, folder: Path, state: tuple[int, ...]) -> Html:
    """Made once for each state of the files: plots over many records take their time."""
    return run_part(site.open(folder), "run", f"Run {folder.name}")


class Pair(NamedTuple):
    """Two sides, the metrics they share, and their items side by side."""

    one: Side
    other: Side
    metrics: list[Metric]
    joined: dict[str, pl.DataFrame]


def compare_page(request: Request) -> Response:
    """Runs `a` and `b`, or the models and variants inside one."""
    asked = request.query_params
    names = [name for name in (asked.get("a", ""), asked.get("b", "")) if name]
    infos = [info for info in served(request).runs() if info.problem is None]
    if not names:
        return page(request, "runs/compare.html", infos=infos, names=["", ""], comparison=None)
    folders = [served(request).run(name).folder for name in dict.fromkeys(names)]
    state = tuple(stamps(folder, SUMMARY, RECORDS) for folder in folders)
    root = served(request).root
    comparison, pairs = _compared(served(request), tuple(folders), state)
    at = _choice(asked.get("pair", ""), len(pairs))
    pair = pairs[at]
    metrics = by_name(pair.metrics)
    metric = metrics.get(asked.get("metric", ""), pair.metrics[0])
    moved, same = _changes(pair.joined[metric.of], metric)
    run_names = [served(request).name_of(side.run.folder) for side in (pair.one, pair.other)]
    mine = [row for row in comparison.rows if (row.a, row.b) == (pair.one.label, pair.other.label)]
    number = _choice(asked.get("page", "1"), moved.height // PAGE + 2) or 1
    return page(
        request,
        "runs/compare.html",
        infos=infos,
        names=[*names, ""][:2],
        comparison=comparison,
        aligned=comparison.alignment[at],
        overall=_rows_table([row for row in mine if not row.group]),
        grouped=_rows_table([row for row in mine if row.group]),
        sides=[_brief(side.label, root) for side in (pair.one, pair.other)],
        pairs=[f"{_brief(each.one.label, root)} against {_brief(each.other.label, root)}" for each in pairs],
        at=at,
        pair=pair,
        run_names=run_names,
        metrics=list(metrics),
        metric=metric.name,
        changes=[
            change
            | {
                "link_a": _address(run_names[0], pair.one, change, "variant", run_names[1]),
                "link_b": _address(run_names[1], pair.other, change, "variant b", run_names[0]),
            }
            for change in moved.slice((number - 1) * PAGE, PAGE).to_dicts()
        ],
        count=moved.height,
        same=same,
        number=number,
        pages=max(1, -(-moved.height // PAGE)),
    )


@lru_cache(maxsize=8)
def _compared(site: Served, folders: tuple[Path, ...], state: tuple[object, ...]) -> tuple[Comparison, list[Pair]]:
    """Made once for each state of the files."""
    runs = [site.open(folder) for folder in folders]
    try:
        suite = suite_of(runs[0])
    except UserError as error:
        name = runs[0].manifest["suite"]
        raise UserError(
            f"Only a suite can compare its runs, and {name} is not installed: start the site with --suite "
            "MODULE:ATTRIBUTE to say where it is."
        ) from error
    comparison = compare_runs(runs)
    pairs = []
    for one, other in contrasts(runs, [], []):
        a, b = over_variants(items_of(one), items_of(other))
        shared = [metric for metric in a.metrics if metric in b.metrics]
        pairs.append(Pair(one, other, shared, align(suite, a, b)[0]))
    if not any(pair.metrics for pair in pairs):
        raise UserError("These runs have no metric in common: there is nothing to compare item by item.")
    return comparison, pairs


def _changes(joined: pl.DataFrame, metric: Metric) -> tuple[pl.DataFrame, int]:
    """Items whose value differs, the largest difference first; and how many have the same.

    An item's value is Σ factor · column, over the columns that it has.
    """

    def value(suffix: str) -> pl.Expr:
        return pl.sum_horizontal(c * pl.col(f"{name}{suffix}").cast(pl.Float64) for c, name in metric.terms)

    both = pl.any_horizontal(pl.col(name).is_not_null() & pl.col(f"{name} b").is_not_null() for _, name in metric.terms)
    question = pl.coalesce("question_id", "item") if "question_id" in joined.columns else pl.col("item")
    frame = joined.filter(is_item_of(joined, metric), both)
    told = [name for name in TOLD_APART if name in frame.columns]
    frame = frame.select("item", "variant", "variant b", *told, a=value(""), b=value(" b"), question_id=question)
    moved = frame.filter(pl.col("a") != pl.col("b"))
    moved = moved.sort((pl.col("b") - pl.col("a")).abs(), descending=True, maintain_order=True)
    return moved, frame.height - moved.height


def _address(run: str, side: Side, change: Mapping[str, Any], variant: str, other: str) -> str:
    """To the very record that a row speaks of: of that order and repeat where it is of one, among all its versions."""
    told = {name: change[name] for name in TOLD_APART if change.get(name) is not None}
    also = {"with": other} if other != run else {}
    query = {"id": change["question_id"], "model": side.model, "variant": change[variant], **told, **also}
    return f"/versions/{quote(run)}?{urlencode(query)}"


def _brief(label: str, root: Path) -> str:
    """A side's name without where the served directory lies."""
    return label.replace(f"{root}/", "")


def _rows_table(rows: Sequence[ComparedFigure]) -> Html | None:
    """The tests as a table."""
    if not rows:
        return None
    has_groups = any(row.group for row in rows)
    head = ["metric", *(["group"] if has_groups else []), "a", "b", "b − a", "p (Holm)", "in words", "pairs"]
    body = []
    for row in rows:
        group = [", ".join(f"{name} {value}" for name, value in row.group.items())] if has_groups else []
        difference: Any = "not defined"
        if row.difference is not None:
            interval = tag("span", between(row.low, row.high).strip(), class_="interval")
            difference = Html(tag("b", cell(row.difference)) + interval)
        p = "–" if row.p_adjusted is None else f"{row.p_adjusted:.4f}"
        values = ["–" if value is None else cell(value) for value in (row.value_a, row.value_b)]
        body.append([row.metric, *group, *values, difference, p, row.verdict, f"{row.pairs:,}"])
    return table("By group" if has_groups else "Overall", head, body, kind="estimates")


def _choice(text: str, count: int) -> int:
    number = whole_number(text)
    return number if number is not None and number < count else 0
