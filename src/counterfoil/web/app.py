"""The site: which address leads to which page."""

from __future__ import annotations

import logging
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from counterfoil.errors import UserError
from counterfoil.report.page.page import style
from counterfoil.web import compare, rate, review, runlist, runs
from counterfoil.web.live import start
from counterfoil.web.pages import page, served
from counterfoil.web.rate import Studies
from counterfoil.web.records.export import export
from counterfoil.web.records.listing import records_page
from counterfoil.web.records.matrix import matrix_page
from counterfoil.web.records.record import question_page, record_page
from counterfoil.web.security import LOOPBACK_NAMES, Access, Guard, is_loopback
from counterfoil.web.served import NotHere, Served
from counterfoil.web.study import study_page
from counterfoil.web.versions.page import versions_page

_LOG = logging.getLogger(__name__)


class _Folder(PathConvertor):
    """A path in whose names there may be line breaks."""

    regex = "(?s:.*)"


register_url_convertor("folder", _Folder())


def make_app(
    root: Path,
    ledgers: Sequence[Path],
    access: Access,
    suites: Mapping[str, str] | None = None,
    *,
    starts_runs: bool = False,
) -> ASGIApp:
    """The site over a directory, guarded; `suites` as `Served` takes them. `starts_runs`: as far as `access` allows."""
    app = Starlette(
        routes=[
            Route("/", runlist.runs_page),
            Route("/run/{run:folder}", runs.run_page),
            Route("/records/{run:folder}", records_page),
            Route("/record/{run:folder}", record_page),
            Route("/matrix/{run:folder}", matrix_page),
            Route("/export/{run:folder}", export),
            Route("/versions/{run:folder}", versions_page),
            Route("/question", question_page),
            Route("/compare", compare.compare_page),
            Route("/note/{run:folder}", runlist.note, methods=["POST"]),
            Route("/start", start.start_page, methods=["GET"]),
            Route("/start", start.dry_page, methods=["POST"]),
            Route("/start/go", start.go, methods=["POST"]),
            Route("/starting/{run:folder}", start.starting_page),
            Route("/continue/{run:folder}", start.go_on, methods=["POST"]),
            Route("/stop/{run:folder}", start.stop, methods=["POST"]),
            Route("/studies", rate.studies_page),
            Route("/study/{study:folder}", study_page),
            Route("/rate/{token}", rate.rate_page, methods=["GET"]),
            Route("/rate/{token}", rate.save, methods=["POST"]),
            Route("/rate/{token}/undo", rate.undo, methods=["POST"]),
            Route("/reviews", review.reviews_page),
            Route("/review/{folder:folder}", review.review_page),
            Route("/review-question/{folder:folder}", review.question_page, methods=["GET"]),
            Route("/review-question/{folder:folder}", review.save, methods=["POST"]),
            Route("/review-freeze/{folder:folder}", review.freeze, methods=["POST"]),
            Route("/static/report.css", _style),
            Mount("/static", StaticFiles(packages=[("counterfoil.web", "static")])),
        ],
        exception_handlers=dict.fromkeys((NotHere, UserError, HTTPException, Exception), _failed),
    )
    app.state.served = Served(root, suites)
    app.state.studies = Studies(app.state.served)
    app.state.ledgers = ledgers
    app.state.read_only = access.read_only
    app.state.starter = start.Starter(
        app.state.served, ledgers, suites or {}, is_on=starts_runs and access.is_for_its_owner
    )
    return Guard(app, access)


def _style(request: Request) -> Response:
    return Response(style(), media_type="text/css")


def _failed(request: Request, error: Exception) -> Response:
    """A page on what went wrong."""
    match error:
        case NotHere():
            status, title = 404, "Not here"
            text = "Nothing of that name is served: check that the link was copied whole."
        case UserError():
            _LOG.debug("UserError", exc_info=error)
            status, title = 400, "That does not work"
            # Where the directory is on this machine is nobody's business.
            text = str(error).replace(f"{served(request).root}/", "")
        case HTTPException():
            status, title, text = error.status_code, error.detail, ""
        case _:
            status, title = 500, "Something went wrong"
            text = "What it was is in the terminal where the site was started."
    # Raters see nothing of the rest of the site.
    template = "bare_message.html" if request.url.path.startswith("/rate/") else "message.html"
    return page(request, template, status, title=title, text=text)


ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104
# A rating that is being saved when the server is stopped is saved to its end.
GRACE_SECONDS = 5
BACKLOG = 2_048


def serve(
    root: Path,
    *,
    host: str,
    port: int,
    ledgers: Sequence[Path],
    names: Sequence[str],
    token: str | None,
    suites: Mapping[str, str],
    read_only: bool,
    say: Callable[[str], None],
) -> None:
    """Serve until somebody stops it."""
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    access = access_for(host, port, names, token)._replace(read_only=read_only)
    app = make_app(root, ledgers, access, suites, starts_runs=not read_only)
    shown = socket.gethostname() if host in ANYWHERE else f"[{host}]" if ":" in host else host
    if access.token is None:
        say(f"The site is at http://{shown}:{port}/ for this machine only. Ctrl-C ends it.")
    else:
        say(f"The site listens on {host or 'every address'}, which others can reach, so it needs a token. Open it by:")
        say(f"http://{shown}:{port}/?token={access.token}")
        say("Raters need their own links only. The connection is not encrypted. Ctrl-C ends it.")
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=GRACE_SECONDS
    )
    # The server hands Ctrl-C on once it has ended in order; for a site that is how it ends.
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def access_for(host: str, port: int, names: Sequence[str], token: str | None) -> Access:
    """On this machine's own addresses no token is needed, and only its own names are answered to. Anywhere else
    everything needs a token, which a page of another name does not have.
    """
    extra = {name.lower() for name in names}
    if is_loopback(host):
        return Access(port, frozenset({*LOOPBACK_NAMES, host, *extra}), token or None)
    if host in ANYWHERE and not extra:
        return Access(port, None, token or secrets.token_urlsafe(24))
    own = {f"[{host}]" if ":" in host else host.lower(), *LOOPBACK_NAMES}
    return Access(port, frozenset({*own, *extra}), token or secrets.token_urlsafe(24))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.socket(family[0], socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(family[4])
        # From here on nobody is turned away: whoever comes early waits.
        listening.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UserError(f"{host}:{port} can't be listened on ({why}): choose another with --host or --port.") from error
    listening.set_inheritable(True)
    return listening
