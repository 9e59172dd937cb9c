"""Starting the site: where it listens, and what it says about it."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn

from counterfoil.errors import UserError
from counterfoil.web.app import make_app
from counterfoil.web.security import LOOPBACK_NAMES, Access, is_loopback

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
    say: Callable[[str], None],
) -> None:
    """Serve until somebody stops it."""
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    access = access_for(host, port, names, token)
    app = make_app(root, ledgers, access)
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
        return Access(port, frozenset({*LOOPBACK_NAMES, *extra}), token or None)
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
