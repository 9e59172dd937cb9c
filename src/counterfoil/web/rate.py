"""The pages of studies: of raters, by their personal links, one reply at a time, blind; and of what they found."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from counterfoil.errors import UserError
from counterfoil.figures.numbers import with_interval
from counterfoil.rating.results import disagreements, results, suite_of_study
from counterfoil.rating.store import Changed, Progress, Rater, Study
from counterfoil.report.html import Html, table
from counterfoil.report.page.page import corrections_part
from counterfoil.running.folder import SUMMARY, Run
from counterfoil.stats.estimate import BASES, BASIS, Estimate
from counterfoil.stats.metric import by_name
from counterfoil.suite.form import FormQuestion
from counterfoil.suite.opinions import Opinion, Value, items
from counterfoil.suite.people import HUMAN_ALPHA
from counterfoil.web.pages import form, neighbours, page, served, whole_number
from counterfoil.web.served import STUDY_SUFFIX, NotHere, Served


class Studies:
    """A study stays open for all threads; one whose file was replaced is opened again."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[int, Study]] = {}
        self._path_of_token: dict[bytes, Path] = {}

    def named(self, name: str) -> Study:
        """The study in the file of that name."""
        path = self._served.inside(name)
        if not path.name.endswith(STUDY_SUFFIX):
            raise NotHere(name)
        return self._opened(path)

    def rater(self, token: str) -> tuple[Study, Rater]:
        """Whose token that is, and in which study."""
        # By a hash, so that how long the look-up takes tells nothing of a token.
        digest = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        known = self._path_of_token.get(digest)
        for path in [known] if known is not None and known.exists() else self._served.studies():
            try:
                study = self._opened(path)
                rater = study.rater(token)
            except UserError:
                continue
            self._path_of_token[digest] = path
            return study, rater
        raise NotHere("a rater's link")

    def _opened(self, path: Path) -> Study:
        inode = path.stat().st_ino
        with self._lock:
            known, study = self._open.get(path, (None, None))
            if study is None or known != inode:
                study = Study(path)
                self._open[path] = inode, study
            return study


YES_NO = {"yes": True, "no": False}


class Asked(NamedTuple):
    """An item as the page asks it; `value`: what was answered, as the form sends it; `seen`: the row that says so, 0
    for none; `others`: what raters said.
    """

    key: str
    question: FormQuestion
    alternative: str | None
    value: str | None
    seen: int
    others: dict[str, str]


def rate_page(request: Request) -> Response:
    """The task in the address, or the first that is open, or the end.

    The adjudicator's tasks are those on which raters disagree, furthest apart first.
    """
    study, rater = _who(request)
    apart = disagreements(study) if rater.is_adjudicator else []
    disputed = list(dict.fromkeys(opinion.of.task.id for opinion in apart))
    order = disputed if rater.is_adjudicator else study.assigned(rater)
    progress, following = _progress(study, rater, apart)
    wanted = whole_number(request.query_params.get("task", ""))
    number = wanted if wanted in order else following
    if number is None:
        last = order[-1] if order else None
        return page(request, "rating/done.html", progress=progress, token=rater.token, last=last)
    return page(
        request,
        "rating/rate.html",
        task=study.task(number),
        asked=_asked(study, rater, number, apart),
        progress=progress,
        token=rater.token,
        shows_right=study.form.shows_right,
        deciding=rater.is_adjudicator,
        **neighbours(order, number),
    )


def save(request: Request) -> Response:
    """One answer. A script gets JSON, a plain form the page again."""
    study, rater = _who(request)
    sent = form(request)
    wants_json = "application/json" in request.headers.get("accept", "")
    task, key = whole_number(sent.get("task", "")) or 0, sent.get("item", "")
    try:
        rating = study.rate(
            rater, task, key, _value(study, key, sent.get("value", "")), whole_number(sent.get("seen", ""))
        )
    except Changed as changed:
        if wants_json:
            there = changed.rating
            now = {"value": None, "seen": 0} if there is None else {"value": _text(there.value), "seen": there.id}
            return JSONResponse({"error": str(changed), **now}, 409)
        raise
    except UserError as error:
        if wants_json:
            return JSONResponse({"error": str(error)}, 400)
        raise
    apart = disagreements(study) if rater.is_adjudicator else []
    if wants_json:
        progress, following = _progress(study, rater, apart)
        return JSONResponse({**progress._asdict(), "next": following, "seen": rating.id})
    open_keys = [item.key for item in _asked(study, rater, task, apart) if item.value is None]
    return RedirectResponse(f"/rate/{rater.token}?task={task}#{f'i-{open_keys[0]}' if open_keys else 'next'}", 303)


def undo(request: Request) -> Response:
    """Take the last answer back, and show what it was about."""
    study, rater = _who(request)
    undone = study.undo(rater)
    where = "" if undone is None else f"?task={undone.task}#i-{undone.item}"
    return RedirectResponse(f"/rate/{rater.token}{where}", 303)


def _who(request: Request) -> tuple[Study, Rater]:
    return _studies(request).rater(request.path_params["token"])


def _studies(request: Request) -> Studies:
    studies: Studies = request.app.state.studies
    return studies


def _progress(study: Study, rater: Rater, apart: list[Opinion]) -> tuple[Progress, int | None]:
    """How far a rater is, and the next task that is open."""
    if not rater.is_adjudicator:
        return study.progress(rater), study.next_task(rater)
    undecided = [opinion.of.task.id for opinion in apart if opinion.decided is None]
    return Progress(len(apart) - len(undecided), len(apart)), undecided[0] if undecided else None


def _asked(study: Study, rater: Rater, number: int, apart: list[Opinion]) -> list[Asked]:
    """What is asked of a task; of the adjudicator only what raters disagree on, with what they said."""
    task, said = study.task(number), study.standing(rater, number)
    others = {opinion.item.key: opinion.values for opinion in apart if opinion.of.task.id == number}
    return [
        Asked(
            item.key,
            study.form.question(item.question),
            None if item.alternative is None else task.alternatives[item.alternative],
            _text(said[item.key].value) if item.key in said else None,
            said[item.key].id if item.key in said else 0,
            {name: _text(value) or "(none)" for name, value in others.get(item.key, {}).items()},
        )
        for item in items(study.form, task)
        if item.key in others or not rater.is_adjudicator
    ]


def _text(value: Value | None) -> str | None:
    """A value as a form sends it."""
    if value is None or isinstance(value, str):
        return value
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value:g}"


def _value(study: Study, key: str, sent: str) -> Any:
    """What was sent as the store wants it; whatever is wrong with it, the store says."""
    kind = next((each.kind for each in study.form.questions if each.name == key.partition(".")[0]), None)
    return YES_NO.get(sent, sent) if kind == "yes_no" else sent


def studies_page(request: Request) -> Response:
    """Every study, with how far its raters are and their links."""
    shown, problems = [], []
    for path in served(request).studies():
        name = served(request).name_of(path)
        try:
            study = _studies(request).named(name)
            people = [(rater, study.progress(rater)) for rater in study.raters() if not rater.is_adjudicator]
            apart = disagreements(study)
        except UserError as error:
            problems.append(str(error))
            continue
        undecided = sum(opinion.decided is None for opinion in apart)
        shown.append((name, study.about, people, _adjudicator(study), len(apart), undecided))
    return page(request, "rating/studies.html", studies=shown, problems=problems, root=served(request).root)


def study_page(request: Request) -> Response:
    """The run's figures as labels correct them so far, agreement, human metrics, and how far a judge can be trusted."""
    study = _studies(request).named(request.path_params["study"])
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
        adjudicator=_adjudicator(study),
        alphas=_table("Krippendorff's alpha, question by question", alphas, 2, "question", "level", *tail),
        pairs=_table("Two raters at a time", found.pairwise, 2, "question", "between", "metric", *tail),
        metrics=_table("What people say of the replies", metrics, 2, "model", "prompt", "metric", "value", "n"),
        machines=_table("People, algorithm and judges", machines, 1, "of", "metric", *tail),
        formulas={name: known[name].formula for name in names},
    )


def _adjudicator(study: Study) -> Rater | None:
    return next((rater for rater in study.raters() if rater.is_adjudicator), None)


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
