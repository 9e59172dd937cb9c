"""The page of a study: whom it stands for, what people found, how far they agree, and what it makes of the run."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from counterfoil.figures.numbers import with_interval
from counterfoil.figures.plots import Axis, Dot, Dots
from counterfoil.rating.results import results, suite_of_study
from counterfoil.rating.store import CANT_TELL, Design, Study
from counterfoil.report.html import Html, table
from counterfoil.report.page.page import corrections_part, figure_of
from counterfoil.running.folder import SUMMARY, Run
from counterfoil.stats.estimate import BASES, BASIS, Estimate
from counterfoil.stats.metric import by_name
from counterfoil.suite.people import HUMAN_ALPHA
from counterfoil.web.pages import page, served
from counterfoil.web.rate import adjudicator_of, studies_of

# Krippendorff's thresholds: from the first on conclusions may rest on labels, from the second on tentative ones.
RELIABLE, TENTATIVE = 0.8, 0.667


def study_page(request: Request) -> Response:
    """The run's figures as labels correct them so far, agreement, human metrics, and how far a judge can be trusted."""
    study = studies_of(request).named(request.path_params["study"])
    about = study.about
    suite = suite_of_study(about, served(request).place_of(about.suite, about.name))
    run = Run(study.path.parent) if (study.path.parent / SUMMARY).is_file() else None
    found = results(study, suite, run=run)
    reported = [] if run is None else [each for each in run.estimates if each.group.get(BASIS) not in BASES]
    known = by_name(suite.people_metrics)
    alphas = [each for each in found.estimates if each.metric == HUMAN_ALPHA.name]
    metrics = [each for each in found.estimates if not each.group]
    machines = [each for each in found.estimates if each not in alphas and each not in metrics]
    names = dict.fromkeys(each.metric for each in (*found.estimates, *found.pairwise) if each.metric in known)
    tail = ("value", "n", "note")
    return page(
        request,
        "rating/study.html",
        about=about,
        found=found,
        is_open=any(each.done < each.tasks for each in found.progress.values()),
        corrected=corrections_part([*reported, *found.corrected]),
        adjudicator=adjudicator_of(study),
        stands_for=_stands_for(found.design),
        design=found.design,
        verdicts=_verdicts(_one_each(alphas)),
        agreement=figure_of(_plot(shown))
        if (shown := [one for one in _one_each(alphas) if one.low is not None])
        else None,
        remarks=_remarks(study),
        alphas=_table("Krippendorff's alpha, question by question", alphas, 2, "question", "level", *tail),
        pairs=_table("Two raters at a time", found.pairwise, 2, "question", "between", "metric", *tail),
        metrics=_table("What people say of the replies", metrics, 2, "model", "prompt", "metric", "value", "n"),
        machines=_table("People, algorithm and judges", machines, 1, "of", "metric", *tail),
        formulas={name: known[name].formula for name in names},
    )


def _stands_for(design: Design | None) -> Html | None:
    """Of each kind of replies the share in the run and in the sample, so that one sees whom the study stands for."""
    if design is None or not design.shares:
        return None
    rows = [
        [
            column.replace("_", " "),
            value,
            f"{of.in_run:,} ({of.in_run / max(1, design.replies):.1%})",
            f"{of.in_sample:,} ({of.in_sample / max(1, design.drawn):.1%})",
        ]
        for column, shares in design.shares.items()
        for value, of in shares.items()
    ]
    return table("Shares in run and sample", ["of", "value", "in the run", "in the sample"], rows, names=2)


def _verdicts(alphas: list[Estimate]) -> list[str]:
    """What each alpha allows, judged by the end of its interval that is worse, in words."""
    told = [
        f"{_question(each)}: {_words(each)} (alpha {with_interval(each)})." for each in alphas if each.value is not None
    ]
    undefined = [_question(each) for each in alphas if each.value is None]
    return [
        *told,
        *([f"Not defined, as nobody or everybody says the same: {', '.join(undefined)}."] if undefined else []),
    ]


def _question(alpha: Estimate) -> str:
    return str(alpha.group.get("question", "")).replace("_", " ")


def _words(alpha: Estimate) -> str:
    if alpha.low is None or alpha.high is None:
        return "people agree throughout" if alpha.value == 1 else "too few ratings to tell how far people agree"
    if alpha.low >= RELIABLE:
        return "people agree: conclusions may rest on it"
    if alpha.low >= TENTATIVE:
        return "people agree more or less: conclusions are tentative"
    if alpha.high >= TENTATIVE:
        return "more ratings are needed to tell how far people agree"
    return "people don't agree: nothing should rest on it"


def _one_each(alphas: list[Estimate]) -> list[Estimate]:
    """Of each question the first alpha: some have one at each level of measurement."""
    return list({_question(each): each for each in reversed(alphas)}.values())[::-1]


def _plot(alphas: list[Estimate]) -> Dots:
    """The agreement, question by question."""
    rows = tuple(Dot(_question(each), "people", each.value, each.low, each.high) for each in alphas)
    return Dots(
        title="How far people agree",
        description="Krippendorff's alpha: 1 is full agreement, 0 what chance would give. The line is at 0.667, below "
        "which not even tentative conclusions should rest on the labels.",
        x=Axis("alpha", high=1.0),
        rows=rows,
        label_name="question",
        reference=TENTATIVE,
    )


def _remarks(study: Study) -> list[tuple[str, int, str]]:
    """Who could not tell, or noted something, of which reply."""
    return [(one.rater, one.task, "can't tell" if one.item == CANT_TELL else str(one.value)) for one in study.remarks()]


def _table(caption: str, estimates: list[Estimate], names: int, *columns: str) -> Html | None:
    """These columns of the estimates, of which the first name their row; `of` is the whole group."""
    rows = [[_cell(estimate, column) for column in columns] for estimate in estimates]
    return table(caption, columns, rows, names=names) if rows else None


def _cell(estimate: Estimate, column: str) -> str:
    match column:
        case "model" | "metric":
            return str(getattr(estimate, column))
        case "prompt":
            return estimate.variant
        case "of":
            return ", ".join(map(str, estimate.group.values()))
        case "value":
            return with_interval(estimate)
        case "n":
            return f"{estimate.n:,}"
        case "note":
            return estimate.note or ""
        case _:
            return str(estimate.group[column])
