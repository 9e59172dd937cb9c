"""Who may ask for what: host names, the site's token, and that whatever writes was sent from a page of this site."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send no origin with forms, and it could not be checked.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
CSRF_COOKIE, CSRF_FIELD = "counterfoil_csrf", "csrf"
SAFE_METHODS = ("GET", "HEAD")
LONGEST_BODY = 1_000_000
# Raters have tokens of their own, in their links; style and scripts hold nothing of anybody.
OPEN_PATHS = ("/rate/", "/static/")
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_CSRF = re.compile(r"[A-Za-z0-9_-]{43}")


class Access(NamedTuple):
    """Who may come in. `hosts`: the names that a request may call this server by, None for any; `token`: what opens
    the site, None where it is open to whoever reaches it; `read_only`: nobody writes anything.
    """

    port: int
    hosts: frozenset[str] | None
    token: str | None
    read_only: bool = False

    @property
    def is_for_its_owner(self) -> bool:
        """Whether nobody comes in but who is on this machine, or has the token. A server in front, which has a name of
        its own, lets others in.
        """
        return self.token is not None or (self.hosts is not None and all(map(is_loopback, self.hosts)))

    @property
    def cookie(self) -> str:
        """Cookies do not tell ports apart, so the name does."""
        return f"counterfoil_token_{self.port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell how far they are."""
    return hmac.compare_digest(one.encode(), other.encode())


class Guard:
    """Around the whole site. Behind it, `state` of a request holds `csrf`, and `form` where one was sent."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        csrf = request.cookies.get(CSRF_COOKIE, "")
        is_new = not _CSRF.fullmatch(csrf)
        if is_new:
            csrf = secrets.token_urlsafe(32)
        request.state.csrf = csrf

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answer[name] = value
                if is_new:
                    answer.append("Set-Cookie", f"{CSRF_COOKIE}={csrf}; Path=/; HttpOnly; SameSite=Lax")
            await send(message)

        refusal = self._refusal(request)
        if refusal is None and scope["method"] not in SAFE_METHODS and self._access.read_only:
            refusal = PlainTextResponse("This site is read-only: it was started with --read-only.", 403)
        elif refusal is None and scope["method"] not in SAFE_METHODS:
            refusal = await _checked(request, "" if is_new else csrf)
        await (refusal or self._app)(scope, receive, guarded)

    def _refusal(self, request: Request) -> Response | None:
        """What is answered instead of the page, if it may not be seen."""
        scope = request.scope
        host = request.headers.get("host", "")
        name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
        if self._access.hosts is not None and name.lower() not in self._access.hosts:
            return PlainTextResponse(
                f"This site is not called {name[:100]!r}: start it with --allow-host to give it that name.", 421
            )
        token = self._access.token
        if token is None or scope["path"].startswith(OPEN_PATHS):
            return None
        if same(request.cookies.get(self._access.cookie, ""), token):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token")
        if given is not None and scope["method"] in SAFE_METHODS and same(given, token):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            # One slash: two would name another server.
            path = "/" + scope["path"].lstrip("/")
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(self._access.cookie, token, httponly=True, samesite="lax")
            return answer
        return PlainTextResponse(
            "This site needs its token: open it by the link that `counterfoil serve` printed when it was started.", 401
        )


async def _checked(request: Request, csrf: str) -> Response | None:
    """What is wrong with a request that writes, if anything is; its form is then in the state."""
    headers = request.headers
    if request.method != "POST":
        return PlainTextResponse("Pages are asked for with GET, forms sent with POST.", 405)
    origin = headers.get("origin", "")
    fetch_site = headers.get("sec-fetch-site", "same-origin")
    if urlsplit(origin).netloc != headers.get("host", "") or not origin or fetch_site != "same-origin":
        return PlainTextResponse("This was sent from another site, and is refused.", 403)
    if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        return PlainTextResponse("Forms are sent as application/x-www-form-urlencoded.", 415)
    body = await _body(request)
    if body is None:
        return PlainTextResponse("That is too long.", 413)
    try:
        form = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=200))
    except ValueError:
        return PlainTextResponse("That is no form.", 400)
    if not csrf or not same(form.get(CSRF_FIELD, ""), csrf):
        return PlainTextResponse("The form is not from this visit: load the page again, then send it.", 403)
    request.state.form = form
    return None


async def _body(request: Request) -> bytes | None:
    """All of what was sent; None where it is too long, or the sender went away."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > LONGEST_BODY:
                return None
    except ClientDisconnect:
        return None
    return body
