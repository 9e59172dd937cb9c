"""The pages of whoever runs a study: all studies with their links, and what one has found."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from counterfoil.errors import UserError
from counterfoil.rating.human import FORMULAS
from counterfoil.rating.results import disagreements, results
from counterfoil.report.numbers import with_interval
from counterfoil.report.page_html import Html, table
from counterfoil.stats.estimate import Estimate
from counterfoil.web.pages import page, served
from counterfoil.web.studies import Studies


def studies_page(request: Request) -> Response:
    """Every study, with how far its raters are and their links."""
    studies: Studies = request.app.state.studies
    shown, problems = [], []
    for path in served(request).studies():
        name = served(request).name_of(path)
        try:
            study = studies.named(name)
            people = [(it, study.progress(it)) for it in study.raters() if not it.is_adjudicator]
            adjudicator = next((it for it in study.raters() if it.is_adjudicator), None)
            apart = disagreements(study)
        except UserError as error:
            problems.append(str(error))
            continue
        undecided = sum(it.decided is None for it in apart)
        shown.append((name, study.about, people, adjudicator, len(apart), undecided))
    return page(request, "studies.html", studies=shown, problems=problems, root=served(request).root)


def study_page(request: Request) -> Response:
    """Agreement, human metrics, and how far a judge can be trusted."""
    studies: Studies = request.app.state.studies
    name = request.path_params["study"]
    study = studies.named(name)
    found = results(study)
    adjudicator = next((it for it in study.raters() if it.is_adjudicator), None)
    alphas = [it for it in found.estimates if it.metric == "human_alpha"]
    metrics = [it for it in found.estimates if it.metric.startswith("human_") and not it.group]
    machines = [it for it in found.estimates if it not in alphas and it not in metrics]
    return page(
        request,
        "study.html",
        name=name,
        about=study.about,
        found=found,
        adjudicator=adjudicator,
        alphas=_table("Krippendorff's alpha, question by question", alphas, ["question", "level"]),
        pairs=_table("Two raters at a time", found.pairwise, ["question", "between"], metric=True),
        metrics=_metrics(metrics),
        machines=_table("People, algorithm and judges", machines, [], metric=True),
        formulas={
            it.metric: FORMULAS[it.metric] for it in (*found.estimates, *found.pairwise) if it.metric in FORMULAS
        },
    )


def _table(caption: str, estimates: list[Estimate], keys: list[str], *, metric: bool = False) -> Html | None:
    if not estimates:
        return None
    rows = []
    for it in estimates:
        group = [str(it.group[key]) for key in keys] or [", ".join(map(str, it.group.values()))]
        rows.append([*group, *([it.metric] if metric else []), with_interval(it), f"{it.n:,}", it.note or ""])
    head = [*(keys or ["of"]), *(["metric"] if metric else []), "value", "n", "note"]
    return table(caption, head, rows, names=max(1, len(keys)))


def _metrics(estimates: list[Estimate]) -> Html | None:
    if not estimates:
        return None
    rows = [[it.model, it.variant, it.metric, with_interval(it), f"{it.n:,}"] for it in estimates]
    return table("What people say of the replies", ["model", "prompt", "metric", "value", "n"], rows, names=2)
