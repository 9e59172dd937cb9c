"""The same through aiohttp: for proxies, and for what is no plain post, such as files."""

from __future__ import annotations

import os
from collections.abc import Mapping

import aiohttp

from counterfoil.asking.wire.errors import BrokenOff, NoConnection, NoProxy, NotTrusted, TooLarge, WireError
from counterfoil.asking.wire.response import LARGEST_BODY, Response

_NO_LIMIT = aiohttp.ClientTimeout(total=None)
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")


class ProxiedClient:
    """Posts to one address with the same headers, through the proxy that the environment names."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._session = open_session(headers)

    async def post(self, data: bytes) -> Response:
        """The response; a WireError where there is none."""
        try:
            async with self._session.post(self._url, data=data, timeout=_NO_LIMIT, allow_redirects=False) as response:
                body = await read_body(response)
        except (aiohttp.ClientError, OSError) as error:
            raise wire_error(error) from error
        headers = {name.lower(): value for name, value in reversed(list(response.headers.items()))}
        return Response(response.status, headers, body, keeps=False)

    async def close(self) -> None:
        await self._session.close()


def open_session(headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """A session that sends these headers with each request."""
    # Looking for a proxy costs time with each request, so it is done only where the environment names one.
    return aiohttp.ClientSession(
        headers=headers,
        connector=aiohttp.TCPConnector(limit=0),
        trust_env=any(variable in map(str.lower, os.environ) for variable in PROXY_VARIABLES),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


async def read_body(response: aiohttp.ClientResponse) -> bytes:
    """The body, unpacked; TooLarge where it is more than is read."""
    parts, size = [], 0
    while part := await response.content.readany():
        parts.append(part)
        size += len(part)
        if size > LARGEST_BODY:
            raise TooLarge
    return parts[0] if len(parts) == 1 else b"".join(parts)


def wire_error(error: aiohttp.ClientError | OSError | WireError) -> WireError | TimeoutError:
    """The same error in the words of all clients."""
    if isinstance(error, WireError | TimeoutError):
        return error
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return NotTrusted(OSError(str(error)))
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return NoProxy(error.os_error)
    if isinstance(error, aiohttp.ClientConnectorError):
        return NoConnection(error.os_error)
    return BrokenOff(type(error).__name__)
