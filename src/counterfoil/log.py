"""The lines that `--verbose` and `COUNTERFOIL_LOG=debug` show on standard error: what a command does, without secrets.

Every module has its logger, `logging.getLogger(__name__)`; this one shows them, and masks what they must not show.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import TextIO
from urllib.parse import parse_qsl, quote, quote_plus

from counterfoil.errors import UserError

VARIABLE = "COUNTERFOIL_LOG"
MASK = "[masked]"
# Of all other headers and parts of a query only the names are shown: any of them may be a key.
PLAIN_HEADERS = frozenset({"accept", "accept-encoding", "anthropic-version", "content-type"})
PLAIN_QUERY = frozenset({"after", "after_id", "api-version", "limit"})
# Shorter values are placeholders, such as "none" or "EMPTY" for a server that wants no key.
SHORTEST_SECRET = 8
_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"(?<=://)[^/\s@]+@")

_numbers = count(1)


@contextmanager
def shown() -> Iterator[None]:
    """Show every line of the loggers `counterfoil.*` while the work inside goes on, and the traceback of its error."""
    if (level := os.environ.get(VARIABLE, "")).lower() not in ("", "debug"):
        raise UserError(f"{VARIABLE} is {level!r}: set it to debug, or leave it unset.")
    logger, handler = logging.getLogger("counterfoil"), _Handler()
    handler.setFormatter(_Formatter("%(asctime)s.%(msecs)03d %(name)s: %(message)s", "%H:%M:%S"))
    level_before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    except BrokenPipeError:  # no error: the reader has seen enough
        raise
    except (UserError, OSError) as error:  # they are told in one sentence
        logger.debug("%s", type(error).__name__, exc_info=True)
        raise
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level_before)


def log_request(
    logger: logging.Logger, method: str, url: object, headers: Mapping[str, str], body: bytes = b""
) -> Callable[[int], None]:
    """Log a request as it is sent, without its secrets; gives a function that logs the status of the answer.

    Both lines begin with the request's number, since many requests are under way at a time.
    """
    if not logger.isEnabledFor(logging.DEBUG):
        return lambda status: None
    number, started_at = next(_numbers), time.perf_counter()
    text = masked(body.decode("utf-8", "replace"))
    logger.debug("#%d %s %s (%s) %s", number, method, masked_url(str(url)), masked_headers(headers), text)
    return lambda status: logger.debug("#%d %d in %.3f s", number, status, time.perf_counter() - started_at)


def masked_headers(headers: Mapping[str, str]) -> str:
    """Headers as text; of those that may hold a key, only the names."""
    plain = {name: value if name.lower() in PLAIN_HEADERS else MASK for name, value in headers.items()}
    return ", ".join(f"{name}: {value}" for name, value in plain.items())


def masked_url(url: str) -> str:
    """An address without a password, and without the parts of its query that may be a key."""
    address, _, query = masked(url).partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    shown = "&".join(f"{name}={value if name in PLAIN_QUERY else MASK}" for name, value in pairs)
    return f"{address}?{shown}" if shown else address


def masked(text: str) -> str:
    """A text without passwords in addresses, and without the keys that the environment holds, however spelled."""
    secrets = {
        spelled
        for name, value in os.environ.items()
        if _SECRET_VARIABLE.search(name) and len(value.strip()) >= SHORTEST_SECRET
        for spelled in _spellings(value.strip())
    }
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return _PASSWORD_IN_URL.sub(f"{MASK}@", text)


def plain(text: str) -> str:
    """A text from elsewhere, such as a server's, as it may be shown and kept: on one line, without keys, and without
    characters that steer a terminal. All such texts go through here.
    """
    return spelled_out(" ".join(masked(text).split()))


def spelled_out(text: str) -> str:
    """The text with all characters that can't be seen spelled out."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _spellings(secret: str) -> Iterator[str]:
    """A secret as it stands in a text, in JSON and in an address."""
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield quote(secret, safe="")
    yield quote_plus(secret)


class _Handler(logging.StreamHandler[TextIO]):
    """Writes to what is standard error at the time: a live display puts itself in its place."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


class _Formatter(logging.Formatter):
    """One line for each record, with the traceback below it; nothing in it steers a terminal, or is a secret."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        record.message = record.message.replace("\n", "\\n")
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        text = masked(super().format(record))
        return "\n".join(map(spelled_out, text.split("\n")))
