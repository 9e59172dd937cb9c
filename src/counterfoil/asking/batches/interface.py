"""A provider's batches: what its interface must give, how a batch is doing, and the server behind it."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple, NoReturn

import aiohttp
from yarl import URL

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.models.base import ModelUnusable, TryAgain
from counterfoil.asking.models.http import Endpoint, HttpModel, NotJson
from counterfoil.asking.wire.errors import WireError
from counterfoil.asking.wire.response import LARGEST_BODY
from counterfoil.asking.wire.session import open_session, read_body, wire_error
from counterfoil.log import log_request

_LOG = logging.getLogger(__name__)

# The limit of a short answer; files may take as long as bytes keep coming or going.
SECONDS, SECONDS_BETWEEN_BYTES = 60.0, 300.0
_SHORT = aiohttp.ClientTimeout(total=SECONDS)
_LONG = aiohttp.ClientTimeout(total=None, sock_connect=SECONDS, sock_read=SECONDS_BETWEEN_BYTES)
# Clocks differ by so much at the most.
CLOCK_SECONDS = 3_600.0

Line = dict[str, Any]


class NotProcessed(TryAgain):
    """The provider did not come to this ask before the batch ended."""


class NotThere(ModelUnusable):
    """The server, or the account of this key, has no such thing."""


class Complaint(NamedTuple):
    """Why a batch was not accepted. `line` counts from 1; None: it is about the whole batch."""

    message: str
    line: int | None
    too_much: bool


class Look(NamedTuple):
    """How a batch is doing. `done` counts its asks that are done. `results` are the addresses of its lines, once it has
    ended. There are `complaints` only where it was not accepted.
    """

    ended: bool
    done: int
    cancelled: bool
    results: Sequence[str] = ()
    complaints: Sequence[Complaint] = ()


class BatchInterface(ABC):
    """One provider's batches, for one model. Its errors are those of `models.base`."""

    provider: str
    most_asks: int
    most_bytes: int
    # What stands before, between and after the lines of a batch.
    head: bytes
    between: bytes
    tail: bytes
    # The paths of batches and of asks outside of batches, below the address that both have in common.
    path: str
    path_of_asks: str
    # How the pages of the list of batches are asked for, and how many batches are on one.
    cursor: str
    per_page: int
    # Whether a batch in the list tells for certain that it is the one that was posted.
    is_sure: bool

    def __init__(self, model: HttpModel) -> None:
        self.base_url = model.endpoint.url.removesuffix(self.path_of_asks)
        self._model = model
        self._server = Server(model.endpoint, self.base_url)

    @abstractmethod
    def line(self, ask: Ask) -> bytes:
        """The line of an ask: its key, and the body that would be sent outside of a batch."""

    async def upload(self, content: BinaryIO) -> str | None:
        """Do what must precede the batch, and costs nothing. Gives what `create` needs of it."""
        return None

    @abstractmethod
    async def create(self, content: BinaryIO, uploaded: str | None, token: str) -> str:
        """Make the batch; gives its id."""

    async def find(self, token: str, asks: int, posted_at: float, known: Collection[str]) -> str | None:
        """The id of the batch that was made for this token, or about then with so many asks; not one of the known."""
        query, seen = {"limit": str(self.per_page)}, set[str]()
        while True:
            page = await self._server.get(self.path, query)
            batches = [batch for batch in page.get("data") or [] if isinstance(batch, dict)]
            for batch in batches:
                is_then = abs(_created_at(batch) - posted_at) <= CLOCK_SECONDS
                if self.is_posted(batch, token, asks, is_then) and (self.is_sure or id_of(batch) not in known):
                    return id_of(batch)
            is_last_page = not page.get("has_more") or not batches
            if is_last_page or _created_at(batches[-1]) < posted_at - CLOCK_SECONDS:  # the newest are listed first
                return None
            query[self.cursor] = id_of(batches[-1])
            if query[self.cursor] in seen:
                raise TryAgain("the server lists the same batches again and again")
            seen.add(query[self.cursor])

    @abstractmethod
    def is_posted(self, batch: dict[str, Any], token: str, asks: int, is_then: bool) -> bool:
        """Whether a batch in the list is the one that was posted, or may be. `is_then`: it was made about that time."""

    @abstractmethod
    async def look(self, batch_id: str) -> Look:
        """How the batch is doing."""

    async def lines(self, look: Look) -> AsyncIterator[tuple[str, Line]]:
        """The lines of an ended batch by the keys of their asks, in any order."""
        for address in look.results:
            async for line in self._server.lines(address):
                if isinstance(key := line.get("custom_id"), str):
                    yield key, line

    @abstractmethod
    def read(self, ask: Ask, line: Line) -> Reply:
        """The reply in a line; raises an error of `models.base` where it holds none."""

    async def close(self) -> None:
        await self._server.close()


class Server:
    """A provider's server beside its address for asks: files up, lists and files down.

    All addresses are below `base_url`, and all requests have the headers of the model's endpoint.
    """

    def __init__(self, endpoint: Endpoint, base_url: str) -> None:
        self._base_url = base_url
        self._endpoint = endpoint
        self._session: aiohttp.ClientSession | None = None

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The JSON object at a path."""
        return await self._json("GET", self._url(path).update_query(query or {}), _SHORT)

    async def post(self, path: str, content: bytes | BinaryIO) -> str:
        """Send JSON; gives the id of what was made."""
        data = content if isinstance(content, bytes) else _from_start(content)
        return id_of(await self._json("POST", self._url(path), _LONG, data, {"Content-Type": "application/json"}))

    async def post_file(self, path: str, content: BinaryIO, name: str, fields: Mapping[str, str]) -> str:
        """Send a file and fields as a form; gives the id of what was made."""
        form = aiohttp.FormData(fields)
        form.add_field("file", _from_start(content), filename=name, content_type="application/jsonl")
        return id_of(await self._json("POST", self._url(path), _LONG, form))

    async def lines(self, address: str) -> AsyncIterator[Line]:
        """The JSON objects in the lines at a path, or at an address of this server; what is none is left out."""
        url, rest = self._url(address), b""
        log_answer = log_request(_LOG, "GET", url, self._endpoint.headers)
        try:
            async with self._open().get(url, timeout=_LONG, allow_redirects=False) as response:
                log_answer(response.status)
                if response.status != 200:
                    self._refuse(response, await read_body(response))
                async for chunk in response.content.iter_any():
                    *whole, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
                    if len(rest) > LARGEST_BODY:
                        raise ModelUnusable(f"a line of {url.with_query(None)} is over {LARGEST_BODY // 1_000_000} MB")
                    for line in whole:
                        if (decoded := self._object(line)) is not None:
                            yield decoded
        except (aiohttp.ClientError, OSError, WireError) as error:
            raise self._endpoint.trouble(wire_error(error), SECONDS_BETWEEN_BYTES) from error
        if (decoded := self._object(rest)) is not None:
            yield decoded

    def is_here(self, address: object) -> bool:
        """Whether it is an address of this server."""
        try:
            return isinstance(address, str) and URL(address).origin() == URL(self._base_url).origin()
        except ValueError:
            return False

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _json(
        self,
        method: str,
        url: URL,
        timeout: aiohttp.ClientTimeout,
        data: bytes | BinaryIO | aiohttp.FormData | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        # A file is not logged.
        log_answer = log_request(_LOG, method, url, self._endpoint.headers, data if isinstance(data, bytes) else b"")
        settings: dict[str, Any] = {"headers": headers, "timeout": timeout, "allow_redirects": False}
        try:
            async with self._open().request(method, url, data=data, **settings) as response:
                raw = await read_body(response)
                log_answer(response.status)
        except (aiohttp.ClientError, OSError, WireError) as error:
            raise self._endpoint.trouble(wire_error(error), timeout.total or SECONDS_BETWEEN_BYTES) from error
        if not 200 <= response.status < 300:
            self._refuse(response, raw)
        decoded = self._endpoint.decoded(raw)
        if not isinstance(decoded, dict):
            raise TryAgain("the answer is not a JSON object")
        return decoded

    def _refuse(self, response: aiohttp.ClientResponse, raw: bytes) -> NoReturn:
        if response.status == 404:
            raise NotThere(f"the server said 404 to {response.url.with_query(None)}")
        self._endpoint.refuse_raw(response.status, response.headers, raw)

    def _url(self, address: str) -> URL:
        """The key goes to the server that the user named, and to no other that an answer points to."""
        return URL(address if self.is_here(address) else f"{self._base_url}{address}")

    def _object(self, line: bytes) -> Line | None:
        try:
            decoded = self._endpoint.decoded(line) if line.strip() else None
        except NotJson:
            return None
        return decoded if isinstance(decoded, dict) else None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {name: value for name, value in self._endpoint.headers.items() if name != "Content-Type"}
            self._session = open_session(headers)
        return self._session


def fields_of(value: object) -> dict[str, Any]:
    """The fields of a JSON object; of anything else, none."""
    return value if isinstance(value, dict) else {}


def id_of(answer: dict[str, Any]) -> str:
    """The id of what was made or listed."""
    if not isinstance(found := answer.get("id"), str) or not found or not found.isprintable():
        raise TryAgain("the answer has no id")
    return found


def _created_at(batch: dict[str, Any]) -> float:
    """When a batch in the list was made, which providers give as a number or as a text; 0 where that can't be told."""
    created = batch.get("created_at")
    try:
        return float(created) if isinstance(created, int | float) else datetime.fromisoformat(str(created)).timestamp()
    except ValueError:
        return 0.0


def _from_start(file: BinaryIO) -> BinaryIO:
    """The same file from its beginning, to be closed by whoever sends it."""
    again = os.fdopen(os.dup(file.fileno()), "rb")
    again.seek(0)
    return again
