"""The site: which address leads to which page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from counterfoil.errors import UserError
from counterfoil.web import compare, rate, rate_results, records, review, runs
from counterfoil.web.exchange import Exchanges
from counterfoil.web.pages import page, report_style
from counterfoil.web.security import Access, Guard
from counterfoil.web.served import NotHere, Served
from counterfoil.web.studies import Studies


def make_app(root: Path, ledgers: Sequence[Path], access: Access) -> ASGIApp:
    """The site over a directory, guarded."""
    app = Starlette(
        routes=[
            Route("/", runs.runs_page),
            Route("/run/{run:path}", runs.run_page),
            Route("/records/{run:path}", records.records_page),
            Route("/record/{run:path}", records.record_page),
            Route("/question", records.question_page),
            Route("/compare", compare.compare_page),
            Route("/studies", rate_results.studies_page),
            Route("/study/{study:path}", rate_results.study_page),
            Route("/rate/{token}", rate.rate_page, methods=["GET"]),
            Route("/rate/{token}", rate.save, methods=["POST"]),
            Route("/rate/{token}/undo", rate.undo, methods=["POST"]),
            Route("/reviews", review.reviews_page),
            Route("/review/{folder:path}", review.review_page),
            Route("/review-question/{folder:path}", review.question_page, methods=["GET"]),
            Route("/review-question/{folder:path}", review.save, methods=["POST"]),
            Route("/review-freeze/{folder:path}", review.freeze, methods=["POST"]),
            Route("/static/report.css", _style),
            Mount("/static", StaticFiles(packages=[("counterfoil.web", "static")])),
        ],
        exception_handlers={NotHere: _not_here, UserError: _user_error, HTTPException: _refused, Exception: _broken},
    )
    app.state.served = Served(root)
    app.state.studies = Studies(app.state.served)
    app.state.exchanges = Exchanges(ledgers)
    return Guard(app, access)


def _style(request: Request) -> Response:
    return Response(report_style(), media_type="text/css")


def _message(request: Request, status: int, title: str, text: str) -> Response:
    # Raters see nothing of the rest of the site.
    template = "bare_message.html" if request.url.path.startswith("/rate/") else "message.html"
    return page(request, template, status, title=title, text=text)


def _not_here(request: Request, error: Exception) -> Response:
    return _message(request, 404, "Not here", "Nothing of that name is served: check that the link was copied whole.")


def _user_error(request: Request, error: Exception) -> Response:
    return _message(request, 400, "That does not work", str(error))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _message(request, error.status_code, error.detail, "")


def _broken(request: Request, error: Exception) -> Response:
    return _message(request, 500, "Something went wrong", "What it was is in the terminal where the site was started.")
