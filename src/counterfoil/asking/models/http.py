"""One address that takes JSON and gives JSON: connections, time limits, and what each refusal of a server means."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

import aiohttp
import msgspec
from yarl import URL

from counterfoil.asking.models.base import Hopeless, ModelUnusable, TimedOut, TryAgain, Unreachable
from counterfoil.errors import UserError

LONGEST_MESSAGE = 300
_DURATION = re.compile(r"([\d.]+)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")


class Rejected(Hopeless):
    """The server did not accept the ask. `parameter`: the one it names; `filtered`: its content was the reason."""

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


class Endpoint:
    """Posts asks to one address. `secret` is blotted out of what comes back; `remedy` is told when a key is refused."""

    def __init__(self, url: str, headers: Mapping[str, str], *, secret: str | None, remedy: str) -> None:
        self._url = URL(url)
        self._headers = {**headers, "Content-Type": "application/json", "Accept": "application/json"}
        self._secret = secret.encode() if secret else None
        self._remedy = remedy
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: Mapping[str, Any], timeout: float) -> Answer:
        """The server's answer; everything else is one of the errors of `base`."""
        if self._session is None:
            self._session = _session()
        try:
            async with self._session.post(
                self._url,
                data=msgspec.json.encode(body),
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(total=timeout),
                allow_redirects=False,
            ) as response:
                raw = await response.read()
        except aiohttp.ClientConnectorCertificateError as error:
            raise ModelUnusable(f"the certificate of {self._url.host} is not trusted: {error}") from error
        except aiohttp.ClientConnectorError as error:
            raise Unreachable(f"no server answers at {self._url.origin()} ({error.os_error})") from error
        except TimeoutError as error:
            raise TimedOut(f"no reply within {timeout:g} seconds") from error
        except (aiohttp.ClientError, OSError) as error:
            raise TryAgain(f"the connection broke off ({type(error).__name__})") from error
        if self._secret is not None and self._secret in raw:
            raw = raw.replace(self._secret, b"[key]")
        if response.status != 200:
            try:
                self._refuse(response.status, response.headers, decode_json(raw))
            except NotJson:
                self._refuse(response.status, response.headers, raw.decode("utf-8", "replace"))
        decoded = decode_json(raw)
        if not isinstance(decoded, dict):
            raise TryAgain("the reply is not a JSON object")
        if isinstance(decoded.get("error"), dict) and "choices" not in decoded:
            code = decoded["error"].get("code")
            self._refuse(code if isinstance(code, int) else 500, response.headers, decoded)
        return Answer(decoded, _quiet_seconds(response.headers))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _refuse(self, status: int, headers: Mapping[str, str], decoded: Any) -> NoReturn:
        """Raise what a status other than 200 means."""
        error = decoded.get("error", decoded) if isinstance(decoded, dict) else decoded
        details = error if isinstance(error, dict) else {}
        message = " ".join(str(details.get("message") or error or "no reason given").split())[:LONGEST_MESSAGE]
        said = f"the server said {status}: {message}"
        if _is_filtered(details):
            raise Rejected(said, filtered=True)
        if status == 429 and details.get("code") != "insufficient_quota":
            raise TryAgain(said, wait=_retry_after(headers), overloaded=True)
        if status == 529:
            raise TryAgain(said, wait=_retry_after(headers), overloaded=True)
        if status in (408, 409, 425) or status >= 500:
            raise TryAgain(said, wait=_retry_after(headers))
        if status in (401, 402, 403, 429):
            raise ModelUnusable(f"{said}; {self._remedy}")
        if status in (404, 405) or status < 400:
            raise ModelUnusable(f"{said}; check the model's name and the address {self._url.with_query(None)}")
        parameter = details.get("param")
        raise Rejected(said, parameter=parameter if isinstance(parameter, str) else None)


def checked_base_url(url: str) -> str:
    """The address without a slash at its end; a sentence if it can't be one."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(
            f"--base-url {url} is no address: it begins with http:// or https://, as in http://localhost:8000/v1."
        )
    if parts.username or parts.password:
        raise UserError(
            "--base-url holds a password, which would be written to the ledger: set the key's variable instead."
        )
    return url.rstrip("/")


def decode_json(raw: bytes) -> Any:
    """JSON from a server. Half of a surrogate pair, which models cut in two, becomes a replacement character."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        text = (
            json.dumps(json.loads(raw), ensure_ascii=False)
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
        )
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotJson("the reply is not valid JSON") from error


def _session() -> aiohttp.ClientSession:
    # Looking for a proxy costs time with each ask, so it is done only where the environment names one.
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        trust_env=any(variable in map(str.lower, os.environ) for variable in _PROXY_VARIABLES),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


def _is_filtered(details: Mapping[str, Any]) -> bool:
    """Whether the content of the ask was the reason: OpenAI's and Azure's codes, OpenRouter's moderation."""
    inner, metadata = details.get("innererror"), details.get("metadata")
    return (
        details.get("code") in ("content_filter", "content_policy_violation")
        or (isinstance(inner, dict) and inner.get("code") == "ResponsibleAIPolicyViolation")
        or (isinstance(metadata, dict) and "flagged_input" in metadata)
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (a number or a date)."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(milliseconds) / 1000)
        if (after := headers.get("Retry-After")) is None:
            return None
        if after.strip().replace(".", "", 1).isdigit():
            return float(after)
        return max(0.0, parsedate_to_datetime(after).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _quiet_seconds(headers: Mapping[str, str]) -> float:
    """How long until there is room again, where the rate-limit headers say that there is none left."""
    quiet = 0.0
    for what in ("requests", "tokens"):
        for remaining, reset in (
            (f"x-ratelimit-remaining-{what}", f"x-ratelimit-reset-{what}"),
            (f"anthropic-ratelimit-{what}-remaining", f"anthropic-ratelimit-{what}-reset"),
        ):
            if headers.get(remaining) == "0":
                quiet = max(quiet, _until(headers.get(reset, "")))
    return quiet


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
