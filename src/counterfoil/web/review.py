"""The pages of a curation's review: all of its questions, one of them, and the freeze."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil.errors import UserError
from counterfoil.explain.curate import DATASET
from counterfoil.web.curations import Curation, Entry, decide, freeze_reviewed, open_curation
from counterfoil.web.pages import form, neighbours, page, served
from counterfoil.web.served import CURATION, NotHere

COOKIE = "counterfoil_reviewer"


def reviews_page(request: Request) -> Response:
    """All curations of the directory."""
    shown: list[tuple[str, Curation | None, str]] = []
    for folder in served(request).curations():
        name = served(request).name_of(folder)
        try:
            shown.append((name, open_curation(folder), ""))
        except UserError as error:
            shown.append((name, None, str(error)))
    return page(request, "review/reviews.html", curations=shown, root=served(request).root)


def review_page(request: Request) -> Response:
    """One curation: where its questions stand, and the freeze."""
    curation = open_curation(_folder(request))
    return page(
        request,
        "review/review.html",
        name=request.path_params["folder"],
        curation=curation,
        next=curation.next_for(_reviewer(request)),
        frozen=curation.manifest.step("freeze"),
        dataset=DATASET,
    )


def question_page(request: Request) -> Response:
    """One question, with all that is known of it."""
    curation = open_curation(_folder(request))
    wanted = request.query_params.get("id", "")
    if wanted not in curation.rows:
        raise NotHere(wanted)
    reviewer, row, review = _reviewer(request), curation.rows[wanted], curation.reviews[wanted]
    ids = list(curation.rows)
    return page(
        request,
        "review/question.html",
        name=request.path_params["folder"],
        row=row,
        candidates=sorted(row.plausibilities.items(), key=lambda pair: -pair[1]),
        verdicts=[said for said in ((row.verdict, row.reason), (row.ambiguity, row.ambiguity_reason)) if said[0]],
        reviewer=reviewer,
        mine=review.entries.get(reviewer),
        others={name: entry for name, entry in review.entries.items() if name != reviewer},
        is_disputed=review.is_disputed,
        place=ids.index(wanted) + 1,
        count=len(ids),
        **neighbours(ids, wanted),
    )


def save(request: Request) -> Response:
    """A reviewer's decision; then on to the next question that they have not decided."""
    folder, sent = _folder(request), form(request)
    decision, reviewer = sent.get("decision", ""), " ".join(sent.get("reviewer", "").split())
    if decision not in ("keep", "drop"):
        raise UserError("A question is kept or dropped.")
    aliases = dict.fromkeys(line.strip() for line in sent.get("aliases", "").splitlines() if line.strip())
    entry = Entry(
        sent.get("id", ""),
        reviewer,
        decision,
        sent.get("reason", "").strip(),
        sent.get("answer", "").strip(),
        tuple(aliases),
        sent.get("settles") == "yes",
    )
    decide(folder, entry)
    following = open_curation(folder).next_for(reviewer, entry.question)
    name = quote(request.path_params["folder"])
    address = f"/review/{name}" if following is None else f"/review-question/{name}?{urlencode({'id': following})}"
    answer = RedirectResponse(address, 303)
    answer.set_cookie(COOKIE, quote(reviewer), httponly=True, samesite="lax", max_age=365 * 86_400)
    return answer


def freeze(request: Request) -> Response:
    """Make the dataset of what is kept."""
    freeze_reviewed(_folder(request))
    return RedirectResponse(f"/review/{quote(request.path_params['folder'])}", 303)


def _folder(request: Request) -> Path:
    return served(request).folder(request.path_params["folder"], CURATION)


def _reviewer(request: Request) -> str:
    return unquote(request.cookies.get(COOKIE, ""))
