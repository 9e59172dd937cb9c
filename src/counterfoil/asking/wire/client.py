"""A client for one address: posts over connections that stay open, each request once.

It does what asks need and nothing else: HTTP/1.1 with and without TLS. Of redirections, cookies and proxies it knows
nothing.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, cast
from urllib.parse import quote, urlsplit

from counterfoil import __version__
from counterfoil.asking.wire.errors import BrokenOff, NoConnection, NotTrusted, WireError
from counterfoil.asking.wire.response import ACCEPTED, Response, ResponseReader

# A connection that was idle for longer is not used again: its server may be about to close it.
LONGEST_IDLE = 15.0
# After so long without a connection by one address of a name, the next one is tried beside it.
SECONDS_TO_NEXT_ADDRESS = 0.25
_HOST = re.compile(r"[A-Za-z0-9._~:%-]+")
# What may stand in a path or a query as it is.
_PLAIN = "/:@!$&'()*+,;=~-._%?"


class Address(NamedTuple):
    """What of an address a connection and a request need."""

    host: str
    port: int
    is_secure: bool
    # The host as requests name it, with its port if that is no usual one.
    name: str
    path: str


def address_of(url: str) -> Address:
    """The parts of an address; ValueError where it is none."""
    parts = urlsplit(url)
    is_secure = parts.scheme == "https"
    usual = 443 if is_secure else 80
    port = parts.port or usual
    host = _host(parts.hostname or "")
    bare = f"[{host}]" if ":" in host else host
    path = quote(parts.path or "/", safe=_PLAIN) + (f"?{quote(parts.query, safe=_PLAIN)}" if parts.query else "")
    return Address(host, port, is_secure, bare if port == usual else f"{bare}:{port}", path)


def _host(name: str) -> str:
    """A host's name in letters of ASCII."""
    name = name if name.isascii() else name.encode("idna").decode("ascii")
    if not _HOST.fullmatch(name):
        raise ValueError("this is no host's name")
    return name


class Client:
    """Posts to one address with the same headers; has as many connections as requests under way."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._address = address_of(url)
        self._idle: list[_Connection] = []
        own = {"Host": self._address.name, "User-Agent": f"counterfoil/{__version__}", "Accept-Encoding": ACCEPTED}
        lines = [
            f"POST {self._address.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in (own | {**headers}).items()),
        ]
        self._head = "\r\n".join([*lines, "Content-Length: "]).encode()

    async def post(self, data: bytes) -> Response:
        """The response; a WireError where there is none. Who gives up waiting takes the connection along."""
        connection = self._idle_one() or await self._connect()
        try:
            response = await connection.exchange(b"%b%d\r\n\r\n%b" % (self._head, len(data), data))
        except BaseException:
            connection.transport.abort()
            raise
        if response.keeps:
            connection.idle_since = connection.loop.time()
            self._idle.append(connection)
        else:
            connection.transport.abort()  # nothing is left to say, and a server may take long to say goodbye
        return response

    def _idle_one(self) -> _Connection | None:
        """The one that was used last; those that are too old, or were closed by the server, are let go."""
        while self._idle:
            connection = self._idle.pop()
            is_fresh = connection.loop.time() - connection.idle_since < LONGEST_IDLE
            if is_fresh and not connection.transport.is_closing():
                return connection
            connection.transport.abort()
        return None

    async def _connect(self) -> _Connection:
        loop = asyncio.get_running_loop()
        host, port, is_secure, *_ = self._address
        settings: dict[str, Any] = {"ssl": _secure(), "server_hostname": host} if is_secure else {}
        if isinstance(loop, asyncio.BaseEventLoop):
            # Other loops, as uvloop's, which Ray's workers run in, try the addresses one after another.
            settings["happy_eyeballs_delay"] = SECONDS_TO_NEXT_ADDRESS
        try:
            _, connection = await loop.create_connection(lambda: _Connection(loop), host, port, **settings)
        except ssl.SSLCertVerificationError as error:
            raise NotTrusted(error) from error
        except OSError as error:
            raise NoConnection(error) from error
        except UnicodeError as error:  # a name that no name server takes
            raise NoConnection(OSError(str(error))) from error
        return connection

    async def close(self) -> None:
        """Close all connections."""
        for connection in self._idle:
            connection.transport.abort()
        self._idle.clear()
        await asyncio.sleep(0)  # the transports close in the loop's next turn


@cache
def _secure() -> ssl.SSLContext:
    """The usual rules for certificates. Reading the authorities takes a while, so it is done once."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


class _Connection(asyncio.Protocol):
    """One connection, with one request under way at the most."""

    transport: asyncio.Transport

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.idle_since = 0.0
        self._waiter: asyncio.Future[Response] | None = None
        self._reader: ResponseReader | None = None

    def exchange(self, request: bytes) -> asyncio.Future[Response]:
        """Send a request; gives the response to come."""
        self._reader = ResponseReader()
        self._waiter = waiter = self.loop.create_future()
        self.transport.write(request)
        return waiter

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self._reader is None:  # it says something though it was not asked
            self.transport.abort()
            return
        try:
            response = self._reader.feed(data)
        except WireError as error:
            self._end(error)
            self.transport.abort()
            return
        if response is not None:
            self._end(response)

    def connection_lost(self, error: Exception | None) -> None:
        if self._reader is None:
            return
        if error is not None:
            self._end(BrokenOff(str(error) or type(error).__name__))
            return
        try:
            self._end(self._reader.end())
        except WireError as broken:
            self._end(broken)

    def _end(self, result: Response | WireError) -> None:
        """Hand over what became of the request."""
        waiter, self._waiter, self._reader = self._waiter, None, None
        if waiter is None or waiter.done():
            return
        if isinstance(result, WireError):
            waiter.set_exception(result)
        else:
            waiter.set_result(result)
