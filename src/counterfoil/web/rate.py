"""The pages of raters, by their personal links: one reply at a time, blind; each answer is saved at once."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from counterfoil.errors import UserError
from counterfoil.figures.numbers import with_interval
from counterfoil.rating.results import Disagreement, disagreements, results, suite_of_study
from counterfoil.rating.store import Rater, Study
from counterfoil.report.html import Html, table
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import by_name
from counterfoil.suite.form import FormQuestion, Task
from counterfoil.suite.opinions import Item, Value, items
from counterfoil.suite.people import HUMAN_ALPHA
from counterfoil.web.pages import form, page, served
from counterfoil.web.served import STUDY_SUFFIX, NotHere, Served


class _Open(NamedTuple):
    inode: int
    study: Study


class Studies:
    """A study stays open for all threads; one whose file was replaced is opened again."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._lock = threading.Lock()
        self._open: dict[Path, _Open] = {}
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
            there = self._open.get(path)
            if there is None or there.inode != inode:
                self._open[path] = there = _Open(inode, Study(path))
            return there.study


YES_NO = {"yes": True, "no": False}


class Asked(NamedTuple):
    """An item as the page asks it; `value`: what was answered, as the form sends it; `others`: what raters said."""

    key: str
    question: FormQuestion
    alternative: str | None
    value: str | None
    others: dict[str, str]


class Stand(NamedTuple):
    """Where a rater is: `done` of `tasks`, and the next task that is open."""

    done: int
    tasks: int
    next: int | None


def rate_page(request: Request) -> Response:
    """The task in the address, or the first that is open, or the end."""
    study, rater = _who(request)
    if rater.is_adjudicator:
        return _adjudicate(request, study, rater)
    order = study.assigned(rater)
    stand = _stand(study, rater)
    wanted = _number(request.query_params.get("task", ""))
    number = wanted if wanted in order else stand.next
    if number is None:
        return page(request, "rate_done.html", stand=stand, token=rater.token, last=order[-1] if order else None)
    place = order.index(number)
    return page(
        request,
        "rate.html",
        task=study.task(number),
        asked=_asked(study, rater, number),
        stand=stand,
        token=rater.token,
        before=order[place - 1] if place else None,
        after=order[place + 1] if place + 1 < len(order) else None,
        deciding=False,
    )


def save(request: Request) -> Response:
    """One answer. A script gets JSON, a plain form the page again."""
    study, rater = _who(request)
    sent = form(request)
    wants_json = "application/json" in request.headers.get("accept", "")
    task, key = _number(sent.get("task", "")) or 0, sent.get("item", "")
    try:
        study.rate(rater, task, key, _value(study, key, sent.get("value", "")))
    except UserError as error:
        if wants_json:
            return JSONResponse({"error": str(error)}, 400)
        raise
    if wants_json:
        stand = _stand(study, rater)
        return JSONResponse({"done": stand.done, "tasks": stand.tasks, "next": stand.next})
    open_keys = [it.key for it in _asked(study, rater, task) if it.value is None]
    return RedirectResponse(f"/rate/{rater.token}?task={task}#{f'i-{open_keys[0]}' if open_keys else 'next'}", 303)


def undo(request: Request) -> Response:
    """Take the last answer back, and show what it was about."""
    study, rater = _who(request)
    undone = study.undo(rater)
    where = "" if undone is None else f"?task={undone.task}#i-{undone.item}"
    return RedirectResponse(f"/rate/{rater.token}{where}", 303)


def _adjudicate(request: Request, study: Study, rater: Rater) -> Response:
    """What raters see otherwise, task by task, furthest apart first."""
    apart = disagreements(study)
    order = list(dict.fromkeys(it.task for it in apart))
    stand = _stand(study, rater)
    wanted = _number(request.query_params.get("task", ""))
    number = wanted if wanted in order else stand.next
    if number is None:
        return page(request, "rate_done.html", stand=stand, token=rater.token, last=order[-1] if order else None)
    place = order.index(number)
    return page(
        request,
        "rate.html",
        task=study.task(number),
        asked=_asked(study, rater, number, apart),
        stand=stand,
        token=rater.token,
        before=order[place - 1] if place else None,
        after=order[place + 1] if place + 1 < len(order) else None,
        deciding=True,
    )


def _who(request: Request) -> tuple[Study, Rater]:
    studies: Studies = request.app.state.studies
    return studies.rater(request.path_params["token"])


def _stand(study: Study, rater: Rater) -> Stand:
    if not rater.is_adjudicator:
        return Stand(*study.progress(rater), study.next_task(rater))
    apart = disagreements(study)
    undecided = [it.task for it in apart if it.decided is None]
    return Stand(len(apart) - len(undecided), len(apart), undecided[0] if undecided else None)


def _asked(study: Study, rater: Rater, number: int, apart: list[Disagreement] | None = None) -> list[Asked]:
    """What is asked of a task; of the adjudicator only what the raters see otherwise."""
    task, said = study.task(number), study.answers(rater, number)
    found = [_one(study, task, item, said) for item in items(study.form, task)]
    if not rater.is_adjudicator:
        return found
    others = {it.item: it.values for it in apart or disagreements(study) if it.task == number}
    return [
        it._replace(others={name: _text(value) or "(none)" for name, value in others[it.key].items()})
        for it in found
        if it.key in others
    ]


def _one(study: Study, task: Task, item: Item, said: Mapping[str, Value]) -> Asked:
    alternative = None if item.alternative is None else task.alternatives[item.alternative]
    value = said.get(item.key)
    return Asked(item.key, study.form.question(item.question), alternative, _text(value), {})


def _text(value: Value | None) -> str | None:
    """A value as a form sends it."""
    if value is None or isinstance(value, str):
        return value
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value:g}"


def _value(study: Study, key: str, sent: str) -> Any:
    """What was sent as the store wants it; whatever is wrong with it, the store says."""
    kind = next((it.kind for it in study.form.questions if it.name == key.partition(".")[0]), None)
    return YES_NO.get(sent, sent) if kind == "yes_no" else sent


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


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
    about = study.about
    suite = suite_of_study(about, served(request).place_of(about.suite, about.name))
    found = results(study, suite)
    adjudicator = next((it for it in study.raters() if it.is_adjudicator), None)
    known = by_name(suite.people_metrics)
    alphas = [it for it in found.estimates if it.metric == HUMAN_ALPHA.name]
    metrics = [it for it in found.estimates if not it.group]
    machines = [it for it in found.estimates if it not in alphas and it not in metrics]
    return page(
        request,
        "study.html",
        name=name,
        about=about,
        found=found,
        adjudicator=adjudicator,
        alphas=_table("Krippendorff's alpha, question by question", alphas, ["question", "level"]),
        pairs=_table("Two raters at a time", found.pairwise, ["question", "between"], metric=True),
        metrics=_metrics(metrics),
        machines=_table("People, algorithm and judges", machines, [], metric=True),
        formulas={
            it.metric: known[it.metric].formula for it in (*found.estimates, *found.pairwise) if it.metric in known
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
