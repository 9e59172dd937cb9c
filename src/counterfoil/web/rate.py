"""The pages of raters, by their personal links: one reply at a time, blind; each answer is saved at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from counterfoil.errors import UserError
from counterfoil.rating.form import FormQuestion, Item, Task, Value, items
from counterfoil.rating.results import Disagreement, disagreements
from counterfoil.rating.store import Rater, Study
from counterfoil.web.pages import form, page
from counterfoil.web.studies import Studies

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
