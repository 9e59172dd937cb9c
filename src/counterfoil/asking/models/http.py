"""One address that takes JSON and gives JSON: connections, time limits, and what each refusal of a server means."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, ClassVar, NamedTuple, NoReturn, Protocol
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models.base import (
    Hopeless,
    Model,
    ModelError,
    ModelSpec,
    ModelUnusable,
    Sent,
    TimedOut,
    TryAgain,
    Unreachable,
)
from counterfoil.asking.models.providers import is_this_machine, missing_variables, provider_of
from counterfoil.asking.models.thinking import RAISED, lacked_room, thinks, with_room
from counterfoil.asking.wire.client import Client, address_of
from counterfoil.asking.wire.errors import NoConnection, NoProxy, NotTrusted, TooLarge, WireError
from counterfoil.asking.wire.proxies import proxy_for
from counterfoil.asking.wire.response import LARGEST_BODY, Response
from counterfoil.errors import UserError
from counterfoil.log import SHORTEST_SECRET, log_request, masked_url

_LOG = logging.getLogger(__name__)

LONGEST_MESSAGE = 300
# More than any model writes: texts of 200,000 tokens.
LONGEST_TEXT = 1_000_000
# A limit runs out in so many parts, so that a time in which this process was stopped counts as one of them at the most;
# then what has come is read, in so many turns of the event loop.
PARTS_OF_LIMIT, TURNS_TO_READ = 2, 16
# Stands for an address where nothing will be sent.
NOWHERE = "http://nowhere.invalid"
_DURATION = re.compile(r"([\d.]+)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNSUPPORTED = re.compile(r"unsupported|not support", re.IGNORECASE)
# The headers that say how much is left until a limit, and until when.
_RATE_LIMITS = [
    (name.format("remaining"), name.format("reset"))
    for what in ("requests", "tokens")
    for name in (f"x-ratelimit-{{}}-{what}", f"anthropic-ratelimit-{what}-{{}}")
]


class Rejected(Hopeless):
    """The server did not accept the ask. `parameter`: one it does not take; `filtered`: its content was the reason."""

    def __init__(self, reason: str, *, parameter: str | None = None, filtered: bool = False) -> None:
        super().__init__(reason)
        self.parameter = parameter
        self.filtered = filtered


class NotJson(TryAgain):
    """What came back can't be parsed."""


class Answer(NamedTuple):
    """A server's JSON, and for how many seconds it wants no more asks."""

    body: dict[str, Any]
    quiet: float


class Poster(Protocol):
    """Whoever posts to one address."""

    async def post(self, data: bytes) -> Response:
        """The response; a WireError where there is none."""
        ...

    async def close(self) -> None: ...


class Endpoint:
    """Posts asks to one address. `secret` is blotted out of what comes back; `remedy` is told when a key is refused."""

    def __init__(self, url: str, headers: Mapping[str, str], *, secret: str | None, remedy: str) -> None:
        self.url = url
        # Those of every request, the key among them.
        self.headers = {**headers, "Content-Type": "application/json", "Accept": "application/json"}
        # A shorter one is a placeholder, such as "none" or "EMPTY", and may be a word of replies.
        self._secret = secret if secret and len(secret) >= SHORTEST_SECRET else None
        self._remedy = remedy
        self._poster: Poster | None = None

    async def post(self, body: Mapping[str, Any], timeout: float) -> Answer:
        """The server's answer; everything else is one of the errors of `base`."""
        poster = self._poster = self._poster or _poster(self.url, self.headers)
        data = msgspec.json.encode(body)
        log_answer = log_request(_LOG, "POST", self.url, self.headers, data)
        try:
            async with _Within(timeout):
                response = await poster.post(data)
        except (WireError, TimeoutError) as error:
            raise self.trouble(error, timeout) from error
        log_answer(response.status)
        if response.status != 200:
            self.refuse_raw(response.status, response.headers, response.body)
        decoded = self.decoded(response.body)
        if not isinstance(decoded, dict):
            raise TryAgain("the reply is not a JSON object")
        if decoded.get("error") and "choices" not in decoded:
            code = dict_of(decoded["error"]).get("code")
            if isinstance(code, int) and code >= 400:
                self.refuse(code, response.headers, decoded)
            self.refuse(500, response.headers, decoded, called="200, and an error")
        return Answer(decoded, _quiet_seconds(response.headers))

    async def close(self) -> None:
        if self._poster is not None:
            await self._poster.close()
            self._poster = None

    def trouble(self, error: WireError | TimeoutError, timeout: float) -> ModelError:
        """What it means that a request ended with this error and not with a response."""
        if isinstance(error, TimeoutError):
            return TimedOut(f"no reply within {timeout:g} seconds")
        if isinstance(error, TooLarge):
            return Hopeless(f"the reply is too long: more than {LARGEST_BODY // 1_000_000} MB")
        if isinstance(error, NotTrusted):
            return ModelUnusable(f"the certificate of {urlsplit(self.url).hostname} is not trusted: {error}")
        if isinstance(error, NoProxy):
            return Unreachable(f"the proxy that the environment names does not answer ({error})")
        if isinstance(error, NoConnection):
            if error.error.errno in (errno.EMFILE, errno.ENFILE):
                return TryAgain("this process has too many open files: lower --concurrency", overloaded=True)
            parts = urlsplit(self.url)
            return Unreachable(f"no server answers at {parts.scheme}://{parts.netloc} ({error})")
        return TryAgain(f"the connection broke off ({error})")

    def decoded(self, raw: bytes) -> Any:
        """The JSON without the key. Where a backslash is in it, the key may be there in another spelling."""
        try:
            decoded = decode_json(raw)
        except NotJson as error:
            came = self._blotted(raw[:LONGEST_MESSAGE].decode("utf-8", "replace"))
            raise NotJson(f"{error}: {came}" if came.strip() else "the reply is empty") from error
        if self._secret is None or (self._secret.encode() not in raw and b"\\" not in raw):
            return decoded
        try:
            return self._blotted(decoded)
        except RecursionError as error:
            raise NotJson("the reply is nested too deeply") from error

    def _blotted(self, value: Any) -> Any:
        """A text, or JSON with all its texts, without the key."""
        if isinstance(value, str):
            return value.replace(self._secret, "[key]") if self._secret else value
        if isinstance(value, list):
            return [self._blotted(inner) for inner in value]
        if isinstance(value, dict):
            return {self._blotted(name): self._blotted(inner) for name, inner in value.items()}
        return value

    def refuse_raw(self, status: int, headers: Mapping[str, str], raw: bytes) -> NoReturn:
        """Raise what a status other than 200 means, with whatever came."""
        try:
            decoded = self.decoded(raw)
        except NotJson:
            decoded = self._blotted(raw.decode("utf-8", "replace"))
        self.refuse(status, headers, decoded)

    def refuse(self, status: int, headers: Mapping[str, str], decoded: Any, called: str = "") -> NoReturn:
        """Raise what a status other than 200 means; the sentence may call it otherwise."""
        error = decoded.get("error", decoded) if isinstance(decoded, dict) else decoded
        details = dict_of(error)
        message = " ".join(str(details.get("message") or error or "no reason given").split())[:LONGEST_MESSAGE]
        said = f"the server said {called or status}: {message}"
        if _is_filtered(details, message):
            raise Rejected(said, filtered=True)
        overloaded = status == 529 or (status == 429 and details.get("code") != "insufficient_quota")
        if overloaded or status in (408, 409, 425) or status >= 500:
            raise TryAgain(said, wait=_retry_after(headers), overloaded=overloaded)
        if status in (402, 429):
            raise ModelUnusable(f"{said}; see to the account's credit, then run the same command again")
        if status in (401, 403):
            raise ModelUnusable(f"{said}; {self._remedy}")
        if 300 <= status < 400 and (location := headers.get("location")):
            where = masked_url(self._blotted(location))[:LONGEST_MESSAGE]
            raise ModelUnusable(f"the server sends asks on to {where}: give that address instead")
        if status in (404, 405) or status < 400:
            raise ModelUnusable(f"{said}; check the model's name and the address {self.url.partition('?')[0]}")
        parameter = details.get("param")
        # A value out of range names its parameter, too: that is the user's to correct.
        is_unsupported = _UNSUPPORTED.search(f"{details.get('code')} {message}")
        raise Rejected(said, parameter=parameter if is_unsupported and isinstance(parameter, str) else None)


class HttpModel(Model):
    """One model behind an address. Each interface has its own addresses, bodies, answers and refusals."""

    # Parameters that the interface has two names for, with the second.
    renamed: ClassVar[Mapping[str, str]] = {}

    def __init__(self, spec: ModelSpec) -> None:
        if not spec.dry and (missing := missing_variables(spec)):
            raise UserError(f"{spec.name} needs {' and '.join(missing)}: set the environment variable, then run again.")
        if not spec.rest:
            raise UserError(f"{spec.name} names no model: write {spec.provider}/NAME.")
        super().__init__(spec, base_url=checked_base_url(spec.base_url) if spec.base_url else None)
        provider = provider_of(spec.name)
        secret = key_from(provider.key) if provider.key else None
        base_url = self._identity.base_url or provider.base_url
        if base_url is None and (variable := provider.base_url_variable):
            base_url = checked_base_url(NOWHERE if spec.dry else os.environ[variable], variable)
        assert base_url is not None
        remedy = f"check {provider.key}" if provider.key else "the server wants a key"
        self.endpoint = Endpoint(*self.address(base_url, secret), secret=secret, remedy=remedy)
        if not spec.dry:
            refuse_proxy(self.endpoint.url)
        self._unsupported: set[str] = set()
        # Whether the name says that it thinks; whether a reply has shown that; whether the server has no room for it.
        self._thinks = thinks(spec)
        self._raises_limit = self._has_no_room = False

    def ask(self, messages: Sequence[Message], params: Mapping[str, Any], sample: int) -> Ask:
        return super().ask(messages, with_room(params) if self._thinks else params, sample)

    async def send(self, ask: Ask, timeout: float) -> Sent:
        """One attempt. If thinking has left no room for the answer, another follows with more room, from then on for
        all asks. The key stays: a model whose name does not tell is known to think only now.
        """
        had_room = self._raises_limit
        sent = await self._send(ask, timeout)
        if had_room or self._has_no_room or not lacked_room(ask.params, sent.reply):
            return sent
        self._raises_limit = True
        try:
            again = await self._send(ask, timeout)
        except Hopeless:  # such as a context that is shorter than the room
            self._raises_limit, self._has_no_room = False, True
            return sent
        return Sent(_with_tokens_of(sent.reply, again.reply), again.quiet)

    async def _send(self, ask: Ask, timeout: float) -> Sent:
        body = self.body(replace(ask, params=with_room(ask.params)) if self._raises_limit else ask)
        try:
            answer = await self.endpoint.post(body, timeout)
        except Rejected as error:
            return Sent(self.rejected(error, body))
        return Sent(self.read(answer.body), answer.quiet)

    def rejected(self, error: Rejected, body: Mapping[str, Any]) -> Reply:
        """The reply where a filter let nothing through; otherwise raises what the rejection of that body means."""
        if error.filtered:
            return Reply(status="refused", finish_reason="content_filter", text=str(error))
        parameter = self.unsupported_in(error, body)
        if parameter is None:
            raise error
        # Other asks that were under way with it are refused, too, after it has been learned.
        self._unsupported.add(parameter)
        raise TryAgain(str(error), wait=0.0) from error

    @property
    def adjustments(self) -> list[str]:
        params = self._spec.params
        is_raised = self._raises_limit or (self._thinks and with_room(params) != params)
        return [RAISED] * is_raised + [
            f"{name} is sent as {self.renamed[name]}"
            if name in self.renamed
            else f"{name} is not sent: the model does not take it"
            for name in sorted(self._unsupported)
        ]

    def address(self, base_url: str, secret: str | None) -> tuple[str, dict[str, str]]:
        """The whole address of asks, and the headers with the key."""
        raise NotImplementedError

    def body(self, ask: Ask) -> dict[str, Any]:
        """What is sent for an ask, by what is known of the model so far."""
        raise NotImplementedError

    def read(self, body: Mapping[str, Any]) -> Reply:
        """The reply in an answer."""
        reply = self.reply_in(body)
        longest = max(len(reply.text), len(reply.reasoning or ""))
        if longest > LONGEST_TEXT:
            raise Hopeless(f"the reply is too long: {longest:,} characters, and at most {LONGEST_TEXT:,} are read")
        return reply

    def reply_in(self, body: Mapping[str, Any]) -> Reply:
        """The reply in an answer, however long."""
        raise NotImplementedError

    def unsupported_in(self, error: Rejected, body: Mapping[str, Any]) -> str | None:
        """The parameter of a rejected body that the model does not take, if that was the reason."""
        raise NotImplementedError

    async def close(self) -> None:
        await self.endpoint.close()


def _with_tokens_of(first: Reply, reply: Reply) -> Reply:
    """A reply that another one was paid for before."""
    counts = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
    both = {name: (getattr(first, name), getattr(reply, name)) for name in counts}
    return replace(reply, **{name: None if None in pair else sum(pair) for name, pair in both.items()})


def key_from(variable: str) -> str | None:
    """A key, or whatever else goes into a header, from the environment; None where there is none."""
    value = os.environ.get(variable, "").strip()
    if not value.isprintable():
        raise UserError(f"{variable} holds a line break or another character that can't be sent: set it again.")
    return value or None


def checked_base_url(url: str, source: str = "--base-url") -> str:
    """The address without a slash at its end; a sentence that names its source if it can't be one."""
    try:
        parts = urlsplit(url)
        is_address = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and bool(address_of(url))
        )
        has_password = "@" in (parts.netloc if is_address else url)
    except ValueError as error:
        if str(error).startswith("Port") and "@" not in url:
            raise UserError(f"{source} {url}: its port must be a number from 1 to 65535.") from error
        is_address, has_password = False, "@" in url
    if has_password:
        raise UserError(
            f"{source} holds a password, which would be written to the ledger: set the key's variable instead."
        )
    if not is_address:
        raise UserError(
            f"{source} {url} is no address: it begins with http:// or https://, as in http://localhost:8000/v1."
        )
    if "?" in url or "#" in url:
        raise UserError(f"{source} goes on after its path: leave out the ? or # and what comes after it.")
    return url.rstrip("/")


def decode_json(raw: bytes) -> Any:
    """JSON from a server. Half of a surrogate pair, which models cut in two, becomes a replacement character, and
    what is no number (NaN, Infinity) null.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        text = json.dumps(json.loads(raw), ensure_ascii=False)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return json.loads(whole, parse_constant=lambda name: None)
    except (ValueError, RecursionError) as error:
        raise NotJson("the reply is not valid JSON") from error


class _Within:
    """TimeoutError for what takes longer, not counting what this process was stopped. What has come by then is read
    first: it was paid for.
    """

    def __init__(self, seconds: float) -> None:
        self._part = seconds / PARTS_OF_LIMIT
        self._loop = asyncio.get_running_loop()
        self._limit = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()
        self._timer = self._loop.call_later(self._part, self._go_on, PARTS_OF_LIMIT - 1, TURNS_TO_READ)

    def _go_on(self, parts: int, turns: int) -> None:
        if parts:
            self._timer = self._loop.call_later(self._part, self._go_on, parts - 1, turns)
        elif turns:
            self._timer = self._loop.call_later(0, self._go_on, 0, turns - 1)
        else:
            self._limit.reschedule(self._loop.time())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()
        await self._limit.__aexit__(kind, error, traceback)


def dict_of(value: Any) -> dict[str, Any]:
    """A JSON object; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def _poster(url: str, headers: Mapping[str, str]) -> Poster:
    if proxy_for(url) is None:
        return Client(url, headers)
    from counterfoil.asking.wire.session import ProxiedClient

    return ProxiedClient(url, headers)


def refuse_proxy(url: str) -> None:
    """UserError where the environment names a proxy for this address that can't be used: asks would go around it."""
    proxy = None if is_this_machine(url) else proxy_for(url)
    if proxy is not None and (proxy.kind == "all" or proxy.scheme != "http"):
        parts = urlsplit(url)
        needed = f"{parts.scheme.upper()}_PROXY"
        raise UserError(
            f"{proxy.kind.upper()}_PROXY names a {proxy.scheme}:// proxy for {parts.hostname}, and only http:// "
            f"proxies in {needed} can be used: set {needed} to one, or name {parts.hostname} in NO_PROXY to ask it "
            "without a proxy."
        )


def _is_filtered(details: Mapping[str, Any], message: str) -> bool:
    """Whether content was the reason: OpenAI's and Azure's codes, OpenRouter's moderation, Anthropic's sentence."""
    return (
        details.get("code") in ("content_filter", "content_policy_violation")
        or dict_of(details.get("innererror")).get("code") == "ResponsibleAIPolicyViolation"
        or "flagged_input" in dict_of(details.get("metadata"))
        or "blocked by content filtering policy" in message
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (a number or a date)."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(milliseconds) / 1000)
        if (after := headers.get("retry-after")) is None:
            return None
        if after.strip().replace(".", "", 1).isdigit():
            return float(after)
        return max(0.0, parsedate_to_datetime(after).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _quiet_seconds(headers: Mapping[str, str]) -> float:
    """How long until there is room again, where the rate-limit headers say that there is none left."""
    resets = [headers.get(reset, "") for remaining, reset in _RATE_LIMITS if headers.get(remaining) == "0"]
    return max(map(_until, resets), default=0.0)


def _until(reset: str) -> float:
    """Seconds from "6m0.5s", "20ms", "12" or an ISO time; 0 from anything else."""
    try:
        if "T" in reset:
            return max(0.0, datetime.fromisoformat(reset).timestamp() - time.time())
        if parts := _DURATION.findall(reset):
            return sum(float(number) * _SECONDS[unit] for number, unit in parts)
        return max(0.0, float(reset))
    except ValueError:
        return 0.0
