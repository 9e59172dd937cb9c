"""The pages of studies: of raters, by their personal links, one reply at a time, blind; and of what they found."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from counterfoil.errors import UserError
from counterfoil.figures.numbers import listed
from counterfoil.rating.results import disagreements
from counterfoil.rating.store import CANT_TELL, NOTE, Changed, Progress, Rater, Study
from counterfoil.suite.form import FormQuestion, Task
from counterfoil.suite.opinions import Opinion, Value, items
from counterfoil.web.languages import language_in, language_of_task, names_of
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


class Remark(NamedTuple):
    """A note, or whether the rater can't tell; `seen` as in `Asked`."""

    key: str
    value: Value | None
    seen: int


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
    if wanted is None and not progress.done and number is not None and not rater.is_adjudicator:
        return _welcome(request, study, rater, progress, number)
    if number is None:
        last = order[-1] if order else None
        return page(request, "rating/done.html", progress=progress, token=rater.token, last=last)
    return page(
        request,
        "rating/rate.html",
        task=study.task(number),
        asked=_asked(study, rater, number, apart),
        remarks=_remarks(study, rater, number),
        language=language_of_task(study.task(number)),
        reply_language=language_in(study.task(number).reply),
        progress=progress,
        token=rater.token,
        shows_right=study.form.shows_right,
        deciding=rater.is_adjudicator,
        **neighbours(order, number),
    )


def _welcome(request: Request, study: Study, rater: Rater, progress: Progress, first: int) -> Response:
    """What a rater should know before the first reply."""
    tasks = [study.task(number) for number in study.assigned(rater)]
    names = names_of(tasks)
    questions = [question for question in study.form.questions if _is_asked(question, tasks)]
    return page(
        request,
        "rating/welcome.html",
        name=rater.name,
        token=rater.token,
        progress=progress,
        first=first,
        questions=questions,
        languages=listed(names) if names else None,
        shows_right=study.form.shows_right,
    )


def _is_asked(question: FormQuestion, tasks: list[Task]) -> bool:
    """Whether some of the tasks ask it."""
    return question.when == "always" or any(bool(task.options) == (question.when == "options") for task in tasks)


def _remarks(study: Study, rater: Rater, number: int) -> dict[str, Remark]:
    """What the rater noted of a task beside the answers."""
    said = study.standing(rater, number)
    return {
        key: Remark(key, said[key].value if key in said else None, said[key].id if key in said else 0)
        for key in (NOTE, CANT_TELL)
    }


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
    return studies_of(request).rater(request.path_params["token"])


def studies_of(request: Request) -> Studies:
    """The open studies of this site."""
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
    if key == CANT_TELL:
        return YES_NO.get(sent, sent)
    kind = next((each.kind for each in study.form.questions if each.name == key.partition(".")[0]), None)
    return YES_NO.get(sent, sent) if kind == "yes_no" else sent


def studies_page(request: Request) -> Response:
    """Every study, with how far its raters are and their links."""
    shown, problems = [], []
    for path in served(request).studies():
        name = served(request).name_of(path)
        try:
            study = studies_of(request).named(name)
            people = [(rater, study.progress(rater)) for rater in study.raters() if not rater.is_adjudicator]
            apart = disagreements(study)
        except UserError as error:
            problems.append(str(error))
            continue
        undecided = sum(opinion.decided is None for opinion in apart)
        shown.append((name, study.about, people, adjudicator_of(study), len(apart), undecided))
    return page(
        request,
        "rating/studies.html",
        studies=shown,
        problems=problems,
        root=served(request).root,
        address=str(request.base_url).rstrip("/"),
    )


def adjudicator_of(study: Study) -> Rater | None:
    """Who decides where raters disagree."""
    return next((rater for rater in study.raters() if rater.is_adjudicator), None)
