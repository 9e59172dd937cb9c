"""What a provider's batch interface must give, what can be said of a batch, and the server behind it."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Literal, NamedTuple, NoReturn

import aiohttp
from yarl import URL

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.models.base import ModelUnusable, TryAgain
from counterfoil.asking.models.http import Endpoint, HttpModel, NotJson, open_session
from counterfoil.log import log_request

_LOG = logging.getLogger(__name__)

# For one answer; what is large may take as long as it keeps coming or going.
SECONDS, SECONDS_BETWEEN_BYTES = 60.0, 300.0
# Clocks differ, by so much at the most.
CLOCK_SECONDS = 3_600.0

Line = dict[str, Any]


class NotProcessed(TryAgain):
    """The provider did not come to this ask before the batch ended."""


class Complaint(NamedTuple):
    """Why a batch was not accepted; `line` counts from 1, and is None where it is about the whole."""

    message: str
    line: int | None
    too_much: bool


class Found(NamedTuple):
    """A batch that may be the one that was posted; `is_sure` where it says so itself."""

    batch_id: str
    is_sure: bool


class Look(NamedTuple):
    """How a batch is doing. `done` of its asks are done; `results` are where its lines can be fetched, once it has
    ended; `complaints` are there only where it was not accepted.
    """

    ended: bool
    done: int
    cancelled: bool
    results: Sequence[str] = ()
    complaints: Sequence[Complaint] = ()


class NotThere(ModelUnusable):
    """The server, or the account of this key, has no such thing."""


class BatchInterface(ABC):
    """One provider's batches, for one model. Its errors are those of `models.base`."""

    provider: str
    most_asks: int
    most_bytes: int
    # What stands before, between and after the lines of a batch.
    head: bytes
    between: bytes
    tail: bytes
    # Where batches are listed, how the list's pages are asked for, and how many are on one.
    listed: str
    cursor: str
    per_page: int

    def __init__(self, model: HttpModel, path: str) -> None:
        """`path` is that of asks outside of batches, below the address that both have in common."""
        self.base_url = str(model.endpoint.url).removesuffix(path)
        self._model = model
        self._server = Server(model.endpoint, self.base_url)

    @abstractmethod
    def line(self, ask: Ask) -> bytes:
        """An ask in a batch, by its key; with the body that would be sent without one."""

    async def upload(self, content: BinaryIO) -> str | None:
        """What has to happen before the batch is made, and costs nothing; gives what `create` needs of it."""
        return None

    @abstractmethod
    async def create(self, content: BinaryIO, uploaded: str | None, token: str) -> str:
        """Make the batch; gives its id."""

    async def find(self, token: str, asks: int, posted_at: float, known: Collection[str]) -> Found | None:
        """The batch that was made for this token, or about then with so many asks; not one of the known."""

        def is_too_old(batch: dict[str, Any]) -> bool:
            return self.time_of(batch) < posted_at - CLOCK_SECONDS

        async for batch in self._server.newest_first(self.listed, self.cursor, self.per_page, is_too_old):
            found = self.recognised(batch, token, asks, posted_at)
            if found is not None and (found.is_sure or found.batch_id not in known):
                return found
        return None

    @abstractmethod
    def time_of(self, batch: dict[str, Any]) -> float:
        """When a batch in the list was made; 0 where that can't be told."""

    @abstractmethod
    def recognised(self, batch: dict[str, Any], token: str, asks: int, posted_at: float) -> Found | None:
        """A batch in the list, where it is the one that was posted, or may be."""

    @abstractmethod
    async def look(self, batch_id: str) -> Look:
        """How it is doing."""

    def lines(self, look: Look) -> AsyncIterator[tuple[str, Line]]:
        """The lines of an ended batch by the keys of their asks, in any order."""
        return self._server.lines_by_key(look.results)

    @abstractmethod
    def read(self, ask: Ask, line: Line) -> Reply:
        """The reply in a line; raises what else it says."""

    async def close(self) -> None:
        await self._server.close()


class Server:
    """A provider's server beside its address for asks: files up, lists and files down.

    All addresses are below `base_url`, and all requests have the headers of the model's endpoint.
    """

    def __init__(self, endpoint: Endpoint, base_url: str) -> None:
        self.base_url = base_url
        self._endpoint = endpoint
        self._session: aiohttp.ClientSession | None = None

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The JSON object at a path."""
        return await self._json("GET", path, query=query, timeout=aiohttp.ClientTimeout(total=SECONDS))

    async def post(self, path: str, content: bytes | BinaryIO) -> dict[str, Any]:
        """Send JSON; gives the JSON object that comes back."""
        return await self._json(
            "POST", path, data=content, headers={"Content-Type": "application/json"}, timeout=_as_long_as_it_moves()
        )

    async def post_file(self, path: str, content: BinaryIO, name: str, fields: Mapping[str, str]) -> dict[str, Any]:
        """Send a file and fields as a form; gives the JSON object that comes back."""
        form = aiohttp.FormData()
        for field, value in fields.items():
            form.add_field(field, value)
        form.add_field("file", content, filename=name, content_type="application/jsonl")
        return await self._json("POST", path, data=form, timeout=_as_long_as_it_moves())

    async def newest_first(
        self, path: str, cursor: str, per_page: int, is_too_old: Callable[[dict[str, Any]], bool]
    ) -> AsyncIterator[dict[str, Any]]:
        """What is in a list, the newest first, to the end of the page on which it is too old; the next page is named
        by the id of the last one, as `cursor`.
        """
        query = {"limit": str(per_page)}
        while True:
            page = await self.get(path, query)
            items = [item for item in page.get("data") or [] if isinstance(item, dict)]
            for item in items:
                yield item
            if not page.get("has_more") or not items or is_too_old(items[-1]):
                return
            query[cursor] = id_of(items[-1])

    async def lines_by_key(self, addresses: Iterable[str]) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """The lines of a batch at these addresses, by the keys of their asks."""
        for address in addresses:
            async for line in self.lines(address):
                if isinstance(key := line.get("custom_id"), str):
                    yield key, line

    async def lines(self, address: str) -> AsyncIterator[dict[str, Any]]:
        """The JSON objects in the lines at a path, or at an address of this server; what is none is left out."""
        timeout = _as_long_as_it_moves()
        rest = b""
        log_answer = self._log("GET", self._url(address))
        try:
            async with self._open().get(self._url(address), timeout=timeout, allow_redirects=False) as response:
                log_answer(response.status)
                if response.status != 200:
                    self._refuse(response, await response.read())
                async for chunk in response.content.iter_any():
                    *whole, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
                    for line in whole:
                        if (decoded := self._object(line)) is not None:
                            yield decoded
        except (aiohttp.ClientError, OSError) as error:
            raise self._endpoint.trouble(error, SECONDS_BETWEEN_BYTES) from error
        if (decoded := self._object(rest)) is not None:
            yield decoded

    def refuse(self, status: int, decoded: Any) -> NoReturn:
        """Raise what a status that came inside a line means."""
        self._endpoint.refuse(status, {}, decoded)

    def _refuse(self, response: aiohttp.ClientResponse, raw: bytes) -> NoReturn:
        if response.status == 404:
            raise NotThere(f"the server said 404 to {response.url.with_query(None)}")
        self._endpoint.refuse_raw(response.status, response.headers, raw)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _json(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        timeout: aiohttp.ClientTimeout,
        query: Mapping[str, str] | None = None,
        data: bytes | BinaryIO | aiohttp.FormData | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        url = self._url(path).update_query(query or {})
        log_answer = self._log(method, url, data if isinstance(data, bytes) else b"")
        try:
            async with self._open().request(
                method,
                url,
                data=data,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                raw = await response.read()
                log_answer(response.status)
        except (aiohttp.ClientError, OSError) as error:
            raise self._endpoint.trouble(error, timeout.total or SECONDS_BETWEEN_BYTES) from error
        if not 200 <= response.status < 300:
            self._refuse(response, raw)
        decoded = self._endpoint.decoded(raw)
        if not isinstance(decoded, dict):
            raise TryAgain("the answer is not a JSON object")
        return decoded

    def _log(self, method: str, url: URL, body: bytes = b"") -> Callable[[int], None]:
        """Log a request, but no file that it sends; gives what logs the answer."""
        return log_request(_LOG, method, url, self._endpoint.headers, body)

    def _url(self, address: str) -> URL:
        """The key goes to the server that the user named, and to no other that an answer points to."""
        url = URL(address)
        if url.absolute:
            assert url.origin() == URL(self.base_url).origin()
            return url
        return URL(f"{self.base_url}{address}")

    def is_here(self, address: object) -> bool:
        """Whether it is an address of this server."""
        try:
            url = URL(address) if isinstance(address, str) else URL()
            return url.absolute and url.origin() == URL(self.base_url).origin()
        except ValueError:
            return False

    def _object(self, line: bytes) -> dict[str, Any] | None:
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


def id_of(answer: dict[str, Any]) -> str:
    """The id of what was made or listed."""
    if not isinstance(found := answer.get("id"), str) or not found:
        raise TryAgain("the answer has no id")
    return found


def from_start(file: BinaryIO) -> BinaryIO:
    """The same file from its beginning, to be closed by whoever sends it."""
    again = os.fdopen(os.dup(file.fileno()), "rb")
    again.seek(0)
    return again


def _as_long_as_it_moves() -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, sock_connect=SECONDS, sock_read=SECONDS_BETWEEN_BYTES)
