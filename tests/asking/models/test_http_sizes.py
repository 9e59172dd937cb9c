"""Answers without end: they end in a sentence for their ask, and not in gigabytes."""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from counterfoil.asking.models.base import Hopeless, TryAgain
from counterfoil.asking.models.http import LONGEST_TEXT
from counterfoil.asking.wire.response import LARGEST_BODY
from http_posts import Raw, trouble
from mock_server import Answer, MockServer, completion
from openai_asks import send_all

MB = 1_000_000


@contextmanager
def at_most(megabytes: int) -> Iterator[None]:
    """No more memory than that is taken at any moment."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * MB
    finally:
        tracemalloc.stop()


def bomb(megabytes: int) -> bytes:
    """So many megabytes of zeros, a thousandth of that as gzip."""
    packer = zlib.compressobj(wbits=31)
    return b"".join([packer.compress(bytes(MB)) for _ in range(megabytes)]) + packer.flush()


@pytest.mark.parametrize("status", [200, 500])
def test_a_small_file_that_unpacks_to_a_large_one(status: int) -> None:
    answer = Answer(bomb(300), status, {"Content-Encoding": "gzip"})
    with at_most(80):
        raised = trouble(answer)
    assert type(raised) is Hopeless
    assert str(raised) == "the reply is too long: more than 16 MB"


def test_a_body_that_never_ends() -> None:
    # A terabyte was announced; no more comes than is needed to see that it is too much.
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n"
    raised = trouble(Raw(head + b" " * (LARGEST_BODY + MB)))
    assert type(raised) is Hopeless


def test_headers_that_never_end() -> None:
    head = b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(100_000))
    assert isinstance(trouble(Raw(head)), TryAgain)


def test_a_reply_that_no_reader_gets_through() -> None:
    with MockServer(lambda request: completion("B" * (LONGEST_TEXT + 1))) as server:
        (raised,) = send_all(server)
    assert type(raised) is Hopeless
    assert str(raised) == "the reply is too long: 1,000,001 characters, and at most 1,000,000 are read"


def test_the_longest_reply_is_read() -> None:
    with MockServer(lambda request: completion("B" * LONGEST_TEXT)) as server:
        (sent,) = send_all(server)
    assert len(sent.reply.text) == LONGEST_TEXT
